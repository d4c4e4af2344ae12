/** One measured figure. */
export interface Row {
  what: string;
  figure: number;
  unit: string;
  /** The most it may be. */
  target?: number;
  /** The least it may be. */
  least?: number;
}

/** A program beside the tests, `*.bench.ts`, run by `npm run bench [name…]`. */
export interface Bench {
  name: string;
  run(): Promise<Row[]>;
}
