import { z } from "zod";
import type { Database } from "../database/open-database.ts";
import { openChangeLog } from "./change-log.ts";
import type { EmbedderFacts } from "./embedder.ts";
import type { EntryTable } from "./entry-table.ts";
import { openVectorTable, type VectorTable } from "./vector-table.ts";
import { openVectorMirror } from "./vector-mirror.ts";

/**
 * The vectors of all embedders. One embedder can answer while another one is still embedding, and two processes with
 * different embedders do not delete each other's vectors. Callers open the transaction.
 */
export interface VectorTables {
  /** The table of an embedder, created if missing. */
  of(embedder: EmbedderFacts): { table: VectorTable; isNew: boolean };
  /** The table of an embedder; undefined if it does not exist. */
  known(embedder: EmbedderFacts): VectorTable | undefined;
  /** Removes an entry's vectors of every embedder. */
  remove(item: number): void;
  /** Moves an entry's vectors to another kind. */
  move(item: number, kind: string): void;
  /** Whether every entry has had a vector of this embedder once, so that only new ones can be missing. */
  isComplete(table: VectorTable): boolean;
  setComplete(table: VectorTable): void;
  /** Removes the vectors of all other embedders. */
  keepOnly(embedderIds: readonly string[]): void;
}

export function openVectorTables(database: Database, entries: EntryTable): VectorTables {
  const Registered = z.object({ number: z.int(), id: z.string(), dimensions: z.int(), complete: z.int() });
  const find = database.query(
    "SELECT number, id, dimensions, complete FROM embedders WHERE id = ?",
    Registered,
  );
  const all = database.query("SELECT number, id, dimensions, complete FROM embedders", Registered);
  const add = database.command("INSERT INTO embedders (id, dimensions) VALUES (?, ?)");
  const complete = database.command("UPDATE embedders SET complete = 1 WHERE number = ?");
  const forget = database.command("DELETE FROM embedders WHERE number = ?");
  const log = openChangeLog(database);
  /** Keyed by number and dimensions, because another process may drop an embedder and reuse its number. */
  const opened = new Map<string, VectorTable>();

  function open({ number, dimensions }: { number: number; dimensions: number }): VectorTable {
    const key = keyOf({ number, dimensions });
    const table =
      opened.get(key) ??
      openVectorTable(database, entries, {
        number,
        dimensions,
        mirror: openVectorMirror(database, { number, dimensions }),
      });
    opened.set(key, table);
    return table;
  }

  function knownTable({ id, dimensions }: EmbedderFacts): VectorTable | undefined {
    const row = find.get(id);
    return row?.dimensions === dimensions ? open(row) : undefined;
  }

  function drop({ number, dimensions }: { number: number; dimensions: number }): void {
    opened.delete(keyOf({ number, dimensions }));
    log.addAll(number);
    database.exec(`DROP TABLE vectors_${number}; DROP TABLE fine_vectors_${number}`);
    forget.run(number);
  }

  return {
    known: knownTable,
    of(embedder) {
      const table = knownTable(embedder);
      if (table) return { table, isNew: false };
      return database.transaction(() => {
        const previous = find.get(embedder.id);
        if (previous) drop(previous);
        add.run(embedder.id, embedder.dimensions);
        const row = find.get(embedder.id);
        if (!row) throw new Error("an embedder was not registered");
        createTables(database, row);
        return { table: open(row), isNew: true };
      });
    },
    remove(item) {
      for (const row of all.all()) open(row).remove(item);
    },
    move(item, kind) {
      for (const row of all.all()) open(row).move(item, kind);
    },
    isComplete: ({ embedder }) => all.all().some((row) => row.number === embedder && row.complete === 1),
    setComplete: ({ embedder }) => void complete.run(embedder),
    keepOnly(embedderIds) {
      for (const row of all.all()) if (!embedderIds.includes(row.id)) drop(row);
    },
  };
}

function keyOf({ number, dimensions }: { number: number; dimensions: number }): string {
  return `${number} ${dimensions}`;
}

/** Vectors per block and kind; small, so that a new profile does not start with megabytes of empty blocks. */
const BLOCK = 256;

function createTables(
  database: Database,
  { number, dimensions }: { number: number; dimensions: number },
): void {
  database.exec(
    `CREATE VIRTUAL TABLE vectors_${number} USING vec0 (kind TEXT PARTITION KEY, vector int8[${dimensions}], chunk_size = ${BLOCK});
     CREATE TABLE fine_vectors_${number} (item INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;`,
  );
}
