import { setImmediate } from "node:timers/promises";

/** Yields to the event loop. Resolves to the delay in milliseconds. */
export async function yieldToEventLoop(): Promise<number> {
  const start = performance.now();
  await setImmediate();
  return performance.now() - start;
}
