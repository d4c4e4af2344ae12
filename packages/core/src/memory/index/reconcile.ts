import { readdirSync, rmSync } from "node:fs";
import type { Dirent } from "node:fs";
import { join, posix } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { systemCode } from "../../errors/node-error.ts";
import { isAbandoned } from "../store/durable-file.ts";
import { inSlices } from "../../database/in-slices.ts";
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
  records: Pick<RecordIndex, "look" | "lookAtTask">;
  /** Read every file, changed or not. */
  everything: boolean;
  signal: AbortSignal;
  onProgress: (share: number) => void;
}

/**
 * Makes the index agree with the files, the newest first, in slices between which the worker answers. Files that were
 * written, edited or removed by anybody else are found by their stamp. Rejects with the signal's reason when aborted.
 */
export async function reconcile(reconciliation: Reconciliation): Promise<void> {
  const { root, tables, records, everything, signal, onProgress } = reconciliation;
  const found = reconciliation.recordFolders.flatMap((folder) => jsonFiles(root, folder)).sort(byNewest);
  const seen = new Set(found);
  const gone = [...tables.catalog.pathsIn(""), ...tables.quarantine.list().map(({ path }) => path)].filter(
    (path) => !seen.has(path),
  );
  const tasks = reconciliation.taskFolders.flatMap((folder) => jsonFiles(root, folder));
  const isTask = new Set(tasks);

  // What is gone comes first: a file that was moved must not be taken for a second one of the same id.
  const paths = [...gone.filter((path) => !isTask.has(path)), ...found];
  const slicing = { database: () => tables.database, signal, onProgress };
  await nextTurn();
  await inSlices(paths, slicing, (path) => records.look(path, { again: everything }));
  await inSlices(tasks, slicing, (path) => records.lookAtTask(path));
}

/** The record files in a folder and below, relative to `root`; links are not followed, hidden files not looked at. */
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
