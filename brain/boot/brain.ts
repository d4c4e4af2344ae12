import type { OperatorConfig } from "@metahuman/core/contract/config";
import type { Operator } from "@metahuman/agents/operator/operator";
import type { StartOptions } from "@metahuman/agents/operator/operator-options";
import type { Accounts } from "@metahuman/core/profiles/accounts";
import type { ProfileQuota } from "@metahuman/core/profiles/profile-quota";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import type { AuditKey } from "@metahuman/core/audit/signing";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { ConfigSource } from "@metahuman/core/config/config-source";
import type { OperatorFlag, RuntimeConfig } from "@metahuman/core/contract/config";
import type { AgentsPort } from "@metahuman/core/agents/agents-port";
import type { ArchiveEntry, IndexStatus, Page } from "@metahuman/core/contract/http";
import type { ChangeCounts, RunStanding } from "@metahuman/core/contract/live-news";
import type {
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
import type { FunctionAnalytics, UpkeepReport } from "@metahuman/core/contract/function-upkeep";
import type { FunctionApprovals } from "./function-approvals.ts";
import type { FunctionActor, FunctionsOfProfile } from "@metahuman/core/functions/functions-port";
import type { ApprovalsQuery } from "@metahuman/core/runs/run-store";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { ProfileTransfer } from "@metahuman/core/transfer/profile-transfer";
import type { TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import type { FunctionExchange } from "./function-exchange.ts";
import type { StateControl } from "./state-database.ts";
import type { AgentProposals } from "./agent-proposals.ts";

export type { FunctionActor, Operator, StartOptions };

/** The API of all surfaces: page, CLI and MCP. */
export interface Brain {
  readonly version: string;
  /** The data root. */
  readonly home: string;
  readonly config: ConfigSource;
  readonly accounts: Accounts;
  /** Signs all audit logs. */
  readonly auditKey: AuditKey;
  /** Opens a profile once and keeps it open; throws `NotFoundError` for a name without an account. */
  profile(username: string): Promise<Profile>;
  /** The model servers and roles, for the page and the CLI. */
  models(options?: { fresh: boolean }): Promise<ModelSituation>;
  readonly modelControl: ModelControl;
  /**
   * Writes switches to `etc/runtime.json` of the data root; each counts from the next run on. Throws `ConfigInvalidError`
   * while the configuration is not in use as it stands; nothing is written then.
   */
  changeFlags(flags: Partial<Record<OperatorFlag, boolean>>): Promise<RuntimeConfig>;
  /**
   * Stops taking work, lets running skills finish up to `graceMs`, marks the rest interrupted, closes databases.
   */
  close(options: { graceMs: number }): Promise<void>;
}

/** Assigns, tests and downloads models; for the owner only. */
export interface ModelControl {
  /**
   * Writes the choice to `etc/models.json` of the data root; it counts from the next call on. Throws `InvalidArgsError`
   * for a model that is not there or cannot play the role, and `ConfigInvalidError` while the configuration is not in
   * use as it stands; nothing is written then.
   */
  assign(assignment: RoleAssignment): Promise<ModelSituation>;
  /** Asks one model, whatever its roles; the last part is `done`. Throws `ModelError`. */
  test(request: ModelTestRequest, signal: AbortSignal): AsyncIterable<ModelTestPart>;
  /**
   * Readies a download of a model onto its server and returns it; it goes on while it is iterated, its last event is
   * `done`, aborting ends it. One at a time for each server, else `ConflictError`; `InvalidArgsError` where there is no
   * such server or it cannot. The iteration throws `ModelError`.
   */
  pull(request: PullRequest, signal: AbortSignal): Promise<AsyncIterable<PullEvent>>;
}

/** An opened profile. */
export interface Profile {
  readonly username: string;
  readonly store: ProfileStore;
  readonly memory: MemoryPort;
  readonly tasks: TasksPort;
  readonly functions: FunctionsOfProfile;
  readonly functionUpkeep: FunctionUpkeep;
  readonly functionExchange: FunctionExchange;
  readonly files: WorkspaceFiles;
  readonly archive: ArchiveView;
  readonly index: IndexControl;
  readonly operator: Operator;
  readonly runs: RunReader;
  readonly conversations: Conversations;
  readonly approvals: Approvals;
  /** The functions of every agent that wait for approval. */
  readonly functionApprovals: FunctionApprovals;
  /** The effective function settings: the profile's over the installation's. */
  functionSettings(): Promise<OperatorConfig["functions"]>;
  readonly audit: AuditLog;
  readonly agents: AgentsPort;
  readonly transfer: ProfileTransfer;
  readonly quota: Pick<ProfileQuota, "usage">;
  readonly proposals: AgentProposals;
  /** Of `state.db`, where runs and conversations are kept. */
  readonly state: StateControl;
  /** The number of changes of each kind since the profile was opened. */
  changes(): ChangeCounts;
  /**
   * Reads a function's code as somebody writes it, and runs none of it. Throws `SandboxTimeoutError` or
   * `SandboxCrashedError` for code that is too much to read.
   */
  inspectCode(code: CodeToInspect): Promise<CodeInspection>;
}

/** All throw `NotFoundError` for ids that are not this profile's. */
export interface RunReader {
  get(runId: string): Promise<Run>;
  /** The same with what models were asked and replied, and what the person thought of it. */
  inspect(runId: string): Promise<Run>;
  list(query: {
    status?: RunStatus;
    conversationId?: string;
    query?: string;
    limit: number;
    cursor?: string;
  }): Promise<Page<RunSummary>>;
  /** As `RunStore` says. */
  unended(limit: number): Promise<RunSummary[]>;
  latest(limit: number): Promise<RunStanding[]>;
}

export interface Conversations {
  list(query: { query?: string; limit: number; cursor?: string }): Promise<Page<Conversation>>;
  get(id: string): Promise<{ conversation: Conversation; messages: Message[]; runs: RunSummary[] }>;
  rename(id: string, title: string): Promise<Conversation>;
  remove(id: string): Promise<void>;
}

export interface Approvals {
  list(query: ApprovalsQuery): Promise<Page<Approval>>;
  get(id: string): Promise<Approval>;
  grants(): Promise<Grant[]>;
  revokeGrant(id: string): Promise<void>;
}

/** Files, memories, tasks and functions that were deleted, in one list. */
export interface ArchiveView {
  list(query: { query?: string; limit: number; cursor?: string }): Promise<Page<ArchiveEntry>>;
  /** With `replace`, a file that is at the path now is archived first. */
  restore(id: string, options?: { replace?: boolean }): Promise<ArchiveEntry>;
}

/** Maintains functions and reports their results. */
export interface FunctionUpkeep {
  /** Disables failing functions, proposes merges of duplicates, reports unused ones. A dry run only reports. */
  maintain(actor: FunctionActor, options: { dryRun: boolean; signal?: AbortSignal }): Promise<UpkeepReport>;
  analytics(query: { since: string; functionId?: string }): Promise<FunctionAnalytics>;
}

export interface IndexControl {
  status(): Promise<IndexStatus>;
  /**
   * Starts a rebuild from the files in the background; a second call while one runs changes nothing. With
   * `excludeFunctions` only what is known of memories is read anew.
   */
  rebuild(options?: { excludeFunctions?: boolean }): Promise<IndexStatus>;
}
