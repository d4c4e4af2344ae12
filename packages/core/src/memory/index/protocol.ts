import { z } from "zod";
import type { TimeSort } from "../../contract/http.ts";
import type {
  LinkedMemory,
  MemoryRecord,
  MemorySource,
  MemoryTrust,
  MemoryType,
} from "../../contract/memory.ts";
import type { EmbedderFacts } from "../../vectors/embedder.ts";
import type { EntryFilter } from "../../vectors/entry-facts.ts";
import type { VectorEntry, VectorMatch } from "../../vectors/vector-index.ts";
import type { CandidateColumns } from "../recall/candidate-columns.ts";
import type { FittingCandidate, Strongest } from "../recall/candidate.ts";
import type { FitOptions } from "../recall/fit.ts";
import type { CloseIfIdleCall } from "../../worker/worker-client.ts";
import type { RelatedIds, RelatedQuery } from "./link-table.ts";
import type { SearchEntry, SearchMode, SearchMatch } from "./search-index.ts";
import type { EvictionQuery } from "./eviction-candidates.ts";

/** The settings of the memory index. */
export const IndexSettings = z.strictObject({
  /** Absolute path of `memory.db`. */
  database: z.string(),
  /** Absolute path of the memory folder; all other paths are relative to it. */
  root: z.string(),
  /** Folders with memories. */
  recordFolders: z.array(z.string()),
  /** Folders with tasks: not indexed, but checked for unreadable files. */
  taskFolders: z.array(z.string()),
  /** The built-in embedder; calls name the others. */
  embedder: z.strictObject({ id: z.string(), dimensions: z.int().positive() }),
});
export type IndexSettings = z.infer<typeof IndexSettings>;

/** A record with its written file. */
export interface FiledRecord {
  record: MemoryRecord;
  path: string;
  /** Of the file's bytes. */
  hash: string;
}

/** The search for candidates: by words, and by a vector if there is one. Loosely if nothing fits exactly; the nearest, if asked for, come last. */
export interface CandidateQuery extends Omit<FitOptions, "collection"> {
  query: string;
  /** The number of candidates that each search contributes. */
  limit: number;
  filter: EntryFilter;
  nearest?: { embedder: EmbedderFacts; vector: Float32Array } | undefined;
  /** The number of candidates whose records come at once. */
  readAhead: number;
}

export interface FoundCandidates {
  candidates: FittingCandidate[];
  strongest: Strongest;
  /** The record of a candidate; undefined if it has to be read. */
  recordOf: (id: string) => MemoryRecord | undefined;
}

/** A record as the index stores it. */
export interface IndexedRecord {
  id: string;
  /** Its text. */
  content: string;
  /** Its other fields, as JSON. */
  fields: string;
}

/** Found candidates as a message. */
export interface CandidatesMessage {
  columns: CandidateColumns;
  strongest: Strongest;
  /** The records of the most relevant candidates whose files are unchanged. */
  records: IndexedRecord[];
}

export interface PageQuery {
  ids?: readonly string[] | undefined;
  types?: readonly MemoryType[] | undefined;
  tag?: string | undefined;
  trust?: MemoryTrust | undefined;
  source?: MemorySource["kind"] | undefined;
  runId?: string | undefined;
  conversationId?: string | undefined;
  /** First and last moment, both included; ISO 8601 UTC. */
  since?: string | undefined;
  until?: string | undefined;
  /** Every word must occur in the record; the last one may be a prefix. */
  query?: string | undefined;
  /** Defaults to the newest first. */
  sort?: TimeSort | undefined;
  limit: number;
  /** The last entry of the previous page. */
  after?: { timestamp: string; id: string } | undefined;
}

export interface Page {
  /** Newest first. */
  entries: { id: string; path: string; timestamp: string }[];
  total: number;
}

/** A text to embed. */
export interface PendingText {
  id: string;
  hash: string;
  text: string;
}

export interface EmbeddedText {
  id: string;
  hash: string;
  vector: Float32Array;
}

/** The next texts for an embedder. */
export interface PendingTexts {
  texts: PendingText[];
  /** Whether it has tried every entry once. Texts that it refused do not count. */
  isComplete: boolean;
}

/** `embedded` and `pending` refer to the embedder in the call. */
export interface IndexState {
  items: number;
  embedded: number;
  pending: number;
  rebuilding: boolean;
  /** 0–1; 1 if no reconciliation runs. */
  progress: number;
  quarantined: { path: string; reason: string }[];
}

/** Calls on the vectors of any index. */
export interface VectorCalls {
  putVectors: { params: { embedder: EmbedderFacts; entries: readonly VectorEntry[] }; result: undefined };
  removeVectors: { params: { embedder: EmbedderFacts; ids: readonly string[] }; result: undefined };
  /** Returns nothing for an embedder without stored vectors. */
  nearest: {
    params: { embedder: EmbedderFacts; vector: Float32Array; limit: number; filter: EntryFilter };
    result: VectorMatch[];
  };
  countVectors: { params: { embedder: EmbedderFacts }; result: number };
  /** Returns every entry for a new embedder. */
  pending: { params: { embedder: EmbedderFacts; limit: number }; result: PendingTexts };
  embedded: { params: { embedder: EmbedderFacts; texts: readonly EmbeddedText[] }; result: undefined };
  /** Moves texts that could not be embedded to the end of the queue. */
  postpone: { params: { embedder: EmbedderFacts; ids: readonly string[] }; result: undefined };
  /** Removes the vectors of all other embedders. */
  keepEmbedders: { params: readonly string[]; result: undefined };
}

/** Calls on the memory index. All of them are idempotent. */
export interface IndexCalls extends VectorCalls, CloseIfIdleCall {
  putEntries: { params: readonly SearchEntry[]; result: undefined };
  removeEntries: { params: readonly string[]; result: undefined };
  search: {
    params: { query: string; limit: number; filter: EntryFilter; mode: SearchMode };
    result: SearchMatch[];
  };
  countEntries: { params: null; result: number };
  putRecords: { params: readonly FiledRecord[]; result: undefined };
  locate: { params: string; result: string | null };
  /** The candidates that fit a request, with all that ranking needs. */
  candidates: { params: CandidateQuery; result: CandidatesMessage };
  /** The records of entries that still have the indexed id, read from their files. */
  records: { params: readonly string[]; result: (MemoryRecord | null)[] };
  page: { params: PageQuery; result: Page };
  related: { params: RelatedQuery & { limit: number }; result: RelatedIds };
  linked: { params: string; result: LinkedMemory[] };
  /** Summaries of memories by id. */
  shown: { params: readonly string[]; result: LinkedMemory[] };
  /** The other entries nearest in meaning; none while the entry is not embedded. */
  neighbors: {
    params: { embedder: EmbedderFacts; id: string; limit: number; kinds: readonly string[] };
    result: VectorMatch[];
  };
  evictionCandidates: { params: EvictionQuery; result: string[] };
  /** Reads single files again. */
  recheck: { params: readonly string[]; result: undefined };
  /** Updates the index from the files; `everything` reads them all, changed or not. Resolves when done. */
  reconcile: { params: { everything: boolean }; result: undefined };
  state: { params: { embedder: EmbedderFacts }; result: IndexState };
  close: { params: null; result: undefined };
}
