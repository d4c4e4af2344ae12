import { readdirSync } from "node:fs";
import { getLoadablePath } from "sqlite-vec";
import { openDatabase } from "../../database/open-database.ts";
import { StorageCorruptError } from "../../errors/storage-corrupt-error.ts";
import { systemCode } from "../../errors/node-error.ts";
import { identityOf, openDerived, removeDatabase } from "../../memory/index/derived-database.ts";
import { openPendingTable } from "../../memory/index/pending-table.ts";
import { openQuarantineTable } from "../../memory/index/quarantine-table.ts";
import { reconcile } from "../../memory/index/reconcile.ts";
import { openSearchTable } from "../../memory/index/search-table.ts";
import { createVectorCalls } from "../../memory/index/vector-calls.ts";
import { openEntryTable } from "../../vectors/entry-table.ts";
import { openVectorTables } from "../../vectors/vector-tables.ts";
import type { CallHandler } from "../../workers/serve-calls.ts";
import { createFunctionSearch } from "../retrieval/search-functions.ts";
import { createFunctionPage } from "./function-page.ts";
import { createFunctionRecords } from "./function-records.ts";
import type { FunctionTables } from "./function-records.ts";
import { openFunctionTable } from "./function-table.ts";
import { createManifestWriter } from "./manifest.ts";
import type { FiledFunction, FunctionIndexCalls, FunctionIndexSettings } from "./protocol.ts";
import { functionIndexSchema } from "./schema.ts";

type Params<Method extends keyof FunctionIndexCalls> = FunctionIndexCalls[Method]["params"];
type Result<Method extends keyof FunctionIndexCalls> = FunctionIndexCalls[Method]["result"];
type Handlers = {
  [Method in keyof FunctionIndexCalls]: (params: Params<Method>) => Result<Method> | Promise<Result<Method>>;
};

/** Functions are filed by the year they were made in; everything else in the folder is something else. */
const YEAR = /^\d{4}$/;

/** The index over the functions, without the thread around it. A database that turns out damaged is made anew. */
export function openFunctionIndex(
  settings: FunctionIndexSettings,
  onFailure: (error: unknown) => void,
): CallHandler<FunctionIndexCalls> {
  let opened = open();
  let job: { controller: AbortController; done: Promise<void> } | undefined;

  function open() {
    const { tables } = openDerived(settings.database, () => openTables(settings));
    const records = createFunctionRecords(settings.root, tables);
    return {
      tables,
      records,
      file: identityOf(settings.database),
      page: createFunctionPage(tables.database),
      manifest: createManifestWriter(settings.root, tables.database, onFailure),
      search: createFunctionSearch({
        words: (query, { kinds, ...options }) =>
          tables.search.search(query, { ...options, filter: { kinds } }),
        describe: (ids) => tables.catalog.describe(ids),
        read: ({ id, path }) => {
          const stored = records.read(path);
          return stored?.id === id ? stored : undefined;
        },
        count: () => tables.search.count(),
      }),
    };
  }

  function startAnew(): void {
    job?.controller.abort();
    opened.tables.database.close();
    opened = open();
    start(false).catch(onFailure);
  }

  /** What is open, or what took its place when the file was deleted or replaced. */
  function current(): ReturnType<typeof open> {
    if (identityOf(settings.database) !== opened.file) startAnew();
    return opened;
  }

  function start(everything: boolean): Promise<void> {
    const { tables, records } = opened;
    const controller = new AbortController();
    const started = { controller, done: Promise.resolve() };
    job = started;
    started.done = reconcile({
      root: settings.root,
      recordFolders: yearFolders(settings.root),
      taskFolders: [],
      tables,
      records: { look: (path, options) => records.look(path, options), lookAtTask: () => undefined },
      everything,
      signal: controller.signal,
      onProgress: () => undefined,
    }).finally(() => {
      if (job === started) job = undefined;
      noteChange();
      opened.manifest.catchUp();
    });
    return started.done;
  }

  async function agree(everything: boolean): Promise<void> {
    current();
    await job?.done.catch(() => undefined);
    await start(everything);
  }

  function noteChange(): void {
    if (opened.records.takeChange()) opened.manifest.changed();
  }

  function change(work: (now: ReturnType<typeof open>) => void): undefined {
    const now = current();
    now.tables.database.transaction(() => work(now));
    noteChange();
  }

  function filed(path: string | undefined): FiledFunction | null {
    if (path === undefined) return null;
    const stored = current().records.read(path);
    noteChange();
    return stored ? { function: stored, path } : null;
  }

  const handlers: Handlers = {
    ...createVectorCalls({
      tables: () => current().tables,
      embedded: (table, text) => opened.records.embedded(table, text),
      isReading: () => job !== undefined,
    }),
    look: (paths) =>
      change(({ records }) => {
        for (const path of paths) records.look(path, { again: false });
      }),
    load: ({ scope, id }) => filed(current().tables.catalog.locate(scope, id)),
    loadByName: ({ scope, name }) => filed(current().tables.catalog.locateName(scope, name)),
    count: () => current().tables.search.count(),
    page: (query) => {
      const { rows, total, next } = current().page(query);
      return { items: rows.flatMap(({ path }) => filed(path)?.function ?? []), total, next };
    },
    search: (asked) => current().search(asked),
    evidence: (rows) =>
      change(({ tables }) => {
        for (const row of rows) tables.catalog.setEvidence(row);
      }),
    reconcile: async ({ everything }) => {
      await agree(everything);
      return undefined;
    },
    state: () => {
      const { search, quarantine } = current().tables;
      return { items: search.count(), quarantined: quarantine.list() };
    },
    close: async () => {
      job?.controller.abort();
      await job?.done.catch(() => undefined);
      opened.manifest.flush();
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

function openTables({ database: path, embedder }: FunctionIndexSettings): FunctionTables {
  const database = openDatabase(path, functionIndexSchema, {
    title: "the index of functions",
    extensions: [getLoadablePath()],
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
      search: openSearchTable(database, entries),
      vectors,
      catalog: openFunctionTable(database),
      quarantine: openQuarantineTable(database),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

function yearFolders(root: string): string[] {
  try {
    return readdirSync(root).filter((name) => YEAR.test(name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
