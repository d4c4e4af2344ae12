import { z } from "zod";
import type { Database } from "../database/open-database.ts";
import type { EntryFacts, EntryFilter } from "./entry-facts.ts";

/** The entries that words, vectors and files refer to by item number. */
export interface EntryTable {
  /** Adds the entry or replaces its facts; returns its number. */
  put(id: string, facts: EntryFacts): number;
  /** Adds an entry whose id is new; returns its number. */
  add(id: string, facts: EntryFacts): number;
  itemOf(id: string): number | undefined;
  kindOf(id: string): { item: number; kind: string } | undefined;
  factsOf(item: number): EntryFacts | undefined;
  /** Removes the entry and all rows that refer to it. */
  remove(item: number): void;
}

const Tags = z.array(z.string());
const TagsText = z.string().transform((text) => Tags.parse(JSON.parse(text)));

/** An SQL condition on `entries` with the parameters of `filterParameters`. */
export const FILTER = `
  (:kinds IS NULL OR entries.kind IN (SELECT value FROM json_each(:kinds)))
  AND (:since IS NULL OR entries.timestamp >= :since)
  AND (:until IS NULL OR entries.timestamp <= :until)
  AND (:tags IS NULL OR NOT EXISTS (
    SELECT 1 FROM json_each(:tags) AS wanted WHERE wanted.value NOT IN (SELECT value FROM json_each(entries.tags))
  ))`;

export function filterParameters(
  filter: EntryFilter,
): Record<"kinds" | "since" | "until" | "tags", string | null> {
  return {
    kinds: filter.kinds ? JSON.stringify(filter.kinds) : null,
    since: filter.since ?? null,
    until: filter.until ?? null,
    tags: filter.tags && filter.tags.length > 0 ? JSON.stringify(filter.tags) : null,
  };
}

/** Looks up the ids of items. Omits unknown ones. */
export function openItemIds(database: Database): (items: readonly number[]) => ReadonlyMap<number, string> {
  const rows = database.query(
    "SELECT item, id FROM entries WHERE item IN (SELECT value FROM json_each(?))",
    z.object({ item: z.int(), id: z.string() }),
  );
  return (items) => new Map(rows.all(JSON.stringify(items)).map(({ item, id }) => [item, id]));
}

export function openEntryTable(database: Database): EntryTable {
  const Item = z.object({ item: z.int() });
  const find = database.query("SELECT item FROM entries WHERE id = ?", Item);
  const findKind = database.query(
    "SELECT item, kind FROM entries WHERE id = ?",
    Item.extend({ kind: z.string() }),
  );
  const upsert = database.query(
    `INSERT INTO entries (id, kind, timestamp, tags) VALUES (:id, :kind, :timestamp, :tags)
     ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, timestamp = excluded.timestamp, tags = excluded.tags
     RETURNING item`,
    Item,
  );
  const insert = database.command("INSERT INTO entries (id, kind, timestamp, tags) VALUES (?, ?, ?, ?)");
  const facts = database.query(
    "SELECT kind, timestamp, tags FROM entries WHERE item = ?",
    z.object({ kind: z.string(), timestamp: z.string(), tags: TagsText }),
  );
  const remove = database.command("DELETE FROM entries WHERE item = ?");

  return {
    put(id, { kind, timestamp, tags }) {
      const row = upsert.get({ id, kind, timestamp, tags: JSON.stringify(tags) });
      if (!row) throw new Error("an upsert returned no row");
      return row.item;
    },
    add: (id, { kind, timestamp, tags }) =>
      Number(insert.run(id, kind, timestamp, JSON.stringify(tags)).lastInsertRowid),
    itemOf: (id) => find.get(id)?.item,
    kindOf: (id) => findKind.get(id),
    factsOf: (item) => facts.get(item),
    remove: (item) => void remove.run(item),
  };
}
