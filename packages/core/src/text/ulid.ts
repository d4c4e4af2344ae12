import { encodeTime, monotonicFactory } from "ulid";

const next = monotonicFactory();

/**
 * Returns a ULID in lower case (26 characters; github.com/ulid/spec). Ids of one process are strictly increasing, also
 * within a millisecond and when the clock goes backwards.
 */
export function ulid(now?: number): string {
  return next(now).toLowerCase();
}

/** The lowest id of a run that was created at this moment or later: ids of runs sort by time. */
export function firstRunIdAt(moment: string): string {
  return `run-${encodeTime(Date.parse(moment), 10).toLowerCase()}${"0".repeat(16)}`;
}
