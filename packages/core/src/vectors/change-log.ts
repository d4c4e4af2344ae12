import { z } from "zod";
import type { Database } from "../database/open-database.ts";

/**
 * The log of vector changes by all processes, in commit order, which keeps copies in memory up to date. Stores the last
 * thousands of changes. Do not read it inside a transaction that writes it, because that may roll back.
 */
export interface ChangeLog {
  add(embedder: number, item: number): void;
  /** Records that all vectors of an embedder changed. */
  addAll(embedder: number): void;
  /** The number of the last change; 0 if there is none. */
  last(): number;
  /** The items changed after the change `seen`, and the last change. Undefined if the log no longer reaches back to it. */
  since(embedder: number, seen: number): { items: ReadonlySet<number>; last: number } | undefined;
}

/** The table of the log; a trigger deletes old rows. */
export const CHANGE_LOG = `
CREATE TABLE vector_changes (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  embedder INTEGER NOT NULL,
  item INTEGER
) STRICT;
CREATE TRIGGER vector_changes_forget AFTER INSERT ON vector_changes WHEN new.number % 500 = 0
BEGIN
  DELETE FROM vector_changes WHERE number <= new.number - 5000;
END;`;

export function openChangeLog(database: Database): ChangeLog {
  const addRow = database.command("INSERT INTO vector_changes (embedder, item) VALUES (?, ?)");
  const ends = database.query(
    `SELECT coalesce((SELECT min(number) FROM vector_changes), 1) AS first,
            coalesce((SELECT max(number) FROM vector_changes), 0) AS last`,
    z.object({ first: z.int(), last: z.int() }),
  );
  const after = database.query(
    "SELECT item FROM vector_changes WHERE number > :seen AND number <= :last AND embedder = :embedder",
    z.object({ item: z.int().nullable() }),
  );

  function range(): { first: number; last: number } {
    return ends.get() ?? { first: 1, last: 0 };
  }

  return {
    add: (embedder, item) => void addRow.run(embedder, item),
    addAll: (embedder) => void addRow.run(embedder, null),
    last: () => range().last,
    since(embedder, seen) {
      const { first, last } = range();
      if (seen < first - 1) return undefined;
      if (last === seen) return { items: new Set(), last };
      const items = new Set<number>();
      for (const { item } of after.all({ embedder, seen, last })) {
        if (item === null) return undefined;
        items.add(item);
      }
      return { items, last };
    },
  };
}
