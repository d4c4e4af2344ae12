import type { CallHandler, CallHandlers, Service } from "../../worker/serve-calls.ts";
import { openDerivedIndex } from "./derived-index.ts";
import { createPageQuery } from "./page-query.ts";
import type { MemoryRecord } from "../../contract/memory.ts";
import type { FoundByVector } from "../../vectors/vector-table.ts";
import { fittingCandidates } from "../recall/fit.ts";
import { toColumns } from "../recall/candidate-columns.ts";
import { fuse } from "../recall/fuse.ts";
import type {
  CandidateQuery,
  FoundCandidates,
  IndexCalls,
  IndexedRecord,
  IndexSettings,
} from "./protocol.ts";
import type { SearchMode } from "./search-index.ts";
import { reconcile } from "./reconcile.ts";
import { createRecordIndex, type Tables } from "./record-index.ts";
import { createVectorCalls } from "./vector-calls.ts";
import { evictionCandidates } from "./eviction-candidates.ts";
import type { EmbedderFacts } from "../../vectors/embedder.ts";
import { openCatalogTable } from "./catalog-table.ts";
import { openDerivedDatabase } from "./derived-database.ts";
import { openLinkTable } from "./link-table.ts";
import { memoryIndexMigrations } from "./schema.ts";
import { openSearchTables } from "./search-tables.ts";

/** The memory index, without its worker thread. */
export function openIndex(
  settings: IndexSettings,
  { onFailure, betweenSteps }: Service,
): CallHandler<IndexCalls> {
  const { root, recordFolders, taskFolders } = settings;
  const index = openDerivedIndex({
    database: settings.database,
    onFailure,
    open() {
      const { tables, isNew } = openIndexTables(settings.database, settings.embedder);
      return {
        tables,
        isNew: isNew || tables.catalog.isOutdated(),
        records: createRecordIndex(root, tables),
        page: createPageQuery(tables),
      };
    },
    sync: ({ tables, records }, options) =>
      reconcile({ root, recordFolders, taskFolders, tables, records, ...options }),
  });

  function readRecord(id: string): MemoryRecord | null {
    const file = index.opened().tables.catalog.fileOf(id);
    if (!file) return null;
    const record =
      index.opened().records.readUnchanged(file.path, file.stamp) ??
      index.inTransaction(({ records }) => records.read(file.path));
    return record?.id === id ? record : null;
  }

  /** The indexed records of some ids whose files are unchanged. */
  function unchangedRecords(ids: readonly string[]): IndexedRecord[] {
    const { tables, records } = index.opened();
    return tables.catalog
      .recordsOf(ids)
      .filter(({ path, stamp }) => records.isUnchanged(path, stamp))
      .map(({ id, content, fields }) => ({ id, content, fields }));
  }

  const isTask = (path: string): boolean => taskFolders.some((folder) => path.startsWith(`${folder}/`));

  const handlers: CallHandlers<IndexCalls> = {
    ...createVectorCalls(index),
    putEntries: (entries) =>
      index.inTransaction(({ tables }) => each(entries, (entry) => tables.search.put(entry))),
    removeEntries: (ids) =>
      index.inTransaction(({ tables, records }) => eachItem(tables, ids, (item) => records.drop(item))),
    search: ({ query, ...options }) => index.current().tables.search.search(query, options),
    countEntries: () => index.current().tables.search.count(),
    putRecords: (filed) =>
      index.inSlices(filed, ({ records }, { record, ...place }) => records.put(record, place)),
    locate: (id) => index.current().tables.catalog.locate(id) ?? null,
    async candidates({ readAhead, ...query }) {
      index.current();
      const found = await findCandidates(() => index.opened().tables, query, betweenSteps);
      const relevance = fuse(found.strongest, query.calibration);
      const byRelevance = found.candidates
        .map((candidate) => ({
          id: candidate.entry.id,
          relevance: relevance(candidate).reduce((sum, { value }) => sum + value, 0),
        }))
        .sort((one, other) => other.relevance - one.relevance);
      return {
        columns: toColumns(found.candidates),
        strongest: found.strongest,
        records: unchangedRecords(byRelevance.slice(0, readAhead).map(({ id }) => id)),
      };
    },
    records(ids) {
      index.current();
      return ids.map(readRecord);
    },
    page: (query) => index.current().page(query),
    related: ({ limit, ...query }) => index.current().tables.links.related(query, limit),
    linked: (id) => index.current().tables.links.linked(id),
    shown: (ids) => index.current().tables.links.summariesOf(ids),
    neighbors: ({ embedder, id, limit, kinds }) => {
      const { entries, vectors } = index.current().tables;
      const item = entries.itemOf(id);
      const table = vectors.known(embedder);
      const vector = item === undefined ? undefined : table?.vectorOf(item);
      if (!table || !vector) return [];
      return table
        .nearest(vector, { limit: limit + 1, filter: { kinds } })
        .filter((match) => match.id !== id)
        .slice(0, limit);
    },
    evictionCandidates: (query) => evictionCandidates(index.current().tables.database, query),
    recheck: (paths) =>
      index.inSlices(paths, ({ records }, path) =>
        isTask(path) ? records.checkTask(path) : records.refresh(path),
      ),
    reconcile: async ({ everything }) => {
      await index.reconcile(everything);
      return undefined;
    },
    state: ({ embedder }) => {
      const { tables } = index.current();
      const table = tables.vectors.known(embedder);
      const items = tables.search.count();
      const job = index.currentProgress();
      return {
        items,
        embedded: table?.count() ?? 0,
        pending: table ? tables.pending.count(table.embedder) : items,
        rebuilding: job?.isRebuilding ?? false,
        progress: job?.progress ?? 1,
        quarantined: tables.quarantine.list(),
      };
    },
    closeIfIdle: () => index.closeIfIdle(),
    close: async () => {
      await index.close();
      return undefined;
    },
  };
  return index.serve(handlers);
}

/**
 * Searches by words and by meaning, exactly and then loosely, until something fits. Between the steps, records may be added
 * and removed.
 */
async function findCandidates(
  tables: () => Tables,
  { query, limit, filter, nearest, orNearest, ...options }: Omit<CandidateQuery, "readAhead">,
  betweenSteps: Service["betweenSteps"],
): Promise<Omit<FoundCandidates, "recordOf">> {
  const collection = tables().search.count();
  const named = tables().links.entitiesIn(query);
  let byMeaning: FoundByVector[] | undefined;
  async function find(mode: SearchMode) {
    const byWords = tables().search.find(query, { limit, filter, mode });
    await betweenSteps();
    const meanwhile = byWords.map(({ item }) => item);
    byMeaning ??= nearest
      ? (tables().vectors.known(nearest.embedder)?.find(nearest.vector, { limit, filter, meanwhile }) ?? [])
      : [];
    await betweenSteps();
    const describe = (items: readonly number[]) => tables().catalog.describe(items, named);
    return fittingCandidates(
      { byWords, byMeaning, describe },
      // The nearest of the loose search, which comes last, are those of the exact one and more.
      { ...options, collection, orNearest: orNearest === true && mode === "loose" },
    );
  }
  const exact = await find("exact");
  return exact.candidates.length > 0 ? exact : await find("loose");
}

function each<Item>(items: readonly Item[], work: (item: Item) => void): undefined {
  for (const item of items) work(item);
}

function eachItem(tables: Tables, ids: readonly string[], work: (item: number) => void): undefined {
  for (const id of ids) {
    const item = tables.entries.itemOf(id);
    if (item !== undefined) work(item);
  }
}

/** Opens `memory.db` and its tables. */
function openIndexTables(database: string, embedder: EmbedderFacts): { tables: Tables; isNew: boolean } {
  return openDerivedDatabase(database, () =>
    openSearchTables(
      { database, title: "the memory index", migrations: memoryIndexMigrations, embedder },
      (opened) => ({
        catalog: openCatalogTable(opened),
        links: openLinkTable(opened),
      }),
    ),
  );
}
