export interface SoakOptions {
  /** The same seed does the same things. */
  seed: number;
  /** Told how far it is. */
  progress: (line: string) => void;
}

/** A program beside the tests, `*.soak.ts`, run by `npm run soak [name…] [-- --seed=N]`: long or random work. */
export interface Soak {
  name: string;
  /** What was done, in a sentence, and everything that must not have happened; never throws for a finding. */
  run(options: SoakOptions): Promise<SoakReport>;
}

export interface SoakReport {
  done: string;
  problems: string[];
}
