import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import type { Page, PageQuery } from "./protocol.ts";
import { textCondition } from "./text-condition.ts";

/** Lists records, newest first. */
export function createPageQuery(database: Database): (query: PageQuery) => Page {
  const condition = `
    (:kinds IS NULL OR entries.kind IN (SELECT value FROM json_each(:kinds)))
    AND (:trust IS NULL OR records.trust = :trust)
    AND (:source IS NULL OR records.source = :source)
    AND (:runId IS NULL OR records.run_id = :runId)
    AND (:conversationId IS NULL OR records.conversation_id = :conversationId)
    AND (:since IS NULL OR entries.timestamp >= :since)
    AND (:until IS NULL OR entries.timestamp <= :until)
    AND (:tag IS NULL OR :tag IN (SELECT value FROM json_each(entries.tags)))
    AND (:expression IS NULL OR entries.item IN (SELECT rowid FROM terms WHERE terms MATCH :expression))
    AND (:literal IS NULL OR instr(lower(records.preview), lower(:literal)) > 0)`;
  const count = database.query(
    `SELECT count(*) AS count FROM entries JOIN records USING (item) WHERE ${condition}`,
    z.object({ count: z.int() }),
  );
  const page = database.query(
    `SELECT entries.id, records.path, entries.timestamp FROM entries JOIN records USING (item)
     WHERE ${condition} AND (:timestamp IS NULL OR (entries.timestamp, entries.id) < (:timestamp, :id))
     ORDER BY entries.timestamp DESC, entries.id DESC LIMIT :limit`,
    z.object({ id: z.string(), path: z.string(), timestamp: z.string() }),
  );

  return ({ types, query = "", limit, after, ...narrowed }) => {
    const { tag, trust, source, runId, conversationId, since, until } = narrowed;
    const filter = {
      kinds: types ? JSON.stringify(types) : null,
      tag: tag ?? null,
      trust: trust ?? null,
      source: source ?? null,
      runId: runId ?? null,
      conversationId: conversationId ?? null,
      since: since ?? null,
      until: until ?? null,
      ...textCondition(query),
    };
    return {
      entries: page.all({ ...filter, timestamp: after?.timestamp ?? null, id: after?.id ?? null, limit }),
      total: count.get(filter)?.count ?? 0,
    };
  };
}
