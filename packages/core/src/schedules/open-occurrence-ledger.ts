import { z } from "zod";
import { AGENT_SCHEDULE_PREFIX, Occurrence } from "../contract/schedule.ts";
import { type LeaseTable, openLeaseTable } from "../database/lease-table.ts";
import type { Database } from "../database/open-database.ts";
import { ConflictError } from "../errors/request-errors.ts";
import { CountRow, decodeCursor, likePattern, pageOf } from "../database/rows.ts";
import type { NextMoments, ScheduleAdvance, AttemptClaim, OccurrenceLedger } from "./occurrence-ledger.ts";

/** Named, so that a query that cannot use it fails at once instead of reading every row there ever was. */
const OPEN = "occurrences INDEXED BY occurrences_open WHERE state IN ('due', 'running')";
/** The columns of `occurrences` that `OccurrenceRow` reads. */
export const OCCURRENCE_FIELDS =
  "schedule_id, due_at, state, started_at, ended_at, run_id, outcome, reason, attempt";
export const MAX_BETWEEN = 10_000;

export const OccurrenceRow = z
  .object({
    schedule_id: z.string(),
    due_at: z.string(),
    state: z.string(),
    started_at: z.string().nullable(),
    ended_at: z.string().nullable(),
    run_id: z.string().nullable(),
    outcome: z.string().nullable(),
    reason: z.string().nullable(),
    attempt: z.int(),
  })
  .transform(
    ({ schedule_id, due_at, state, started_at, ended_at, run_id, outcome, reason, attempt }): unknown => ({
      scheduleId: schedule_id,
      dueAt: due_at,
      state,
      ...(started_at !== null && { startedAt: started_at }),
      ...(ended_at !== null && { endedAt: ended_at }),
      ...(run_id !== null && { runId: run_id }),
      ...(outcome !== null && { outcome }),
      ...(reason !== null && { reason }),
      attempt,
    }),
  )
  .pipe(Occurrence);
export const MomentRow = z
  .object({
    schedule_id: z.string(),
    timing: z.string(),
    next_at: z.string().nullable(),
    note: z.string().nullable(),
    failures: z.int(),
    conversation_id: z.string().nullable(),
  })
  .transform(({ schedule_id, next_at, conversation_id, ...row }) => ({
    ...row,
    scheduleId: schedule_id,
    next: next_at,
    conversationId: conversation_id,
  }));
const AtRow = z.object({ at: z.string().nullable() });
const OwnerRow = z.object({ owner: z.string().nullable() });
const UsageRow = z
  .object({ model_calls: z.int().nullable(), tokens: z.int().nullable() })
  .transform(({ model_calls, tokens }) => ({ modelCalls: model_calls ?? 0, tokens: tokens ?? 0 }));

/** Opens the ledger of a profile on its `state.db`, opened with `stateMigrations`. */
export function openOccurrenceLedger(
  database: Database,
  { clock = () => new Date() }: { clock?: () => Date } = {},
): OccurrenceLedger {
  const leases = openLeaseTable(database, clock);
  const moments = momentStatements(database);
  const parts: Parts = { database, leases, moments, iso: () => clock().toISOString() };
  return {
    ...nextMoments(parts),
    ...startedAttempts(parts),
    ...endings(parts),
    ...readings(parts),
    close: async () => database.transaction(() => leases.release()),
  };
}

interface Parts {
  database: Database;
  leases: LeaseTable;
  moments: ReturnType<typeof momentStatements>;
  iso: () => string;
}

function momentStatements({ query, command }: Database) {
  const moments =
    "SELECT schedule_id, timing, next_at, note, failures, conversation_id FROM schedule_moments";
  return {
    moment: query(`${moments} WHERE schedule_id = ?`, MomentRow),
    all: query(moments, MomentRow),
    due: query(`${moments} WHERE next_at <= ? ORDER BY next_at, schedule_id`, MomentRow),
    set: command(
      `INSERT INTO schedule_moments (schedule_id, timing, next_at, note) VALUES (:scheduleId, :timing, :next, :note)
       ON CONFLICT (schedule_id) DO UPDATE SET timing = excluded.timing, next_at = excluded.next_at, note = excluded.note`,
    ),
    advance: command(
      `UPDATE schedule_moments SET next_at = :next, note = :note
       WHERE schedule_id = :scheduleId AND timing = :timing AND next_at = :expected`,
    ),
    setConversation: command("UPDATE schedule_moments SET conversation_id = ? WHERE schedule_id = ?"),
    setFailures: command("UPDATE schedule_moments SET failures = ? WHERE schedule_id = ?"),
    addFailure: command("UPDATE schedule_moments SET failures = failures + 1 WHERE schedule_id = ?"),
    remove: command("DELETE FROM schedule_moments WHERE schedule_id = ?"),
    insert: command(
      `INSERT INTO occurrences (schedule_id, due_at, state, reason, ended_at, not_before)
       VALUES (:scheduleId, :dueAt, :state, :reason, :endedAt, :notBefore) ON CONFLICT DO NOTHING`,
    ),
    skipDue: command(
      "UPDATE occurrences SET state = 'skipped', ended_at = ?, reason = ? WHERE schedule_id = ? AND state = 'due'",
    ),
  };
}

/** The next moments of schedules, and the rows that are written when they have come. */
function nextMoments({ database, moments: sql, iso }: Parts): NextMoments {
  function apply({ scheduleId, expected, rows, next, note, jitterMs = 0 }: ScheduleAdvance): boolean {
    const changed = sql.advance.run({
      scheduleId,
      next,
      note,
      timing: expected.timing,
      expected: expected.next,
    });
    if (changed.changes === 0) return false;
    for (const { dueAt, state, reason } of rows)
      sql.insert.run({
        scheduleId,
        dueAt,
        state,
        reason: reason ?? null,
        endedAt: state === "due" ? null : iso(),
        notBefore: state === "due" ? new Date(Date.parse(dueAt) + jitterMs).toISOString() : null,
      });
    return true;
  }

  return {
    moment: async (scheduleId) => sql.moment.get(scheduleId),
    moments: async () => sql.all.all(),
    setMoment: async ({ scheduleId, timing, next, note }) =>
      database.durably(() => void sql.set.run({ scheduleId, timing, next, note })),
    setConversation: async (scheduleId, conversationId) =>
      database.transaction(() => void sql.setConversation.run(conversationId, scheduleId)),
    resetFailures: async (scheduleId) => database.transaction(() => void sql.setFailures.run(0, scheduleId)),
    forget: async (scheduleId, reason) =>
      database.durably(() => {
        sql.skipDue.run(iso(), reason, scheduleId);
        sql.remove.run(scheduleId);
      }),
    skipDue: async (scheduleId, reason) =>
      database.durably(() => void sql.skipDue.run(iso(), reason, scheduleId)),
    dueSchedules: async (now) => sql.due.all(now.toISOString()),
    advance: async (advances) =>
      database.durably(() => advances.filter(apply).map(({ scheduleId }) => scheduleId)),
  };
}

/** Starts attempts, and takes over those of processes that have ended. */
function startedAttempts({
  database,
  leases,
  moments,
  iso,
}: Parts): Pick<OccurrenceLedger, "add" | "due" | "running" | "claim" | "takeOver" | "renewLease"> {
  const { query, command } = database;
  const due = query(
    `SELECT ${OCCURRENCE_FIELDS} FROM ${OPEN} AND state = 'due' AND not_before <= ? ORDER BY due_at, schedule_id`,
    OccurrenceRow,
  );
  const running = query(
    `SELECT ${OCCURRENCE_FIELDS} FROM ${OPEN} AND state = 'running' ORDER BY due_at, schedule_id`,
    OccurrenceRow,
  );
  const ownRunning = query(
    `SELECT count(*) AS count FROM ${OPEN} AND state = 'running' AND owner = ?`,
    CountRow,
  );
  const exists = query(
    "SELECT count(*) AS count FROM occurrences WHERE schedule_id = ? AND due_at = ?",
    CountRow,
  );
  const ownerOf = query("SELECT owner FROM occurrences WHERE schedule_id = ? AND due_at = ?", OwnerRow);
  const setOwner = command("UPDATE occurrences SET owner = ? WHERE schedule_id = ? AND due_at = ?");
  const start = query(
    `UPDATE occurrences SET state = 'running', attempt = attempt + 1, started_at = coalesce(started_at, :at),
       owner = :owner, run_id = NULL
     WHERE schedule_id = :scheduleId AND due_at = :dueAt AND state = 'due' RETURNING attempt`,
    z.object({ attempt: z.int() }),
  );
  const addAttempt = command(
    "INSERT INTO attempts (schedule_id, due_at, n, started_at) VALUES (:scheduleId, :dueAt, :n, :at)",
  );

  function lostOccurrences(): Occurrence[] {
    const live = leases.live();
    return running.all().filter(({ scheduleId, dueAt }) => {
      const owner = ownerOf.get(scheduleId, dueAt)?.owner ?? null;
      return owner === null || !live.has(owner);
    });
  }

  return {
    add: async ({ scheduleId, dueAt }, reason) =>
      database.durably(() => {
        if (exists.get(scheduleId, dueAt)?.count !== 0)
          throw new ConflictError("This occurrence is already recorded.");
        moments.insert.run({ scheduleId, dueAt, state: "due", reason, endedAt: null, notBefore: dueAt });
        return { scheduleId, dueAt, state: "due", reason, attempt: 0 };
      }),
    due: async (now) => due.all(now.toISOString()),
    running: async () => running.all(),
    claim: async ({ scheduleId, dueAt }) =>
      database.durably((): AttemptClaim | undefined => {
        leases.renew();
        const started = start.get({ scheduleId, dueAt, at: iso(), owner: leases.holder });
        if (!started) return undefined;
        addAttempt.run({ scheduleId, dueAt, n: started.attempt, at: iso() });
        return { scheduleId, dueAt, attempt: started.attempt };
      }),
    async takeOver() {
      // Nothing lost is the usual case, and must cost no write.
      if (lostOccurrences().length === 0) return [];
      return database.durably(() => {
        leases.renew();
        const lost = lostOccurrences();
        for (const { scheduleId, dueAt } of lost) setOwner.run(leases.holder, scheduleId, dueAt);
        return lost;
      });
    },
    async renewLease() {
      if (ownRunning.get(leases.holder)?.count !== 0) database.transaction(() => leases.renew());
    },
  };
}

/** Stores how attempts and occurrences end, and deletes what ended long ago. */
function endings({
  database,
  leases,
  moments,
  iso,
}: Parts): Pick<OccurrenceLedger, "end" | "complete" | "drop" | "prune"> {
  const { command } = database;
  const endAttempt = command(
    `UPDATE attempts SET ended_at = :at, outcome = :outcome, reason = :reason, model_calls = :modelCalls, tokens = :tokens,
       run_id = (SELECT run_id FROM occurrences WHERE schedule_id = :scheduleId AND due_at = :dueAt)
     WHERE schedule_id = :scheduleId AND due_at = :dueAt AND n = :n`,
  );
  const finish = command(
    `UPDATE occurrences SET state = :state, ended_at = :at, outcome = :outcome, owner = NULL,
       reason = CASE WHEN :reason IS NULL THEN reason WHEN reason IS NULL THEN :reason ELSE reason || ' ' || :reason END
     WHERE schedule_id = :scheduleId AND due_at = :dueAt AND attempt = :attempt AND state = 'running' AND owner = :owner`,
  );
  const retry = command(
    `UPDATE occurrences SET state = 'due', not_before = :notBefore, owner = NULL, reason = :reason
     WHERE schedule_id = :scheduleId AND due_at = :dueAt AND attempt = :attempt AND state = 'running' AND owner = :owner`,
  );
  const complete = command(
    `UPDATE occurrences SET state = 'succeeded', started_at = :at, ended_at = :at, outcome = :outcome, attempt = attempt + 1
     WHERE schedule_id = :scheduleId AND due_at = :dueAt AND state = 'due'`,
  );
  const drop = command(
    `UPDATE occurrences SET state = :state, ended_at = :at, reason = :reason
     WHERE schedule_id = :scheduleId AND due_at = :dueAt AND state = 'due'`,
  );
  const prune = command(
    `DELETE FROM occurrences WHERE due_at < ? AND schedule_id GLOB ?
     AND state IN ('succeeded', 'failed', 'missed', 'skipped')`,
  );
  const pruneAttempts = command("DELETE FROM attempts WHERE due_at < ? AND schedule_id GLOB ?");

  return {
    end: async (claim, { state, retryAt, outcome, reason, modelCalls = 0, tokens = 0 }) =>
      database.durably(() => {
        const { scheduleId, dueAt, attempt } = claim;
        const key = { scheduleId, dueAt, attempt, owner: leases.holder };
        const finished = { at: iso(), outcome: outcome ?? null, reason: reason ?? null };
        const changed =
          state === "retry"
            ? retry.run({ ...key, reason: finished.reason, notBefore: retryAt ?? finished.at })
            : finish.run({ ...key, ...finished, state });
        if (changed.changes === 0) return false;
        endAttempt.run({ scheduleId, dueAt, n: attempt, ...finished, modelCalls, tokens });
        if (state === "succeeded") moments.setFailures.run(0, scheduleId);
        if (state === "failed") moments.addFailure.run(scheduleId);
        return true;
      }),
    complete: async (keys, outcome) =>
      database.durably(() => {
        for (const { scheduleId, dueAt } of keys) {
          complete.run({ scheduleId, dueAt, at: iso(), outcome });
          moments.setFailures.run(0, scheduleId);
        }
      }),
    drop: async ({ scheduleId, dueAt }, { state, reason }) =>
      database.durably(() => void drop.run({ scheduleId, dueAt, state, reason, at: iso() })),
    prune: async ({ schedules, agents }) =>
      database.transaction(() => {
        for (const [before, ids] of [
          [schedules, "sched-*"],
          [agents, `${AGENT_SCHEDULE_PREFIX}*`],
        ] as const) {
          prune.run(before, ids);
          pruneAttempts.run(before, ids);
        }
      }),
  };
}

/** Reads what was due and what is next. */
function readings({
  database,
}: Parts): Pick<
  OccurrenceLedger,
  "lastDue" | "occurrence" | "occurrences" | "latest" | "between" | "usage" | "nextAt"
> {
  const { query } = database;
  const lastDue = query("SELECT max(due_at) AS at FROM occurrences WHERE schedule_id = ?", AtRow);
  const occurrence = query(
    `SELECT ${OCCURRENCE_FIELDS} FROM occurrences WHERE schedule_id = ? AND due_at = ?`,
    OccurrenceRow,
  );
  const page = query(
    `SELECT ${OCCURRENCE_FIELDS} FROM occurrences WHERE schedule_id = :scheduleId AND (:before IS NULL OR due_at < :before)
     AND (:words IS NULL OR state || ' ' || coalesce(reason, '') LIKE :words ESCAPE '\\')
     ORDER BY due_at DESC LIMIT :limit`,
    OccurrenceRow,
  );
  const count = query(
    `SELECT count(*) AS count FROM occurrences WHERE schedule_id = :scheduleId
     AND (:words IS NULL OR state || ' ' || coalesce(reason, '') LIKE :words ESCAPE '\\')`,
    CountRow,
  );
  const latest = query(
    `SELECT ${OCCURRENCE_FIELDS} FROM schedule_moments JOIN occurrences USING (schedule_id)
     WHERE due_at = (SELECT max(due_at) FROM occurrences WHERE schedule_id = schedule_moments.schedule_id)`,
    OccurrenceRow,
  );
  const between = query(
    `SELECT ${OCCURRENCE_FIELDS} FROM occurrences WHERE due_at >= ? AND due_at < ? AND schedule_id GLOB 'sched-*' ORDER BY due_at, schedule_id LIMIT ?`,
    OccurrenceRow,
  );
  const usage = query(
    "SELECT sum(model_calls) AS model_calls, sum(tokens) AS tokens FROM attempts WHERE schedule_id = ? AND started_at >= ?",
    UsageRow,
  );
  const nextAt = query(
    `SELECT min(at) AS at FROM (SELECT min(next_at) AS at FROM schedule_moments WHERE schedule_id GLOB :ids
       UNION ALL SELECT min(not_before) AS at FROM ${OPEN} AND state = 'due' AND schedule_id GLOB :ids)`,
    AtRow,
  );

  return {
    lastDue: async (scheduleId) => lastDue.get(scheduleId)?.at ?? undefined,
    occurrence: async ({ scheduleId, dueAt }) => occurrence.get(scheduleId, dueAt),
    async occurrences(scheduleId, { query: text, limit, cursor }) {
      const words = text === undefined ? null : likePattern(text);
      const [before] = cursor === undefined ? [null] : decodeCursor(cursor, 1);
      const rows = page.all({ scheduleId, words, before, limit: limit + 1 });
      const total = count.get({ scheduleId, words })?.count ?? 0;
      return pageOf(rows, { limit, total, keys: ({ dueAt }) => [dueAt] });
    },
    latest: async () => new Map(latest.all().map((row) => [row.scheduleId, row])),
    between: async (from, to) => between.all(from, to, MAX_BETWEEN),
    usage: async (scheduleId, since) => usage.get(scheduleId, since) ?? { modelCalls: 0, tokens: 0 },
    nextAt: async ({ onlySchedules = false } = {}) =>
      nextAt.get({ ids: onlySchedules ? "sched-*" : "*" })?.at ?? undefined,
  };
}
