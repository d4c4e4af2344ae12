/** The result of a simulation. */
export interface ClockReport {
  /** The number of times each action was performed. */
  done: Record<string, number>;
  problems: string[];
}
