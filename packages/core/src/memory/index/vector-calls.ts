import type { EmbedderFacts } from "../../vectors/embedder.ts";
import type { VectorTable } from "../../vectors/vector-table.ts";
import type { CallHandlers } from "../../worker/serve-calls.ts";
import type { DerivedIndex } from "./derived-index.ts";
import type { FileRecords } from "./file-records.ts";
import type { VectorCalls } from "./protocol.ts";
import type { SearchTables } from "./search-tables.ts";

type Tables = Pick<SearchTables, "database" | "entries" | "search" | "vectors" | "pending" | "prepare">;

/** The tables of an index that vector calls use. */
interface VectorIndexTables {
  tables: Tables;
  records: Pick<FileRecords<unknown>, "embedded">;
  isNew: boolean;
}

/** The handlers for semantic search and the embedding queue. */
export function createVectorCalls(
  index: Pick<DerivedIndex<VectorIndexTables>, "current" | "inTransaction" | "inSlices" | "currentProgress">,
): CallHandlers<VectorCalls> {
  const tables = (): Tables => index.current().tables;
  const inTransaction = (work: (now: Tables) => void): undefined => {
    index.inTransaction((now) => work(now.tables));
  };

  return {
    putVectors: ({ embedder, entries }) =>
      inTransaction((now) => {
        const table = tableOf(now, embedder);
        for (const entry of entries) table.put(entry);
      }),
    removeVectors: ({ embedder, ids }) =>
      inTransaction((now) => {
        const table = now.vectors.known(embedder);
        if (table) for (const item of itemsOf(now, ids)) table.remove(item);
      }),
    nearest: ({ embedder, vector, ...options }) =>
      tables().vectors.known(embedder)?.nearest(vector, options) ?? [],
    countVectors: ({ embedder }) => tables().vectors.known(embedder)?.count() ?? 0,
    pending: ({ embedder, limit }) => {
      const now = tables();
      const table = tableOf(now, embedder);
      const isComplete =
        now.vectors.isComplete(table) || (!index.currentProgress() && markCompleteIfDone(now, table));
      return { texts: now.pending.next(table.embedder, limit), isComplete };
    },
    embedded: ({ embedder, texts }) =>
      index.inSlices(texts, ({ tables: { vectors }, records }, text) => {
        const table = vectors.known(embedder);
        if (table) records.embedded(table, text);
      }),
    postpone: ({ embedder, ids }) =>
      inTransaction((now) => {
        const table = now.vectors.known(embedder);
        if (table) for (const item of itemsOf(now, ids)) now.pending.postpone(table.embedder, item);
      }),
    keepEmbedders: (ids) => inTransaction(({ vectors }) => vectors.keepOnly(ids)),
  };
}

/** The vector table of an embedder. For a new embedder, it queues every entry. */
function tableOf({ database, vectors, pending }: Tables, embedder: EmbedderFacts): VectorTable {
  const known = vectors.known(embedder);
  if (known) return known;
  return database.transaction(() => {
    const { table, isNew } = vectors.of(embedder);
    if (isNew) pending.addAll(table.embedder);
    return table;
  });
}

/** Marks an embedder as complete once it has tried every pending text. Call it only while no reconciliation runs. */
function markCompleteIfDone({ vectors, pending }: Tables, table: VectorTable): boolean {
  if (pending.hasUntried(table.embedder)) return false;
  vectors.setComplete(table);
  return true;
}

function itemsOf({ entries }: Tables, ids: readonly string[]): number[] {
  return ids.flatMap((id) => entries.itemOf(id) ?? []);
}
