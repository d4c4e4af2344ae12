import type { ChangeCounts } from "@metahuman/core/contract/live-news";

/** Counts what changes in a profile while it is open, for those who show it and have to know when to read it again. */
export interface Changes {
  counts(): ChangeCounts;
  note(kind: keyof ChangeCounts): void;
}

export function createChanges(): Changes {
  // Who was connected before this process began must not take its first number for the one known from then.
  const first = Date.now();
  const counts = { conversations: first, memories: first, functions: first, grants: first, settings: first };
  return {
    counts: () => ({ ...counts }),
    note(kind) {
      counts[kind] += 1;
    },
  };
}
