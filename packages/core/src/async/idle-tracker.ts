import { setTimeout as delay } from "node:timers/promises";

/** Delays background work until no urgent work is running. */
export interface IdleTracker {
  /** Counts `work` as urgent until it settles, and returns it. */
  during<Value>(work: Promise<Value>): Promise<Value>;
  /** Resolves once no urgent work has run for a moment, but after `MAX_WAIT_MS` at the latest. Never rejects. */
  whenIdle(): Promise<void>;
}

/** The time after urgent work in which more of it is expected, in milliseconds. */
const QUIET_MS = 100;
/** The maximum delay of background work, in milliseconds. */
const MAX_WAIT_MS = 2_000;

export function createIdleTracker(): IdleTracker {
  let running = 0;
  let idleAt = -Infinity;

  return {
    during(work) {
      running += 1;
      const end = (): void => {
        running -= 1;
        idleAt = performance.now() + QUIET_MS;
      };
      void work.then(end, end);
      return work;
    },
    async whenIdle() {
      const latest = performance.now() + MAX_WAIT_MS;
      for (;;) {
        const now = performance.now();
        if (now >= latest || (running === 0 && now >= idleAt)) return;
        await delay(running > 0 ? QUIET_MS : Math.min(idleAt, latest) - now);
      }
    },
  };
}
