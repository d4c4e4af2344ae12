import { z } from "zod";
import { RunEvent } from "@metahuman/core/contract/event";
import { MAX_CHANGES, type StoredChanges, type WatchedRun } from "@metahuman/core/runs/run-relay";
import type { ProfileSession } from "../session.ts";

const ChangesRow = z.object({
  version: z.number(),
  runs: z.array(
    z.object({
      runId: z.string(),
      events: z.array(RunEvent),
      answer: z
        .object({ attempt: z.int(), offset: z.int(), text: z.string() })
        .nullable()
        .transform((answer) => answer ?? undefined),
    }),
  ),
});

/**
 * Reads what was stored of the runs that a process watches, as `RunRelay.changes`. One statement sees one state: the number of commits
 * belongs to the events.
 */
export async function readWatchedRuns(
  session: ProfileSession,
  holder: string,
  watched: readonly WatchedRun[],
): Promise<StoredChanges> {
  const known = watched.map(({ runId, after, answer }) => ({
    ...{ runId, after },
    ...{ attempt: answer?.attempt ?? -1, length: answer?.length ?? 0 },
  }));
  const row = await session.get(
    ChangesRow,
    `SELECT
       (SELECT coalesce(sum(count), 0)::float8 FROM commits WHERE profile = :profile AND holder <> :holder) AS version,
       (SELECT coalesce(jsonb_agg(jsonb_build_object(
           'runId', known."runId",
           'events', (SELECT coalesce(jsonb_agg(e.event ORDER BY e.seq), '[]') FROM (
             SELECT seq, event FROM run_events WHERE profile = :profile AND run_id = known."runId" AND seq > known.after
             ORDER BY seq LIMIT :limit) e),
           'answer', (SELECT jsonb_build_object(
               'attempt', p.attempt, 'offset', min(p.place), 'text', string_agg(p.text, '' ORDER BY p.place))
             FROM answer_parts p
             WHERE p.profile = :profile AND p.run_id = known."runId"
               AND p.attempt = (SELECT max(attempt) FROM answer_parts WHERE profile = :profile AND run_id = known."runId")
               AND (p.attempt <> known.attempt OR p.place >= known.length)
             GROUP BY p.attempt))), '[]')
         FROM jsonb_to_recordset(:known::jsonb) AS known("runId" text, after integer, attempt integer, length integer)
       ) AS runs`,
    { holder, limit: MAX_CHANGES, known: JSON.stringify(known) },
  );
  if (!row) throw new RangeError("A statement without a table returns a row.");
  return { version: row.version, runs: new Map(row.runs.map(({ runId, ...changes }) => [runId, changes])) };
}
