import { watch, type FSWatcher } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, posix } from "node:path";
import { systemCode } from "../../errors/node-error.ts";
import type { Subscription } from "./record-storage.ts";

/** The quiet time after which changes are reported in one batch, in milliseconds. */
const QUIET_MS = 150;
/** The maximum delay after the first change in a batch, in milliseconds. */
const MAX_DELAY_MS = 2_000;
/** With more changes than this, checking every file is faster. */
const MAX_PATHS = 20_000;

export interface FolderWatchOptions {
  root: string;
  /** Folders under `root`, with `/`. Existing and new subfolders are watched too. */
  folders: readonly string[];
  /** Called with the record files that were added, changed or removed, relative to `root`. */
  onFiles: (paths: readonly string[]) => void;
  /** Called if a folder was added or removed, or more than `MAX_PATHS` files changed. */
  onBulkChange: () => void;
  /** Called once, when an error stops the watching. */
  onError: (error: unknown) => void;
}

/**
 * Reports changed files in batches. Watches folders instead of files, because a profile has many files in few folders:
 * 100 000 files take 0.4 s and 39 MB, against 17 s and 450 MB with chokidar 6, which keeps a record of every file. Lists
 * folders without blocking the event loop. Does not keep the process alive.
 */
export function watchFolders(options: FolderWatchOptions): Subscription {
  const { root, folders, onFiles, onBulkChange, onError } = options;
  const watchers = new Map<string, FSWatcher>();
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let firstAt = 0;
  let isBulkChange = false;
  let isClosed = false;

  function emitChanges(): void {
    const paths = [...changed];
    const isBulk = isBulkChange || paths.length > MAX_PATHS;
    changed.clear();
    isBulkChange = false;
    timer = undefined;
    if (isBulk) onBulkChange();
    else onFiles(paths);
  }

  function scheduleEmit(): void {
    const now = performance.now();
    if (timer === undefined) firstAt = now;
    clearTimeout(timer);
    timer = setTimeout(emitChanges, Math.max(0, Math.min(QUIET_MS, firstAt + MAX_DELAY_MS - now))).unref();
  }

  const isInside = (path: string): boolean =>
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const containsWatchedFolder = (path: string): boolean =>
    folders.some((folder) => folder.startsWith(`${path}/`));

  function handleEvent(folder: string, event: string, name: string): void {
    const path = folder === "" ? name : posix.join(folder, name);
    if (name.endsWith(".json") && !name.startsWith(".") && isInside(folder)) changed.add(path);
    else if (event === "rename" && !name.startsWith(".") && (isInside(path) || containsWatchedFolder(path))) {
      // A folder was added or removed. A recreated folder needs a new watcher.
      unwatch(path);
      void watchTree(path).then(reportAgain);
      isBulkChange = true;
    } else return;
    scheduleEmit();
  }

  /** Reports a new folder once more if it changed before its watching began. */
  function reportAgain(): void {
    if (isClosed || timer !== undefined) return;
    isBulkChange = true;
    scheduleEmit();
  }

  async function watchTree(folder: string): Promise<void> {
    if (isClosed || watchers.has(folder)) return;
    try {
      const watcher = watch(join(root, folder), { persistent: false }, (event, name) => {
        if (!isClosed && name !== null) handleEvent(folder, event, name);
      });
      // Windows reports a removed folder as an error.
      watcher.on("error", (error) => (isMissing(error) ? unwatch(folder) : fail(error)));
      watchers.set(folder, watcher);
      // Names only: an object for each of many thousands of files would take several times as long.
      for (const name of await readdir(join(root, folder))) {
        if (name.endsWith(".json")) continue;
        const path = folder === "" ? name : posix.join(folder, name);
        if ((isInside(path) || containsWatchedFolder(path)) && (await isFolder(join(root, path))))
          await watchTree(path);
      }
    } catch (error) {
      // Not a folder, or already removed.
      if (isMissing(error)) unwatch(folder);
      else fail(error);
    }
  }

  function unwatch(folder: string): void {
    for (const [path, watcher] of watchers) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      watcher.close();
      watchers.delete(path);
    }
  }

  function fail(error: unknown): void {
    if (isClosed) return;
    close();
    onError(error);
  }

  function close(): void {
    isClosed = true;
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
    watchers.clear();
  }

  return { ready: watchTree(""), close };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "EPERM"].includes(systemCode(error) ?? "");
}
