import type { ArchiveEntry, Feedback, MemoryEdit, TimeSort } from "../contract/http.ts";
import type {
  LinkedMemory,
  MemoryRecord,
  MemorySource,
  MemoryTrust,
  MemoryType,
  NewMemory,
  RecallQuery,
  RecalledMemory,
  UseCounts,
} from "../contract/memory.ts";
import type { ImportReport } from "./store/import-records.ts";
import type { MemoryUseKind } from "./evolution/memory-uses.ts";

/** What a list or a purge is narrowed to; all that is given must hold. */
export interface MemoryFilter {
  types?: MemoryType[];
  tag?: string;
  trust?: MemoryTrust;
  source?: MemorySource["kind"];
  runId?: string;
  conversationId?: string;
  /** First and last moment, both included; ISO 8601 UTC. */
  since?: string;
  until?: string;
}

export interface MemoryListQuery extends MemoryFilter {
  query?: string;
  /** The newest first, unless said otherwise. */
  sort?: TimeSort;
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
  /**
   * Brings in records with the ids and times they have. What is there already is left as it is, so that importing twice
   * changes nothing. A thousand at a time are all or nothing.
   */
  importMany(records: readonly MemoryRecord[]): Promise<ImportReport>;
  /** Throws `MemoryNotFoundError`. */
  get(id: string): Promise<MemoryRecord>;
  /** What a memory is linked with, then what else is of like meaning; throws `MemoryNotFoundError`. */
  linked(id: string): Promise<LinkedMemory[]>;
  usesOf(id: string): Promise<UseCounts>;
  /**
   * Takes a person's verdict: importance moves by a bounded step and the ranking with it; throws `MemoryNotFoundError`.
   */
  feedback(id: string, feedback: Feedback): Promise<MemoryRecord>;
  /**
   * Takes a person's verdict on a run's answer: the memories that it cited or followed were of use then, or not. Unlike
   * a verdict on a memory itself it moves no importance: the answer may have been bad for many reasons.
   */
  feedbackOnRun(runId: string, verdict: Feedback["verdict"]): Promise<void>;
  /** Records that memories were of use; each kind counts once in a run. Being recalled is no use. */
  used(
    ids: readonly string[],
    how: { kind: Exclude<MemoryUseKind, Feedback["verdict"]>; runId?: string },
  ): Promise<void>;
  /** Throws `MemoryNotFoundError`, and `StaleVersionError` when the edit names a version that is not the current one. */
  edit(id: string, edit: MemoryEdit): Promise<MemoryRecord>;
  /** Moves the record into the archive; throws `MemoryNotFoundError`. */
  forget(id: string, options?: { runId?: string }): Promise<ArchiveEntry>;
  /** Moves everything the filter admits into the archive; returns how many. */
  forgetAll(filter: MemoryFilter, signal?: AbortSignal): Promise<number>;
  /** Puts a copy of the record, as it is, into the archive; throws `MemoryNotFoundError`. */
  keepCopy(id: string): Promise<ArchiveEntry>;
  restore(archiveId: string): Promise<MemoryRecord>;
  archived(): Promise<ArchiveEntry[]>;
  list(query: MemoryListQuery): Promise<{ items: MemoryRecord[]; nextCursor: string | null; total: number }>;
  /** Finds what fits the words by keyword and by meaning, best first; `[]` when nothing does. */
  recall(query: RecallQuery, signal?: AbortSignal): Promise<RecalledMemory[]>;
}
