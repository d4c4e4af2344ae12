import { NOTICE_IS_SHOWN } from "@metahuman/core/notices/open-notices";
import { z } from "zod";
import type { Session } from "./session.ts";

/** How often the profiles are polled by default, in milliseconds. */
const POLL_MS = 1_000;
/** How long what a poll found counts, in milliseconds, while later polls fail. */
const STALE_MS = 10_000;

const FoundRow = z
  .object({
    profile: z.string(),
    documents: z.number(),
    records: z.number(),
    epoch: z.string().nullable(),
    has_runs: z.boolean(),
    has_waiting_runs: z.boolean(),
    is_due: z.boolean(),
    agents_are_due: z.boolean(),
    next_at: z.string().nullable(),
    commits: z.number(),
    latest: z.string(),
  })
  .transform((row) => ({
    profile: row.profile,
    documents: row.documents,
    records: row.records,
    epoch: row.epoch,
    hasRuns: row.has_runs,
    hasWaitingRuns: row.has_waiting_runs,
    isDue: row.is_due,
    agentsAreDue: row.agents_are_due,
    nextAt: row.next_at,
    commits: row.commits,
    latest: row.latest,
  }));

/** The result of a poll for a profile. */
export interface PolledProfile {
  /** The sum of the versions of settings, persona and channels, as in `ProfileHeads`. */
  documents: number;
  /** The number of the last change of a record. */
  records: number;
  /** What the number of the last change belongs to, as in `RecordRows.head`; null before the first change. */
  epoch: string | null;
  /** Whether a run is queued or claimed, or an approval is pending. */
  hasRuns: boolean;
  /** Whether a run is queued, the process that claimed one has ended, or an approval is pending. */
  hasWaitingRuns: boolean;
  /** Whether an occurrence of a schedule of the person runs, or whether one, or a delivery, is due. */
  isDue: boolean;
  /** Whether an agent runs or is due. */
  agentsAreDue: boolean;
  /** When the next schedule of the person or the next delivery is due, ISO 8601; null if there is none. */
  nextAt: string | null;
  /** How often the processes have committed changes of runs, conversations and approvals. */
  commits: number;
  /** Another text after each change of a run, an approval, a conversation or a notice, and after each start of an agent. */
  latest: string;
}

/** A profile that is polled with the others. */
export interface FollowedProfile {
  /**
   * What the last poll found; undefined if there was none yet, if polls fail for longer than `STALE_MS`, or if this process may
   * have changed the profile since the poll began.
   */
  found(): PolledProfile | undefined;
  /** Asks for this profile now, so that `found` need not wait for the next poll. */
  look(): Promise<PolledProfile>;
  close(): void;
}

/**
 * Polls the profiles that a process has open: one statement for all of them, so that an open profile that nobody uses costs no
 * statement of its own. The first poll comes one interval after the first `follow`.
 */
export interface ProfilePoll {
  /** Calls `onFound` after each poll that found the profile. */
  follow(profile: string, onFound?: (found: PolledProfile) => void): FollowedProfile;
  /** Ends all polls, and waits for the one that is under way. */
  close(): Promise<void>;
}

export interface ProfilePollOptions {
  read: <Result>(work: (session: Session) => Promise<Result>) => Promise<Result>;
  clock: () => Date;
  /** When this process last may have changed the profile, by `performance.now()`. */
  changedAt: (profile: string) => number;
  /** Default: `POLL_MS`. */
  pollMs?: number | undefined;
  /** Called with the first of several failures in a row. */
  onFailure?: ((error: unknown) => void) | undefined;
}

export function openProfilePoll({
  read,
  clock,
  changedAt,
  pollMs = POLL_MS,
  onFailure = () => undefined,
}: ProfilePollOptions): ProfilePoll {
  const followers = new Map<string, Set<(found: PolledProfile) => void>>();
  const latest = new Map<string, { found: PolledProfile; at: number }>();
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;
  let isFailing = false;
  let isClosed = false;

  /** Reads what there is of these profiles and keeps it for those that are followed. */
  async function find(profiles: readonly string[]): Promise<z.output<typeof FoundRow>[]> {
    const at = performance.now();
    const rows = await read((session) => findProfiles(session, profiles, clock()));
    for (const { profile, ...found } of rows) if (followers.has(profile)) latest.set(profile, { found, at });
    return rows;
  }

  async function poll(): Promise<void> {
    try {
      const rows = await find([...followers.keys()]);
      isFailing = false;
      for (const { profile, ...found } of rows)
        for (const listener of followers.get(profile) ?? []) listener(found);
    } catch (error) {
      if (!isFailing && !isClosed) onFailure(error);
      isFailing = true;
    }
  }

  function schedule(): void {
    if (timer !== undefined || polling || isClosed || followers.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      polling = poll().finally(() => {
        polling = undefined;
        schedule();
      });
    }, pollMs).unref();
  }

  return {
    follow(profile, onFound = () => undefined) {
      const listeners = followers.get(profile) ?? new Set();
      // One function may follow several times.
      const listener = (found: PolledProfile): void => onFound(found);
      followers.set(profile, listeners.add(listener));
      schedule();
      return {
        found() {
          const last = latest.get(profile);
          if (!last || performance.now() - last.at > STALE_MS) return undefined;
          return changedAt(profile) >= last.at ? undefined : last.found;
        },
        async look() {
          const [row] = await find([profile]);
          if (!row) throw new RangeError("A poll finds every profile that it is asked for.");
          const { profile: _name, ...found } = row;
          return found;
        },
        close() {
          listeners.delete(listener);
          if (listeners.size > 0 || followers.get(profile) !== listeners) return;
          followers.delete(profile);
          latest.delete(profile);
          if (followers.size > 0) return;
          clearTimeout(timer);
          timer = undefined;
        },
      };
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await polling;
    },
  };
}

const OPEN_OCCURRENCE = "o.state IN ('due', 'running') AND (o.state = 'running' OR o.not_before <= :now)";

/** Reads past the barriers between the profiles, and only what says that there is something to do. */
async function findProfiles(
  session: Session,
  profiles: readonly string[],
  now: Date,
): Promise<z.output<typeof FoundRow>[]> {
  return session.all(
    FoundRow,
    `SELECT given.profile,
       (SELECT coalesce(sum(version), 0)::float8 FROM profile_documents d WHERE d.profile = given.profile) AS documents,
       (SELECT coalesce(max(seq), 0)::float8 FROM record_heads h WHERE h.profile = given.profile) AS records,
       (SELECT epoch::text FROM record_heads h WHERE h.profile = given.profile) AS epoch,
       EXISTS (SELECT FROM runs r WHERE r.profile = given.profile AND (r.claimed OR r.status = 'queued'))
         OR EXISTS (SELECT FROM approvals a WHERE a.profile = given.profile AND a.status = 'pending') AS has_runs,
       EXISTS (SELECT FROM runs r WHERE r.profile = given.profile AND (r.claimed OR r.status = 'queued')
              AND (NOT r.claimed OR NOT EXISTS (SELECT FROM leases l
                WHERE l.profile = r.profile AND l.holder = r.owner AND l.expires_at > :time)))
         OR EXISTS (SELECT FROM approvals a WHERE a.profile = given.profile AND a.status = 'pending')
         AS has_waiting_runs,
       EXISTS (SELECT FROM occurrences o WHERE o.profile = given.profile AND ${OPEN_OCCURRENCE}
              AND starts_with(o.schedule_id, 'sched-'))
         OR EXISTS (SELECT FROM schedule_moments m WHERE m.profile = given.profile AND m.next_at <= :now
              AND starts_with(m.schedule_id, 'sched-'))
         OR EXISTS (SELECT FROM notice_deliveries n WHERE n.profile = given.profile AND n.state = 'pending'
              AND n.not_before <= :now) AS is_due,
       EXISTS (SELECT FROM occurrences o WHERE o.profile = given.profile AND ${OPEN_OCCURRENCE}
              AND NOT starts_with(o.schedule_id, 'sched-'))
         OR EXISTS (SELECT FROM schedule_moments m WHERE m.profile = given.profile AND m.next_at <= :now
              AND NOT starts_with(m.schedule_id, 'sched-'))
         OR EXISTS (SELECT FROM agent_runs g WHERE g.profile = given.profile AND g.status = 'running')
         AS agents_are_due,
       (SELECT min(at) FROM (
          SELECT min(m.next_at) AS at FROM schedule_moments m
            WHERE m.profile = given.profile AND starts_with(m.schedule_id, 'sched-')
          UNION ALL
          SELECT min(o.not_before) FROM occurrences o
            WHERE o.profile = given.profile AND o.state = 'due' AND starts_with(o.schedule_id, 'sched-')
          UNION ALL
          SELECT min(n.not_before) FROM notice_deliveries n
            WHERE n.profile = given.profile AND n.state = 'pending') AS moments) AS next_at,
       (SELECT coalesce(sum(c.count), 0)::float8 FROM commits c WHERE c.profile = given.profile) AS commits,
       concat_ws(' ',
         (SELECT coalesce(sum(c.count), 0) FROM commits c WHERE c.profile = given.profile),
         (SELECT max(g.id) FROM agent_runs g WHERE g.profile = given.profile),
         (SELECT min(m.next_at) FROM schedule_moments m WHERE m.profile = given.profile),
         (SELECT max(n.id) FROM notices n WHERE n.profile = given.profile),
         (SELECT count(*) FROM notices n
            WHERE n.profile = given.profile AND n.read_at IS NULL AND ${NOTICE_IS_SHOWN})) AS latest
     FROM unnest(:profiles::text[]) AS given(profile)`,
    { profiles, now: now.toISOString(), time: now.getTime() },
  );
}
