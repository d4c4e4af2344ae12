/** What an indexed entry can be filtered by, whatever it stands for. */
export interface EntryFacts {
  /** A memory's type, for example. */
  kind: string;
  /** ISO 8601 UTC. */
  timestamp: string;
  tags: readonly string[];
}

/** All that is given must hold. */
export interface EntryFilter {
  kinds?: readonly string[] | undefined;
  /** First and last moment, both included. */
  since?: string | undefined;
  until?: string | undefined;
  /** Each of them must be on the entry. */
  tags?: readonly string[] | undefined;
}

export function admits(filter: EntryFilter, facts: EntryFacts): boolean {
  return (
    (filter.kinds === undefined || filter.kinds.includes(facts.kind)) &&
    (filter.since === undefined || facts.timestamp >= filter.since) &&
    (filter.until === undefined || facts.timestamp <= filter.until) &&
    (filter.tags === undefined || filter.tags.every((tag) => facts.tags.includes(tag)))
  );
}
