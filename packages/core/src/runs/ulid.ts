import { monotonicFactory } from "ulid";

const next = monotonicFactory();

/**
 * Returns a ULID in lower case (26 characters; github.com/ulid/spec). Ids of one process are strictly increasing, also
 * within a millisecond and when the clock goes backwards.
 */
export function ulid(now?: number): string {
  return next(now).toLowerCase();
}
