import type { MemoryRecord } from "../../contract/memory.ts";
import { OutcomeUnknownError } from "../../errors/run-errors.ts";
import { toErrorDetail } from "../../errors/to-error-detail.ts";
import type { Journals } from "./journal.ts";
import type { StoredMemory, PreparedMemory } from "./record-files.ts";

/** Writes many records atomically and flushes their files in the background. */
export interface BulkWriter {
  /**
   * Durable when it resolves. `name` is the name of the journal. Calls `index` with the records whose files are written,
   * while the next ones are being written, and waits for it; an error of `index` is a warning. Throws
   * `OutcomeUnknownError` if the journal is written but some files are only written at the next start. After any other
   * error no record is written.
   */
  write(
    name: string,
    memories: readonly PreparedMemory[],
    index: (written: readonly PreparedMemory[]) => Promise<void>,
  ): Promise<void>;
  /** Completes bulk writes after a crash; returns the number of files written. */
  replay(): Promise<number>;
  /** Stops flushing. The next opening flushes the rest. */
  close(): Promise<void>;
}

/** The number of files to write before they are indexed. */
const WRITTEN_AT_ONCE = 200;
/**
 * After a write of at least this many files, others are likely to follow. Flushing begins this much later, in
 * milliseconds, so that those do not wait for it.
 */
const MANY_FILES = 100;
const FLUSH_DELAY_MS = 250;
/** With more journals than this, flushing the oldest begins at once, because the next opening reads all of them. */
const MAX_JOURNALS = 16;

export interface BulkWriterDependencies {
  journals: Journals;
  prepare: (record: MemoryRecord) => PreparedMemory;
  /** Whether a record was archived since; replay skips it. */
  isArchived: (id: string) => Promise<boolean>;
  /** Resolves when no more urgent writes run: flushing many files would make each of them wait for the disk. */
  whenIdle: () => Promise<void>;
  onWarning: (message: string, cause?: unknown) => void;
}

export function createBulkWriter({
  journals,
  prepare,
  isArchived,
  whenIdle,
  onWarning,
}: BulkWriterDependencies): BulkWriter {
  const closed = new AbortController();
  const waiting: { name: string; memories: readonly StoredMemory[] }[] = [];
  let flushing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing = 0;

  /** Flushes in the background; until then the journal makes the write durable. */
  function flushLater(name: string, memories: readonly StoredMemory[]): void {
    if (closed.signal.aborted) return;
    waiting.push({ name, memories });
    if (waiting.length > MAX_JOURNALS) void startFlushing();
  }

  function flushWhenIdle(): void {
    clearTimeout(timer);
    const files = waiting.reduce((sum, { memories }) => sum + memories.length, 0);
    if (writing > 0 || files === 0) return;
    if (files < MANY_FILES) void startFlushing();
    else timer = setTimeout(() => void startFlushing(), FLUSH_DELAY_MS).unref();
  }

  async function startFlushing(): Promise<void> {
    await flushing;
    flushing ??= flushOldest().finally(() => {
      flushing = undefined;
    });
  }

  /** Flushes all waiting records, or, during another write, only those over the limit. */
  async function flushOldest(): Promise<void> {
    while (waiting.length > (writing > 0 ? MAX_JOURNALS : 0) && !closed.signal.aborted) {
      const next = waiting.shift();
      if (!next) return;
      const flushed = journals.flush(next.name, next.memories, { whenIdle, signal: closed.signal });
      await flushed.catch((error: unknown) => {
        if (!closed.signal.aborted)
          onWarning("A bulk write could not be flushed; the next start tries again.", error);
      });
    }
  }

  /** Writes files of a journal that is durable. */
  async function writeFiles(memories: readonly PreparedMemory[]): Promise<void> {
    try {
      await journals.writeFiles(memories);
    } catch (error) {
      // The write must succeed. Retry once in case the failure was temporary.
      onWarning("A bulk write failed half-way and is retried.", error);
      await journals.writeFiles(memories).catch((again: unknown) => {
        throw delayedWriteError(again);
      });
    }
  }

  return {
    async write(name, memories, index) {
      clearTimeout(timer);
      writing += 1;
      // One after the other, because the index takes larger transactions while nothing waits for it.
      let indexing = Promise.resolve();
      try {
        await journals.commit(name, memories);
        for (let next = 0; next < memories.length; next += WRITTEN_AT_ONCE) {
          const some = memories.slice(next, next + WRITTEN_AT_ONCE);
          await writeFiles(some);
          indexing = indexing
            .then(() => index(some))
            .catch((error: unknown) =>
              onWarning("Saved memories could not be indexed; the next start tries again.", error),
            );
        }
        flushLater(name, memories);
      } finally {
        await indexing;
        writing -= 1;
        flushWhenIdle();
      }
    },
    async replay() {
      let count = 0;
      for (const { name, records } of await journals.pending()) {
        const memories: PreparedMemory[] = [];
        for (const record of records) if (!(await isArchived(record.id))) memories.push(prepare(record));
        count += await journals.writeFiles(memories);
        flushLater(name, memories);
      }
      void startFlushing();
      return count;
    },
    async close() {
      closed.abort();
      clearTimeout(timer);
      await flushing;
    },
  };
}

function delayedWriteError(cause: unknown): OutcomeUnknownError {
  return new OutcomeUnknownError(
    `The memories are saved, but some of them cannot be found until the next start. ${toErrorDetail(cause).message}`,
    {
      suggestions: ["Do not add them again: restart MetaHuman OS, and they appear."],
      cause,
    },
  );
}
