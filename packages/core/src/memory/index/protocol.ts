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
import type { RestCall } from "../../worker/worker-client.ts";
import type { RelatedIds, RelatedQuery } from "./link-table.ts";
import type { SearchEntry, SearchManner, SearchMatch } from "./search-index.ts";
import type { EvictionQuery } from "./eviction-candidates.ts";

/** What the index worker is opened with. */
export const IndexSettings = z.strictObject({
  /** Absolute path of `memory.db`. */
  database: z.string(),
  /** Absolute path of the memory folder; all other paths are relative to it. */
  root: z.string(),
  /** Folders that hold memories. */
  recordFolders: z.array(z.string()),
  /** Folders that hold tasks: not indexed, but looked through for files that cannot be read. */
  taskFolders: z.array(z.string()),
  /** The embedder that is always there; others come and go with the calls that name them. */
  embedder: z.strictObject({ id: z.string(), dimensions: z.int().positive() }),
});
export type IndexSettings = z.infer<typeof IndexSettings>;

/** A record whose file has just been written. */
export interface FiledRecord {
  record: MemoryRecord;
  path: string;
  /** Of the file's bytes. */
  hash: string;
}

/** What ranking needs to know of a candidate. */
export interface IndexedEntry {
  id: string;
  path: string;
  hash: string;
  type: string;
  timestamp: string;
  importance: number;
  pinned: boolean;
  context: Record<string, string>;
  /** Its distinct stems, at most `DESCRIBED_STEMS`. */
  stems: string[];
}

export const DESCRIBED_STEMS = 64;

export interface PageQuery {
  types?: readonly MemoryType[] | undefined;
  tag?: string | undefined;
  trust?: MemoryTrust | undefined;
  source?: MemorySource["kind"] | undefined;
  runId?: string | undefined;
  conversationId?: string | undefined;
  /** First and last moment, both included; ISO 8601 UTC. */
  since?: string | undefined;
  until?: string | undefined;
  /** Every word must be in the record; the last may be the beginning of one. */
  query?: string | undefined;
  /** The newest first, unless said otherwise. */
  sort?: TimeSort | undefined;
  limit: number;
  /** The place after which the page starts. */
  after?: { timestamp: string; id: string } | undefined;
}

export interface Page {
  /** Newest first. */
  entries: { id: string; path: string; timestamp: string }[];
  total: number;
}

/** A text that waits to be embedded. */
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

/** What waits for an embedder. */
export interface PendingTexts {
  texts: PendingText[];
  /** Whether it has seen every entry once; what it could not take does not count. */
  isComplete: boolean;
}

/** `embedded` and `pending` are those of the embedder that was asked about. */
export interface IndexState {
  items: number;
  embedded: number;
  pending: number;
  rebuilding: boolean;
  /** 0–1; 1 when nothing is being read. */
  progress: number;
  quarantined: { path: string; reason: string }[];
}

/** What can be asked of any index about the vectors of its entries. */
export interface VectorCalls {
  putVectors: { params: { embedder: EmbedderFacts; entries: readonly VectorEntry[] }; result: undefined };
  removeVectors: { params: { embedder: EmbedderFacts; ids: readonly string[] }; result: undefined };
  /** Nothing for an embedder that no vectors are kept of. */
  nearest: {
    params: { embedder: EmbedderFacts; vector: Float32Array; limit: number; filter: EntryFilter };
    result: VectorMatch[];
  };
  countVectors: { params: { embedder: EmbedderFacts }; result: number };
  /** For an embedder that is new, everything. */
  pending: { params: { embedder: EmbedderFacts; limit: number }; result: PendingTexts };
  embedded: { params: { embedder: EmbedderFacts; texts: readonly EmbeddedText[] }; result: undefined };
  /** These could not be embedded; others come first from now on. */
  postpone: { params: { embedder: EmbedderFacts; ids: readonly string[] }; result: undefined };
  /** Removes the vectors of all other embedders. */
  keepEmbedders: { params: readonly string[]; result: undefined };
}

/** What can be asked of the worker. All of it may be asked twice without harm. */
export interface IndexCalls extends VectorCalls, RestCall {
  putEntries: { params: readonly SearchEntry[]; result: undefined };
  removeEntries: { params: readonly string[]; result: undefined };
  search: {
    params: { query: string; limit: number; filter: EntryFilter; manner: SearchManner };
    result: SearchMatch[];
  };
  countEntries: { params: null; result: number };
  putRecords: { params: readonly FiledRecord[]; result: undefined };
  locate: { params: string; result: string | null };
  describe: { params: readonly string[]; result: IndexedEntry[] };
  page: { params: PageQuery; result: Page };
  kin: { params: RelatedQuery & { limit: number }; result: RelatedIds };
  linked: { params: string; result: LinkedMemory[] };
  /** What is shown of memories of like meaning. */
  shown: { params: readonly string[]; result: LinkedMemory[] };
  /** The entries nearest to one in meaning, itself left out; none while it is not embedded. */
  neighbours: {
    params: { embedder: EmbedderFacts; id: string; limit: number; kinds: readonly string[] };
    result: VectorMatch[];
  };
  evictionCandidates: { params: EvictionQuery; result: string[] };
  /** Looks at single files again. */
  recheck: { params: readonly string[]; result: undefined };
  /** Makes the index agree with the files; `everything` reads them all, changed or not. Answers when done. */
  reconcile: { params: { everything: boolean }; result: undefined };
  state: { params: { embedder: EmbedderFacts }; result: IndexState };
  close: { params: null; result: undefined };
}
