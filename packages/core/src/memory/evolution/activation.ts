const HOUR_MS = 3_600_000;
/** The activation of a ten-year-old memory that was never used, and of one that was used several times today. */
const MIN_ACTIVATION = -6;
const MAX_ACTIVATION = 2;

/**
 * Base-level activation ln Σ age^-0.5 (Anderson & Lebiere 1998) of a memory, scaled to 0–1. Sums over its creation and
 * its uses, with ages in hours. The minimum age is one hour, so a clock that was set back does no harm.
 */
export function activation(createdAt: number, uses: readonly number[], now: number): number {
  let sum = 0;
  for (const moment of [createdAt, ...uses]) sum += Math.max(1, (now - moment) / HOUR_MS) ** -0.5;
  return Math.max(0, Math.min(1, (Math.log(sum) - MIN_ACTIVATION) / (MAX_ACTIVATION - MIN_ACTIVATION)));
}
