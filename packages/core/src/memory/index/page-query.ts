import { z } from "zod";
import type { TimeSort } from "../../contract/http.ts";
import { Integers } from "../../database/rows.ts";
import type { Database } from "../../database/open-database.ts";
import { PREVIEW_CHARACTERS } from "./catalog-table.ts";
import type { Page, PageQuery } from "./protocol.ts";
import type { SearchTable } from "./search-table.ts";
import { textCondition } from "./text-condition.ts";

const Count = z.object({ count: z.int() });
const Place = z.object({ id: z.string(), path: z.string(), timestamp: z.string() });
const Items = z.object({ items: Integers });

/** At most this many records of a kind or a search are sorted; more are scanned in time order. */
const FEW = 2_000;
/** The entries that are read at first in time order; each further time so many times as many. */
const FIRST_SCANNED = 256;
const SCANNED_MORE = 4;

/** The comparison and direction of each sort order, and a place before all records. */
const NEWEST = { after: "<", direction: "DESC", start: { timestamp: "\u{10ffff}", id: "" } } as const;
const OLDEST = { after: ">", direction: "ASC", start: { timestamp: "", id: "" } } as const;
type Order = typeof NEWEST | typeof OLDEST;
const ORDERS: Readonly<Record<TimeSort, Order>> = { newest: NEWEST, oldest: OLDEST };

/** Lists records by time. */
export function createPageQuery(
  { database, search }: { database: Database; search: Pick<SearchTable, "itemsWith"> },
  few = FEW,
): (query: PageQuery) => Page {
  const condition = `
    (:kinds IS NULL OR entries.kind IN (SELECT value FROM json_each(:kinds)))
    AND (:trust IS NULL OR records.trust = :trust)
    AND (:source IS NULL OR records.source = :source)
    AND (:runId IS NULL OR records.run_id = :runId)
    AND (:conversationId IS NULL OR records.conversation_id = :conversationId)
    AND (:since IS NULL OR entries.timestamp >= :since)
    AND (:until IS NULL OR entries.timestamp <= :until)
    AND (:tag IS NULL OR :tag IN (SELECT value FROM json_each(entries.tags)))
    AND (:items IS NULL OR entries.item IN (SELECT value FROM json_each(:items)))`;
  // A few records are looked up one by one and sorted; otherwise all are scanned in time order.
  const ofAll = createFilteredQuery(database, "entries", condition);
  const ofIds = createFilteredQuery(database, entriesNamedIn("ids", "entries.id"), condition);
  const ofItems = createFilteredQuery(database, entriesNamedIn("items", "entries.item"), condition);
  const ofMany = createScan(database);
  const ofKinds = createKindsQuery(database, few);
  /**
   * Reads the beginnings of all records, which takes most of the time of such a list; so it is done once for both. `LIKE` ignores
   * case as `lower` does, without a copy of each text.
   */
  const containing = database.query(
    `SELECT json_group_array(item) AS items FROM records JOIN entries USING (item)
     WHERE (:kinds IS NULL OR kind IN (SELECT value FROM json_each(:kinds)))
       AND preview LIKE :pattern ESCAPE '\\'`,
    Items,
  );
  function itemsContaining(literal: string, kinds: string | null): readonly number[] {
    // SQLite rejects a pattern of more than 50 000 bytes.
    if (literal.length > PREVIEW_CHARACTERS) return [];
    return (
      containing.get({ kinds, pattern: `%${literal.replaceAll(/[\\%_]/g, String.raw`\$&`)}%` })?.items ?? []
    );
  }

  return ({ types, ids, query = "", sort = "newest", limit, after, ...narrowed }) => {
    const place = { timestamp: after?.timestamp ?? null, id: after?.id ?? null, limit };
    const isNarrowed = ids !== undefined || Object.values(narrowed).some((value) => value !== undefined);
    if (types && !isNarrowed && query.trim() === "") return ofKinds(JSON.stringify(types), sort, place);
    const { tag, trust, source, runId, conversationId, since, until } = narrowed;
    const kinds = types ? JSON.stringify(types) : null;
    const { words, literal } = textCondition(query);
    const items = words
      ? search.itemsWith(words, types)
      : literal === null
        ? null
        : itemsContaining(literal, kinds);
    if (items && items.length > few && !isNarrowed)
      return { entries: ofMany(items, sort, { limit, after }), total: items.length };
    const filter = {
      kinds,
      tag: tag ?? null,
      trust: trust ?? null,
      source: source ?? null,
      runId: runId ?? null,
      conversationId: conversationId ?? null,
      since: since ?? null,
      until: until ?? null,
      items: items && JSON.stringify(items),
    };
    if (ids) {
      const named = { ...filter, ids: JSON.stringify([...new Set(ids)]) };
      return {
        entries: ofIds.page[sort].all({ ...named, ...place }),
        total: ofIds.count.get(named)?.count ?? 0,
      };
    }
    const found = items && items.length <= few ? ofItems : ofAll;
    return {
      entries: found.page[sort].all({ ...filter, ...place }),
      total: items && !isNarrowed ? items.length : (found.count.get(filter)?.count ?? 0),
    };
  };
}

/** Lists some of many items, which most records may be: reads entries in time order until enough of them are found. */
function createScan(
  database: Database,
): (
  items: readonly number[],
  sort: TimeSort,
  range: { limit: number; after: PageQuery["after"] },
) => z.infer<typeof Place>[] {
  const next = inEachOrder(({ after, direction }) =>
    database.query(
      `SELECT json_group_array(item ORDER BY timestamp ${direction}, id ${direction}) AS items FROM (
         SELECT item, timestamp, id FROM entries WHERE (timestamp, id) ${after} (:timestamp, :id)
         ORDER BY timestamp ${direction}, id ${direction} LIMIT :size)`,
      Items,
    ),
  );
  const lastOf = database.query(
    "SELECT timestamp, id FROM entries WHERE item = ?",
    Place.pick({ timestamp: true, id: true }),
  );
  const placeOf = database.query(
    "SELECT entries.id, records.path, entries.timestamp FROM entries JOIN records USING (item) WHERE item = ?",
    Place,
  );

  return (items, sort, { limit, after }) => {
    const isWanted = flagsOf(items);
    const found: number[] = [];
    let { timestamp, id } = after ?? ORDERS[sort].start;
    for (let size = FIRST_SCANNED; found.length < limit; size *= SCANNED_MORE) {
      const scanned = next[sort].get({ timestamp, id, size })?.items ?? [];
      for (const item of scanned) if (isWanted[item] === 1 && found.length < limit) found.push(item);
      const last = lastOf.get(scanned.at(-1));
      if (scanned.length < size || !last) break;
      ({ timestamp, id } = last);
    }
    return found.flatMap((item) => placeOf.get(item) ?? []);
  };
}

/** By item, 1 for those in a list. */
function flagsOf(items: readonly number[]): Uint8Array {
  let highest = 0;
  for (const item of items) if (item > highest) highest = item;
  const flags = new Uint8Array(highest + 1);
  for (const item of items) flags[item] = 1;
  return flags;
}

/** SQL for the entries whose column has a value of the JSON array in a parameter. The cross join fixes the order of the lookups. */
function entriesNamedIn(parameter: string, column: string): string {
  return `json_each(:${parameter}) AS named CROSS JOIN entries ON ${column} = named.value`;
}

interface Position {
  timestamp: string | null;
  id: string | null;
  limit: number;
}

/** Lists the records of these entries that fulfil an SQL condition with named parameters. */
function createFilteredQuery(database: Database, from: string, condition: string) {
  const counted = `SELECT count(*) AS count FROM ${from} JOIN records ON records.item = entries.item`;
  return {
    count: database.query(`${counted} WHERE ${condition}`, Count),
    page: inEachOrder((order) => database.query(pageWhere(condition, order, from), Place)),
  };
}

/** The common list, filtered by kind alone: the index on kind counts 100 000 records in a few milliseconds. */
function createKindsQuery(
  database: Database,
  few: number,
): (kinds: string, sort: TimeSort, place: Position) => Page {
  const hasKind = "kind IN (SELECT value FROM json_each(:kinds))";
  const count = database.query(`SELECT count(*) AS count FROM entries WHERE ${hasKind}`, Count);
  const byKind = inEachOrder((order) => database.query(pageWhere(`entries.${hasKind}`, order), Place));
  // The unary plus keeps SQLite from using the index on kind, so it scans the records by time.
  const byTime = inEachOrder((order) => database.query(pageWhere(`+entries.${hasKind}`, order), Place));

  return (kinds, sort, place) => {
    const total = count.get({ kinds })?.count ?? 0;
    return { entries: (total > few ? byTime : byKind)[sort].all({ kinds, ...place }), total };
  };
}

function inEachOrder<Query>(prepare: (order: Order) => Query): Readonly<Record<TimeSort, Query>> {
  return { newest: prepare(ORDERS.newest), oldest: prepare(ORDERS.oldest) };
}

function pageWhere(condition: string, { after, direction }: Order, from = "entries"): string {
  return `
    SELECT entries.id, records.path, entries.timestamp FROM ${from} JOIN records ON records.item = entries.item
    WHERE ${condition} AND (:timestamp IS NULL OR (entries.timestamp, entries.id) ${after} (:timestamp, :id))
    ORDER BY entries.timestamp ${direction}, entries.id ${direction} LIMIT :limit`;
}
