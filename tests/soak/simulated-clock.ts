/** A simulated clock for this thread. */
export interface SimulatedClock {
  now(): number;
  /** Advances time and runs due timers in order. Rethrows their errors. */
  advance(ms: number): void;
  /** Sets the date by so much, as a person or the network does; no time passes. */
  setDate(byMs: number): void;
  /** Real time again. What was still waiting never comes. */
  remove(): void;
}

/** Timers for less keep real time: they end waits of work that is under way, which takes real time. */
const SHORTEST_MS = 5_000;

type Handle = Parameters<typeof clearTimeout>[0];

interface Waiting {
  call: () => void;
  at: number;
  everyMs: number | undefined;
}

/**
 * Puts `Date`, `performance.now` and all timers of five seconds or more of this thread under control; real time goes on
 * beside, so that work has a duration. Other threads and processes keep real time.
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
        if (ms < SHORTEST_MS) return start(callback, ms, ...args);
        const timer: Waiting = {
          call: () => callback(...args),
          at: elapsed() + ms,
          everyMs: repeats ? ms : undefined,
        };
        // Real time goes on, too: what nobody lets fall due earlier comes by itself.
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
