import { z } from "zod";
import {
  changeByUse,
  DAILY_USES,
  DailyUses,
  EvidenceCopy,
  evidenceOf,
  evidenceRow,
  EvidenceSums,
  type EvidenceTable,
  KnownUse,
} from "@metahuman/core/functions/upkeep/evidence-table";
import type { Postgres } from "../open-postgres.ts";
import { jsonText, plainText, type ProfileSession } from "../session.ts";

const SUMS = `SELECT id, usage_count, offered_count, successes, failures, last_failure, last_used_at, useful_at
  FROM function_evidence WHERE profile = :profile`;
const OutcomeRow = z.object({ outcome: z.enum(["succeeded", "failed"]) }).transform((row) => row.outcome);

/** Opens the evidence of a profile's functions in the database. */
export function openPostgresEvidence(database: Postgres, profile: string): EvidenceTable {
  const inProfile = <Result>(work: (session: ProfileSession) => Promise<Result>) =>
    database.inProfile(profile, work);
  const some = (ids: readonly string[]) =>
    database.readProfile(profile, (session) =>
      session.all(EvidenceSums, `${SUMS} AND id = ANY(:ids::text[])`, { ids }),
    );

  return {
    record: (use, at) =>
      inProfile(async (session) => {
        // Two records of one function come one after the other, so that its sums are those of its uses.
        await session.run(
          "SELECT pg_advisory_xact_lock(hashtextextended('evidence:' || :profile || :id, 0))",
          {
            id: use.functionId,
          },
        );
        const known = await session.get(
          KnownUse,
          `SELECT offered, outcome, weight FROM function_uses
           WHERE profile = :profile AND function_id = :functionId AND run_id = :runId`,
          { functionId: use.functionId, runId: use.runId },
        );
        const { error, ...rest } = use;
        const change = changeByUse(
          { ...rest, ...(error !== undefined && { error: plainText(error) }) },
          known,
          at,
        );
        if (!change) return false;
        await session.run(
          `INSERT INTO function_uses AS known (profile, function_id, run_id, offered, outcome, weight, at, error,
             execution_ms, planning_calls, tokens)
           VALUES (:profile, :functionId, :runId, :offered, :outcome, :weight, :at, :error, :executionTimeMs,
             :planningCalls, :tokens)
           ON CONFLICT (profile, function_id, run_id) DO UPDATE SET offered = excluded.offered,
             outcome = excluded.outcome, weight = excluded.weight, at = excluded.at, error = excluded.error,
             execution_ms = coalesce(excluded.execution_ms, known.execution_ms),
             planning_calls = coalesce(excluded.planning_calls, known.planning_calls),
             tokens = coalesce(excluded.tokens, known.tokens)`,
          change.use,
        );
        await session.run(
          `INSERT INTO function_evidence AS known (profile, id, usage_count, offered_count, successes, failures,
             last_failure, last_used_at, useful_at)
           VALUES (:profile, :id, :used, :offered, :successes, :failures, :lastFailure, :usedAt, :usefulAt)
           ON CONFLICT (profile, id) DO UPDATE SET usage_count = known.usage_count + :used,
             offered_count = known.offered_count + :offered,
             successes = greatest(0, known.successes + :successes),
             failures = greatest(0, known.failures + :failures),
             last_failure = coalesce(:lastFailure, known.last_failure),
             last_used_at = coalesce(:usedAt, known.last_used_at),
             useful_at = coalesce(:usefulAt, known.useful_at)`,
          change.sums,
        );
        return true;
      }),
    of: async (ids) => new Map((await some(ids)).map((sums) => [sums.id, evidenceOf(sums)])),
    row: async (id) => (await some([id])).map(evidenceRow)[0],
    rows: async (after, limit) => {
      const rows = await inProfile((session) =>
        session.all(EvidenceSums, `${SUMS} AND id > :after ORDER BY id LIMIT :limit`, { after, limit }),
      );
      return rows.map(evidenceRow);
    },
    outcomesSince: (id, since) =>
      inProfile((session) =>
        session.all(
          OutcomeRow,
          `SELECT outcome FROM function_uses WHERE profile = :profile AND function_id = :id AND at > :since
             AND outcome IN ('succeeded', 'failed')
           ORDER BY at DESC, run_id DESC LIMIT 1000`,
          { id, since },
        ),
      ),
    forget: (id) =>
      inProfile(async (session) => {
        await session.run("DELETE FROM function_uses WHERE profile = :profile AND function_id = :id", { id });
        await session.run("DELETE FROM function_evidence WHERE profile = :profile AND id = :id", { id });
      }),
    async *copies() {
      for (let after = ""; ;) {
        const from = after;
        const page = await inProfile((session) => copiesAfter(session, from));
        yield* page;
        const last = page.at(-1);
        if (!last) return;
        after = last.id;
      }
    },
    restore: (copy) => inProfile((session) => restore(session, copy)),
    dailyUses: ({ since, functionId }) =>
      inProfile((session) =>
        session.all(
          DailyUses,
          `SELECT ${DAILY_USES} FROM function_uses WHERE profile = :profile AND at >= :since
             AND (:functionId::text IS NULL OR function_id = :functionId)
           GROUP BY function_id, day ORDER BY day, function_id`,
          { since, functionId: functionId ?? null },
        ),
      ),
  };
}

async function copiesAfter(session: ProfileSession, after: string): Promise<EvidenceCopy[]> {
  const copies: EvidenceCopy[] = [];
  for (const sums of await session.all(
    EvidenceCopy.omit({ uses: true }),
    `${SUMS} AND id > :after ORDER BY id LIMIT 100`,
    { after },
  )) {
    const uses = await session.all(
      EvidenceCopy.shape.uses.element,
      `SELECT run_id, offered, outcome, weight, at, error, execution_ms, planning_calls, tokens FROM function_uses
       WHERE profile = :profile AND function_id = :id ORDER BY run_id`,
      { id: sums.id },
    );
    copies.push({ ...sums, uses });
  }
  return copies;
}

/** Restores the evidence of a function; false when there is some already. */
async function restore(session: ProfileSession, { uses, ...sums }: EvidenceCopy): Promise<boolean> {
  const restored = await session.run(
    `INSERT INTO function_evidence (profile, id, usage_count, offered_count, successes, failures, last_failure,
       last_used_at, useful_at)
     VALUES (:profile, :id, :usage_count, :offered_count, :successes, :failures, :last_failure, :last_used_at, :useful_at)
     ON CONFLICT DO NOTHING`,
    sums,
  );
  if (restored === 0) return false;
  await session.run(
    `INSERT INTO function_uses (profile, function_id, run_id, offered, outcome, weight, at, error, execution_ms,
       planning_calls, tokens)
     SELECT :profile, :id, use.* FROM jsonb_to_recordset(:uses::jsonb) AS use (run_id text, offered integer,
       outcome text, weight integer, at text, error text, execution_ms float8, planning_calls integer, tokens integer)
     ON CONFLICT DO NOTHING`,
    { id: sums.id, uses: jsonText(uses) },
  );
  return true;
}
