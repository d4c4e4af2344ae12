import type {
  FunctionChange,
  FunctionContent,
  FunctionEdit,
  FunctionKind,
  FunctionMemory,
  FunctionOrigin,
  FunctionProposal,
  FunctionSort,
  FunctionStatus,
  FunctionTrust,
  FunctionVersion,
  NewFunction,
  Verification,
} from "../contract/function.ts";
import type { CheckEvent, Reverification } from "../contract/verification.ts";
import type { FunctionSearchAnswer } from "../contract/function-search.ts";
import type { StoredFunction } from "./store/stored-function.ts";
import type { ArchiveEntry, Page } from "../contract/http.ts";

/** Who does something to a function, for provenance and audit. */
export interface FunctionActor {
  /** A username, or the name of an agent: `operator`, `learner`, `curator`, `librarian`. */
  by: string;
  /** A person at a surface; only a person or the approval policy changes what is live. */
  isPerson: boolean;
  /** May promote over a failing report, with a reason. */
  isOwner: boolean;
  surface?: string;
  runId?: string;
}

export interface FunctionProvenance {
  /** `written` when missing. */
  origin?: FunctionOrigin;
  sourceConversationId?: string;
  sourceOperatorRunId?: string;
}

export interface FunctionListQuery {
  kind?: FunctionKind;
  trust?: FunctionTrust;
  status?: FunctionStatus;
  /** Uses all of these. */
  skills?: readonly string[];
  tag?: string;
  /** Every word must occur, the last may be begun. */
  query?: string;
  limit: number;
  cursor?: string;
  /** `updated` when missing. */
  sort?: FunctionSort;
}

export interface FunctionQuery {
  /** 3 when missing: what fits into a prompt. */
  limit?: number;
  /** Also says what was looked at and not chosen. */
  explain?: boolean;
  /** `verified` (and active) when missing: nothing else may reach a planner. `any` and `draft` are for people. */
  trust?: FunctionTrust | "any";
  /** Skills that the request is known to need: a small advantage for functions that use them. */
  skills?: readonly string[];
  /**
   * How many times as well as the calibrated threshold everything found has to fit. Left out, one of them has to fit and
   * those that follow it may fit less.
   */
  strictness?: number;
  signal?: AbortSignal;
}

/** What became of a function in one run; each replaces what was known of that run before. */
export interface FunctionUseRecord {
  functionId: string;
  runId: string;
  /**
   * - `offered`: its text was in a prompt, or it was considered for a replay
   * - `followed`: a step named it
   * - `succeeded`, `failed`: it was followed, and the run was answered or failed on that part
   */
  outcome: "offered" | "followed" | "succeeded" | "failed";
  /** A person's verdict counts as this many uses, 1 when missing. */
  weight?: number;
  error?: string;
  executionTimeMs?: number;
  /** What the run cost, for the figures of what a function saves. */
  planningCalls?: number;
  tokens?: number;
}

export interface ProposedRevision {
  change: FunctionChange;
  origin: FunctionProposal["origin"];
  /** One sentence: what changes and why. */
  reason: string;
  sourceOperatorRunId?: string;
}

/** A change that was made at once, or what of it waits to be accepted. */
export interface UpdatedFunction {
  function: FunctionMemory;
  proposal?: FunctionProposal;
}

/** How somebody follows a verification. */
export interface Following {
  signal?: AbortSignal;
  /** Hears of each check in the order of the report; must not throw. */
  onCheck?: (event: CheckEvent) => void;
}

export interface VerifyOptions extends Following {
  /** The agent whose functions the content may call; `USUAL_AGENT` when missing. */
  agentId?: string;
}

/** What the checks are run on: all of the content, and whose it is. */
export interface FunctionVerifier {
  /** Never rejects for what stands in the function: a failing check is part of the report. */
  verify(content: FunctionContent, options?: VerifyOptions): Promise<Verification>;
}

/**
 * The functions of one profile and one agent (design 5.1, 5.2, 5.5). Files are the truth; index and counters are joined
 * on read. Everything that changes something is audited and updates the index in the same act. All methods that take an
 * id throw `FunctionNotFoundError` for one that is not in this scope.
 */
export interface FunctionsPort {
  /**
   * Saves a new draft: `active` when a person saves it, else `pending_approval` where `functions.requireApproval`. Throws
   * `AlreadyExistsError` for a name that is taken, `ConflictError` when the profile is full, `InvalidArgsError` for a
   * secret in it.
   */
  saveFunction(
    content: NewFunction,
    actor: FunctionActor,
    provenance?: FunctionProvenance,
  ): Promise<FunctionMemory>;
  loadFunction(id: string): Promise<FunctionMemory>;
  /** Undefined when no function of this scope has the name. */
  findByName(name: string): Promise<FunctionMemory | undefined>;
  listFunctions(query: FunctionListQuery): Promise<Page<FunctionMemory>>;
  /**
   * Changes a function. What a *verified* one does becomes a proposal; its title, summary and tags change at once.
   * Throws `StaleVersionError` with both texts when `edit.version` is not the current one.
   */
  updateFunction(id: string, edit: FunctionEdit, actor: FunctionActor): Promise<UpdatedFunction>;
  /** Lays a proposal beside the live version, whatever its trust. The same content twice is one proposal. */
  proposeRevision(id: string, revision: ProposedRevision, actor: FunctionActor): Promise<FunctionProposal>;
  /** Newest first. */
  listProposals(id: string, status?: FunctionProposal["status"]): Promise<FunctionProposal[]>;
  /** Verifies it when the live version is verified; then it is the live version. `reason` is needed over a failing report. */
  acceptProposal(
    id: string,
    proposalId: string,
    actor: FunctionActor,
    reason?: string,
  ): Promise<FunctionMemory>;
  rejectProposal(
    id: string,
    proposalId: string,
    actor: FunctionActor,
    reason?: string,
  ): Promise<FunctionProposal>;
  /** Can be undone for 30 days; then it is purged with its history. */
  deleteFunction(id: string, actor: FunctionActor): Promise<ArchiveEntry>;
  /** Undoes a deletion. */
  restoreFunction(id: string, actor: FunctionActor): Promise<FunctionMemory>;
  /** Newest first. */
  listDeleted(): Promise<{ id: string; title: string; deletedAt: string; purgedAt: string }[]>;
  /** What was deleted and can be restored, with all that it did. */
  deletedFunctions(): Promise<StoredFunction[]>;
  verifyFunction(id: string, actor: FunctionActor, following?: Following): Promise<Verification>;
  /** Verifies when the report is missing or stale; over a failing one only an owner who gives a reason. */
  promoteFunction(
    id: string,
    actor: FunctionActor,
    reason?: string,
    following?: Following,
  ): Promise<{ function: FunctionMemory; verification: Verification }>;
  demoteFunction(id: string, actor: FunctionActor, reason?: string): Promise<FunctionMemory>;
  /** Makes what waits for approval active and verifies it. */
  approveFunction(id: string, actor: FunctionActor, reason?: string): Promise<FunctionMemory>;
  rejectFunction(id: string, actor: FunctionActor, reason?: string): Promise<FunctionMemory>;
  disableFunction(id: string, actor: FunctionActor, reason?: string): Promise<FunctionMemory>;
  enableFunction(id: string, actor: FunctionActor): Promise<FunctionMemory>;
  /** Newest first, the current one included. */
  versions(id: string): Promise<FunctionVersion[]>;
  /** An edit like any other, with the content of an earlier version. */
  restoreVersion(id: string, version: number, actor: FunctionActor): Promise<UpdatedFunction>;
  /**
   * Counts once per function and run, however often it is told, and disables a function after five failures in a row or
   * below the least success bound. Returns the function with its counters.
   */
  recordFunctionUse(use: FunctionUseRecord): Promise<FunctionMemory>;
  /**
   * Finds what fits the request by meaning and by words, best first; nothing when nothing fits, never the least bad.
   */
  queryFunctions(query: string, options?: FunctionQuery): Promise<FunctionSearchAnswer>;
}

/** The functions of a profile, for each agent its own. */
export interface FunctionsOfProfile {
  /** `USUAL_AGENT` when missing. With `EVERY_AGENT`, new functions are the usual agent's. */
  of(agentId?: string): FunctionsPort;
  /** How far this process has checked verified functions anew; undefined when none had to be since its start. */
  reverification(): Reverification | undefined;
  /** How many verified functions a server still has to check again, read from their files. */
  awaitingReverification(): Promise<number>;
}
