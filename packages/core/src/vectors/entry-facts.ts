/** The filterable properties of an indexed entry. */
export interface EntryFacts {
  /** For example a memory's type. */
  kind: string;
  /** ISO 8601 UTC. */
  timestamp: string;
  tags: readonly string[];
}

/** An entry must match every given field. */
export interface EntryFilter {
  kinds?: readonly string[] | undefined;
  /** First and last moment, both included. */
  since?: string | undefined;
  until?: string | undefined;
  /** The entry must have all of them. */
  tags?: readonly string[] | undefined;
}

export function matchesFilter(filter: EntryFilter, facts: EntryFacts): boolean {
  return (
    (filter.kinds === undefined || filter.kinds.includes(facts.kind)) &&
    (filter.since === undefined || facts.timestamp >= filter.since) &&
    (filter.until === undefined || facts.timestamp <= filter.until) &&
    (filter.tags === undefined || filter.tags.every((tag) => facts.tags.includes(tag)))
  );
}
