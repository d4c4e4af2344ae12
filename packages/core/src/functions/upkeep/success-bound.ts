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
