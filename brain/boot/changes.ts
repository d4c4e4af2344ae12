import type { ChangeCounts } from "@metahuman/core/contract/live-updates";

/** Counts changes of a profile while it is open, so that clients know when to reload. */
export interface Changes {
  counts(): ChangeCounts;
  note(kind: keyof ChangeCounts): void;
}

export function createChanges(): Changes {
  // Starts at the current time, so that a client of an earlier process does not mistake the first count for a known
  // one.
  const first = Date.now();
  const counts = {
    conversations: first,
    memories: first,
    functions: first,
    grants: first,
    settings: first,
    schedules: first,
    files: first,
  };
  return {
    counts: () => ({ ...counts }),
    note(kind) {
      counts[kind] += 1;
    },
  };
}
