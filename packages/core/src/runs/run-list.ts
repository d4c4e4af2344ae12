import { z } from "zod";
import type { Page } from "../contract/http.ts";
import { RunStatusSummary } from "../contract/live-updates.ts";
import { Run, type RunSummary } from "../contract/run.ts";
import type { Database } from "../database/open-database.ts";
import { CountRow, jsonColumn } from "../database/json-column.ts";
import { likePattern, decodeCursor, pageOf } from "../database/keyset-page.ts";
import type { RunQuery } from "./run-store.ts";
import { firstRunIdAt } from "../text/ulid.ts";

const SummaryRow = z
  .object({ summary: jsonColumn(Run.omit({ scratchpad: true, context: true })), steps: z.int() })
  .transform((row): RunSummary => ({ ...row.summary, steps: row.steps }));
const StatusRow = z
  .object({ id: z.string(), conversation_id: z.string(), status: z.string(), last_seq: z.int() })
  .transform((row) => ({
    id: row.id,
    conversationId: row.conversation_id,
    status: row.status,
    lastSeq: row.last_seq,
  }))
  .pipe(RunStatusSummary);

/** Lists runs without their events, ordered by id and therefore by time. */
export function runList(database: Database) {
  const unended = database.query(
    `SELECT summary, steps FROM runs WHERE status IN ('queued', 'running', 'waiting', 'interrupted')
     ORDER BY id DESC LIMIT ?`,
    SummaryRow,
  );
  const latest = database.query(
    "SELECT id, conversation_id, status, last_seq FROM runs ORDER BY id DESC LIMIT ?",
    StatusRow,
  );

  // One statement per combination of filters, because a combined one would use no index.
  const prepared = new Map<string, ReturnType<typeof prepare>>();
  function prepare(conditions: readonly string[], rest: string) {
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    return {
      rows: database.query(`SELECT summary, steps FROM runs ${where} ${rest}`, SummaryRow),
      count: database.query(`SELECT count(*) AS count FROM runs ${where}`, CountRow),
    };
  }
  function statements(conditions: readonly string[], rest: string) {
    const key = [...conditions, rest].join();
    const known = prepared.get(key) ?? prepare(conditions, rest);
    prepared.set(key, known);
    return known;
  }

  return {
    unended: (limit: number) => unended.all(limit),
    latest: (limit: number) => latest.all(limit),
    page({ status, conversationId, query, from, until, sort, limit, cursor }: RunQuery): Page<RunSummary> {
      const words = query?.trim();
      const [last] = cursor === undefined ? [] : decodeCursor(cursor, 1);
      const parameters = {
        status,
        conversationId,
        words: words && likePattern(words),
        from: from && firstRunIdAt(from),
        until: until && firstRunIdAt(until),
        last,
        limit: limit + 1,
      };
      const conditions = [
        ...(status === undefined ? [] : ["status = :status"]),
        ...(conversationId === undefined ? [] : ["conversation_id = :conversationId"]),
        ...(words ? ["goal_folded LIKE :words ESCAPE '\\'"] : []),
        ...(from === undefined ? [] : ["id >= :from"]),
        ...(until === undefined ? [] : ["id < :until"]),
      ];
      const [order, beyond] = sort === "oldest" ? ["ASC", "id > :last"] : ["DESC", "id < :last"];
      const rest = `ORDER BY id ${order} LIMIT :limit`;
      const { count } = statements(conditions, rest);
      const { rows } = statements(last === undefined ? conditions : [...conditions, beyond], rest);
      return pageOf(rows.all(parameters), {
        limit,
        total: count.get(parameters)?.count ?? 0,
        keys: (item) => [item.id],
      });
    },
  };
}
