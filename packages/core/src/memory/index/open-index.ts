import { StorageCorruptError } from "../../errors/storage-corrupt-error.ts";
import { identityOf, removeDatabase } from "./derived-database.ts";
import { openIndexTables } from "./open-index-tables.ts";
import { createPageQuery } from "./page-query.ts";
import type { IndexCalls, IndexMethod, IndexSettings } from "./protocol.ts";
import { reconcile } from "./reconcile.ts";
import { createRecordIndex } from "./record-index.ts";
import type { RecordIndex, Tables } from "./record-index.ts";
import type { Page, PageQuery } from "./protocol.ts";
import { createVectorCalls } from "./vector-calls.ts";
import { weakest } from "./weakest.ts";

type Params<Method extends IndexMethod> = IndexCalls[Method]["params"];
type Result<Method extends IndexMethod> = IndexCalls[Method]["result"];
type Handlers = {
  [Method in IndexMethod]: (params: Params<Method>) => Result<Method> | Promise<Result<Method>>;
};

/** The index itself, without the thread around it. */
export interface Index {
  /** Rejects with typed errors. A database that turns out to be damaged or gone is made anew first. */
  call<Method extends IndexMethod>(method: Method, params: Params<Method>): Promise<Result<Method>>;
}

interface Opened {
  tables: Tables;
  records: RecordIndex;
  page: (query: PageQuery) => Page;
  /** Tells the open file from one that took its place. */
  file: string;
  isNew: boolean;
}

interface Job {
  controller: AbortController;
  everything: boolean;
  rebuilding: boolean;
  progress: number;
  done: Promise<void>;
}

/** `onFailure` is told why a reconciliation that nobody waits for ended early. */
export function openIndex(settings: IndexSettings, onFailure: (error: unknown) => void): Index {
  let opened = open();
  let job: Job | undefined;

  function open(): Opened {
    const { isNew, ...tables } = openIndexTables(settings.database, settings.embedder);
    const records = createRecordIndex(settings.root, tables);
    return {
      tables,
      records,
      page: createPageQuery(tables.database),
      file: identityOf(settings.database),
      isNew,
    };
  }

  function startAnew(): void {
    job?.controller.abort();
    opened.tables.database.close();
    opened = open();
    start(false).catch(onFailure);
  }

  /** The tables, those of a new file when the old one was deleted or replaced. */
  function current(): Opened {
    if (identityOf(settings.database) !== opened.file) startAnew();
    return opened;
  }

  function start(everything: boolean): Promise<void> {
    const { tables, records, isNew } = opened;
    const controller = new AbortController();
    const started: Job = {
      controller,
      everything,
      rebuilding: everything || isNew,
      progress: 0,
      done: Promise.resolve(),
    };
    job = started;
    started.done = reconcile({
      root: settings.root,
      recordFolders: settings.recordFolders,
      taskFolders: settings.taskFolders,
      tables,
      records,
      everything,
      signal: controller.signal,
      onProgress: (share) => {
        started.progress = share;
      },
    }).finally(() => {
      if (job === started) job = undefined;
    });
    return started.done;
  }

  async function agree(everything: boolean): Promise<void> {
    current();
    if (!job) {
      await start(everything);
      return;
    }
    // One under way may have passed what changed since, so it does not count, unless it reads everything as asked.
    const counts = everything && job.everything;
    await job.done.catch(() => undefined);
    if (!counts) await agree(everything);
  }

  const isTask = (path: string): boolean =>
    settings.taskFolders.some((folder) => path.startsWith(`${folder}/`));

  const inTransaction = <Value>(work: (opened: Opened) => Value): Value => {
    const now = current();
    return now.tables.database.transaction(() => work(now));
  };

  const handlers: Handlers = {
    ...createVectorCalls({
      tables: () => current().tables,
      embedded: (table, text) => opened.records.embedded(table, text),
      isReading: () => job !== undefined,
    }),
    putEntries: (entries) =>
      inTransaction(({ tables }) => each(entries, (entry) => tables.search.put(entry))),
    removeEntries: (ids) =>
      inTransaction(({ tables, records }) => eachItem(tables, ids, (item) => records.drop(item))),
    search: ({ query, ...options }) => current().tables.search.search(query, options),
    countEntries: () => current().tables.search.count(),
    putRecords: (filed) => inTransaction(({ records }) => each(filed, (one) => records.put(one))),
    locate: (id) => current().tables.catalog.locate(id) ?? null,
    describe: (ids) => current().tables.catalog.describe(ids),
    page: (query) => current().page(query),
    kin: ({ limit, ...query }) => current().tables.links.kin(query, limit),
    linked: (id) => current().tables.links.linked(id),
    shown: (ids) => current().tables.links.shown(ids),
    neighbours: ({ embedder, id, limit, kinds }) => {
      const { entries, vectors } = current().tables;
      const item = entries.itemOf(id);
      const table = vectors.known(embedder);
      const vector = item === undefined ? undefined : table?.vectorOf(item);
      if (!table || !vector) return [];
      return table
        .nearest(vector, { limit: limit + 1, filter: { kinds } })
        .filter((match) => match.id !== id)
        .slice(0, limit);
    },
    weakest: (query) => weakest(current().tables.database, query),
    recheck: (paths) =>
      inTransaction(({ records }) =>
        each(paths, (path) => (isTask(path) ? records.lookAtTask(path) : records.look(path))),
      ),
    reconcile: async ({ everything }) => {
      await agree(everything);
      return undefined;
    },
    state: ({ embedder }) => {
      const { tables } = current();
      const table = tables.vectors.known(embedder);
      const items = tables.search.count();
      return {
        items,
        embedded: table?.count() ?? 0,
        pending: table ? tables.pending.count(table.embedder) : items,
        rebuilding: job?.rebuilding ?? false,
        progress: job?.progress ?? 1,
        quarantined: tables.quarantine.list(),
      };
    },
    close: async () => {
      job?.controller.abort();
      await job?.done.catch(() => undefined);
      opened.tables.database.close();
      return undefined;
    },
  };

  return {
    async call(method, params) {
      try {
        return await handlers[method](params);
      } catch (error) {
        if (!(error instanceof StorageCorruptError)) throw error;
        job?.controller.abort();
        opened.tables.database.close();
        removeDatabase(settings.database);
        opened = open();
        start(false).catch(onFailure);
        return await handlers[method](params);
      }
    },
  };
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
