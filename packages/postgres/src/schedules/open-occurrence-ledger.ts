import { z } from "zod";
import { AGENT_SCHEDULE_PREFIX, type Occurrence } from "@metahuman/core/contract/schedule";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { CountRow, decodeCursor, likePattern, pageOf } from "@metahuman/core/database/rows";
import type {
  NextMoments,
  ScheduleAdvance,
  OccurrenceLedger,
} from "@metahuman/core/schedules/occurrence-ledger";
import {
  MAX_BETWEEN,
  MomentRow,
  OCCURRENCE_FIELDS,
  OccurrenceRow,
} from "@metahuman/core/schedules/open-occurrence-ledger";
import { openLeases, type PostgresLeases } from "../lease-table.ts";
import type { Postgres } from "../open-postgres.ts";
import { plainText, type ProfileSession } from "../session.ts";

const MOMENTS = `SELECT schedule_id, timing, next_at, note, failures, conversation_id FROM schedule_moments
  WHERE profile = :profile`;
const OPEN = "occurrences WHERE profile = :profile AND state IN ('due', 'running')";
const KEY = "profile = :profile AND schedule_id = :scheduleId AND due_at = :dueAt";

const AtRow = z.object({ at: z.string().nullable() });
const OwnedRow = z.object({ schedule_id: z.string(), due_at: z.string(), owner: z.string().nullable() });
const AttemptRow = z.object({ attempt: z.int() });
const UsageRow = z.object({ modelCalls: z.int(), tokens: z.int() });

export function openPostgresLedger(database: Postgres, profile: string): OccurrenceLedger {
  const parts: Parts = {
    leases: openLeases(),
    inProfile: (work) => database.inProfile(profile, work),
    readAtOnce: (work) => database.readProfile(profile, work),
  };
  return {
    ...nextMoments(parts),
    ...startedAttempts(parts),
    ...endings(parts),
    ...readings(parts),
    close: () => parts.inProfile((session) => parts.leases.release(session)),
  };
}

interface Parts {
  leases: PostgresLeases;
  inProfile: <Result>(work: (session: ProfileSession) => Promise<Result>) => Promise<Result>;
  /** A read with one statement. */
  readAtOnce: <Result>(work: (session: ProfileSession) => Promise<Result>) => Promise<Result>;
}

interface NewOccurrence {
  scheduleId: string;
  dueAt: string;
  state: Occurrence["state"];
  reason: string | null;
  notBefore: string | null;
}

/** Adds a row, unless the moment has one; returns the number of added rows. */
function insert(session: ProfileSession, row: NewOccurrence): Promise<number> {
  return session.run(
    `INSERT INTO occurrences (profile, schedule_id, due_at, state, reason, ended_at, not_before)
     VALUES (:profile, :scheduleId, :dueAt, :state, :reason, :endedAt, :notBefore) ON CONFLICT DO NOTHING`,
    { ...row, endedAt: row.state === "due" ? null : session.now.toISOString() },
  );
}

function skipDue(session: ProfileSession, scheduleId: string, reason: string): Promise<number> {
  return session.run(
    `UPDATE occurrences SET state = 'skipped', ended_at = :at, reason = :reason
     WHERE profile = :profile AND schedule_id = :scheduleId AND state = 'due'`,
    { scheduleId, reason, at: session.now.toISOString() },
  );
}

function setFailures(session: ProfileSession, scheduleId: string, failures: "0" | "failures + 1") {
  return session.run(
    `UPDATE schedule_moments SET failures = ${failures} WHERE profile = :profile AND schedule_id = :scheduleId`,
    { scheduleId },
  );
}

/** Stores the next moment and the rows of those that have come; false if the schedule was changed meanwhile. */
async function advance(session: ProfileSession, change: ScheduleAdvance): Promise<boolean> {
  const { scheduleId, expected, rows, next, note, jitterMs = 0 } = change;
  const changed = await session.run(
    `UPDATE schedule_moments SET next_at = :next, note = :note
     WHERE profile = :profile AND schedule_id = :scheduleId AND timing = :timing AND next_at = :expected`,
    { scheduleId, next, note, timing: expected.timing, expected: expected.next },
  );
  if (changed === 0) return false;
  for (const { dueAt, state, reason } of rows) {
    const notBefore = state === "due" ? new Date(Date.parse(dueAt) + jitterMs).toISOString() : null;
    await insert(session, { scheduleId, dueAt, state, reason: reason ?? null, notBefore });
  }
  return true;
}

/** The next moments of schedules, and the rows that are written when they have come. */
function nextMoments({ inProfile, readAtOnce }: Parts): NextMoments {
  return {
    moment: (scheduleId) =>
      readAtOnce((session) =>
        session.get(MomentRow, `${MOMENTS} AND schedule_id = :scheduleId`, { scheduleId }),
      ),
    moments: () => readAtOnce((session) => session.all(MomentRow, MOMENTS)),
    async setMoment({ scheduleId, timing, next, note }) {
      await inProfile((session) =>
        session.run(
          `INSERT INTO schedule_moments (profile, schedule_id, timing, next_at, note)
           VALUES (:profile, :scheduleId, :timing, :next, :note)
           ON CONFLICT (profile, schedule_id) DO UPDATE SET timing = excluded.timing, next_at = excluded.next_at,
             note = excluded.note`,
          { scheduleId, timing, next, note },
        ),
      );
    },
    async setConversation(scheduleId, conversationId) {
      await inProfile((session) =>
        session.run(
          `UPDATE schedule_moments SET conversation_id = :conversationId
           WHERE profile = :profile AND schedule_id = :scheduleId`,
          { scheduleId, conversationId },
        ),
      );
    },
    resetFailures: async (scheduleId) =>
      void (await inProfile((session) => setFailures(session, scheduleId, "0"))),
    async forget(scheduleId, reason) {
      await inProfile(async (session) => {
        await skipDue(session, scheduleId, reason);
        await session.run(
          "DELETE FROM schedule_moments WHERE profile = :profile AND schedule_id = :scheduleId",
          {
            scheduleId,
          },
        );
      });
    },
    skipDue: async (scheduleId, reason) =>
      void (await inProfile((session) => skipDue(session, scheduleId, reason))),
    dueSchedules: (now) =>
      readAtOnce((session) =>
        session.all(MomentRow, `${MOMENTS} AND next_at <= :now ORDER BY next_at, schedule_id`, {
          now: now.toISOString(),
        }),
      ),
    advance: (advances) =>
      inProfile(async (session) => {
        const advanced: string[] = [];
        for (const change of advances) if (await advance(session, change)) advanced.push(change.scheduleId);
        return advanced;
      }),
  };
}

/** Starts attempts, and takes over those of processes that have ended. */
function startedAttempts({
  leases,
  inProfile,
  readAtOnce,
}: Parts): Pick<OccurrenceLedger, "add" | "due" | "running" | "claim" | "takeOver" | "renewLease"> {
  const open = (session: ProfileSession, condition: string, parameters: { now?: string } = {}) =>
    session.all(
      OccurrenceRow,
      `SELECT ${OCCURRENCE_FIELDS} FROM ${OPEN} AND ${condition} ORDER BY due_at, schedule_id`,
      parameters,
    );
  const readRunning = () => readAtOnce((session) => open(session, "state = 'running'"));
  /** The running occurrences of processes that have ended. Without `lock`, only reads them. */
  async function lostOccurrences(session: ProfileSession, lock: "" | "FOR UPDATE SKIP LOCKED") {
    const running = await session.all(
      OwnedRow,
      `SELECT schedule_id, due_at, owner FROM ${OPEN} AND state = 'running' ${lock}`,
    );
    if (running.length === 0) return [];
    const live = await leases.live(session);
    return running.filter(({ owner }) => owner === null || !live.has(owner));
  }

  return {
    add: ({ scheduleId, dueAt }, reason) =>
      inProfile(async (session) => {
        const row: NewOccurrence = { scheduleId, dueAt, state: "due", reason, notBefore: dueAt };
        if ((await insert(session, row)) === 0)
          throw new ConflictError("This occurrence is already recorded.");
        return { scheduleId, dueAt, state: "due", reason, attempt: 0 };
      }),
    due: (now) =>
      readAtOnce((session) =>
        open(session, "state = 'due' AND not_before <= :now", { now: now.toISOString() }),
      ),
    running: readRunning,
    claim: ({ scheduleId, dueAt }) =>
      inProfile(async (session) => {
        await leases.renew(session);
        const at = session.now.toISOString();
        const started = await session.get(
          AttemptRow,
          `UPDATE occurrences SET state = 'running', attempt = attempt + 1, started_at = coalesce(started_at, :at),
             owner = :owner, run_id = NULL
           WHERE ${KEY} AND state = 'due' RETURNING attempt`,
          { scheduleId, dueAt, at, owner: leases.holder },
        );
        if (!started) return undefined;
        await session.run(
          `INSERT INTO attempts (profile, schedule_id, due_at, n, started_at)
           VALUES (:profile, :scheduleId, :dueAt, :attempt, :at)`,
          { scheduleId, dueAt, attempt: started.attempt, at },
        );
        return { scheduleId, dueAt, attempt: started.attempt };
      }),
    async takeOver() {
      // Nothing runs in the usual case, which must cost one read, and nothing lost no write.
      if ((await readRunning()).length === 0) return [];
      if ((await inProfile((session) => lostOccurrences(session, ""))).length === 0) return [];
      return inProfile(async (session) => {
        await leases.renew(session);
        const taken: Occurrence[] = [];
        for (const { schedule_id: scheduleId, due_at: dueAt } of await lostOccurrences(
          session,
          "FOR UPDATE SKIP LOCKED",
        )) {
          const row = await session.get(
            OccurrenceRow,
            `UPDATE occurrences SET owner = :owner WHERE ${KEY} RETURNING ${OCCURRENCE_FIELDS}`,
            { scheduleId, dueAt, owner: leases.holder },
          );
          if (row) taken.push(row);
        }
        return taken.toSorted((a, b) => (a.dueAt < b.dueAt ? -1 : 1));
      });
    },
    async renewLease() {
      await inProfile(async (session) => {
        const own = await session.get(
          CountRow,
          `SELECT count(*)::integer AS count FROM ${OPEN} AND state = 'running' AND owner = :owner`,
          { owner: leases.holder },
        );
        if ((own?.count ?? 0) > 0) await leases.renew(session);
      });
    },
  };
}

/** Stores how attempts and occurrences end, and deletes what ended long ago. */
function endings({
  leases,
  inProfile,
}: Parts): Pick<OccurrenceLedger, "end" | "complete" | "drop" | "prune"> {
  return {
    end: ({ scheduleId, dueAt, attempt }, { state, retryAt, outcome, reason, modelCalls = 0, tokens = 0 }) =>
      inProfile(async (session) => {
        const at = session.now.toISOString();
        const set =
          state === "retry"
            ? "state = 'due', not_before = :notBefore, owner = NULL, reason = :reason"
            : `state = :state, ended_at = :at, outcome = :outcome, owner = NULL,
               reason = CASE WHEN :reason::text IS NULL THEN reason ELSE concat_ws(' ', reason, :reason::text) END`;
        const result = { outcome: outcome ?? null, reason: reason === undefined ? null : plainText(reason) };
        const changed = await session.run(
          `UPDATE occurrences SET ${set} WHERE ${KEY} AND attempt = :attempt AND state = 'running' AND owner = :owner`,
          {
            ...{ scheduleId, dueAt, attempt, owner: leases.holder, state, at, ...result },
            notBefore: retryAt ?? at,
          },
        );
        if (changed === 0) return false;
        await session.run(
          `UPDATE attempts SET ended_at = :at, outcome = :outcome, reason = :reason, model_calls = :modelCalls,
             tokens = :tokens, run_id = (SELECT run_id FROM occurrences WHERE ${KEY})
           WHERE ${KEY} AND n = :attempt`,
          { scheduleId, dueAt, attempt, at, ...result, modelCalls, tokens },
        );
        if (state === "succeeded") await setFailures(session, scheduleId, "0");
        if (state === "failed") await setFailures(session, scheduleId, "failures + 1");
        return true;
      }),
    complete: (keys, outcome) =>
      inProfile(async (session) => {
        for (const { scheduleId, dueAt } of keys) {
          await session.run(
            `UPDATE occurrences SET state = 'succeeded', started_at = :at, ended_at = :at, outcome = :outcome,
               attempt = attempt + 1
             WHERE ${KEY} AND state = 'due'`,
            { scheduleId, dueAt, outcome, at: session.now.toISOString() },
          );
          await setFailures(session, scheduleId, "0");
        }
      }),
    async drop({ scheduleId, dueAt }, { state, reason }) {
      await inProfile((session) =>
        session.run(
          `UPDATE occurrences SET state = :state, ended_at = :at, reason = :reason WHERE ${KEY} AND state = 'due'`,
          { scheduleId, dueAt, state, reason, at: session.now.toISOString() },
        ),
      );
    },
    prune: ({ schedules, agents }) =>
      inProfile(async (session) => {
        for (const [before, prefix] of [
          [schedules, "sched-"],
          [agents, AGENT_SCHEDULE_PREFIX],
        ] as const) {
          const old = "profile = :profile AND due_at < :before AND starts_with(schedule_id, :prefix)";
          await session.run(
            `DELETE FROM occurrences WHERE ${old} AND state IN ('succeeded', 'failed', 'missed', 'skipped')`,
            { before, prefix },
          );
          await session.run(`DELETE FROM attempts WHERE ${old}`, { before, prefix });
        }
      }),
  };
}

/** Reads what was due and what is next. */
function readings({
  inProfile,
  readAtOnce,
}: Parts): Pick<
  OccurrenceLedger,
  "lastDue" | "occurrence" | "occurrences" | "latest" | "between" | "usage" | "nextAt"
> {
  const matches = `profile = :profile AND schedule_id = :scheduleId
    AND (:words::text IS NULL OR lower(state || ' ' || coalesce(reason, '')) LIKE :words ESCAPE '\\')`;
  return {
    async lastDue(scheduleId) {
      const sql = `SELECT max(due_at) AS at FROM occurrences WHERE profile = :profile AND schedule_id = :scheduleId`;
      return (await readAtOnce((session) => session.get(AtRow, sql, { scheduleId })))?.at ?? undefined;
    },
    occurrence: ({ scheduleId, dueAt }) =>
      readAtOnce((session) =>
        session.get(OccurrenceRow, `SELECT ${OCCURRENCE_FIELDS} FROM occurrences WHERE ${KEY}`, {
          scheduleId,
          dueAt,
        }),
      ),
    occurrences: (scheduleId, { query: text, limit, cursor }) =>
      inProfile(async (session) => {
        const asked = { scheduleId, words: text === undefined ? null : likePattern(text) };
        const [before] = cursor === undefined ? [null] : decodeCursor(cursor, 1);
        const rows = await session.all(
          OccurrenceRow,
          `SELECT ${OCCURRENCE_FIELDS} FROM occurrences WHERE ${matches} AND (:before::text IS NULL OR due_at < :before)
           ORDER BY due_at DESC LIMIT :limit`,
          { ...asked, before: before ?? null, limit: limit + 1 },
        );
        const count = await session.get(
          CountRow,
          `SELECT count(*)::integer AS count FROM occurrences WHERE ${matches}`,
          asked,
        );
        return pageOf(rows, { limit, total: count?.count ?? 0, keys: ({ dueAt }) => [dueAt] });
      }),
    async latest() {
      const rows = await readAtOnce((session) =>
        session.all(
          OccurrenceRow,
          `SELECT latest.* FROM schedule_moments AS moment CROSS JOIN LATERAL
             (SELECT ${OCCURRENCE_FIELDS} FROM occurrences
              WHERE profile = :profile AND schedule_id = moment.schedule_id ORDER BY due_at DESC LIMIT 1) AS latest
           WHERE moment.profile = :profile`,
        ),
      );
      return new Map(rows.map((row) => [row.scheduleId, row]));
    },
    between: (from, to) =>
      readAtOnce((session) =>
        session.all(
          OccurrenceRow,
          `SELECT ${OCCURRENCE_FIELDS} FROM occurrences
           WHERE profile = :profile AND due_at >= :from AND due_at < :to AND starts_with(schedule_id, 'sched-')
           ORDER BY due_at, schedule_id LIMIT :limit`,
          { from, to, limit: MAX_BETWEEN },
        ),
      ),
    async usage(scheduleId, since) {
      const used = await readAtOnce((session) =>
        session.get(
          UsageRow,
          `SELECT coalesce(sum(model_calls), 0)::integer AS "modelCalls", coalesce(sum(tokens), 0)::integer AS tokens
           FROM attempts WHERE profile = :profile AND schedule_id = :scheduleId AND started_at >= :since`,
          { scheduleId, since },
        ),
      );
      return used ?? { modelCalls: 0, tokens: 0 };
    },
    async nextAt({ onlySchedules = false } = {}) {
      const row = await readAtOnce((session) =>
        session.get(
          AtRow,
          `SELECT min(at) AS at FROM (
             SELECT min(next_at) AS at FROM schedule_moments
               WHERE profile = :profile AND starts_with(schedule_id, :prefix)
             UNION ALL
             SELECT min(not_before) AS at FROM ${OPEN} AND state = 'due' AND starts_with(schedule_id, :prefix)
           ) AS moments`,
          { prefix: onlySchedules ? "sched-" : "" },
        ),
      );
      return row?.at ?? undefined;
    },
  };
}
