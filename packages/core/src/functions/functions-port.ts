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
import type { Clock } from "../language/dates/clock.ts";
import type { CheckEvent, Reverification } from "../contract/verification.ts";
import type { FunctionSearchAnswer } from "../contract/function-search.ts";
import type { StoredFunction } from "./store/stored-function.ts";
import type { ArchiveEntry, Page } from "../contract/http.ts";

/** The actor of a change, for provenance and audit. */
export interface FunctionActor {
  /** A username, or the name of an agent: `operator`, `learner`, `curator`, `librarian`. */
  by: string;
  /** True for a person. Only a person or the approval policy changes a live function. */
  isPerson: boolean;
  /** True when the actor may promote a function with a failing report, for a reason. */
  isOwner: boolean;
  surface?: string;
  runId?: string;
}

export interface FunctionProvenance {
  /** Default: `written`. */
  origin?: FunctionOrigin;
  sourceConversationId?: string;
  sourceOperatorRunId?: string;
}

export interface FunctionListQuery {
  kind?: FunctionKind;
  trust?: FunctionTrust;
  status?: FunctionStatus;
  /** Only functions that use all of these skills. */
  skills?: readonly string[];
  tag?: string;
  /** Every word must occur; the last one may be a prefix. */
  query?: string;
  limit: number;
  cursor?: string;
  /** Default: `updated`. */
  sort?: FunctionSort;
}

export interface FunctionQuery {
  /** Default: 3, which fits into a prompt. */
  limit?: number;
  /** Also returns the rejected candidates. */
  explain?: boolean;
  /**
   * Default: `verified`, the verified and active functions, which alone may reach a planner. `draft` finds all others:
   * drafts, and functions that are disabled, rejected or waiting. `any` finds both.
   */
  trust?: FunctionTrust | "any";
  /** Skills that the request needs. Functions that use them rank slightly higher. */
  skills?: readonly string[];
  /**
   * Multiplies the calibrated threshold for every result. By default only the best result must reach the threshold, and
   * later ones may score lower.
   */
  strictness?: number;
  signal?: AbortSignal;
}

/** The result of a function in one run. It replaces an earlier record of the same run. */
export interface FunctionUseRecord {
  functionId: string;
  runId: string;
  /**
   * - `offered`: its text was in a prompt, or it was considered for a replay
   * - `followed`: a step named it
   * - `succeeded`, `failed`: it was followed, and the run was answered or failed on that part
   */
  outcome: "offered" | "followed" | "succeeded" | "failed";
  /** How many uses the record counts as. Default: 1. */
  weight?: number;
  error?: string;
  executionTimeMs?: number;
  /** The cost of the run, for the savings figures. */
  planningCalls?: number;
  tokens?: number;
}

/** A request, and the values of a function's parameters in it. */
export interface WordingRequest {
  prompt: string;
  values: Readonly<Record<string, unknown>>;
  /** The time and place of the request: "tomorrow" counts from there. */
  clock: Clock;
}

export interface ProposedRevision {
  change: FunctionChange;
  origin: FunctionProposal["origin"];
  /** One sentence: the change and its reason. */
  reason: string;
  sourceOperatorRunId?: string;
}

/** The updated function, and the proposal for the part that must be accepted. */
export interface UpdatedFunction {
  function: FunctionMemory;
  proposal?: FunctionProposal;
}

/** Options of a verification. */
export interface CheckOptions {
  signal?: AbortSignal;
  /** Called for each check, in report order; must not throw. */
  onCheck?: (event: CheckEvent) => void;
}

export interface VerifyOptions extends CheckOptions {
  /** The agent whose functions the content may call. Default: `DEFAULT_AGENT`. */
  agentId?: string;
  /** The version before an edit. The report tells which examples of a recipe have another result than in that version. */
  before?: FunctionContent;
}

/** Runs the checks of a function's content. */
export interface FunctionVerifier {
  /** Resolves to the report; a failing check is part of it and never rejects. */
  verify(content: FunctionContent, options?: VerifyOptions): Promise<Verification>;
}

/**
 * The functions of one profile and one agent. Files are the source of truth; index and counters are joined on read. Every
 * change is audited and updates the index. Methods that take an id throw `FunctionNotFoundError` for an id outside this
 * scope.
 */
export interface FunctionsPort {
  /**
   * Saves a new draft: `active` for a person, otherwise `pending_approval` if `functions.requireApproval` is on. Throws
   * `AlreadyExistsError` for a taken name, `ConflictError` when the profile is full, and `InvalidArgsError` when the
   * content contains a secret.
   */
  saveFunction(
    content: NewFunction,
    actor: FunctionActor,
    provenance?: FunctionProvenance,
  ): Promise<FunctionMemory>;
  loadFunction(id: string): Promise<FunctionMemory>;
  /** Resolves to undefined when no function in this scope has the name. */
  findByName(name: string): Promise<FunctionMemory | undefined>;
  listFunctions(query: FunctionListQuery): Promise<Page<FunctionMemory>>;
  /**
   * Changes a function. For a *verified* function, a change of behavior becomes a proposal; title, summary and tags
   * change at once. Throws `StaleVersionError` with both texts when `edit.version` is not current.
   */
  updateFunction(id: string, edit: FunctionEdit, actor: FunctionActor): Promise<UpdatedFunction>;
  /** Creates a proposal for a function of any trust. The same content again returns the pending proposal. */
  proposeRevision(id: string, revision: ProposedRevision, actor: FunctionActor): Promise<FunctionProposal>;
  /** Newest first. */
  listProposals(id: string, status?: FunctionProposal["status"]): Promise<FunctionProposal[]>;
  /** Makes the proposal the live version; verifies it first if the live version is verified. A failing report needs `reason`. */
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
  /** Deletes a function. `restoreFunction` undoes it for 30 days; then function and history are purged. */
  deleteFunction(id: string, actor: FunctionActor): Promise<ArchiveEntry>;
  /** Undoes a deletion. */
  restoreFunction(id: string, actor: FunctionActor): Promise<FunctionMemory>;
  /** Newest first. */
  listDeleted(): Promise<{ id: string; title: string; deletedAt: string; purgedAt: string }[]>;
  /** The deleted functions that can be restored, with their content. */
  deletedFunctions(): Promise<StoredFunction[]>;
  verifyFunction(id: string, actor: FunctionActor, options?: CheckOptions): Promise<Verification>;
  /** Verifies first if the report is missing or stale. Only an owner with a reason may promote over a failing report. */
  promoteFunction(
    id: string,
    actor: FunctionActor,
    reason?: string,
    options?: CheckOptions,
  ): Promise<{ function: FunctionMemory; verification: Verification }>;
  demoteFunction(id: string, actor: FunctionActor, reason?: string): Promise<FunctionMemory>;
  /** Activates a function that waits for approval, and verifies it. */
  approveFunction(id: string, actor: FunctionActor, reason?: string): Promise<FunctionMemory>;
  rejectFunction(id: string, actor: FunctionActor, reason?: string): Promise<FunctionMemory>;
  disableFunction(id: string, actor: FunctionActor, reason?: string): Promise<FunctionMemory>;
  enableFunction(id: string, actor: FunctionActor, reason?: string): Promise<FunctionMemory>;
  /** Newest first, the current one included. */
  versions(id: string): Promise<FunctionVersion[]>;
  /** Edits the function to the content of an earlier version. */
  restoreVersion(id: string, version: number, actor: FunctionActor): Promise<UpdatedFunction>;
  /**
   * Adds the request of an accepted offer as a wording of the function. It applies at once and creates no version.
   * Changes nothing if a value is not in the request.
   */
  teachWording(id: string, request: WordingRequest, actor: FunctionActor): Promise<FunctionMemory>;
  /** Records that a person did not want the function for this wording: it is not offered for it again. */
  refuseWording(id: string, request: WordingRequest, actor: FunctionActor): Promise<FunctionMemory>;
  /** Removes a taught or refused wording; throws `NotFoundError` for an unknown one. */
  forgetWording(id: string, wordingId: string, actor: FunctionActor): Promise<FunctionMemory>;
  /**
   * Records a result, once per function and run. Disables a function after five consecutive failures, or when its success
   * bound is too low. Returns the function with its counters.
   */
  recordFunctionUse(use: FunctionUseRecord): Promise<FunctionMemory>;
  /**
   * Searches by meaning and by words, best match first. Returns nothing when no function reaches the threshold.
   */
  queryFunctions(query: string, options?: FunctionQuery): Promise<FunctionSearchAnswer>;
  /**
   * The `limit` verified recipes nearest to a request, at any distance, best first: a request may be one of a recipe's
   * examples word for word although it does not resemble the function. Recipes are the same objects until their files
   * change, so compiled forms can be cached in a `WeakMap`.
   */
  nearestRecipes(query: string, limit: number): Promise<NearRecipe[]>;
}

export interface NearRecipe {
  function: FunctionMemory;
  /** How well it fits the request by words and meaning: 1 and above is a fit. */
  fit: number;
}

/** The functions of a profile, separate for each agent. */
export interface FunctionsOfProfile {
  /** Default: `DEFAULT_AGENT`. With `EVERY_AGENT`, new functions belong to the default agent. */
  of(agentId?: string): FunctionsPort;
  /** The progress of this process's re-verification; undefined when none was needed since its start. */
  reverification(): Reverification | undefined;
  /** How many verified functions still need re-verification, counted from their files. */
  awaitingReverification(): Promise<number>;
}
