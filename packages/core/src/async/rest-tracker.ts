import { setTimeout as delay } from "node:timers/promises";

/** Lets work in the background wait until urgent work rests. */
export interface RestTracker {
  /** Counts `work` as urgent until it settles, and returns it. */
  during<Value>(work: Promise<Value>): Promise<Value>;
  /** Resolves once no urgent work has run for a moment, but after `MAX_WAIT_MS` at the latest. Never rejects. */
  rested(): Promise<void>;
}

/** The time after urgent work in which more of it is expected, in milliseconds. */
const QUIET_MS = 100;
/** So that work in the background is never kept from going on. */
const MAX_WAIT_MS = 2_000;

export function createRestTracker(): RestTracker {
  let running = 0;
  let restsAt = -Infinity;

  return {
    during(work) {
      running += 1;
      const end = (): void => {
        running -= 1;
        restsAt = performance.now() + QUIET_MS;
      };
      void work.then(end, end);
      return work;
    },
    async rested() {
      const latest = performance.now() + MAX_WAIT_MS;
      for (;;) {
        const now = performance.now();
        if (now >= latest || (running === 0 && now >= restsAt)) return;
        await delay(running > 0 ? QUIET_MS : Math.min(restsAt, latest) - now);
      }
    },
  };
}
