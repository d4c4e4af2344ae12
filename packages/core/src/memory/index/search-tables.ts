import { getLoadablePath } from "sqlite-vec";
import { openDatabase } from "../../database/open-database.ts";
import type { Database, Migration } from "../../database/open-database.ts";
import { openEntryTable } from "../../vectors/entry-table.ts";
import type { EntryTable } from "../../vectors/entry-table.ts";
import type { EmbedderFacts } from "../../vectors/embedder.ts";
import { openVectorTables } from "../../vectors/vector-tables.ts";
import type { VectorTables } from "../../vectors/vector-tables.ts";
import { openPendingTable } from "./pending-table.ts";
import type { PendingTable } from "./pending-table.ts";
import { openQuarantineTable } from "./quarantine-table.ts";
import type { QuarantineTable } from "./quarantine-table.ts";
import { openSearchTable } from "./search-table.ts";
import type { SearchTable } from "./search-table.ts";

/** What every index over files stands on. */
export interface SearchTables {
  database: Database;
  entries: EntryTable;
  search: SearchTable;
  vectors: VectorTables;
  pending: PendingTable;
  quarantine: QuarantineTable;
}

export interface SearchTablesOptions {
  /** Absolute path of the database. */
  database: string;
  /** What people call it: "the memory index". */
  title: string;
  /** Built on `SEARCH_TABLES` and `QUEUE_TABLES`. */
  schema: readonly Migration[];
  /** The embedder that is always there. */
  embedder: EmbedderFacts;
}

/** Opens the tables, and `more` in the same database; nothing stays open when that throws. */
export function openSearchTables<More>(
  { database: path, title, schema, embedder }: SearchTablesOptions,
  more: (database: Database) => More,
): SearchTables & More {
  const database = openDatabase(path, schema, { title, extensions: [getLoadablePath()] });
  try {
    const entries = openEntryTable(database);
    const pending = openPendingTable(database);
    const vectors = openVectorTables(database, entries);
    database
      .transaction(() => {
        const { table, isNew } = vectors.of(embedder);
        if (isNew) pending.addAll(table.embedder);
        return table;
      })
      .prepare();
    return {
      database,
      entries,
      pending,
      vectors,
      search: openSearchTable(database, entries),
      quarantine: openQuarantineTable(database),
      ...more(database),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
