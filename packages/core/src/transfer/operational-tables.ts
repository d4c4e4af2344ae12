import { z } from "zod";
import type { Database } from "../database/open-database.ts";

/** A table that every store of a profile has, with the same columns. */
export interface OperationalTable {
  name: string;
  /** The columns that identify a row. */
  key: readonly string[];
  columns: Readonly<Record<string, "text" | "integer">>;
}

/**
 * The tables with the operational data of a profile besides runs, agents, memories and functions, which moves row by
 * row. A table comes after those that it refers to.
 */
export const OPERATIONAL_TABLES = [
  {
    name: "conversation_summaries",
    key: ["conversation_id"],
    columns: { conversation_id: "text", text: "text", through: "text" },
  },
  {
    name: "schedule_moments",
    key: ["schedule_id"],
    columns: {
      ...{ schedule_id: "text", timing: "text", next_at: "text", note: "text" },
      ...{ failures: "integer", conversation_id: "text" },
    },
  },
  {
    name: "occurrences",
    key: ["schedule_id", "due_at"],
    columns: {
      ...{ schedule_id: "text", due_at: "text", state: "text", started_at: "text", ended_at: "text" },
      ...{ run_id: "text", outcome: "text", reason: "text", attempt: "integer" },
      ...{ not_before: "text", owner: "text" },
    },
  },
  {
    name: "attempts",
    key: ["schedule_id", "due_at", "n"],
    columns: {
      ...{ schedule_id: "text", due_at: "text", n: "integer", started_at: "text", ended_at: "text" },
      ...{ run_id: "text", outcome: "text", reason: "text", model_calls: "integer", tokens: "integer" },
    },
  },
  {
    name: "notices",
    key: ["id"],
    columns: {
      ...{ id: "text", title: "text", body: "text", link: "text", urgency: "text", dedupe_key: "text" },
      ...{ created_at: "text", visible_at: "text", read_at: "text" },
    },
  },
  {
    name: "notice_deliveries",
    key: ["notice_id", "channel"],
    columns: {
      ...{ notice_id: "text", channel: "text", state: "text", attempts: "integer" },
      ...{ not_before: "text", error: "text", at: "text" },
    },
  },
  {
    name: "watched_pages",
    key: ["watcher", "url"],
    columns: {
      ...{ watcher: "text", url: "text", told_text: "text", told_at: "text" },
      ...{ seen_text: "text", seen_at: "text", seen_by: "text", looked_at: "text" },
    },
  },
] as const satisfies readonly OperationalTable[];

export type OperationalRow = Record<string, string | number | null>;

/** The rows of `OPERATIONAL_TABLES`. Nobody may change them meanwhile. */
export interface OperationalCopies {
  /** The rows in the order of their keys, in batches. */
  rows(table: OperationalTable): AsyncIterable<readonly OperationalRow[]>;
  /** Adds rows to an empty table. */
  put(table: OperationalTable, rows: readonly OperationalRow[]): Promise<void>;
}

const ROWS_AT_ONCE = 500;

export function rowSchema({ columns }: OperationalTable): z.ZodType<OperationalRow> {
  const types = { text: z.string().nullable(), integer: z.int().nullable() };
  return z.strictObject(
    Object.fromEntries(Object.entries(columns).map(([column, type]) => [column, types[type]])),
  );
}

/** Yields all rows of a table. `after` returns the next rows after a key, in their order. */
export async function* allRows(
  { key, columns }: OperationalTable,
  after: (last: OperationalRow, limit: number) => Promise<readonly OperationalRow[]>,
): AsyncGenerator<readonly OperationalRow[]> {
  // Comes before every key.
  let last: OperationalRow = Object.fromEntries(
    key.map((column) => [column, columns[column] === "integer" ? -1 : ""]),
  );
  for (;;) {
    const rows = await after(last, ROWS_AT_ONCE);
    const end = rows.at(-1);
    if (!end) return;
    yield rows;
    last = end;
  }
}

/** Uses a profile's `state.db`, opened with `stateMigrations`. */
export function openOperationalCopies(database: Database): OperationalCopies {
  return {
    rows(table) {
      const { name, key, columns } = table;
      const names = Object.keys(columns).join(", ");
      const next = database.query(
        `SELECT ${names} FROM ${name} WHERE (${key.join(", ")}) > (${key.map(() => "?").join(", ")})
         ORDER BY ${key.join(", ")} LIMIT ?`,
        rowSchema(table),
      );
      return allRows(table, async (last, limit) => next.all(...key.map((column) => last[column]), limit));
    },
    async put({ name, columns }, rows) {
      const names = Object.keys(columns);
      const add = database.command(
        `INSERT INTO ${name} (${names.join(", ")}) VALUES (${names.map((column) => `:${column}`).join(", ")})`,
      );
      database.transaction(() => {
        for (const row of rows) add.run(row);
      });
    },
  };
}
