/** A simulated clock for this thread. */
export interface SimulatedClock {
  now(): number;
  /** Advances time and runs due timers in order. Rethrows their errors. */
  advance(ms: number): void;
  /** Changes the date without advancing time. */
  setDate(byMs: number): void;
  /** Restores real time. Pending simulated timers never fire. */
  remove(): void;
}

/** Shorter timers keep real time, because they wait for work that takes real time. */
const MIN_MS = 5_000;

type Handle = Parameters<typeof clearTimeout>[0];

interface Waiting {
  call: () => void;
  at: number;
  everyMs: number | undefined;
}

/**
 * Controls `Date`, `performance.now` and all timers of five seconds or more of this thread. Real time also advances
 * them, so that work has a duration. Other threads and processes keep real time.
 */
export function installSimulatedClock(): SimulatedClock {
  const real = { Date, setTimeout, setInterval, clearTimeout, clearInterval };
  const elapsedReally = performance.now.bind(performance);
  const began = { wall: Date.now(), elapsed: elapsedReally() };
  let passed = 0;
  let set = 0;
  const elapsed = (): number => elapsedReally() + passed;
  const now = (): number => Math.floor(began.wall + (elapsed() - began.elapsed) + set);
  const waiting = new Map<Handle, Waiting>();

  function fire(handle: Handle, timer: Waiting): void {
    if (timer.everyMs === undefined) {
      waiting.delete(handle);
      real.clearTimeout(handle);
    } else timer.at += timer.everyMs;
    timer.call();
  }

  function controlled<Start extends typeof setTimeout | typeof setInterval>(
    start: Start,
    repeats: boolean,
  ): Start {
    return new Proxy(start, {
      apply(
        _target,
        _self,
        [callback, ms = 0, ...args]: [(...args: unknown[]) => void, number?, ...unknown[]],
      ) {
        if (ms < MIN_MS) return start(callback, ms, ...args);
        const timer: Waiting = {
          call: () => callback(...args),
          at: elapsed() + ms,
          everyMs: repeats ? ms : undefined,
        };
        // Real time also fires a timer that is not advanced earlier.
        const comes = () => void (elapsed() >= timer.at && fire(handle, timer));
        const handle = repeats ? real.setInterval(comes, ms) : real.setTimeout(comes, ms + 1);
        waiting.set(handle, timer);
        return handle;
      },
    });
  }

  const clearing = <Clear extends typeof clearTimeout>(clear: Clear): Clear =>
    new Proxy(clear, {
      apply(target, self, [handle]: [Parameters<Clear>[0]]) {
        waiting.delete(handle);
        Reflect.apply(target, self, [handle]);
      },
    });

  globalThis.setTimeout = controlled(setTimeout, false);
  globalThis.setInterval = controlled(setInterval, true);
  globalThis.clearTimeout = clearing(clearTimeout);
  globalThis.clearInterval = clearing(clearInterval);
  performance.now = elapsed;
  globalThis.Date = new Proxy(Date, {
    construct(target, args: unknown[], self) {
      const date: unknown = Reflect.construct(target, args.length === 0 ? [now()] : args, self);
      if (date instanceof real.Date) return date;
      throw new TypeError("A date was expected.");
    },
    apply: () => new real.Date(now()).toString(),
    get: (target, key, self): unknown => (key === "now" ? now : Reflect.get(target, key, self)),
  });

  return {
    now,
    advance(ms) {
      const until = elapsed() + ms;
      for (;;) {
        const [next] = [...waiting].filter(([, { at }]) => at <= until).sort(([, a], [, b]) => a.at - b.at);
        if (!next) break;
        const [handle, timer] = next;
        passed += Math.max(0, timer.at - elapsed());
        fire(handle, timer);
      }
      passed += Math.max(0, until - elapsed());
    },
    setDate(byMs) {
      set += byMs;
    },
    remove() {
      for (const handle of waiting.keys()) real.clearTimeout(handle);
      waiting.clear();
      Object.assign(globalThis, real);
      performance.now = elapsedReally;
    },
  };
}
