import type { MemoryRecord } from "../../contract/memory.ts";
import { OutcomeUnknownError } from "../../errors/run-errors.ts";
import { toErrorDetail } from "../../errors/to-error-detail.ts";
import type { Journals } from "./journal.ts";
import type { StoredMemory, PreparedMemory } from "./record-files.ts";

/** Writes many records atomically and flushes their files in the background. */
export interface BulkWriter {
  /**
   * Durable when it resolves. `name` is the name of the journal. Throws `OutcomeUnknownError` if the journal is written
   * but some files are only written at the next start. After any other error no record is written.
   */
  write(name: string, memories: readonly PreparedMemory[]): Promise<void>;
  /** Completes bulk writes after a crash; returns the number of files written. */
  replay(): Promise<number>;
  /** Stops flushing. The next opening flushes the rest. */
  close(): Promise<void>;
}

export interface BulkWriterDependencies {
  journals: Journals;
  prepare: (record: MemoryRecord) => PreparedMemory;
  /** Whether a record was archived since; replay skips it. */
  isArchived: (id: string) => Promise<boolean>;
  onWarning: (message: string, cause?: unknown) => void;
}

export function createBulkWriter({
  journals,
  prepare,
  isArchived,
  onWarning,
}: BulkWriterDependencies): BulkWriter {
  const closed = new AbortController();
  const flushes = new Set<Promise<unknown>>();

  /** Flushes in the background; until then the journal makes the write durable. */
  function flush(name: string, memories: readonly StoredMemory[]): void {
    const settled = journals
      .flush(name, memories, closed.signal)
      .catch((error: unknown) => {
        if (!closed.signal.aborted)
          onWarning("A bulk write could not be flushed; the next start tries again.", error);
      })
      .finally(() => flushes.delete(settled));
    flushes.add(settled);
  }

  return {
    async write(name, memories) {
      await journals.commit(name, memories);
      try {
        await journals.writeFiles(memories);
      } catch (error) {
        // The journal is durable by now, so the write must succeed. Retry once in case the failure was temporary.
        onWarning("A bulk write failed half-way and is retried.", error);
        await journals.writeFiles(memories).catch((again: unknown) => {
          throw delayedWriteError(again);
        });
      }
      flush(name, memories);
    },
    async replay() {
      let count = 0;
      for (const { name, records } of await journals.pending()) {
        const memories: PreparedMemory[] = [];
        for (const record of records) if (!(await isArchived(record.id))) memories.push(prepare(record));
        count += await journals.writeFiles(memories);
        flush(name, memories);
      }
      return count;
    },
    async close() {
      closed.abort();
      await Promise.all(flushes);
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
