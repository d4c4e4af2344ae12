import type { Database } from "../../database/open-database.ts";
import type { EmbedderFacts } from "../../vectors/embedder.ts";
import type { EntryTable } from "../../vectors/entry-table.ts";
import type { VectorTable } from "../../vectors/vector-table.ts";
import type { VectorTables } from "../../vectors/vector-tables.ts";
import type { PendingTable } from "./pending-table.ts";
import type { EmbeddedText, VectorCalls } from "./protocol.ts";

/** What of an index has to do with vectors. */
interface Tables {
  database: Database;
  entries: EntryTable;
  vectors: VectorTables;
  pending: PendingTable;
}

export interface VectorCallParts {
  tables: () => Tables;
  /** Keeps a vector in its embedder's table, unless its text has changed or gone since. */
  embedded: (table: VectorTable, text: EmbeddedText) => void;
  /** Whether files are on their way in. */
  isReading: () => boolean;
}

type Handlers = {
  [Method in keyof VectorCalls]: (params: VectorCalls[Method]["params"]) => VectorCalls[Method]["result"];
};

/** The vector half of an index: what searches by meaning and the embedding queue ask of it. */
export function createVectorCalls({ tables, embedded, isReading }: VectorCallParts): Handlers {
  function inTransaction(work: (now: Tables) => void): undefined {
    const now = tables();
    now.database.transaction(() => work(now));
  }

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
      const isComplete = now.vectors.isComplete(table) || (!isReading() && completes(now, table));
      return { texts: now.pending.next(table.embedder, limit), isComplete };
    },
    embedded: ({ embedder, texts }) =>
      inTransaction(({ vectors }) => {
        const table = vectors.known(embedder);
        if (table) for (const text of texts) embedded(table, text);
      }),
    postpone: ({ embedder, ids }) =>
      inTransaction((now) => {
        const table = now.vectors.known(embedder);
        if (table) for (const item of itemsOf(now, ids)) now.pending.postpone(table.embedder, item);
      }),
    keepEmbedders: (ids) => inTransaction(({ vectors }) => vectors.keepOnly(ids)),
  };
}

/** An embedder's table; whatever is there waits for one that is new. */
function tableOf({ database, vectors, pending }: Tables, embedder: EmbedderFacts): VectorTable {
  const known = vectors.known(embedder);
  if (known) return known;
  return database.transaction(() => {
    const { table, isNew } = vectors.of(embedder);
    if (isNew) pending.addAll(table.embedder);
    return table;
  });
}

/** Notes it when nothing waits for an embedder but what it could not take. Files must not be on their way in. */
function completes({ vectors, pending }: Tables, table: VectorTable): boolean {
  if (pending.hasUntried(table.embedder)) return false;
  vectors.setComplete(table);
  return true;
}

function itemsOf({ entries }: Tables, ids: readonly string[]): number[] {
  return ids.flatMap((id) => entries.itemOf(id) ?? []);
}
