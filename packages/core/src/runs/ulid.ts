import { monotonicFactory } from "ulid";

const next = monotonicFactory();

/**
 * A ULID in lower case (26 characters; github.com/ulid/spec). Each id of one process sorts after the one before, also
 * within a millisecond and when the clock goes backwards.
 */
export function ulid(now?: number): string {
  return next(now).toLowerCase();
}
