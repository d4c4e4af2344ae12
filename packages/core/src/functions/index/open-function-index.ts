import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileStamp } from "../../files/file-content.ts";
import { systemCode } from "../../errors/node-error.ts";
import { openDerivedDatabase } from "../../memory/index/derived-database.ts";
import { openDerivedIndex, type ReconcileOptions } from "../../memory/index/derived-index.ts";
import { reconcile } from "../../memory/index/reconcile.ts";
import { FUNCTION_BACKGROUND } from "../retrieval/background-words.ts";
import { openSearchTables } from "../../memory/index/search-tables.ts";
import { createVectorCalls } from "../../memory/index/vector-calls.ts";
import type { CallHandler, CallHandlers } from "../../worker/serve-calls.ts";
import {
  type FunctionSearchDependencies,
  searchFunctions,
  searchRecipes,
} from "../retrieval/search-functions.ts";
import { createFunctionPage } from "./function-page.ts";
import { createFunctionRecords, type FunctionTables } from "./function-records.ts";
import { openFunctionTable } from "./function-table.ts";
import { createManifestWriter } from "./manifest.ts";
import type {
  LocatedFunction,
  FunctionIndexCalls,
  FunctionIndexSettings,
  FunctionSearch,
} from "./protocol.ts";
import { openResidentRecipes } from "./resident-recipes.ts";
import { functionIndexMigrations } from "./schema.ts";

/** Functions are in folders named by their creation year. */
const YEAR = /^\d{4}$/;

type Now = ReturnType<typeof openParts>;

/** The function index, without its worker thread. */
export function openFunctionIndex(
  settings: FunctionIndexSettings,
  onFailure: (error: unknown) => void,
): CallHandler<FunctionIndexCalls> {
  const { root } = settings;
  const index = openDerivedIndex({
    database: settings.database,
    open: () => openParts(settings, onFailure),
    sync,
    onFailure,
  });

  async function sync(now: Now, options: ReconcileOptions): Promise<void> {
    const { tables, records } = now;
    await reconcile({
      root,
      recordFolders: yearFolders(root),
      taskFolders: [],
      tables,
      records: { refresh: (path, options) => records.refresh(path, options), checkTask: () => undefined },
      ...options,
    });
    noteChange(now);
    now.manifest.catchUp();
  }

  function noteChange({ records, manifest }: Now): void {
    if (records.takeChange()) manifest.changed();
  }

  function finish(now: Now): void {
    noteChange(now);
    now.manifest.flush();
  }

  function change(work: (now: Now) => void): undefined {
    index.inTransaction(work);
    noteChange(index.current());
  }

  function locateFunction(path: string | undefined): LocatedFunction | null {
    if (path === undefined) return null;
    const now = index.current();
    const stored = now.records.read(path);
    noteChange(now);
    return stored ? { function: stored, path } : null;
  }

  const handlers: CallHandlers<FunctionIndexCalls> = {
    ...createVectorCalls(index),
    reindex: (paths) =>
      change(({ records }) => {
        for (const path of paths) records.refresh(path, { force: false });
      }),
    load: ({ scope, id }) => locateFunction(index.current().tables.catalog.locate(scope, id)),
    loadByName: ({ scope, name }) => locateFunction(index.current().tables.catalog.locateName(scope, name)),
    count: () => index.current().tables.search.count(),
    agents: ({ userId }) => index.current().tables.catalog.agents(userId),
    page: (query) => {
      const { rows, total, next } = index.current().page(query);
      return { items: rows.flatMap(({ path }) => locateFunction(path)?.function ?? []), total, next };
    },
    search: (asked) => index.current().search(asked),
    nearestRecipes: (asked) => {
      const { recipes, wordSearch } = index.current();
      recipes.refresh();
      const near = searchRecipes(asked, { ...wordSearch, ...recipes });
      const changed = near.filter(({ facts: { path, stamp } }) => stamp !== fileStamp(join(root, path)));
      if (changed.length > 0)
        change(({ records }) => {
          for (const { facts } of changed) records.refresh(facts.path);
        });
      const { catalog } = index.current().tables;
      return near.flatMap(({ facts: { path, hash }, fit }) => {
        const now = changed.length > 0 ? catalog.at(path)?.hash : hash;
        return now === undefined ? [] : [{ path, hash: now, fit }];
      });
    },
    read: (paths) => paths.flatMap((path) => locateFunction(path) ?? []),
    evidence: (rows) =>
      change(({ tables }) => {
        for (const row of rows) tables.catalog.setEvidence(row);
      }),
    reconcile: async ({ everything }) => {
      await index.reconcile(everything);
      return undefined;
    },
    state: () => {
      const { search, quarantine } = index.current().tables;
      return { items: search.count(), quarantined: quarantine.list() };
    },
    closeIfIdle: () => index.closeIfIdle(finish),
    close: async () => {
      await index.close(finish);
      return undefined;
    },
  };
  return index.serve(handlers);
}

function openParts(settings: FunctionIndexSettings, onFailure: (error: unknown) => void) {
  const { root } = settings;
  const { tables, isNew } = openTables(settings);
  const records = createFunctionRecords(root, tables);
  const wordSearch: Pick<FunctionSearchDependencies, "words" | "count"> = {
    words: (query, { kinds, ...options }) => tables.search.search(query, { ...options, filter: { kinds } }),
    count: () => tables.search.count(),
  };
  return {
    tables,
    isNew,
    records,
    page: createFunctionPage(tables),
    manifest: createManifestWriter(root, tables.database, onFailure),
    recipes: openResidentRecipes(tables.database, tables.vectors),
    wordSearch,
    search: (asked: FunctionSearch) =>
      searchFunctions(asked, {
        ...wordSearch,
        describe: (ids) => tables.catalog.describe(ids),
        read: ({ id, path }) => {
          const stored = records.read(path);
          return stored?.id === id ? stored : undefined;
        },
      }),
  };
}

function openTables({ database, embedder }: FunctionIndexSettings): {
  tables: FunctionTables;
  isNew: boolean;
} {
  return openDerivedDatabase(database, () =>
    openSearchTables(
      {
        database,
        title: "the index of functions",
        migrations: functionIndexMigrations,
        embedder,
        background: FUNCTION_BACKGROUND,
      },
      (opened) => ({ catalog: openFunctionTable(opened) }),
    ),
  );
}

function yearFolders(root: string): string[] {
  try {
    return readdirSync(root).filter((name) => YEAR.test(name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
