import { getLoadablePath } from "sqlite-vec";
import { openDatabase } from "../../database/open-database.ts";
import type { Database } from "../../database/open-database.ts";
import { openEntryTable } from "../../vectors/entry-table.ts";
import type { EmbedderFacts } from "../../vectors/embedder.ts";
import { openVectorTables } from "../../vectors/vector-tables.ts";
import { openCatalogTable } from "./catalog-table.ts";
import { openDerived } from "./derived-database.ts";
import { openLinkTable } from "./link-table.ts";
import { openPendingTable } from "./pending-table.ts";
import { openQuarantineTable } from "./quarantine-table.ts";
import type { Tables } from "./record-index.ts";
import { schema } from "./schema.ts";
import { openSearchTable } from "./search-table.ts";

/** Opens `memory.db` and everything in it. */
export function openIndexTables(path: string, embedder: EmbedderFacts): Tables & { isNew: boolean } {
  const { tables, isNew } = openDerived(path, () => openTables(path, embedder));
  return { ...tables, isNew };
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
    links: openLinkTable(database),
    quarantine: openQuarantineTable(database),
  };
}
