import type { MemoryRecord } from "../../contract/memory.ts";
import { OutcomeUnknownError } from "../../errors/run-errors.ts";
import { toErrorDetail } from "../../errors/to-error-detail.ts";
import type { Journals } from "./journal.ts";
import type { StoredMemory, PreparedMemory } from "./record-files.ts";

/** Writes many records, of which all or none survive a crash, and flushes their files in the background. */
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
  /** Stops flushing; the next opening flushes the rest. Does not wait for `write`. */
  close(): Promise<void>;
}

/** The number of files in a batch that is indexed while the next one is written. */
const INDEXED_AT_ONCE = 200;
/** After a write of at least this many files, others are likely to follow, so flushing begins later. */
const MANY_FILES = 100;
/** How much later flushing begins, in milliseconds. */
const FLUSH_DELAY_MS = 250;
/** With more journals than this, flushing the oldest begins at once, because the next opening reads all of them. */
const MAX_JOURNALS = 16;

export interface BulkWriterDependencies {
  journals: Journals;
  prepare: (record: MemoryRecord) => PreparedMemory;
  /** Whether a record was archived since; replay skips it. */
  isArchived: (id: string) => Promise<boolean>;
  /** Resolves when no single writes run, which would wait for the disk while many files are flushed. */
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

  /** Adds files to flush. Until they are flushed, the journal makes their write durable. */
  function enqueue(name: string, memories: readonly StoredMemory[]): void {
    if (closed.signal.aborted) return;
    waiting.push({ name, memories });
    if (waiting.length > MAX_JOURNALS) void startFlushing();
  }

  /** Begins to flush when no bulk write runs. */
  function scheduleFlush(): void {
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

  /** Writes the files of a committed journal, and tries a second time after an error. */
  async function writeFiles(memories: readonly PreparedMemory[]): Promise<void> {
    try {
      await journals.writeFiles(memories);
    } catch (error) {
      // The journal is committed, so the files must be written. The failure may have been temporary.
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
      // Batches are indexed one after the other, while later ones are written.
      let indexing = Promise.resolve();
      try {
        await journals.commit(name, memories);
        for (let next = 0; next < memories.length; next += INDEXED_AT_ONCE) {
          const some = memories.slice(next, next + INDEXED_AT_ONCE);
          await writeFiles(some);
          indexing = indexing
            .then(() => index(some))
            .catch((error: unknown) =>
              onWarning("Saved memories could not be indexed; the next start tries again.", error),
            );
        }
        enqueue(name, memories);
      } finally {
        await indexing;
        writing -= 1;
        scheduleFlush();
      }
    },
    async replay() {
      let count = 0;
      for (const { name, records } of await journals.pending()) {
        const memories: PreparedMemory[] = [];
        for (const record of records) if (!(await isArchived(record.id))) memories.push(prepare(record));
        count += await journals.writeFiles(memories);
        enqueue(name, memories);
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
