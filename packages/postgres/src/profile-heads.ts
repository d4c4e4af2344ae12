import pg from "pg";
import { z } from "zod";

/**
 * For how long after its answer what a transaction found counts as the present state, in milliseconds. Not after it was sent: on a busy
 * machine, every answer would be out of date when it arrives, and what is read again for that makes the machine busier.
 */
export const FRESH_MS = 25;
/** The heads as a statement returns them. */
export const Heads = z.object({
  documents: z.number(),
  records: z.number(),
  commits: z.record(z.string(), z.number()),
});
const HeadsRow = Heads.extend({ wrote: z.boolean() });

/**
 * The numbers of the last changes of a profile. A process that has seen them all need not query for more, which saves
 * most of its reads: every transaction returns them with its end.
 */
export interface ProfileHeads {
  /** The sum of the versions of settings, persona and channels. Grows with every change. */
  readonly documents: number;
  /** The number of the last change of a record. */
  readonly records: number;
  /** How often each holder of a lease has committed. */
  readonly commits: Readonly<Record<string, number>>;
}

/** The parts of the heads of a profile, whose name is an SQL expression. */
const partsOf = (name: string) => ({
  documents: `(SELECT coalesce(sum(version), 0)::float8 FROM profile_documents d WHERE d.profile = ${name})`,
  records: `(SELECT coalesce(max(seq), 0)::float8 FROM record_heads h WHERE h.profile = ${name})`,
  commits: `(SELECT coalesce(jsonb_object_agg(holder, count), '{}') FROM commits c WHERE c.profile = ${name})`,
});

/** The query for the heads of a profile, in a transaction of it. */
export function headsOf(profile: string): string {
  const { documents, records, commits } = partsOf(pg.escapeLiteral(profile));
  return `SELECT ${documents} AS documents, ${records} AS records, ${commits} AS commits,
    pg_current_xact_id_if_assigned() IS NOT NULL AS wrote`;
}

/** The heads of a profile as one column of a statement of the whole database (`Heads`). `name` is an SQL expression. */
export function headsColumn(name: string): string {
  const { documents, records, commits } = partsOf(name);
  return `jsonb_build_object('documents', ${documents}, 'records', ${records}, 'commits', ${commits})`;
}

/** The cached heads of a profile. Moments are those of `performance.now()`. */
interface KnownHeads {
  heads?: ProfileHeads | undefined;
  /** When the end of the transaction that found the heads was sent. */
  at: number;
  /** When it was answered. */
  answeredAt: number;
  /** When the last change of this process was acknowledged, or `forget` was called: what was sent before may lack it. */
  since: number;
  /** How many requests of a person have noted the heads and not yet called `forget`. */
  requests: number;
}

/** The later of each number. */
function laterOf(known: ProfileHeads, found: ProfileHeads): ProfileHeads {
  const commits = { ...known.commits };
  for (const [holder, count] of Object.entries(found.commits))
    commits[holder] = Math.max(count, commits[holder] ?? 0);
  return {
    documents: Math.max(known.documents, found.documents),
    records: Math.max(known.records, found.records),
    commits,
  };
}

/** The heads of the profiles of this process. */
export function createKnownHeads() {
  const profiles = new Map<string, KnownHeads>();
  const knownHeadsOf = (profile: string): KnownHeads => {
    const known = profiles.get(profile) ?? { at: 0, answeredAt: 0, since: 0, requests: 0 };
    profiles.set(profile, known);
    return known;
  };
  return {
    of(profile: string): ProfileHeads | undefined {
      const known = profiles.get(profile);
      return known && performance.now() - known.answeredAt <= FRESH_MS ? known.heads : undefined;
    },
    /** When this process last may have changed the profile, or `forget` was called; 0 if never. */
    changedAt: (profile: string): number => profiles.get(profile)?.since ?? 0,
    /** With `sinceRequest`, keeps what the request of a person has noted, which is new enough for that request. */
    forget(profile: string, { sinceRequest = false } = {}): void {
      const known = knownHeadsOf(profile);
      if (sinceRequest && known.requests > 0) known.requests -= 1;
      else Object.assign(known, { heads: undefined, since: performance.now() });
    },
    /** Keeps the heads that a statement sent at this moment, for the request of a person, has returned. */
    noteRequest(profile: string, heads: ProfileHeads, at: number): void {
      const known = knownHeadsOf(profile);
      // A change of this process that was acknowledged after this was sent is in what is known, if anything is.
      const later = at >= known.since ? heads : known.heads && laterOf(known.heads, heads);
      if (at >= known.at && later) Object.assign(known, { heads: later, at, answeredAt: performance.now() });
      known.requests += 1;
    },
    /** Ends a transaction, keeps what it found, and resolves to it. */
    async update(
      profile: string,
      commit: () => Promise<{ rows: readonly unknown[] }>,
    ): Promise<ProfileHeads> {
      const known = knownHeadsOf(profile);
      const at = performance.now();
      try {
        const { wrote, ...heads } = HeadsRow.parse((await commit()).rows[0]);
        if (at >= known.since && at >= known.at)
          Object.assign(known, { heads, at, answeredAt: performance.now() });
        // What is known was found after this was sent, but may lack what it wrote.
        else if (at >= known.since && wrote && known.heads) known.heads = laterOf(known.heads, heads);
        else if (wrote) known.heads = undefined;
        if (wrote) known.since = performance.now();
        return heads;
      } catch (error) {
        Object.assign(known, { heads: undefined, since: performance.now() });
        throw error;
      }
    },
  };
}
