import type { Account } from "@metahuman/core/contract/account";
import type { NewTask } from "@metahuman/core/contract/task";
import type { OperatorConfig, OperatorFlag, RuntimeConfig } from "@metahuman/core/contract/config";
import type { Operator } from "@metahuman/agents/operator/operator";
import type { StartOptions } from "@metahuman/agents/operator/operator-options";
import type { Accounts } from "@metahuman/core/profiles/accounts";
import type { ProfileQuota } from "@metahuman/core/profiles/profile-quota";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import type { AuditKey } from "@metahuman/core/audit/signed-chain";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { ConfigSource } from "@metahuman/core/config/config-source";
import type { AgentsPort } from "@metahuman/core/agents/agents-port";
import type { RestoredAnswer } from "@metahuman/core/contract/answers";
import type { ArchiveDetail } from "@metahuman/core/contract/archive";
import type { ArchiveEntry, ConversationEdit, IndexStatus, Page } from "@metahuman/core/contract/http";
import type { ChangeCounts, RunStatusSummary } from "@metahuman/core/contract/live-updates";
import type {
  ConfiguredServers,
  ModelServerEdit,
  ModelServerTest,
  ModelServerTestResult,
} from "@metahuman/core/contract/model-servers";
import type {
  ModelRef,
  ModelSituation,
  ModelTestPart,
  ModelTestRequest,
  PullEvent,
  PullRequest,
  RoleAssignment,
} from "@metahuman/core/contract/models";
import type { Approval, Grant } from "@metahuman/core/contract/approval";
import type { Conversation, Message } from "@metahuman/core/contract/conversation";
import type { Run, RunStatus, RunSummary } from "@metahuman/core/contract/run";
import type { CodeInspection, CodeToInspect } from "@metahuman/core/contract/code-inspection";
import type { ChannelServerControl } from "./channel-servers.ts";
import type { ProfileChannelControl } from "./profile-channels.ts";
import type { FunctionActor, FunctionsOfProfile } from "@metahuman/core/functions/functions-port";
import type { ApprovalsQuery } from "@metahuman/core/runs/run-store";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { ProfileTransfer } from "@metahuman/core/transfer/profile-transfer";
import type { NoticePort } from "@metahuman/core/notices/notice-port";
import type { SchedulesPort } from "@metahuman/core/schedules/schedules-port";
import type { Scheduler } from "@metahuman/agents/scheduler/scheduler";
import type { TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import type { FunctionApprovals, FunctionExchange, FunctionUpkeep } from "./profile-functions.ts";
import type { FileManager } from "./file-manager.ts";
import type { StateControl } from "./state-database.ts";
import type { AgentProposals } from "./agent-proposals.ts";

export type { FunctionActor, Operator, StartOptions };

/** The interface for all surfaces: page, API, CLI and MCP. */
export interface Brain {
  readonly version: string;
  /** The data root. */
  readonly home: string;
  /** The data root with the folders of the profiles. Differs from `home` if several servers share it. */
  readonly profilesHome: string;
  /** Whether further folders may join the workspace of a profile. */
  readonly hasFolders: boolean;
  /** The name of this process among those that share a database; undefined without one. */
  readonly node: string | undefined;
  /** Throws the reason why requests cannot be served now. */
  requireReady(): Promise<void>;
  readonly config: ConfigSource;
  readonly accounts: Accounts;
  /** Signs all audit logs. */
  readonly auditKey: AuditKey;
  /**
   * Opens a profile, or returns the one that is open. A server closes it when it was not used for
   * `server.profiles.idleTimeoutMs` and has nothing to do. Throws `NotFoundError` for a name without an account.
   */
  profile(username: string): Promise<Profile>;
  /** As `profile`, but the profile stays open until `release` is called. An `account` that was just read is not read again. */
  holdProfile(username: string, account?: Account): Promise<{ profile: Profile; release(): void }>;
  /** Closes the profiles that were not used for this time, in milliseconds. A server does this automatically. */
  closeIdleProfiles(idleMs: number): Promise<void>;
  /** Returns the state of model servers and roles. */
  models(options?: { fresh: boolean }): Promise<ModelSituation>;
  readonly modelControl: ModelControl;
  readonly channelServers: ChannelServerControl;
  /**
   * Writes flags to `etc/runtime.json` of the data root; each takes effect with the next run. Throws
   * `ConfigInvalidError` without writing while the configuration is invalid.
   */
  changeFlags(flags: Partial<Record<OperatorFlag, boolean>>): Promise<RuntimeConfig>;
  /**
   * Accepts no more runs, lets running skills finish for up to `graceMs` milliseconds, marks the rest as interrupted,
   * and closes all databases.
   */
  close(options: { graceMs: number }): Promise<void>;
}

/** Assigns, tests and downloads models; for owners only. */
export interface ModelControl {
  /**
   * Writes the assignment to `etc/models.json` of the data root; it takes effect with the next call. Throws
   * `InvalidArgsError` for a model that is unavailable or cannot play the role, and `ConfigInvalidError` while the
   * configuration is invalid; nothing is written then.
   */
  assign(assignment: RoleAssignment): Promise<ModelSituation>;
  /** Lists the OpenAI-compatible servers in the configuration, without their keys. */
  configuredServers(): Promise<ConfiguredServers>;
  /**
   * Adds or changes an OpenAI-compatible server in `etc/models.json` of the data root. Stores a given key encrypted; a
   * stored key stays only while the origin does. Throws `InvalidArgsError` for the id of a server of another kind, and
   * `ConfigInvalidError` as `assign` does.
   */
  saveServer(server: ModelServerEdit): Promise<ModelSituation>;
  /** Removes an OpenAI-compatible server with its key, and its models from the roles. Throws `NotFoundError`. */
  removeServer(id: string): Promise<ModelSituation>;
  /** Lists the models of a server before it is saved. Throws `ModelError`. */
  testServer(server: ModelServerTest, signal: AbortSignal): Promise<ModelServerTestResult>;
  /** Deletes a model from its server. Throws `InvalidArgsError` for a server that cannot do this, and `ModelError`. */
  removeModel(model: ModelRef, signal: AbortSignal): Promise<ModelSituation>;
  /** Tests one model, independent of its roles. The last part is `done`. Throws `ModelError`. */
  test(request: ModelTestRequest, signal: AbortSignal): AsyncIterable<ModelTestPart>;
  /**
   * Prepares the download of a model to a server. It runs while it is iterated and stops when aborted; its last event
   * is `done`. Throws `ConflictError` while another download to this server runs, and `InvalidArgsError` for an unknown
   * server or one that cannot download. The iteration throws `ModelError`.
   */
  pull(request: PullRequest, signal: AbortSignal): Promise<AsyncIterable<PullEvent>>;
}

/** An opened profile. */
export interface Profile {
  readonly username: string;
  readonly store: ProfileStore;
  readonly memory: MemoryPort;
  readonly tasks: TasksPort;
  /** Parses the words of a task at the current time, as in the chat: see `taskInWords`. */
  taskInWords(words: string): Promise<NewTask>;
  readonly functions: FunctionsOfProfile;
  readonly functionUpkeep: FunctionUpkeep;
  readonly functionExchange: FunctionExchange;
  readonly files: WorkspaceFiles;
  readonly fileManager: FileManager;
  readonly archive: ArchiveView;
  readonly index: IndexControl;
  readonly operator: Operator;
  readonly runs: RunReader;
  readonly conversations: Conversations;
  readonly approvals: Approvals;
  /** Functions of every agent that wait for approval. */
  readonly functionApprovals: FunctionApprovals;
  /** Returns the effective function settings of the profile. */
  functionSettings(): Promise<OperatorConfig["functions"]>;
  readonly audit: AuditLog;
  readonly agents: AgentsPort;
  readonly schedules: SchedulesPort;
  readonly notices: NoticePort;
  readonly channels: ProfileChannelControl;
  /** Carries out occurrences of schedules. */
  readonly scheduler: Pick<Scheduler, "execute" | "tick">;
  readonly transfer: ProfileTransfer;
  readonly quota: Pick<ProfileQuota, "usage">;
  readonly proposals: AgentProposals;
  /** The state of `state.db`, which contains runs and conversations. */
  readonly state: StateControl;
  /** The number of changes of each kind since the profile was opened. */
  changes(): ChangeCounts;
  /** As `ProfileState.newChangeCheck`. */
  newChangeCheck(): () => boolean;
  /**
   * Inspects the code of a function without running it. Throws `SandboxTimeoutError` or `SandboxCrashedError` if it is
   * too large to inspect.
   */
  inspectCode(code: CodeToInspect): Promise<CodeInspection>;
}

/** Reads runs of the profile. All methods throw `NotFoundError` for unknown ids. */
export interface RunReader {
  get(runId: string): Promise<Run>;
  /** Returns the run with its model calls and feedback. */
  inspect(runId: string): Promise<Run>;
  list(query: {
    status?: RunStatus;
    conversationId?: string;
    query?: string;
    limit: number;
    cursor?: string;
  }): Promise<Page<RunSummary>>;
  /** See `RunStore`. */
  unfinishedRuns(limit: number): Promise<RunSummary[]>;
  latest(limit: number): Promise<RunStatusSummary[]>;
}

export interface Conversations {
  list(query: { query?: string; limit: number; cursor?: string }): Promise<Page<Conversation>>;
  get(id: string): Promise<{ conversation: Conversation; messages: Message[]; runs: RunSummary[] }>;
  /** Changes the title, or pins it above the others. */
  edit(id: string, edit: ConversationEdit): Promise<Conversation>;
  remove(id: string): Promise<void>;
}

export interface Approvals {
  list(query: ApprovalsQuery): Promise<Page<Approval>>;
  get(id: string): Promise<Approval>;
  grants(): Promise<Grant[]>;
  revokeGrant(id: string): Promise<void>;
}

/** Deleted files, memories, tasks and functions in one list. */
export interface ArchiveView {
  /** With `ids`, only those of them that are still in the archive. */
  list(query: {
    query?: string;
    ids?: readonly string[];
    limit: number;
    cursor?: string;
  }): Promise<Page<ArchiveEntry>>;
  /** What restoring an entry brings back. Throws `NotFoundError`. */
  get(id: string, signal?: AbortSignal): Promise<ArchiveDetail>;
  /** With `replace`, an existing file at the path is archived first. */
  restore(id: string, options?: { replace?: boolean }): Promise<RestoredAnswer>;
}

export interface IndexControl {
  status(): Promise<IndexStatus>;
  /** As `status`; undefined, without opening them, while nobody has used the memories. */
  statusIfOpen(): Promise<IndexStatus | undefined>;
  /**
   * Starts a rebuild from the files in the background; has no effect while one runs. With `excludeFunctions`, only
   * memories are indexed again.
   */
  rebuild(options?: { excludeFunctions?: boolean }): Promise<IndexStatus>;
}
