/** The value below which this share of the values lies; 0 when there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** Milliseconds that each of `times` turns took. */
export async function timed(times: number, work: (turn: number) => Promise<unknown>): Promise<number[]> {
  const durations: number[] = [];
  for (let turn = 0; turn < times; turn += 1) {
    const begun = performance.now();
    await work(turn);
    durations.push(performance.now() - begun);
  }
  return durations;
}

/** How many of `count` things per second were done since `begun`. */
export function rate(count: number, begun: number): number {
  return Math.round(count / ((performance.now() - begun) / 1_000));
}

/** The same random-looking numbers from 0 to 1 every time (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
