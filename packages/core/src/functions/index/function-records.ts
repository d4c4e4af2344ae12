import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../database/open-database.ts";
import { fileStamp } from "../../database/file-stamp.ts";
import { systemCode } from "../../errors/node-error.ts";
import { LARGEST_FILE, parseFile } from "../../memory/files/file-content.ts";
import type { FileContent } from "../../memory/files/file-content.ts";
import type { PendingTable } from "../../memory/index/pending-table.ts";
import type { EmbeddedText } from "../../memory/index/protocol.ts";
import type { QuarantineTable } from "../../memory/index/quarantine-table.ts";
import type { SearchTable } from "../../memory/index/search-table.ts";
import type { EntryTable } from "../../vectors/entry-table.ts";
import type { VectorTable } from "../../vectors/vector-table.ts";
import type { VectorTables } from "../../vectors/vector-tables.ts";
import { FunctionFile } from "../store/stored-function.ts";
import type { StoredFunction } from "../store/stored-function.ts";
import { searchedText } from "./function-table.ts";
import type { FunctionTable } from "./function-table.ts";
import { searchKind } from "./search-kind.ts";

export interface FunctionTables {
  database: Database;
  entries: EntryTable;
  search: SearchTable;
  vectors: VectorTables;
  catalog: FunctionTable;
  pending: PendingTable;
  quarantine: QuarantineTable;
}

/** Keeps all tables in agreement about one function. Callers bring the transaction. */
export interface FunctionRecords {
  /** Makes the index agree with the file at a path, present or not; `again` also when nothing seems to have changed. */
  look(path: string, options?: { again?: boolean }): void;
  /** What the file at a path holds now, the index corrected where it said something else. */
  read(path: string): StoredFunction | undefined;
  /** Keeps a vector, unless its text has changed or gone since. */
  embedded(table: VectorTable, text: EmbeddedText): void;
  /** True once after something changed. */
  takeChange(): boolean;
}

export function createFunctionRecords(root: string, tables: FunctionTables): FunctionRecords {
  const { entries, search, vectors, catalog, pending, quarantine } = tables;
  let changed = false;

  function drop(item: number): void {
    search.remove(item);
    vectors.remove(item);
    entries.remove(item);
    changed = true;
  }

  function put(
    stored: StoredFunction,
    file: { path: string; stamp: string; hash: string },
    again: boolean,
  ): void {
    const { path, stamp, hash } = file;
    const before = catalog.at(path);
    const item = entries.itemOf(stored.id);
    const elsewhere = item === undefined ? undefined : catalog.pathOf(item);
    if (elsewhere && elsewhere.path !== path && existsSync(join(root, elsewhere.path))) {
      if (before) drop(before.item);
      quarantine.put(path, stamp, `has the same id as ${elsewhere.path}`);
      return;
    }
    quarantine.release(path);
    if (!again && before && before.item === item && before.hash === hash) {
      catalog.setStamp(path, stamp);
      return;
    }
    if (before && before.item !== item) drop(before.item);
    changed = true;
    const facts = { kind: searchKind(stored), timestamp: stored.updatedAt, tags: stored.tags };
    const meant = item === undefined ? undefined : catalog.textOf(item);
    const number = search.put({ id: stored.id, facts, text: searchedText(stored) });
    catalog.put(number, { function: stored, path, stamp, hash });
    // A promotion changes where a function is found, not what it means: nothing has to be embedded anew.
    if (!again && meant === catalog.textOf(number)) vectors.move(number, facts.kind);
    else {
      vectors.remove(number);
      pending.add(number);
    }
  }

  function setAside(path: string, stamp: string, reason: string): void {
    const known = catalog.at(path);
    if (known) drop(known.item);
    quarantine.put(path, stamp, reason);
  }

  function look(path: string, { again = false } = {}): void {
    const stamp = fileStamp(join(root, path));
    const known = catalog.at(path);
    if (!again && (known?.stamp ?? quarantine.stampOf(path)) === stamp) return;
    take(path, stamp, readFunction(join(root, path)), again);
  }

  function take(
    path: string,
    stamp: string,
    content: FileContent<StoredFunction> | undefined,
    again: boolean,
  ): void {
    if (content === undefined) {
      quarantine.release(path);
      const known = catalog.at(path);
      if (known) drop(known.item);
    } else if ("reason" in content) setAside(path, stamp, content.reason);
    else put(content.value, { path, stamp, hash: content.hash }, again);
  }

  return {
    look,
    read(path) {
      const stamp = fileStamp(join(root, path));
      const content = readFunction(join(root, path));
      if (catalog.at(path)?.stamp !== stamp) take(path, stamp, content, false);
      return content && "value" in content ? content.value : undefined;
    },
    embedded(table, { id, hash, vector }) {
      const item = entries.itemOf(id);
      const facts = item === undefined ? undefined : entries.factsOf(item);
      if (item === undefined || !facts || catalog.pathOf(item)?.hash !== hash) return;
      table.put({ id, facts, vector });
      pending.remove(table.embedder, item);
    },
    takeChange() {
      const was = changed;
      changed = false;
      return was;
    },
  };
}

/** Undefined when there is no file. */
function readFunction(path: string): FileContent<StoredFunction> | undefined {
  try {
    if (statSync(path).size > LARGEST_FILE) return { reason: "too large" };
    return parseFile(FunctionFile, readFileSync(path));
  } catch (error) {
    const code = systemCode(error);
    return code === "ENOENT"
      ? undefined
      : { reason: `cannot be read${code === undefined ? "" : ` (${code})`}` };
  }
}
