import { z } from "zod";
import { FunctionId, Timestamp } from "../../contract/ids.ts";
import type { FunctionEvidence } from "../../contract/function.ts";
import type { Database } from "../../database/open-database.ts";
import type { FunctionUseRecord } from "../functions-port.ts";
import type { UsageCounters } from "../index/protocol.ts";

/** The results of functions, in `state.db`. Each run counts once, in any order of its records. */
export interface EvidenceTable {
  /** False when nothing changed. */
  record(use: FunctionUseRecord, at: string): Promise<boolean>;
  /** By id; functions without any record are missing. */
  of(ids: readonly string[]): Promise<Map<string, FunctionEvidence>>;
  row(id: string): Promise<UsageCounters | undefined>;
  /** The rows with ids after `after`, in id order. */
  rows(after: string, limit: number): Promise<UsageCounters[]>;
  /** The outcomes of runs that succeeded or failed after `since`, newest first. */
  outcomesSince(id: string, since: string): Promise<("succeeded" | "failed")[]>;
  forget(id: string): Promise<void>;
  /** All evidence, to be restored in another database. */
  copies(): AsyncIterable<EvidenceCopy>;
  /** Restores the evidence of a function; false when this database already has some. */
  restore(copy: EvidenceCopy): Promise<boolean>;
  /** The runs since a moment, counted by function and calendar day, oldest day first. */
  dailyUses(query: { since: string; functionId?: string }): Promise<DailyUses[]>;
}

const Count = z.int().nonnegative();
const Outcome = z.enum(["offered", "followed", "succeeded", "failed"]);
type Outcome = z.infer<typeof Outcome>;

/** The counters of one function and the runs behind them. */
export const EvidenceCopy = z.strictObject({
  id: FunctionId,
  usage_count: Count,
  offered_count: Count,
  successes: Count,
  failures: Count,
  last_failure: z.string().nullable(),
  last_used_at: Timestamp.nullable(),
  useful_at: Timestamp.nullable(),
  uses: z.array(
    z.strictObject({
      run_id: z.string().max(128),
      offered: z.int().min(0).max(1),
      outcome: Outcome,
      weight: Count,
      at: Timestamp,
      error: z.string().nullable(),
      execution_ms: z.number().nullable(),
      planning_calls: z.int().nullable(),
      tokens: z.int().nullable(),
    }),
  ),
});
export type EvidenceCopy = z.infer<typeof EvidenceCopy>;

/** The runs of one day in which a function was offered or used. */
export const DailyUses = z.object({
  functionId: z.string(),
  day: z.iso.date(),
  /** All runs, also those in which it was used. */
  offered: Count,
  used: Count,
  succeeded: Count,
  failed: Count,
  /** The successful runs whose number of planning calls is known, and the sum of these numbers. */
  planned: Count,
  planningCalls: Count,
  /** The successful runs whose number of tokens is known, and the sum of these numbers. */
  metered: Count,
  tokens: Count,
});
export type DailyUses = z.infer<typeof DailyUses>;

/**
 * The columns of `DailyUses`, for a statement that groups `function_uses` by `function_id` and day. PostgreSQL counts in
 * `bigint`, which its driver returns as text; both databases convert to a number.
 */
export const DAILY_USES = `function_id AS "functionId", substr(at, 1, 10) AS day, ${[
  ["offered", "count(*)"],
  ["used", "count(CASE WHEN outcome <> 'offered' THEN 1 END)"],
  ["succeeded", "count(CASE WHEN outcome = 'succeeded' THEN 1 END)"],
  ["failed", "count(CASE WHEN outcome = 'failed' THEN 1 END)"],
  ["planned", "count(CASE WHEN outcome = 'succeeded' THEN planning_calls END)"],
  ["planningCalls", "coalesce(sum(CASE WHEN outcome = 'succeeded' THEN planning_calls END), 0)"],
  ["metered", "count(CASE WHEN outcome = 'succeeded' THEN tokens END)"],
  ["tokens", "coalesce(sum(CASE WHEN outcome = 'succeeded' THEN tokens END), 0)"],
]
  .map(([name, sum]) => `CAST(${sum} AS double precision) AS "${name}"`)
  .join(", ")}`;

/** The stored sums of one function. */
export const EvidenceSums = z.object({
  id: z.string(),
  usage_count: Count,
  offered_count: Count,
  successes: Count,
  failures: Count,
  last_failure: z.string().nullable(),
  last_used_at: z.string().nullable(),
  useful_at: z.string().nullable(),
});
type EvidenceSums = z.infer<typeof EvidenceSums>;

/** The outcome that a run recorded for a function before. */
export const KnownUse = z.object({ offered: z.int(), outcome: Outcome, weight: Count });
type KnownUse = z.infer<typeof KnownUse>;

/** The rank of each outcome. A run's outcome never moves to a lower rank; a verdict may change a final outcome. */
const REACH: Readonly<Record<Outcome, number>> = { offered: 0, followed: 1, succeeded: 2, failed: 2 };

export function openEvidenceTable(database: Database): EvidenceTable {
  const some = database.query(
    "SELECT function_evidence.* FROM json_each(?) AS wanted JOIN function_evidence ON function_evidence.id = wanted.value",
    EvidenceSums,
  );
  const after = database.query(
    "SELECT * FROM function_evidence WHERE id > ? ORDER BY id LIMIT ?",
    EvidenceSums,
  );
  const outcomes = database.query(
    `SELECT outcome FROM function_uses WHERE function_id = ? AND at > ? AND outcome IN ('succeeded', 'failed')
     ORDER BY at DESC, run_id DESC LIMIT 1000`,
    z.object({ outcome: z.enum(["succeeded", "failed"]) }),
  );
  const dropUses = database.command("DELETE FROM function_uses WHERE function_id = ?");
  const drop = database.command("DELETE FROM function_evidence WHERE id = ?");
  const dailyUses = database.query(
    `SELECT ${DAILY_USES} FROM function_uses
     WHERE at >= :since AND (:functionId IS NULL OR function_id = :functionId)
     GROUP BY function_id, day ORDER BY day, function_id`,
    DailyUses,
  );

  return {
    record: createRecord(database),
    of: async (ids) => new Map(some.all(JSON.stringify(ids)).map((sums) => [sums.id, evidenceOf(sums)])),
    row: async (id) => some.all(JSON.stringify([id])).map(evidenceRow)[0],
    rows: async (from, limit) => after.all(from, limit).map(evidenceRow),
    outcomesSince: async (id, since) => outcomes.all(id, since).map(({ outcome }) => outcome),
    forget: async (id) =>
      database.transaction(() => {
        dropUses.run(id);
        drop.run(id);
      }),
    ...copyMethods(database),
    dailyUses: async ({ since, functionId }) => dailyUses.all({ since, functionId: functionId ?? null }),
  };
}

/** Records a use and adds what it changes to the sums of its function. */
function createRecord(database: Database): EvidenceTable["record"] {
  const known = database.query(
    "SELECT offered, outcome, weight FROM function_uses WHERE function_id = ? AND run_id = ?",
    KnownUse,
  );
  const put = database.command(
    `INSERT INTO function_uses (function_id, run_id, offered, outcome, weight, at, error, execution_ms, planning_calls, tokens)
     VALUES (:functionId, :runId, :offered, :outcome, :weight, :at, :error, :executionTimeMs, :planningCalls, :tokens)
     ON CONFLICT (function_id, run_id) DO UPDATE SET offered = excluded.offered, outcome = excluded.outcome,
       weight = excluded.weight, at = excluded.at, error = excluded.error,
       execution_ms = coalesce(excluded.execution_ms, execution_ms),
       planning_calls = coalesce(excluded.planning_calls, planning_calls), tokens = coalesce(excluded.tokens, tokens)`,
  );
  const add = database.command(
    `INSERT INTO function_evidence (id, usage_count, offered_count, successes, failures, last_failure, last_used_at, useful_at)
     VALUES (:id, :used, :offered, :successes, :failures, :lastFailure, :usedAt, :usefulAt)
     ON CONFLICT (id) DO UPDATE SET usage_count = usage_count + :used, offered_count = offered_count + :offered,
       successes = max(0, successes + :successes), failures = max(0, failures + :failures),
       last_failure = coalesce(:lastFailure, last_failure), last_used_at = coalesce(:usedAt, last_used_at),
       useful_at = coalesce(:usefulAt, useful_at)`,
  );
  return async (use, at) =>
    database.transaction(() => {
      const change = changeByUse(use, known.get(use.functionId, use.runId), at);
      if (!change) return false;
      put.run(change.use);
      add.run(change.sums);
      return true;
    });
}

/** The change by a use: the row of its run, and the additions to the sums. Undefined if it changes nothing. */
export function changeByUse(use: FunctionUseRecord, before: KnownUse | undefined, at: string) {
  const { functionId, runId, outcome, weight = 1, error } = use;
  const isChange = !before || REACH[outcome] >= REACH[before.outcome];
  const next = isChange ? { outcome, weight } : before;
  const offered = outcome === "offered" || before?.offered === 1 ? 1 : 0;
  const was = countsOf(before);
  const is = countsOf({ ...next, offered });
  if (before && haveSameCounts(was, is) && before.outcome === next.outcome) return undefined;
  return {
    use: {
      functionId,
      runId,
      offered,
      outcome: next.outcome,
      weight: next.weight,
      at,
      error: error ?? null,
      executionTimeMs: use.executionTimeMs ?? null,
      planningCalls: use.planningCalls ?? null,
      tokens: use.tokens ?? null,
    },
    sums: {
      id: functionId,
      used: is.used - was.used,
      offered: is.offered - was.offered,
      successes: is.successes - was.successes,
      failures: is.failures - was.failures,
      lastFailure: next.outcome === "failed" ? (error ?? null) : null,
      usedAt: is.used > was.used ? at : null,
      usefulAt: next.outcome === "succeeded" ? at : null,
    },
  };
}

/** The evidence in stored sums. */
export function evidenceOf(sums: EvidenceSums): FunctionEvidence {
  const { successes, failures } = sums;
  return {
    usageCount: sums.usage_count,
    ...(sums.last_used_at !== null && { lastUsedAt: sums.last_used_at }),
    offeredCount: sums.offered_count,
    stats: {
      executions: successes + failures,
      successes,
      failures,
      ...(sums.last_failure !== null && { lastFailure: sums.last_failure }),
    },
  };
}

/** Stored sums in the form that the index uses. */
export function evidenceRow(sums: EvidenceSums): UsageCounters {
  return {
    id: sums.id,
    uses: sums.usage_count,
    executions: sums.successes + sums.failures,
    successes: sums.successes,
    usefulAt: sums.useful_at,
  };
}

/** Reads and restores the evidence of an export. */
function copyMethods(database: Database): Pick<EvidenceTable, "copies" | "restore"> {
  const usesOf = database.query(
    `SELECT run_id, offered, outcome, weight, at, error, execution_ms, planning_calls, tokens FROM function_uses
     WHERE function_id = ? ORDER BY run_id`,
    EvidenceCopy.shape.uses.element,
  );
  const sums = database.query(
    "SELECT * FROM function_evidence WHERE id > ? ORDER BY id LIMIT 100",
    EvidenceCopy.omit({ uses: true }),
  );
  const putSums = database.command(
    `INSERT INTO function_evidence (id, usage_count, offered_count, successes, failures, last_failure, last_used_at, useful_at)
     VALUES (:id, :usage_count, :offered_count, :successes, :failures, :last_failure, :last_used_at, :useful_at)
     ON CONFLICT (id) DO NOTHING`,
  );
  const putUse = database.command(
    `INSERT INTO function_uses (function_id, run_id, offered, outcome, weight, at, error, execution_ms, planning_calls, tokens)
     VALUES (:id, :run_id, :offered, :outcome, :weight, :at, :error, :execution_ms, :planning_calls, :tokens)
     ON CONFLICT (function_id, run_id) DO NOTHING`,
  );

  return {
    async *copies() {
      for (let from = ""; ;) {
        const page = sums.all(from);
        for (const sum of page) yield { ...sum, uses: usesOf.all(sum.id) };
        const last = page.at(-1);
        if (!last) return;
        from = last.id;
      }
    },
    restore: async ({ uses: past, ...sum }) =>
      database.transaction(() => {
        if (putSums.run(sum).changes === 0) return false;
        for (const use of past) putUse.run({ id: sum.id, ...use });
        return true;
      }),
  };
}

interface Counts {
  offered: number;
  used: number;
  successes: number;
  failures: number;
}

function countsOf(use: { offered: number; outcome: Outcome; weight: number } | undefined): Counts {
  if (!use) return { offered: 0, used: 0, successes: 0, failures: 0 };
  return {
    offered: use.offered,
    used: use.outcome === "offered" ? 0 : 1,
    successes: use.outcome === "succeeded" ? use.weight : 0,
    failures: use.outcome === "failed" ? use.weight : 0,
  };
}

function haveSameCounts(one: Counts, other: Counts): boolean {
  return (
    one.offered === other.offered &&
    one.used === other.used &&
    one.successes === other.successes &&
    one.failures === other.failures
  );
}
