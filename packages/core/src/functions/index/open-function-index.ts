import { readdirSync } from "node:fs";
import { join } from "node:path";
import { removeAbandoned } from "../../files/durable-file.ts";
import { fileStamp } from "../../files/file-content.ts";
import { systemCode } from "../../errors/node-error.ts";
import { openDerivedDatabase } from "../../memory/index/derived-database.ts";
import { openDerivedIndex, type ReconcileOptions } from "../../memory/index/derived-index.ts";
import { reconcile } from "../../memory/index/reconcile.ts";
import { FUNCTION_BACKGROUND } from "../retrieval/background-words.ts";
import { openSearchTables, type SearchTables } from "../../memory/index/search-tables.ts";
import { createVectorCalls } from "../../memory/index/vector-calls.ts";
import type { CallHandler, CallHandlers } from "../../worker/serve-calls.ts";
import {
  type FunctionSearchDependencies,
  searchFunctions,
  searchRecipes,
} from "../retrieval/search-functions.ts";
import { createFunctionPage } from "./function-page.ts";
import { type FunctionTable, openFunctionTable, searchedText } from "./function-table.ts";
import { createManifestWriter } from "./manifest.ts";
import {
  type FunctionIndexCalls,
  type FunctionIndexSettings,
  type FunctionSearch,
  type LocatedFunction,
  partitionOf,
} from "./protocol.ts";
import { openResidentRecipes } from "./resident-recipes.ts";
import { createFileRecords, type FileRecords } from "../../memory/index/file-records.ts";
import { FunctionFile, type StoredFunction } from "../store/stored-function.ts";
import type { Migration } from "../../database/open-database.ts";
import { CHANGE_LOG } from "../../vectors/change-log.ts";
import { OWN_POSTINGS, QUEUE_TABLES, SEARCH_TABLES, STEMS_OF_WORDS } from "../../memory/index/schema.ts";
import { WORD_SWEEPS } from "../../memory/index/word-sql.ts";

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
    // Beside the year folders, where the manifest is written.
    await removeAbandoned(root);
    await reconcile({
      root,
      recordFolders: yearFolders(root),
      taskFolders: [],
      tables,
      records: { refresh: (path, options) => records.refresh(path, options), checkTask: () => undefined },
      ...options,
    });
    noteChange(now);
    now.manifest.scheduleIfStale();
  }

  function noteChange({ records, manifest }: Now): void {
    if (records.takeChange()) manifest.scheduleWrite();
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

interface FunctionTables extends SearchTables {
  catalog: FunctionTable;
}

/** Updates all tables of one function. Callers provide the transaction. */
interface FunctionRecords extends FileRecords<StoredFunction> {
  /** True once after a change. */
  takeChange(): boolean;
}

function createFunctionRecords(root: string, tables: FunctionTables): FunctionRecords {
  let hasChanged = false;
  const records = createFileRecords({
    root,
    tables,
    schema: FunctionFile,
    describe: (stored) => ({
      id: stored.id,
      facts: { kind: partitionOf(stored), timestamp: stored.updatedAt, tags: stored.tags },
      text: searchedText(stored),
    }),
    keep: (item, stored, { file }) => tables.catalog.put(item, { function: stored, ...file }),
    onChange: () => {
      hasChanged = true;
    },
  });
  return {
    ...records,
    takeChange() {
      const was = hasChanged;
      hasChanged = false;
      return was;
    },
  };
}

/**
 * `functions.db`, derived from the function files and the counters in `state.db`; it can be deleted at any time. It is
 * separate from `memory.db`, so that functions do not compete with a hundred thousand memories among the candidates.
 */
export const functionIndexMigrations: readonly Migration[] = [
  {
    version: 1,
    name: "functions, their words, their files, how they did",
    up: `
      ${SEARCH_TABLES}
      ALTER TABLE embedders ADD COLUMN complete INTEGER NOT NULL DEFAULT 0;
      CREATE TABLE records (
        item INTEGER PRIMARY KEY REFERENCES entries ON DELETE CASCADE,
        path TEXT NOT NULL UNIQUE,
        stamp TEXT NOT NULL,
        hash TEXT NOT NULL,
        preview TEXT NOT NULL,
        agent TEXT NOT NULL,
        user TEXT NOT NULL,
        name TEXT NOT NULL,
        title TEXT NOT NULL,
        title_folded TEXT NOT NULL,
        trust TEXT NOT NULL,
        status TEXT NOT NULL,
        skills TEXT NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL
      ) STRICT;
      CREATE INDEX records_by_name ON records (agent, user, name);
      CREATE INDEX records_by_update ON records (agent, user, updated_at);
      CREATE TABLE evidence (
        id TEXT PRIMARY KEY,
        uses INTEGER NOT NULL,
        executions INTEGER NOT NULL,
        successes INTEGER NOT NULL,
        success REAL NOT NULL,
        useful_at TEXT
      ) STRICT, WITHOUT ROWID;
      ${QUEUE_TABLES}
    `,
  },
  { version: 2, name: "which vectors changed", up: CHANGE_LOG },
  {
    version: 3,
    name: "what kind each is",
    // Empty stamps make the next reconciliation read every file again; words and vectors stay usable until then.
    up: `
      ALTER TABLE records ADD COLUMN kind TEXT NOT NULL DEFAULT '';
      UPDATE records SET stamp = '', hash = '';
    `,
  },
  { version: 4, name: "stems beside words", up: STEMS_OF_WORDS },
  { version: 5, name: "postings of stems", up: OWN_POSTINGS },
  { version: 6, name: "sweeps of removed words", up: WORD_SWEEPS },
];
