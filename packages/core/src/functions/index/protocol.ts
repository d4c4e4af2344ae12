import { z } from "zod";
import type { FunctionMatchReason } from "../../contract/function-search.ts";
import type { FunctionSort } from "../../contract/function.ts";
import type { VectorCalls } from "../../memory/index/protocol.ts";
import type { EmbedderFacts } from "../../vectors/embedder.ts";
import type { VectorMatch } from "../../vectors/vector-index.ts";
import type { CloseIfIdleCall, WorkerClient } from "../../worker/worker-client.ts";
import type { StoredFunction } from "../store/stored-function.ts";

/** The settings of the function index worker. */
export const FunctionIndexSettings = z.strictObject({
  /** Absolute path of `functions.db`. */
  database: z.string(),
  /** Absolute path of the folder of functions. */
  root: z.string(),
  embedder: z.strictObject({ id: z.string(), dimensions: z.int().positive() }),
});
export type FunctionIndexSettings = z.infer<typeof FunctionIndexSettings>;

/** The owner of a function, or, in a query, of the functions to find. */
export interface Scope {
  /** In a query, `*` means every agent. */
  agentId: string;
  userId: string;
}

/** A function and its file. */
export interface LocatedFunction {
  function: StoredFunction;
  /** Relative to the folder of functions. */
  path: string;
}

/** A function's counters for ranking and lists, copied from `state.db`. */
export interface UsageCounters {
  id: string;
  uses: number;
  executions: number;
  successes: number;
  /** The time of the last success. */
  usefulAt: string | null;
}

export interface FunctionPageQuery {
  scope: Scope;
  kind?: string | undefined;
  trust?: string | undefined;
  status?: string | undefined;
  skills?: readonly string[] | undefined;
  tag?: string | undefined;
  query?: string | undefined;
  sort: FunctionSort;
  limit: number;
  /** The sort key and id after which the page starts. */
  after?: { key: string | number; id: string } | undefined;
}

export interface FunctionPage {
  items: StoredFunction[];
  total: number;
  /** The sort key and id of the last item, after which the next page starts; null on the last page. */
  next: { key: string | number; id: string } | null;
}

export interface FunctionSearch {
  /** The partitions to search: `partitionsToSearch`. */
  kinds: readonly string[];
  query: string;
  /** The nearest vectors and their embedder; empty without an embedder, when words alone decide. */
  meaning: { embedder: string; matches: readonly VectorMatch[] };
  skills: readonly string[];
  limit: number;
  /** The fit that the best result needs; 1 is the calibrated threshold, and 0 accepts everything. */
  threshold: number;
  /** The share of `threshold` that all results after the best one need. */
  listed?: number;
  now: string;
}

/** A request for recipes; its vector is compared in the same call. */
export interface RecipeSearch extends Omit<FunctionSearch, "meaning" | "listed"> {
  /** Undefined while no embedder is reachable: then words alone decide. */
  embedded: { embedder: EmbedderFacts; vector: Float32Array } | undefined;
}

/** The path of a function's file, and the hash of its content. */
export interface IndexedFile {
  path: string;
  hash: string;
}

export interface ScoredFunction {
  function: StoredFunction;
  score: number;
  fit: number;
  matchReason: FunctionMatchReason;
  parts: { name: string; value: number; detail: string }[];
}

export interface FunctionSearchResult {
  items: ScoredFunction[];
  /** The next best candidates, and why they were rejected. */
  rejected: { id: string; title: string; score: number; fit: number; reason: string }[];
}

/** The calls of the function index worker. All are idempotent. */
export interface FunctionIndexCalls extends VectorCalls, CloseIfIdleCall {
  /** Updates the index for single files, present or deleted. */
  reindex: { params: readonly string[]; result: undefined };
  load: { params: { scope: Scope; id: string }; result: LocatedFunction | null };
  loadByName: { params: { scope: Scope; name: string }; result: LocatedFunction | null };
  /** The number of functions in all scopes. */
  count: { params: null; result: number };
  /** The agents with functions of this user, sorted by name. */
  agents: { params: { userId: string }; result: string[] };
  page: { params: FunctionPageQuery; result: FunctionPage };
  search: { params: FunctionSearch; result: FunctionSearchResult };
  /** The files of the recipes nearest to a request, at any distance, best first. */
  nearestRecipes: { params: RecipeSearch; result: (IndexedFile & { fit: number })[] };
  /** Functions by path; a file that is not valid is left out. */
  read: { params: readonly string[]; result: LocatedFunction[] };
  /** Replaces the counters of functions. */
  evidence: { params: readonly UsageCounters[]; result: undefined };
  /** Updates the index for all changed files; with `everything`, for all files. */
  reconcile: { params: { everything: boolean }; result: undefined };
  /** The number of functions, and the files that cannot be read, with the reasons. */
  state: { params: null; result: { items: number; quarantined: { path: string; reason: string }[] } };
  close: { params: null; result: undefined };
}

/** `offered` to planners, or `kept` for people. The index stores these words. */
type Visibility = "offered" | "kept";

/**
 * The index partition of a function. Partitions separate functions for planners from those that only people search, and
 * separate agents and users.
 */
export function partitionOf(stored: Pick<StoredFunction, "trust" | "status" | "scope">): string {
  return kind(isOffered(stored) ? "offered" : "kept", stored.scope);
}

/** The partitions to search: those of `FunctionQuery.trust`. */
export function partitionsToSearch(scope: Scope, trust: "verified" | "draft" | "any"): string[] {
  switch (trust) {
    case "verified":
      return [kind("offered", scope)];
    case "draft":
      return [kind("kept", scope)];
    case "any":
      return [kind("offered", scope), kind("kept", scope)];
    default:
      return trust satisfies never;
  }
}

/** Only verified and active functions reach a planner. */
function isOffered({ trust, status }: Pick<StoredFunction, "trust" | "status">): boolean {
  return trust === "verified" && status === "active";
}

function kind(visibility: Visibility, { agentId, userId }: Scope): string {
  return JSON.stringify([visibility, agentId, userId]);
}

type Results = { [Method in keyof FunctionIndexCalls]: FunctionIndexCalls[Method]["result"] };

/** What an index without functions answers. A method that is not here changes the index. */
const EMPTY: Partial<Results> = {
  load: null,
  loadByName: null,
  count: 0,
  agents: [],
  page: { items: [], total: 0, next: null },
  search: { items: [], rejected: [] },
  nearestRecipes: [],
  read: [],
  state: { items: 0, quarantined: [] },
  nearest: [],
  countVectors: 0,
  pending: { texts: [], isComplete: true },
};

/** The index of functions, which stays closed while it is known to be empty: most people have no function. */
export interface EmptySkippingIndex extends Pick<WorkerClient<FunctionIndexCalls>, "call"> {
  /** There is no function, unless a call has changed the index before. */
  noteEmpty(): void;
}

export function skipEmptyIndex(index: Pick<WorkerClient<FunctionIndexCalls>, "call">): EmptySkippingIndex {
  let isEmpty = false;
  let hasChanged = false;
  return {
    noteEmpty() {
      isEmpty = !hasChanged;
    },
    async call(method, params) {
      const answer = EMPTY[method];
      if (answer === undefined) hasChanged = true;
      else if (isEmpty && !hasChanged) return answer;
      return await index.call(method, params);
    },
  };
}
