import { z } from "zod";
import type { FunctionSort } from "../../contract/function.ts";
import type { FunctionMatchReason } from "../../contract/function-search.ts";
import type { VectorCalls } from "../../memory/index/protocol.ts";
import type { VectorMatch } from "../../vectors/vector-index.ts";
import type { CloseIfIdleCall } from "../../worker/worker-client.ts";
import type { StoredFunction } from "../store/stored-function.ts";

/** What the worker over the functions is opened with. */
export const FunctionIndexSettings = z.strictObject({
  /** Absolute path of `functions.db`. */
  database: z.string(),
  /** Absolute path of the folder of functions. */
  root: z.string(),
  embedder: z.strictObject({ id: z.string(), dimensions: z.int().positive() }),
});
export type FunctionIndexSettings = z.infer<typeof FunctionIndexSettings>;

export interface Scope {
  /** `*` finds and lists those of every agent. */
  agentId: string;
  userId: string;
}

export interface FiledFunction {
  function: StoredFunction;
  /** Relative to the folder of functions. */
  path: string;
}

/** What ranking and lists need to know of how a function did; made from `state.db`, kept here for their sake. */
export interface EvidenceRow {
  id: string;
  uses: number;
  executions: number;
  successes: number;
  /** When it was last of use. */
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
  /** Of the last item; null when nothing follows. */
  next: { key: string | number; id: string } | null;
}

export interface FunctionSearch {
  /** The partitions to search: `searchedKinds`. */
  kinds: readonly string[];
  query: string;
  /** What is near in meaning, and by whose vectors; no matches while no embedder answers: words alone decide. */
  meaning: { embedder: string; matches: readonly VectorMatch[] };
  skills: readonly string[];
  limit: number;
  /** Of a fit, below which nothing is returned; 1 as measured. */
  threshold: number;
  /** Down to which share of `threshold` what follows a fit is listed. */
  listed?: number;
  now: string;
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
  /** The next best, and why they were left out. */
  rejected: { id: string; title: string; score: number; fit: number; reason: string }[];
}

/** What can be asked of the worker over the functions. All of it may be asked twice without harm. */
export interface FunctionIndexCalls extends VectorCalls, CloseIfIdleCall {
  /** Makes the index agree with single files, present or not. */
  look: { params: readonly string[]; result: undefined };
  load: { params: { scope: Scope; id: string }; result: FiledFunction | null };
  loadByName: { params: { scope: Scope; name: string }; result: FiledFunction | null };
  /** How many there are, whatever their scope. */
  count: { params: null; result: number };
  /** The agents that have functions of this user, in the order of their names. */
  agents: { params: { userId: string }; result: string[] };
  page: { params: FunctionPageQuery; result: FunctionPage };
  search: { params: FunctionSearch; result: FunctionSearchResult };
  evidence: { params: readonly EvidenceRow[]; result: undefined };
  reconcile: { params: { everything: boolean }; result: undefined };
  state: { params: null; result: { items: number; quarantined: { path: string; reason: string }[] } };
  close: { params: null; result: undefined };
}
