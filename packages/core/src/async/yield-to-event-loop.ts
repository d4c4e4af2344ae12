import { setImmediate as nextTurn } from "node:timers/promises";

/** Lets whoever waits for this thread have it; resolves to how long they had it, in milliseconds. */
export async function yieldToEventLoop(): Promise<number> {
  const start = performance.now();
  await nextTurn();
  return performance.now() - start;
}
