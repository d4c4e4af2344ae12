const HOUR_MS = 3_600_000;
/** Activation of something ten years old and never used since, about; and of something used some times today. */
const LOWEST = -6;
const HIGHEST = 2;

/**
 * How alive a memory is, as a share from 0 to 1: base-level activation ln Σ age^-0.5 (Anderson & Lebiere 1998) over its
 * creation and the moments it was of use, ages in hours. Ages count from an hour, so that a new memory starts alive,
 * also where a clock went backwards.
 */
export function activation(createdAt: number, uses: readonly number[], now: number): number {
  let sum = 0;
  for (const moment of [createdAt, ...uses]) sum += Math.max(1, (now - moment) / HOUR_MS) ** -0.5;
  return Math.max(0, Math.min(1, (Math.log(sum) - LOWEST) / (HIGHEST - LOWEST)));
}
