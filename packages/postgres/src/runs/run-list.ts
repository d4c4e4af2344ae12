import { z } from "zod";
import type { Page } from "@metahuman/core/contract/http";
import { RunStatusSummary } from "@metahuman/core/contract/live-updates";
import { Run, type RunSummary } from "@metahuman/core/contract/run";
import { CountRow, decodeCursor, likePattern, pageOf } from "@metahuman/core/database/rows";
import type { RunQuery } from "@metahuman/core/runs/run-store";
import { firstRunIdAt } from "@metahuman/core/text/ulid";
import type { ProfileSession } from "../session.ts";

const SummaryRow = z
  .object({ summary: Run.omit({ scratchpad: true, context: true }), steps: z.int() })
  .transform((row): RunSummary => ({ ...row.summary, steps: row.steps }));

/** Returns runs that have not ended, newest first. */
export function listUnfinishedRuns(session: ProfileSession, limit: number): Promise<RunSummary[]> {
  return session.all(
    SummaryRow,
    `SELECT summary, steps FROM runs
     WHERE profile = :profile AND status IN ('queued', 'running', 'waiting', 'interrupted')
     ORDER BY id DESC LIMIT :limit`,
    { limit },
  );
}

/** Returns the runs that started last, newest first. */
export function listLatest(session: ProfileSession, limit: number): Promise<RunStatusSummary[]> {
  return session.all(
    RunStatusSummary,
    `SELECT id, conversation_id AS "conversationId", status, last_seq AS "lastSeq" FROM runs
     WHERE profile = :profile ORDER BY id DESC LIMIT :limit`,
    { limit },
  );
}

/** A page of runs without their events, ordered by id and therefore by time. */
export async function listRuns(
  session: ProfileSession,
  { status, conversationId, query, from, until, sort, limit, cursor }: RunQuery,
): Promise<Page<RunSummary>> {
  const words = query?.trim();
  const [last] = cursor === undefined ? [] : decodeCursor(cursor, 1);
  const where = [
    "profile = :profile",
    ...(status === undefined ? [] : ["status = :status"]),
    ...(conversationId === undefined ? [] : ["conversation_id = :conversationId"]),
    ...(words ? ["goal_folded LIKE :words ESCAPE '\\'"] : []),
    ...(from === undefined ? [] : ["id >= :from"]),
    ...(until === undefined ? [] : ["id < :until"]),
  ].join(" AND ");
  const [order, beyond] = sort === "oldest" ? ["ASC", "id > :last"] : ["DESC", "id < :last"];
  const asked = {
    status: status ?? null,
    conversationId: conversationId ?? null,
    words: words ? likePattern(words) : null,
    from: from === undefined ? null : firstRunIdAt(from),
    until: until === undefined ? null : firstRunIdAt(until),
  };
  // Sent together.
  const [rows, count] = await Promise.all([
    session.all(
      SummaryRow,
      `SELECT summary, steps FROM runs WHERE ${where} ${last === undefined ? "" : `AND ${beyond}`}
       ORDER BY id ${order} LIMIT :limit`,
      { ...asked, last: last ?? null, limit: limit + 1 },
    ),
    session.get(CountRow, `SELECT count(*)::integer AS count FROM runs WHERE ${where}`, asked),
  ]);
  return pageOf(rows, { limit, total: count?.count ?? 0, keys: (item) => [item.id] });
}
