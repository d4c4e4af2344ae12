import { getLoadablePath } from "sqlite-vec";
import { z } from "zod";
import { type Database, type Migration, openDatabase } from "../../database/open-database.ts";
import { type EntryTable, openEntryTable } from "../../vectors/entry-table.ts";
import type { EmbedderFacts } from "../../vectors/embedder.ts";
import { openVectorTables, type VectorTables } from "../../vectors/vector-tables.ts";
import type { Background } from "./keyword-score.ts";
import { openSearchTable, type SearchTable } from "./search-table.ts";
import type { PendingText } from "./protocol.ts";

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

/** The durable queue of texts to embed, per embedder number. Callers open the transaction. */
interface PendingTable {
  /** Adds the item for every embedder with stored vectors. */
  add(item: number): void;
  addAll(embedder: number): void;
  remove(embedder: number, item: number): void;
  postpone(embedder: number, item: number): void;
  /** Whether a pending text has not been tried yet. */
  hasUntried(embedder: number): boolean;
  /** Returns the texts with the fewest attempts first, then the newest. */
  next(embedder: number, limit: number): PendingText[];
  count(embedder: number): number;
}

function openPendingTable(database: Database): PendingTable {
  const add = database.command(
    "INSERT INTO pending (embedder, item) SELECT number, ? FROM embedders WHERE true ON CONFLICT DO UPDATE SET attempts = 0",
  );
  const addAll = database.command(
    "INSERT INTO pending (embedder, item) SELECT ?, item FROM records WHERE true ON CONFLICT DO NOTHING",
  );
  const remove = database.command("DELETE FROM pending WHERE embedder = ? AND item = ?");
  const postpone = database.command(
    "UPDATE pending SET attempts = attempts + 1 WHERE embedder = ? AND item = ?",
  );
  const untried = database.query(
    "SELECT 1 AS found FROM pending WHERE embedder = ? AND attempts = 0 LIMIT 1",
    z.object({ found: z.int() }),
  );
  const select = (condition: string) =>
    database.query(
      `SELECT entries.id, records.hash, records.preview AS text
       FROM pending JOIN entries USING (item) JOIN records USING (item)
       WHERE pending.embedder = ? AND ${condition} LIMIT ?`,
      z.object({ id: z.string(), hash: z.string(), text: z.string() }),
    );
  // Separate, because the index returns the newest texts with one number of attempts without sorting all texts.
  const untriedTexts = select("pending.attempts = 0 ORDER BY pending.item DESC");
  const triedTexts = select("pending.attempts > 0 ORDER BY pending.attempts, pending.item DESC");
  const count = database.query(
    "SELECT count(*) AS count FROM pending WHERE embedder = ?",
    z.object({ count: z.int() }),
  );
  return {
    add: (item) => void add.run(item),
    addAll: (embedder) => void addAll.run(embedder),
    remove: (embedder, item) => void remove.run(embedder, item),
    postpone: (embedder, item) => void postpone.run(embedder, item),
    hasUntried: (embedder) => untried.get(embedder) !== undefined,
    next(embedder, limit) {
      const texts = untriedTexts.all(embedder, limit);
      return texts.length < limit ? [...texts, ...triedTexts.all(embedder, limit - texts.length)] : texts;
    },
    count: (embedder) => count.get(embedder)?.count ?? 0,
  };
}
