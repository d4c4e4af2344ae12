import { type FSWatcher, watch } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, posix } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createIdleTracker } from "../../async/task-tracker.ts";
import { MemoryId } from "../../contract/ids.ts";
import { MemoryRecord } from "../../contract/memory.ts";
import { openFileLock } from "../../database/file-lock.ts";
import { systemCode } from "../../errors/node-error.ts";
import { makeFolder, removeAbandoned } from "../../files/durable-file.ts";
import { hashOf } from "../../files/file-content.ts";
import { createBulkWriter } from "./bulk-writer.ts";
import { createJournals } from "./journal.ts";
import { createRecordArchive, readArchived } from "./record-archive.ts";
import {
  parseAsStored,
  createRecordFiles,
  possiblePaths,
  type PreparedMemory,
  type RecordFiles,
  type RecordFolders,
  recordPath,
  type StoredMemory,
} from "./record-files.ts";
import type {
  ImportReport,
  MemoryStorage,
  MemoryStoragePlace,
  StorageIndex,
  Subscription,
} from "./record-storage.ts";

export interface MemoryFilesOptions extends MemoryStoragePlace {
  /** The folder of the archives of all kinds. */
  archiveRoot: string;
  /** The folders whose changes by others are reported, relative to the root. */
  watched: readonly string[];
}

const PREPARED_PER_TURN = 50;

/**
 * Opens the memories of a profile as JSON files, with their archive, and completes a bulk write that was interrupted. A
 * lock across processes is held while an existing record is changed, moved or removed.
 */
export async function openMemoryFiles(options: MemoryFilesOptions): Promise<MemoryStorage> {
  const { root, folders, index, clock, onWarning } = options;
  await makeFolder(root, "the folder of the memories");
  const files = createRecordFiles(root, folders);
  const archive = createRecordArchive({
    folder: join(options.archiveRoot, "memories"),
    kind: "memory",
    clock,
  });
  const journals = createJournals({
    root,
    onUnreadable: (name, reason) =>
      onWarning(`The journal ${name} cannot be read and was not changed: ${reason}.`),
  });
  /** Writes of single memories, which somebody waits for. */
  const single = createIdleTracker();
  const bulk = createBulkWriter({
    journals,
    prepare: (record) => files.prepare(record),
    isArchived: (id) => archive.has(id),
    whenIdle: () => single.whenIdle(),
    onWarning,
  });
  const lock = openFileLock(join(root, ".lock"), "the memories");
  const finder = createMemoryFinder({ index, files, folders, onWarning });
  for (const folder of [journals.folder, archive.folder]) await removeAbandoned(folder);
  const replayed = await bulk.replay();
  if (replayed > 0) onWarning(`An interrupted bulk write was completed: ${replayed} files.`);

  return {
    async create(record) {
      return await single.trackUrgent(files.create(record, (filed) => index.put([filed])));
    },
    find: (id) => finder.find(id),
    read: (indexed) => finder.read(indexed),
    change: (id, decide) =>
      lock.hold(async () => {
        const before = await finder.find(id);
        if (!before) return undefined;
        const record = await decide(before.record);
        if (record === before.record) return before;
        const filed = await single.trackUrgent(files.replace(before.path, parseAsStored(record)));
        await index.put([filed]);
        return filed;
      }),
    async createMany(records) {
      const [first] = records;
      if (!first) return;
      const prepared: PreparedMemory[] = [];
      for (const record of records) {
        prepared.push(files.prepare(record));
        // Yields to the event loop during large writes.
        if (prepared.length % PREPARED_PER_TURN === 0) await nextTurn();
      }
      await bulk.write(first.id, prepared, index.put);
    },
    async importMany(records) {
      const { write, report } = await sortImport(records, {
        prepare: (record) => files.prepare(record),
        finder,
        isArchived: (id) => archive.has(id),
      });
      const [first] = write;
      if (first) await bulk.write(`${first.record.id}-import`, write, index.put);
      return report;
    },
    archive: (id, note) =>
      lock.hold(async () => {
        const filed = await finder.find(id);
        if (!filed) return undefined;
        const entry = await archive.put(files.absolute(filed.path), { id, ...note(filed) });
        await index.remove(id);
        return entry;
      }),
    archiveCopy: (id, note) =>
      lock.hold(async () => {
        const filed = await finder.find(id);
        return filed && (await archive.putCopy(files.absolute(filed.path), { id, ...note(filed) }));
      }),
    restore: (archiveId) =>
      lock.hold(async () => {
        const { value: record, hash } = await readArchived(archive, MemoryRecord, archiveId);
        const path = recordPath(folders, record);
        await archive.restoreTo(archiveId, files.absolute(path));
        const filed = { record, path, hash };
        await index.put([filed]);
        return filed;
      }),
    archived: () => archive.list(),
    readArchived: async (archiveId) => (await readArchived(archive, MemoryRecord, archiveId)).value,
    // Changes by others are noticed by watching, and by comparing a file when it is read.
    load: async () => undefined,
    catchUp: async () => undefined,
    watch: (onChange) =>
      watchFolders({
        root,
        folders: options.watched,
        onFiles: (changed) => void index.recheck(changed).then(onChange),
        onBulkChange: () => void index.sync().then(onChange),
        onError: (error) =>
          onWarning("External changes to the memories are only detected at the next start.", error),
      }),
    async close() {
      await bulk.close();
      lock.close();
    },
  };
}

interface ImportDependencies {
  prepare: (record: MemoryRecord) => PreparedMemory;
  finder: Pick<MemoryFinder, "find">;
  isArchived: (id: string) => Promise<boolean>;
}

/** Separates new records from existing ones, so that importing twice changes nothing. */
async function sortImport(
  records: readonly MemoryRecord[],
  { prepare, finder, isArchived }: ImportDependencies,
): Promise<{ write: PreparedMemory[]; report: ImportReport }> {
  const report: ImportReport = { added: [], unchanged: [], conflicts: [] };
  const write = new Map<string, PreparedMemory>();
  for (const record of records) {
    const prepared = prepare(record);
    const existing = write.get(record.id) ?? (await finder.find(record.id));
    if (existing) {
      const isSame = hashOf(prepare(existing.record).text) === prepared.hash;
      (isSame ? report.unchanged : report.conflicts).push(record.id);
    } else if (await isArchived(record.id)) {
      // An import must not restore what a person deleted.
      report.conflicts.push(record.id);
    } else {
      write.set(record.id, prepared);
      report.added.push(record.id);
    }
  }
  return { write: [...write.values()], report };
}

/** Finds the file of a memory. */
interface MemoryFinder {
  /** Finds a memory by id: at its indexed path, else at its default paths. Throws `StorageCorruptError`. */
  find(id: string): Promise<StoredMemory | undefined>;
  /** Reads a memory at its indexed path. Rechecks the path if the file differs; undefined if it has another id. */
  read(indexed: { id: string; path: string; hash?: string }): Promise<StoredMemory | undefined>;
}

interface MemoryFinderDependencies {
  index: Pick<StorageIndex, "locate" | "recheck">;
  files: RecordFiles;
  folders: RecordFolders;
  onWarning: (message: string, cause?: unknown) => void;
}

function createMemoryFinder({ index, files, folders, onWarning }: MemoryFinderDependencies): MemoryFinder {
  const recheck = (path: string): void => void index.recheck([path]);

  return {
    async find(id) {
      if (!MemoryId.safeParse(id).success) return undefined;
      // Without an index, the default paths still find the file.
      const known = await index.locate(id);
      for (const path of new Set([...(known === null ? [] : [known]), ...possiblePaths(folders, id)])) {
        if (!files.mayExist(path)) continue;
        const filed = await files.read(path);
        if (filed?.record.id !== id) continue;
        if (path !== known) recheck(path);
        return filed;
      }
      if (known !== null) recheck(known);
      return undefined;
    },

    async read({ id, path, hash }) {
      const filed = await files.read(path).catch((error: unknown) => {
        onWarning("A memory could not be read.", error);
        return undefined;
      });
      if (filed?.record.id === id && (hash === undefined || filed.hash === hash)) return filed;
      recheck(path);
      return filed?.record.id === id ? filed : undefined;
    },
  };
}

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
