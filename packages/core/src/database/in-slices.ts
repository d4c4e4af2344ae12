import type { Database } from "./open-database.ts";
import { yieldToEventLoop } from "../async/yield-to-event-loop.ts";

/**
 * How long one job has the thread before others get their turn, in milliseconds. Each slice is a transaction, so they
 * grow as long as nobody else wants the thread, and are short again as soon as somebody does.
 */
const SHORTEST_MS = 3;
const LONGEST_MS = 16;
/** A turn that takes longer than this, in milliseconds, was somebody's. */
const IDLE_TURN_MS = 0.5;

export interface Slicing {
  /** The database to work on; asked before each slice. */
  database: () => Pick<Database, "transaction">;
  /** Rejects with its reason when aborted. */
  signal?: AbortSignal;
  onProgress?: (share: number) => void;
}

/** Works through a list in slices, between which the thread answers others. The first one is done at once. */
export async function runInSlices<Item>(
  items: readonly Item[],
  { database, signal, onProgress }: Slicing,
  work: (item: Item) => void,
): Promise<void> {
  let next = 0;
  let sliceMs = SHORTEST_MS;

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
      const isWanted = (await yieldToEventLoop()) > IDLE_TURN_MS;
      sliceMs = isWanted ? SHORTEST_MS : Math.min(sliceMs * 2, LONGEST_MS);
    }
    signal?.throwIfAborted();
    database().transaction(runSlice);
    onProgress?.(next / items.length);
  }
}
