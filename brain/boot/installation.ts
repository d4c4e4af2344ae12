import type { AgentCopies } from "@metahuman/core/agents/agent-copies";
import type { AgentStore } from "@metahuman/core/agents/open-agent-store";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { AuditKey } from "@metahuman/core/audit/signed-chain";
import type { EditableConfig } from "@metahuman/core/config/config-source";
import type { ModelKeys } from "@metahuman/core/config/model-keys";
import type { SecretSealer } from "@metahuman/core/config/sealed-secrets";
import type { NoticeChannel, NoticeUrgency } from "@metahuman/core/contract/notice";
import type { Schedule } from "@metahuman/core/contract/schedule";
import type { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import type { StorageCorruptError } from "@metahuman/core/errors/storage-errors";
import type { EvidenceTable } from "@metahuman/core/functions/upkeep/evidence-table";
import type { FunctionsOptions } from "@metahuman/core/functions/open-functions";
import type { Logger } from "@metahuman/core/log/logger";
import type { MemoryUses } from "@metahuman/core/memory/evolution/memory-uses";
import type { MemoryOptions } from "@metahuman/core/memory/open-memory";
import type { ListedRecords } from "@metahuman/core/memory/store/record-storage";
import type { TaskStorage } from "@metahuman/core/memory/tasks/open-tasks";
import type { NoticePort } from "@metahuman/core/notices/notice-port";
import type { ProfileChannelStore } from "@metahuman/core/notices/open-profile-channels";
import type { ProfilePaths } from "@metahuman/core/paths/profile-paths";
import type { Accounts } from "@metahuman/core/profiles/accounts";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import type { RunCopies } from "@metahuman/core/runs/run-copies";
import type { RunStore } from "@metahuman/core/runs/run-store";
import type { OccurrenceLedger } from "@metahuman/core/schedules/occurrence-ledger";
import type { WatchedPages } from "@metahuman/core/schedules/watched-pages";
import type { RecordCopies } from "@metahuman/core/transfer/record-copies";
import type { Driver, PoolOptions } from "@metahuman/postgres/pg-driver";
import type { RemoteFiles } from "./remote-files.ts";
import type { StateControl } from "./state-database.ts";

export interface InstallationOptions {
  /** The absolute path of the data root. */
  home: string;
  /** The folder of the shipped configuration. */
  shippedEtc: string;
  env: Readonly<Record<string, string | undefined>>;
  logger: Logger;
  /** Opens the connections to a database. Default: a pool. */
  connect?: ((url: string, options: PoolOptions) => Driver) | undefined;
  /** Whether this process is a server, not a short command: it makes backups and writes to the anchor file. */
  isLongLived: boolean;
}

/** The parts that all profiles of an installation share, and the storage of the settings, runs and log of each. */
export interface Installation {
  /** The name of this process among those of the installation; undefined if there is only one. */
  readonly node: string | undefined;
  /** The clock that all processes of the installation share. */
  readonly clock: () => Date;
  /** The data root with the folders of the profiles. */
  readonly profilesHome: string;
  /** Whether the files of the people are in folders, which programs can use, and which further folders may join. */
  readonly hasFolders: boolean;
  readonly config: EditableConfig;
  readonly accounts: Accounts;
  /** Signs all audit logs. */
  readonly auditKey: AuditKey;
  readonly modelKeys: ModelKeys;
  /** Encrypts the secrets of channels. */
  readonly channelSealer: SecretSealer;
  openProfileState(options: ProfileStateOptions): Promise<ProfileState>;
  /** The accounts with runs of processes that have ended, which a process with the profile open takes over. */
  profilesWithLostRuns(): Promise<string[]>;
  /** Throws the reason why requests cannot be served now. */
  requireReady(): Promise<void>;
  close(): Promise<void>;
}

export interface ProfileStateOptions {
  username: string;
  clock: () => Date;
  logger: Logger;
  /** Damage that was found while the profile was open before; what is damaged is not used then. */
  damage: StorageCorruptError | undefined;
}

/** The records of a profile that are not files in its folder. */
export interface ProfileRecords {
  /** A folder of this process for copies of the records, and for the indexes. */
  readonly paths: Pick<ProfilePaths, "memory">;
  readonly memories: NonNullable<MemoryOptions["storage"]>;
  readonly vectors: NonNullable<MemoryOptions["vectors"]>;
  readonly tasks: TaskStorage;
  readonly schedules: ListedRecords<Schedule>;
  readonly functions: NonNullable<FunctionsOptions["storage"]>;
  /** The records as files of an export. */
  readonly copies: RecordCopies;
  /** Whether a copy of the records takes longer than reads wait for it. */
  readonly isLarge: boolean;
  /** Calls `onChange` soon after a record of any kind was changed, by any process, since the profile was opened. */
  follow(onChange: () => void): { close(): void };
}

/** The storage of one profile besides its records and its files. */
export interface ProfileState {
  readonly audit: AuditLog;
  /** Settings and persona. */
  readonly settings: ProfileStore;
  readonly channels: ProfileChannelStore;
  readonly runs: RunStore;
  readonly runCopies: RunCopies;
  readonly agents: AgentStore;
  readonly agentCopies: AgentCopies;
  readonly ledger: OccurrenceLedger;
  readonly watchedPages: WatchedPages;
  readonly evidence: EvidenceTable;
  readonly memoryUses: MemoryUses;
  /** The records if they are rows; undefined if they are files in the profile's folder. */
  readonly records: ProfileRecords | undefined;
  /** The person's files if they are not in the profile's folder. */
  readonly files: RemoteFiles | undefined;
  openNotices(options: {
    /** The channels on which a notice of this urgency is delivered. */
    channels: (urgency: NoticeUrgency) => readonly NoticeChannel[];
    /** Called after this process changed the notices. */
    onChange: () => void;
  }): NoticePort;
  /** Whether old rows are deleted by the open profile; false where the installation does it for all. */
  readonly deletesOldRows: boolean;
  /** Whether a closed profile is opened for agents that have not run since the profile was last used. */
  readonly opensForAgents: boolean;
  /** The period over which the starts of the agents of all profiles are spread, in milliseconds. */
  readonly agentSpreadMs: number;
  /** Why runs and conversations cannot be used; undefined if they can. */
  readonly problem: MetahumanError | undefined;
  readonly control: StateControl;
  /**
   * Makes the next read see the changes that other processes have made until now. Called before a call of a skill is authorized, and with
   * each request of a person: then with `sinceRequest`, because those until its session or token was verified are enough.
   */
  expectChanges(options?: { sinceRequest?: boolean }): void;
  /**
   * Whether a run may be queued or claimed, or an approval pending. False only if that was found a moment ago and this process
   * has not changed the profile since. It costs no statement.
   */
  mayHoldRuns(): boolean;
  /** As `mayHoldRuns`: whether a run may be queued, or claimed by a process whose lease has expired, or an approval pending. */
  mayHoldWaitingRuns(): boolean;
  /** As `mayHoldRuns`: whether an occurrence or an agent may run, or a schedule, an occurrence or a delivery may be due. */
  mayBeDue(): boolean;
  /** Whether agents are due or running, and nothing else is. False if it is not known. It costs no statement. */
  onlyAgentsAreDue(): boolean;
  /** As `mayBeDue`: whether a schedule of the person or a delivery may be due until then. */
  mayBeDueUntil(at: Date): boolean;
  /**
   * Returns a function for one regular check (of schedules or deliveries), which says whether that check may find anything that other
   * processes left or that became due. It costs no statement.
   */
  newRegularCheck(): () => boolean;
  /**
   * Returns a function for one reader of the profile, which says whether any process may have changed its settings, records, runs,
   * approvals, conversations, agents or notices since the reader asked before. It costs no statement.
   */
  newChangeCheck(): () => boolean;
  /** Whether the profile must be opened again: damage was found, or the database was replaced or repaired. */
  isOutdated(): boolean;
  /** Damage that was found in use. */
  foundDamage(): StorageCorruptError | undefined;
  close(): Promise<void>;
}
