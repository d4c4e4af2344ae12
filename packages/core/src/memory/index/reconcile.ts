import { rmSync, type Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemCode } from "../../errors/node-error.ts";
import { isAbandoned } from "../../files/durable-file.ts";
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
  // Each of these takes tens of milliseconds for 100 000 files; searches run in between.
  const found = await recordFiles(root, reconciliation.recordFolders);
  signal.throwIfAborted();
  const seen = new Set(found);
  await nextTurn();
  const removed = [...tables.catalog.pathsIn(""), ...tables.quarantine.list().map(({ path }) => path)].filter(
    (path) => !seen.has(path),
  );
  const tasks = await recordFiles(root, reconciliation.taskFolders);
  signal.throwIfAborted();
  const isTask = new Set(tasks);

  // Removed files come first: a moved file must not count as a second file of the same id.
  const paths = [...removed.filter((path) => !isTask.has(path)), ...found];
  const slicing = { database: () => tables.database, signal, onProgress };
  await nextTurn();
  await runInSlices(paths, slicing, (path) => records.refresh(path, { force: everything }));
  await runInSlices(tasks, slicing, (path) => records.checkTask(path));
}

/** The record files in some folders and their subfolders, relative to `root`, by name, the newest first. */
async function recordFiles(root: string, folders: readonly string[]): Promise<string[]> {
  const files = (await Promise.all(folders.map((folder) => jsonFiles(root, folder)))).flat();
  await nextTurn();
  return files.sort((one, other) => (one.name < other.name ? 1 : -1)).map(({ path }) => path);
}

interface RecordFile {
  name: string;
  path: string;
}

/** The record files in a folder and its subfolders. Skips links and hidden files. */
async function jsonFiles(root: string, folder: string): Promise<RecordFile[]> {
  const files: RecordFile[] = [];
  for (const entry of await entriesOf(join(root, folder))) {
    const { name } = entry;
    const path = `${folder}/${name}`;
    if (entry.isDirectory()) files.push(...(await jsonFiles(root, path)));
    if (isAbandoned(name)) rmSync(join(root, path), { force: true });
    if (entry.isFile() && name.endsWith(".json") && !name.startsWith(".")) files.push({ name, path });
  }
  return files;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
