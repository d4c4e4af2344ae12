import type { EmbedderFacts } from "../../vectors/embedder.ts";
import { openCatalogTable } from "./catalog-table.ts";
import { openDerived } from "./derived-database.ts";
import { openLinkTable } from "./link-table.ts";
import type { Tables } from "./record-index.ts";
import { schema } from "./schema.ts";
import { openSearchTables } from "./search-tables.ts";

/** Opens `memory.db` and everything in it. */
export function openIndexTables(
  database: string,
  embedder: EmbedderFacts,
): { tables: Tables; isNew: boolean } {
  return openDerived(database, () =>
    openSearchTables({ database, title: "the memory index", schema, embedder }, (opened) => ({
      catalog: openCatalogTable(opened),
      links: openLinkTable(opened),
    })),
  );
}
