import { withTimeout } from "./with-timeout.ts";

/** Tracks pending promises, so that `close` can wait for them. */
export interface TaskTracker {
  /** Tracks a promise until it settles, and returns it. */
  track<Value>(work: Promise<Value>): Promise<Value>;
  /** Resolves when every tracked promise has settled. Never rejects. */
  settled(): Promise<void>;
}

export function createTaskTracker(): TaskTracker {
  const all = new Set<Promise<unknown>>();
  return {
    track(work) {
      const settled = work.then(
        () => undefined,
        () => undefined,
      );
      all.add(settled);
      void settled.then(() => all.delete(settled));
      return work;
    },
    async settled() {
      await Promise.all(all);
    },
  };
}

/** Delays background work until no urgent work is running. */
export interface IdleTracker {
  /** Counts `work` as urgent until it settles, and returns it. */
  trackUrgent<Value>(work: Promise<Value>): Promise<Value>;
  /** Resolves once no urgent work has run for a moment, but after `MAX_WAIT_MS` at the latest. Never rejects. */
  whenIdle(): Promise<void>;
}

/** The time after urgent work in which more of it is expected, in milliseconds. */
const QUIET_MS = 100;
/** The maximum delay of background work, in milliseconds. */
const MAX_WAIT_MS = 2_000;

export function createIdleTracker(): IdleTracker {
  let running = 0;
  /** Absent while idle. */
  let busy: PromiseWithResolvers<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function becomeIdle(): void {
    busy?.resolve();
    busy = undefined;
  }

  return {
    trackUrgent(work) {
      running += 1;
      busy ??= Promise.withResolvers();
      clearTimeout(timer);
      const end = (): void => {
        running -= 1;
        if (running === 0) timer = setTimeout(becomeIdle, QUIET_MS).unref();
      };
      void work.then(end, end);
      return work;
    },
    async whenIdle() {
      if (busy) await withTimeout(MAX_WAIT_MS, busy.promise, undefined);
    },
  };
}
