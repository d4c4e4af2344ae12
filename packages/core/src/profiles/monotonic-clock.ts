/** Where time comes from, in milliseconds. */
export interface TimeSources {
  /** The system's date, which people and networks set forwards and backwards. */
  wall: () => number;
  /** Time since some moment of this process; never set. */
  elapsed: () => number;
}

const systemTime: TimeSources = { wall: () => Date.now(), elapsed: () => performance.now() };

/**
 * A clock for expiry: it follows the system's date forwards, and goes on by itself while that date lies behind what was
 * seen before, so setting the date back makes nothing last longer. `latest` is the last value seen by an earlier process.
 */
export function createMonotonicClock(latest: number, { wall, elapsed }: TimeSources = systemTime): () => number {
  let at = Math.max(latest, wall());
  let mark = elapsed();
  return () => {
    const now = elapsed();
    at = Math.max(at + (now - mark), wall());
    mark = now;
    return Math.floor(at);
  };
}
