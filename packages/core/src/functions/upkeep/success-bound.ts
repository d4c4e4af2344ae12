/** After this many executions, a function whose success bound is lower than `MIN_BOUND` counts as failing. */
const ENOUGH_EXECUTIONS = 5;
const MIN_BOUND = 0.35;

/** The quantile of the normal distribution that leaves 2.5 % above it. */
const Z = 1.959963984540054;

/**
 * The lower bound of the 95 % Wilson interval (Wilson 1927) of a share of successes: 0 without any execution, 0.21 after
 * one success of one, never 1.
 */
export function successBound({ successes, executions }: { successes: number; executions: number }): number {
  if (executions <= 0) return 0;
  const share = Math.min(1, successes / executions);
  const square = Z * Z;
  const centre = share + square / (2 * executions);
  const spread = Z * Math.sqrt((share * (1 - share) + square / (4 * executions)) / executions);
  return Math.max(0, (centre - spread) / (1 + square / executions));
}

/** True for a function that was executed often enough to tell that it fails too often. */
export function isFailing(stats: { successes: number; executions: number }): boolean {
  return stats.executions >= ENOUGH_EXECUTIONS && successBound(stats) < MIN_BOUND;
}
