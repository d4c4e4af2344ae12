import { z } from "zod";
import type { Database } from "../database/open-database.ts";
import { openChangeLog } from "./change-log.ts";
import type { EmbedderFacts } from "./embedder.ts";
import type { EntryTable } from "./entry-table.ts";
import { openVectorTable } from "./vector-table.ts";
import type { VectorTable } from "./vector-table.ts";
import { openVectorMirror } from "./vector-mirror.ts";

/**
 * The vectors of every embedder, side by side: while one's are being made another's answer, and two processes with
 * different ones do not undo each other's work. Callers bring the transaction.
 */
export interface VectorTables {
  /** An embedder's table, made when it is new. */
  of(embedder: EmbedderFacts): { table: VectorTable; isNew: boolean };
  /** Undefined for an embedder that no vectors are kept of. */
  known(embedder: EmbedderFacts): VectorTable | undefined;
  /** Takes an entry's vectors, whoever made them. */
  remove(item: number): void;
  /** Puts an entry's vectors, where it has any, among those of another kind. */
  move(item: number, kind: string): void;
  /** Whether every entry had a vector of this embedder once: from then on only new ones can be missing. */
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
  /** Another process may drop an embedder and number the next one like it: the size tells them apart for statements. */
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

  function known({ id, dimensions }: EmbedderFacts): VectorTable | undefined {
    const row = find.get(id);
    return row?.dimensions === dimensions ? open(row) : undefined;
  }

  function drop({ number, dimensions }: { number: number; dimensions: number }): void {
    opened.delete(keyOf({ number, dimensions }));
    log.noteAll(number);
    database.exec(`DROP TABLE vectors_${number}; DROP TABLE fine_vectors_${number}`);
    forget.run(number);
  }

  return {
    known,
    of(embedder) {
      const table = known(embedder);
      if (table) return { table, isNew: false };
      return database.transaction(() => {
        const outgrown = find.get(embedder.id);
        if (outgrown) drop(outgrown);
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

/** Vectors are kept in blocks of this many per kind; a new profile should not start with megabytes of empty blocks. */
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
