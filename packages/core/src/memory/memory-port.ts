import type { ArchiveEntry, MemoryEdit } from "../contract/http.ts";
import type {
  MemoryRecord,
  MemorySource,
  MemoryTrust,
  MemoryType,
  NewMemory,
  RecallQuery,
  RecalledMemory,
} from "../contract/memory.ts";

export interface MemoryListQuery {
  types?: MemoryType[];
  tag?: string;
  query?: string;
  limit: number;
  cursor?: string;
}

/**
 * A profile's memories: plain JSON files are the truth, the index is derived. Every write returns only
 * after its bytes are flushed; a record is findable by keyword when the call returns and by meaning soon after.
 */
export interface MemoryPort {
  /** All or nothing; `ids` in the order given. Provenance and trust are the caller's to state. */
  addMany(
    memories: readonly NewMemory[],
    origin: { source: MemorySource; trust: MemoryTrust },
  ): Promise<MemoryRecord[]>;
  add(memory: NewMemory, origin: { source: MemorySource; trust: MemoryTrust }): Promise<MemoryRecord>;
  /** Throws `MemoryNotFoundError`. */
  get(id: string): Promise<MemoryRecord>;
  edit(id: string, edit: MemoryEdit): Promise<MemoryRecord>;
  /** Moves the record into the archive; throws `MemoryNotFoundError`. */
  forget(id: string, options?: { runId?: string }): Promise<ArchiveEntry>;
  restore(archiveId: string): Promise<MemoryRecord>;
  archived(): Promise<ArchiveEntry[]>;
  list(query: MemoryListQuery): Promise<{ items: MemoryRecord[]; nextCursor: string | null; total: number }>;
  /** Finds what fits the words by keyword and by meaning, best first; `[]` when nothing does. */
  recall(query: RecallQuery, signal?: AbortSignal): Promise<RecalledMemory[]>;
}
