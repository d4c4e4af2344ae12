import { getLoadablePath } from "sqlite-vec";
import { type Database, type Migration, openDatabase } from "../../database/open-database.ts";
import { type EntryTable, openEntryTable } from "../../vectors/entry-table.ts";
import type { EmbedderFacts } from "../../vectors/embedder.ts";
import { openVectorTables, type VectorTables } from "../../vectors/vector-tables.ts";
import type { Background } from "./keyword-score.ts";
import { openPendingTable, type PendingTable } from "./pending-table.ts";
import { openSearchTable, type SearchTable } from "./search-table.ts";
import { z } from "zod";

/** The tables of every index over files. */
export interface SearchTables {
  database: Database;
  entries: EntryTable;
  search: SearchTable;
  vectors: VectorTables;
  pending: PendingTable;
  quarantine: QuarantineTable;
  /** Prepares for searches in the background; the first search does so otherwise. */
  prepare(): void;
}

export interface SearchTablesOptions {
  /** Absolute path of the database. */
  database: string;
  /** The name for messages: "the memory index". */
  title: string;
  /** Built on `SEARCH_TABLES` and `QUEUE_TABLES`. */
  migrations: readonly Migration[];
  /** The built-in embedder. */
  embedder: EmbedderFacts;
  /** Background texts for word frequencies. */
  background?: Background;
}

/** Opens the tables, and `more` in the same database. Closes the database if `more` throws. */
export function openSearchTables<More>(
  { database: path, title, migrations, embedder, background }: SearchTablesOptions,
  more: (database: Database) => More,
): SearchTables & More {
  const database = openDatabase(path, migrations, {
    title,
    extensions: [getLoadablePath()],
    overwriteDeleted: true,
    isDerived: true,
  });
  try {
    const entries = openEntryTable(database);
    const pending = openPendingTable(database);
    const vectors = openVectorTables(database, entries);
    database.transaction(() => {
      const { table, isNew } = vectors.of(embedder);
      if (isNew) pending.addAll(table.embedder);
    });
    return {
      database,
      entries,
      pending,
      vectors,
      search: openSearchTable(database, entries, { background }),
      quarantine: openQuarantineTable(database),
      prepare: () => vectors.known(embedder)?.prepare(),
      ...more(database),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Invalid files with the reason, and the stamps of valid files without an entry. */
interface QuarantineTable {
  put(path: string, stamp: string, reason: string): void;
  release(path: string): void;
  stampOf(path: string): string | undefined;
  list(): { path: string; reason: string }[];
  setChecked(path: string, stamp: string): void;
  checkedStamp(path: string): string | undefined;
}

function openQuarantineTable(database: Database): QuarantineTable {
  const Stamp = z.object({ stamp: z.string() });
  const put = database.command("INSERT OR REPLACE INTO quarantine (path, stamp, reason) VALUES (?, ?, ?)");
  const release = database.command("DELETE FROM quarantine WHERE path = ?");
  const stampOf = database.query("SELECT stamp FROM quarantine WHERE path = ?", Stamp);
  const list = database.query(
    "SELECT path, reason FROM quarantine ORDER BY path",
    z.object({ path: z.string(), reason: z.string() }),
  );
  const setChecked = database.command("INSERT OR REPLACE INTO checked_files (path, stamp) VALUES (?, ?)");
  const checkedStamp = database.query("SELECT stamp FROM checked_files WHERE path = ?", Stamp);
  return {
    put: (path, stamp, reason) => void put.run(path, stamp, reason),
    release(path) {
      // Nearly no file is in it, and a deletion takes three times as long as looking.
      if (stampOf.get(path)) release.run(path);
    },
    stampOf: (path) => stampOf.get(path)?.stamp,
    list: () => list.all(),
    setChecked: (path, stamp) => void setChecked.run(path, stamp),
    checkedStamp: (path) => checkedStamp.get(path)?.stamp,
  };
}
