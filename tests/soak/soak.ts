export interface SoakOptions {
  /** Equal seeds perform the same actions. */
  seed: number;
  /** Receives the progress. */
  progress: (line: string) => void;
}

/** A program for long or random work, `*.soak.ts`, started with `npm run soak [name…] [-- --seed=N]`. */
export interface Soak {
  name: string;
  /** Returns a one-sentence summary and all problems. Does not throw for a problem. */
  run(options: SoakOptions): Promise<SoakReport>;
}

export interface SoakReport {
  done: string;
  problems: string[];
}
