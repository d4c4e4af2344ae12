import { posix } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ArchiveEntry } from "../contract/http.ts";
import { MemoryRecord } from "../contract/memory.ts";
import type { NewMemory } from "../contract/memory.ts";
import type { FileLock } from "../database/file-lock.ts";
import { MemoryNotFoundError } from "../errors/memory-not-found-error.ts";
import type { BulkWriter } from "./bulk-writer.ts";
import { parseFile } from "./files/file-content.ts";
import type { RecordArchive } from "./files/record-archive.ts";
import { asStored, createUnderFreeId, unreadable } from "./files/record-files.ts";
import type { FiledMemory, PreparedMemory, RecordFiles } from "./files/record-files.ts";
import { randomSuffix } from "./files/record-ids.ts";
import type { RecordIds } from "./files/record-ids.ts";
import { recordPath } from "./files/record-paths.ts";
import type { RecordFolders } from "./files/record-paths.ts";
import type { MemoryFinder } from "./memory-finder.ts";
import type { MemoryPort } from "./memory-port.ts";
import { newRecord } from "./new-record.ts";
import type { Origin } from "./new-record.ts";

export interface MemoryStoreParts {
  folders: RecordFolders;
  files: RecordFiles;
  ids: RecordIds;
  archive: RecordArchive;
  bulk: BulkWriter;
  /** Held while a record that exists is changed, moved or removed, in every process. */
  lock: FileLock;
  finder: MemoryFinder;
  /** Takes files that were written into the index. Never rejects: the files are the truth, the index catches up. */
  index: { put(filed: readonly FiledMemory[]): Promise<void>; remove(id: string): Promise<void> };
  clock: () => Date;
}

const PREPARED_AT_ONCE = 50;

type Writes = Pick<MemoryPort, "add" | "addMany" | "get" | "edit" | "forget" | "restore" | "archived">;

/** The memories of a profile as files: what is written, changed, archived and brought back. */
export function createMemoryStore(parts: MemoryStoreParts): Writes {
  const { folders, files, ids, archive, bulk, lock, finder, index, clock } = parts;

  async function existing(id: string): Promise<FiledMemory> {
    const filed = await finder.find(id);
    if (!filed) throw new MemoryNotFoundError(`There is no memory with the id ${id.slice(0, 120)}.`);
    return filed;
  }

  async function add(memory: NewMemory, origin: Origin): Promise<MemoryRecord> {
    const filed = await createUnderFreeId(() => files.create(newRecord(memory, origin, { ids, clock })));
    await index.put([filed]);
    return filed.record;
  }

  return {
    add,

    async addMany(memories, origin) {
      const [only, second] = memories;
      if (!only) return [];
      if (!second) return [await add(only, origin)];
      // Files of a bulk write are not created exclusively; the suffix keeps two processes from making the same id.
      const suffix = `-${randomSuffix()}`;
      const prepared: PreparedMemory[] = [];
      for (const memory of memories) {
        prepared.push(files.prepare(newRecord(memory, origin, { ids, clock, suffix })));
        // Thousands take a while: others get their turn.
        if (prepared.length % PREPARED_AT_ONCE === 0) await nextTurn();
      }
      const records = prepared.map(({ record }) => record);
      await bulk.write(records[0]?.id ?? suffix, prepared);
      await index.put(prepared);
      return records;
    },

    async get(id) {
      return (await existing(id)).record;
    },

    edit: (id, edit) =>
      lock.hold(async () => {
        const { record, path } = await existing(id);
        const {
          content = record.content,
          tags = record.tags,
          importance = record.importance,
          pinned = record.pinned,
        } = edit;
        const filed = await files.replace(path, asStored({ ...record, content, tags, importance, pinned }));
        await index.put([filed]);
        return filed.record;
      }),

    forget: (id, { runId } = {}) =>
      lock.hold(async (): Promise<ArchiveEntry> => {
        const { record, path } = await existing(id);
        const origin = `memory/${posix.dirname(path)}`;
        const entry = await archive.put(files.absolute(path), { id, title: record.content, origin, runId });
        await index.remove(id);
        return entry;
      }),

    restore: (archiveId) =>
      lock.hold(async () => {
        const content = parseFile(MemoryRecord, await archive.read(archiveId));
        if ("reason" in content) throw unreadable(content.reason, archiveId);
        const path = recordPath(folders, content.value);
        await archive.takeOut(archiveId, files.absolute(path));
        await index.put([{ record: content.value, path, hash: content.hash }]);
        return content.value;
      }),

    archived: () => archive.list(),
  };
}
