import type { Database } from "./open-database.ts";
import { yieldToEventLoop } from "../async/yield-to-event-loop.ts";

/**
 * The limits of a slice in milliseconds. Each slice is a transaction; slices grow while the event loop is idle and shrink
 * as soon as other work is waiting.
 */
const MIN_SLICE_MS = 3;
const MAX_SLICE_MS = 16;
/** A longer delay of the event loop, in milliseconds, means that other work is waiting. */
const MAX_IDLE_DELAY_MS = 0.5;

export interface SliceOptions {
  /** Returns the database; called before each slice. */
  database: () => Pick<Database, "transaction">;
  /** Rejects with its reason when aborted. */
  signal?: AbortSignal;
  onProgress?: (share: number) => void;
}

/** Processes a list in transactions and yields to the event loop between them. Runs the first one immediately. */
export async function runInSlices<Item>(
  items: readonly Item[],
  { database, signal, onProgress }: SliceOptions,
  work: (item: Item) => void,
): Promise<void> {
  let next = 0;
  let sliceMs = MIN_SLICE_MS;

  function runSlice(): void {
    const start = performance.now();
    do {
      const item = items[next];
      if (item !== undefined) work(item);
      next += 1;
    } while (next < items.length && performance.now() - start < sliceMs);
  }

  while (next < items.length) {
    if (next > 0) {
      const isBusy = (await yieldToEventLoop()) > MAX_IDLE_DELAY_MS;
      sliceMs = isBusy ? MIN_SLICE_MS : Math.min(sliceMs * 2, MAX_SLICE_MS);
    }
    signal?.throwIfAborted();
    database().transaction(runSlice);
    onProgress?.(next / items.length);
  }
}
