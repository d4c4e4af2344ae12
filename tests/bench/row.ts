/** One measured figure. */
export interface Row {
  what: string;
  figure: number;
  unit: string;
  /** The maximum for this figure. */
  target?: number;
  /** The minimum for this figure. */
  least?: number;
}

/** A benchmark program, `*.bench.ts`, run by `npm run bench [name…]`. */
export interface Bench {
  name: string;
  /** Whether a missed limit fails the run. */
  guards?: boolean;
  run(): Promise<Row[]>;
}
