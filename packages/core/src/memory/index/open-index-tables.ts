import { existsSync, rmSync } from "node:fs";
import { getLoadablePath } from "sqlite-vec";
import { openDatabase } from "../../database/open-database.ts";
import type { Database } from "../../database/open-database.ts";
import { StorageCorruptError } from "../../errors/storage-corrupt-error.ts";
import { StorageNewerError } from "../../errors/storage-newer-error.ts";
import { openEntryTable } from "../../vectors/entry-table.ts";
import type { EmbedderFacts } from "../../vectors/embedder.ts";
import { openVectorTables } from "../../vectors/vector-tables.ts";
import { openCatalogTable } from "./catalog-table.ts";
import { openPendingTable } from "./pending-table.ts";
import { openQuarantineTable } from "./quarantine-table.ts";
import type { Tables } from "./record-index.ts";
import { schema } from "./schema.ts";
import { openSearchTable } from "./search-table.ts";

/**
 * Opens `memory.db` and everything in it. A file that cannot be read, or was written by a later version, is deleted and
 * made anew: it holds nothing that is not in the files. `isNew` says that everything has to be read.
 */
export function openIndexTables(path: string, embedder: EmbedderFacts): Tables & { isNew: boolean } {
  const existed = existsSync(path);
  // Without its main file a write-ahead log is a leftover, and must not be taken for part of the next one.
  if (!existed) removeDatabase(path);
  try {
    return { ...openTables(path, embedder), isNew: !existed };
  } catch (error) {
    if (!(error instanceof StorageCorruptError) && !(error instanceof StorageNewerError)) throw error;
    removeDatabase(path);
    return { ...openTables(path, embedder), isNew: true };
  }
}

export function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

function openTables(path: string, embedder: EmbedderFacts): Tables {
  const database = openDatabase(path, schema, { title: "the memory index", extensions: [getLoadablePath()] });
  try {
    return prepareTables(database, embedder);
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepareTables(database: Database, embedder: EmbedderFacts): Tables {
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
    search: openSearchTable(database, entries),
    vectors,
    catalog: openCatalogTable(database),
    quarantine: openQuarantineTable(database),
  };
}
