import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { MemoryRecord } from "../../contract/memory.ts";
import { openFileLock } from "../../database/file-lock.ts";
import { createBulkWriter } from "./bulk-writer.ts";
import { makeFolder, removeAbandoned } from "../../files/durable-file.ts";
import { parseFile } from "../../files/file-content.ts";
import { watchFolders } from "./folder-watch.ts";
import { sortImport } from "./import-records.ts";
import { createJournals } from "./journal.ts";
import { createMemoryFinder } from "./memory-finder.ts";
import { createRecordArchive } from "./record-archive.ts";
import { asStored, createRecordFiles, type PreparedMemory, unreadable } from "./record-files.ts";
import { recordPath } from "./record-paths.ts";
import type { MemoryStorage, MemoryStoragePlace } from "./record-storage.ts";

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
  const bulk = createBulkWriter({
    journals,
    prepare: (record) => files.prepare(record),
    isArchived: (id) => archive.has(id),
    onWarning,
  });
  const lock = openFileLock(join(root, ".lock"), "the memories");
  const finder = createMemoryFinder({ index, files, folders, onWarning });
  for (const folder of [journals.folder, archive.folder]) await removeAbandoned(folder);
  const replayed = await bulk.replay();
  if (replayed > 0) onWarning(`An interrupted bulk write was completed: ${replayed} files.`);

  return {
    async create(record) {
      return await files.create(record, (filed) => index.put([filed]));
    },
    find: (id) => finder.find(id),
    read: (indexed) => finder.read(indexed),
    change: (id, decide) =>
      lock.hold(async () => {
        const before = await finder.find(id);
        if (!before) return undefined;
        const record = await decide(before.record);
        if (record === before.record) return before;
        const filed = await files.replace(before.path, asStored(record));
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
        const content = parseFile(MemoryRecord, await archive.read(archiveId));
        if ("reason" in content) throw unreadable(content.reason, archiveId);
        const path = recordPath(folders, content.value);
        await archive.restoreTo(archiveId, files.absolute(path));
        const filed = { record: content.value, path, hash: content.hash };
        await index.put([filed]);
        return filed;
      }),
    archived: () => archive.list(),
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
