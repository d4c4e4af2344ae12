import { z } from "zod";
import type { FunctionSort } from "../../contract/function.ts";
import type { Database } from "../../database/open-database.ts";
import type { SearchTable } from "../../memory/index/search-table.ts";
import { textCondition } from "../../memory/index/text-condition.ts";
import type { FunctionPage, FunctionPageQuery } from "./protocol.ts";

/** One page of the list, as file paths. */
export interface FunctionPlaces {
  rows: { id: string; path: string; key: string | number }[];
  total: number;
  next: FunctionPage["next"];
}

/** The SQL key and direction of each sort order. Constant, never built from input. */
const ORDERS: Readonly<Record<FunctionSort, { key: string; descending: boolean }>> = {
  updated: { key: "records.updated_at", descending: true },
  created: { key: "records.created_at", descending: true },
  title: { key: "records.title_folded", descending: false },
  used: { key: "coalesce(evidence.uses, 0)", descending: true },
  success: { key: "coalesce(evidence.success, 0.0)", descending: true },
};

const CONDITION = `
  (:agentId = '*' OR records.agent = :agentId) AND records.user = :userId
  AND (:kind IS NULL OR records.kind = :kind)
  AND (:trust IS NULL OR records.trust = :trust)
  AND (:status IS NULL OR records.status = :status)
  AND (:tag IS NULL OR :tag IN (SELECT value FROM json_each(entries.tags)))
  AND (:skills IS NULL OR NOT EXISTS (
    SELECT 1 FROM json_each(:skills) AS wanted WHERE wanted.value NOT IN (SELECT value FROM json_each(records.skills))
  ))
  AND (:items IS NULL OR records.item IN (SELECT value FROM json_each(:items)))
  AND (:literal IS NULL OR instr(records.title_folded, lower(:literal)) > 0)`;

/** Lists functions page by page in each sort order. */
export function createFunctionPage({
  database,
  search,
}: {
  database: Database;
  search: Pick<SearchTable, "itemsWith">;
}): (query: FunctionPageQuery) => FunctionPlaces {
  const count = database.query(
    `SELECT count(*) AS count FROM records JOIN entries USING (item) WHERE ${CONDITION}`,
    z.object({ count: z.int() }),
  );
  const Row = z.object({ id: z.string(), path: z.string(), key: z.union([z.string(), z.number()]) });
  const pageIn = ({ key, descending }: { key: string; descending: boolean }) =>
    database.query(
      `SELECT entries.id, records.path, ${key} AS key FROM records JOIN entries USING (item)
       LEFT JOIN evidence ON evidence.id = entries.id
       WHERE ${CONDITION} AND (:afterId IS NULL OR (${key}, entries.id) ${descending ? "<" : ">"} (:afterKey, :afterId))
       ORDER BY ${key} ${descending ? "DESC" : "ASC"}, entries.id ${descending ? "DESC" : "ASC"} LIMIT :more`,
      Row,
    );
  const pages = {
    updated: pageIn(ORDERS.updated),
    created: pageIn(ORDERS.created),
    title: pageIn(ORDERS.title),
    used: pageIn(ORDERS.used),
    success: pageIn(ORDERS.success),
  };

  return ({ scope, kind, trust, status, skills, tag, query = "", sort, limit, after }) => {
    const { words, literal } = textCondition(query);
    const filter = {
      ...scope,
      kind: kind ?? null,
      trust: trust ?? null,
      status: status ?? null,
      tag: tag ?? null,
      skills: skills && skills.length > 0 ? JSON.stringify(skills) : null,
      items: words && JSON.stringify(search.itemsWith(words)),
      literal,
    };
    const rows = pages[sort].all({
      ...filter,
      afterKey: after?.key ?? null,
      afterId: after?.id ?? null,
      more: limit + 1,
    });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      rows: shown,
      total: count.get(filter)?.count ?? 0,
      next: last && rows.length > limit ? { key: last.key, id: last.id } : null,
    };
  };
}
