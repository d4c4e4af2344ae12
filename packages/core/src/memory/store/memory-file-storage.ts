import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { MemoryRecord } from "../../contract/memory.ts";
import { createIdleTracker } from "../../async/task-tracker.ts";
import { openFileLock } from "../../database/file-lock.ts";
import { createBulkWriter } from "./bulk-writer.ts";
import { makeFolder, removeAbandoned } from "../../files/durable-file.ts";
import { hashOf } from "../../files/file-content.ts";
import { watchFolders } from "./folder-watch.ts";
import { createJournals } from "./journal.ts";
import { createRecordArchive, readArchived } from "./record-archive.ts";
import {
  asStored,
  createRecordFiles,
  type PreparedMemory,
  type StoredMemory,
  type RecordFiles,
} from "./record-files.ts";
import { recordPath, possiblePaths, type RecordFolders } from "./record-paths.ts";
import type { MemoryStorage, MemoryStoragePlace, ImportReport, StorageIndex } from "./record-storage.ts";
import { MemoryId } from "../../contract/ids.ts";

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
        const filed = await single.trackUrgent(files.replace(before.path, asStored(record)));
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
