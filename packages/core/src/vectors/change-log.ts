import { z } from "zod";
import type { Database } from "../database/open-database.ts";

/**
 * Which vectors changed, in the order of their commits, whoever made them: what is kept of them in memory follows it.
 * Only the last thousands of changes are kept. Reading it inside a transaction that writes it may tell what never was.
 */
export interface ChangeLog {
  note(embedder: number, item: number): void;
  /** Notes that none of an embedder's vectors is what it was. */
  noteAll(embedder: number): void;
  /** The number of the last change, 0 when there was none. */
  last(): number;
  /** The items changed after the change `seen`, and the last change; undefined when nobody can tell them any more. */
  since(embedder: number, seen: number): { items: ReadonlySet<number>; last: number } | undefined;
}

/** The table of the log; it forgets by itself. */
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
  const add = database.command("INSERT INTO vector_changes (embedder, item) VALUES (?, ?)");
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
    note: (embedder, item) => void add.run(embedder, item),
    noteAll: (embedder) => void add.run(embedder, null),
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
