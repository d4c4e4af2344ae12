import type { MemoryRecord } from "../../contract/memory.ts";
import { OutcomeUnknownError } from "../../errors/run-errors.ts";
import { toErrorDetail } from "../../errors/to-error-detail.ts";
import type { Journals } from "./journal.ts";
import type { FiledMemory, PreparedMemory } from "./record-files.ts";

/** Writes many records, all or nothing, and flushes their files when nobody waits any more. */
export interface BulkWriter {
  /**
   * Durable on return. `name` is the journal's. Throws `OutcomeUnknownError` when the records are kept, but some of them
   * will be there from the next start only; after any other failure there is none of them.
   */
  write(name: string, memories: readonly PreparedMemory[]): Promise<void>;
  /** Carries out what a crash left behind; returns how many files had to be written. */
  replay(): Promise<number>;
  /** Stops flushing; what is left is done at the next opening. */
  close(): Promise<void>;
}

export interface BulkWriterParts {
  journals: Journals;
  prepare: (record: MemoryRecord) => PreparedMemory;
  /** What was archived since must not come back. */
  isArchived: (id: string) => Promise<boolean>;
  onWarning: (message: string, cause?: unknown) => void;
}

export function createBulkWriter({ journals, prepare, isArchived, onWarning }: BulkWriterParts): BulkWriter {
  const closed = new AbortController();
  const settling = new Set<Promise<unknown>>();

  /** In the background: the journal already stands for the files. */
  function settle(name: string, memories: readonly FiledMemory[]): void {
    const settled = journals
      .settle(name, memories, closed.signal)
      .catch((error: unknown) => {
        if (!closed.signal.aborted)
          onWarning("A bulk write could not be flushed yet; it is tried again at the next start.", error);
      })
      .finally(() => settling.delete(settled));
    settling.add(settled);
  }

  return {
    async write(name, memories) {
      await journals.commit(name, memories);
      try {
        await journals.carryOut(memories);
      } catch (error) {
        // They are promised by now. What failed for a moment only may work at once.
        onWarning("A bulk write stopped half-way; it is tried again at once.", error);
        await journals.carryOut(memories).catch((again: unknown) => {
          throw stillComing(again);
        });
      }
      settle(name, memories);
    },
    async replay() {
      let count = 0;
      for (const { name, records } of await journals.unsettled()) {
        const memories: PreparedMemory[] = [];
        for (const record of records) if (!(await isArchived(record.id))) memories.push(prepare(record));
        count += await journals.carryOut(memories);
        settle(name, memories);
      }
      return count;
    },
    async close() {
      closed.abort();
      await Promise.all(settling);
    },
  };
}

function stillComing(cause: unknown): OutcomeUnknownError {
  return new OutcomeUnknownError(
    `The memories are kept, but some of them cannot be found before the next start. ${toErrorDetail(cause).message}`,
    {
      suggestions: ["Do not add them again: what is missing appears when MetaHuman OS is started anew."],
      cause,
    },
  );
}
