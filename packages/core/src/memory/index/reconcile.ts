import { readdirSync, rmSync } from "node:fs";
import type { Dirent } from "node:fs";
import { join, posix } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemCode } from "../../errors/node-error.ts";
import { isAbandoned } from "../store/durable-file.ts";
import { runInSlices } from "../../database/in-slices.ts";
import type { RecordIndex, Tables } from "./record-index.ts";

export interface Reconciliation {
  root: string;
  recordFolders: readonly string[];
  taskFolders: readonly string[];
  tables: {
    database: Pick<Tables["database"], "transaction">;
    catalog: Pick<Tables["catalog"], "pathsIn">;
    quarantine: Pick<Tables["quarantine"], "list">;
  };
  records: Pick<RecordIndex, "refresh" | "checkTask">;
  /** Reads every file, changed or not. */
  everything: boolean;
  signal: AbortSignal;
  onProgress: (share: number) => void;
}

/**
 * Updates the index from the files, the newest first, in slices between which the worker answers calls. Detects files
 * that were written, edited or removed outside the store by their stamps. Rejects with the signal's reason when aborted.
 */
export async function reconcile(reconciliation: Reconciliation): Promise<void> {
  const { root, tables, records, everything, signal, onProgress } = reconciliation;
  const found = reconciliation.recordFolders.flatMap((folder) => jsonFiles(root, folder)).sort(byNewest);
  const seen = new Set(found);
  const removed = [...tables.catalog.pathsIn(""), ...tables.quarantine.list().map(({ path }) => path)].filter(
    (path) => !seen.has(path),
  );
  const tasks = reconciliation.taskFolders.flatMap((folder) => jsonFiles(root, folder));
  const isTask = new Set(tasks);

  // Removed files come first: a moved file must not count as a second file of the same id.
  const paths = [...removed.filter((path) => !isTask.has(path)), ...found];
  const slicing = { database: () => tables.database, signal, onProgress };
  await nextTurn();
  await runInSlices(paths, slicing, (path) => records.refresh(path, { force: everything }));
  await runInSlices(tasks, slicing, (path) => records.checkTask(path));
}

/** The record files in a folder and its subfolders, relative to `root`. Skips links and hidden files. */
function jsonFiles(root: string, folder: string): string[] {
  return entriesOf(join(root, folder)).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return jsonFiles(root, path);
    if (isAbandoned(entry.name)) rmSync(join(root, path), { force: true });
    return entry.isFile() && entry.name.endsWith(".json") && !entry.name.startsWith(".") ? [path] : [];
  });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

function byNewest(one: string, other: string): number {
  const [name, otherName] = [posix.basename(one), posix.basename(other)];
  return name < otherName ? 1 : name > otherName ? -1 : 0;
}
