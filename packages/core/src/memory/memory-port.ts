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
import type { ImportReport } from "./store/record-storage.ts";
import type { MemoryUseKind } from "./evolution/memory-uses.ts";

/** The filter of a list or a purge. A memory must match every given field. */
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
  /** Lists only memories with these ids. */
  ids?: string[];
  query?: string;
  /** Defaults to the newest first. */
  sort?: TimeSort;
  limit: number;
  cursor?: string;
}

/**
 * A profile's memories. Plain JSON files are authoritative, the index is derived. Every write resolves after its bytes
 * are flushed; keyword search then finds the record, and semantic search soon after.
 */
export interface MemoryPort {
  /** Adds memories atomically and returns them in the given order. The caller states source and trust. */
  addMany(
    memories: readonly NewMemory[],
    origin: { source: MemorySource; trust: MemoryTrust },
  ): Promise<MemoryRecord[]>;
  add(memory: NewMemory, origin: { source: MemorySource; trust: MemoryTrust }): Promise<MemoryRecord>;
  /**
   * Imports records with their ids and times. Leaves existing records unchanged, so importing twice changes nothing.
   * Each batch of a thousand is atomic.
   */
  importMany(records: readonly MemoryRecord[]): Promise<ImportReport>;
  /** Throws `MemoryNotFoundError`. */
  get(id: string): Promise<MemoryRecord>;
  /** Returns linked memories, then memories with similar meaning. Throws `MemoryNotFoundError`. */
  linked(id: string): Promise<LinkedMemory[]>;
  usesOf(id: string): Promise<UseCounts>;
  /**
   * Records a person's rating and moves importance by a bounded step. Throws `MemoryNotFoundError`.
   */
  feedback(id: string, feedback: Feedback): Promise<MemoryRecord>;
  /**
   * Records a person's rating of a run's answer for the memories that the run cited or followed. Unlike a rating of a
   * memory it does not move importance, because an answer may be bad for many reasons.
   */
  feedbackOnRun(runId: string, verdict: Feedback["verdict"]): Promise<void>;
  /** Records uses of memories; each kind counts once per run. Recall alone is not a use. */
  used(
    ids: readonly string[],
    how: { kind: Exclude<MemoryUseKind, Feedback["verdict"]>; runId?: string },
  ): Promise<void>;
  /** Throws `MemoryNotFoundError`, and `StaleVersionError` if the edit names an old version. */
  edit(id: string, edit: MemoryEdit): Promise<MemoryRecord>;
  /**
   * Moves the record into the archive and, with a fact, the exchanges and look-ups that mention it, whose entries name
   * it under `forgottenWith`. Throws `MemoryNotFoundError`.
   */
  forget(id: string, options?: { runId?: string }): Promise<ArchiveEntry>;
  /** Archives every memory that matches the filter; returns their number. */
  forgetAll(filter: MemoryFilter, signal?: AbortSignal): Promise<number>;
  /** Archives a copy of the record. Throws `MemoryNotFoundError`. */
  keepCopy(id: string): Promise<ArchiveEntry>;
  /** Moves the record, and what was archived with it, out of the archive. */
  restore(archiveId: string): Promise<MemoryRecord>;
  archived(): Promise<ArchiveEntry[]>;
  /** The record of an archive entry. Throws `NotFoundError`. */
  readArchived(archiveId: string): Promise<MemoryRecord>;
  list(query: MemoryListQuery): Promise<{ items: MemoryRecord[]; nextCursor: string | null; total: number }>;
  /** Finds memories with keyword and semantic search, best first; `[]` if nothing fits. */
  recall(query: RecallQuery, signal?: AbortSignal): Promise<RecalledMemory[]>;
}
