import { posix } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ArchiveEntry, Feedback, MemoryEdit } from "../../contract/http.ts";
import { type MemoryLink, MemoryRecord, MOST_LINKS, type NewMemory } from "../../contract/memory.ts";
import type { FileLock } from "../../database/file-lock.ts";
import { MemoryNotFoundError } from "../../errors/not-found-errors.ts";
import type { BulkWriter } from "./bulk-writer.ts";
import { parseFile } from "./file-content.ts";
import type { RecordArchive } from "./record-archive.ts";
import {
  asStored,
  createUnderFreeId,
  type FiledMemory,
  nextVersion,
  type PreparedMemory,
  type RecordFiles,
  unreadable,
} from "./record-files.ts";
import { randomSuffix, type RecordIds } from "./record-ids.ts";
import { type RecordFolders, recordPath } from "./record-paths.ts";
import { type ImportReport, sortImport } from "./import-records.ts";
import type { RelatedIds, RelatedQuery } from "../index/link-table.ts";
import { findLinks, relatedQueryOf } from "./linker.ts";
import type { MemoryUses } from "../evolution/memory-uses.ts";
import type { MemoryFinder } from "./memory-finder.ts";
import type { MemoryPort } from "../memory-port.ts";
import { newRecord, type Origin } from "./new-record.ts";

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
  index: {
    put(filed: readonly FiledMemory[]): Promise<void>;
    remove(id: string): Promise<void>;
    /** Memories of the same runs, conversations and entities; nothing while there is no index. */
    kin(query: RelatedQuery): Promise<RelatedIds>;
  };
  uses: Pick<MemoryUses, "record">;
  clock: () => Date;
}

const PREPARED_AT_ONCE = 50;
/** Records of one journal: what is read back as a whole after a crash. */
const IMPORTED_AT_ONCE = 1_000;

type Writes = Pick<
  MemoryPort,
  | "add"
  | "addMany"
  | "importMany"
  | "get"
  | "edit"
  | "feedback"
  | "forget"
  | "keepCopy"
  | "restore"
  | "archived"
> & {
  /** Adds what is not linked yet; a memory that is gone is passed over. */
  addLinks(id: string, links: readonly MemoryLink[]): Promise<void>;
};

/** The memories of a profile as files: what is written, changed, archived and brought back. */
export function createMemoryStore(parts: MemoryStoreParts): Writes {
  const { folders, files, ids, archive, bulk, lock, finder, index, uses, clock } = parts;

  async function existing(id: string): Promise<FiledMemory> {
    const filed = await finder.find(id);
    if (!filed) throw new MemoryNotFoundError(`There is no memory with the id ${id.slice(0, 120)}.`);
    return filed;
  }

  async function add(memory: NewMemory, origin: Origin): Promise<MemoryRecord> {
    const filed = await createUnderFreeId(async () => {
      const draft = newRecord(memory, origin, { ids, clock });
      const [linked = draft] = await withLinks([draft]);
      return files.create(linked);
    });
    await index.put([filed]);
    return filed.record;
  }

  async function withLinks(records: readonly MemoryRecord[]): Promise<MemoryRecord[]> {
    const query = relatedQueryOf(records);
    if (query.runs.length + query.conversations.length + query.entities.length === 0) return [...records];
    const links = findLinks(records, await index.kin(query));
    return records.map((record, at) => ({ ...record, links: links[at] ?? record.links }));
  }

  /** Changes one record in its file. */
  function change(id: string, changed: (record: MemoryRecord) => MemoryRecord): Promise<MemoryRecord> {
    return lock.hold(async () => {
      const { record, path } = await existing(id);
      const filed = await files.replace(path, asStored(changed(record)));
      await index.put([filed]);
      return filed.record;
    });
  }

  return {
    add,

    async addMany(memories, origin) {
      const [only, second] = memories;
      if (!only) return [];
      if (!second) return [await add(only, origin)];
      // Files of a bulk write are not created exclusively; the suffix keeps two processes from making the same id.
      const suffix = `-${randomSuffix()}`;
      const drafts = memories.map((memory) => newRecord(memory, origin, { ids, clock, suffix }));
      const prepared: PreparedMemory[] = [];
      for (const record of await withLinks(drafts)) {
        prepared.push(files.prepare(record));
        // Thousands take a while: others get their turn.
        if (prepared.length % PREPARED_AT_ONCE === 0) await nextTurn();
      }
      const records = prepared.map(({ record }) => record);
      await bulk.write(records[0]?.id ?? suffix, prepared);
      await index.put(prepared);
      return records;
    },

    async importMany(records) {
      const report: ImportReport = { added: [], unchanged: [], conflicts: [] };
      for (let next = 0; next < records.length; next += IMPORTED_AT_ONCE) {
        const some: MemoryRecord[] = [];
        for (const record of records.slice(next, next + IMPORTED_AT_ONCE)) {
          some.push(asStored(record));
          if (some.length % PREPARED_AT_ONCE === 0) await nextTurn();
        }
        const sorted = await sortImport(some, {
          prepare: (record) => files.prepare(record),
          finder,
          isArchived: (id) => archive.has(id),
        });
        const [first] = sorted.write;
        if (first) await bulk.write(`${first.record.id}-import`, sorted.write);
        await index.put(sorted.write);
        report.added.push(...sorted.report.added);
        report.unchanged.push(...sorted.report.unchanged);
        report.conflicts.push(...sorted.report.conflicts);
      }
      return report;
    },

    async get(id) {
      return (await existing(id)).record;
    },

    edit: (id, edit) =>
      change(id, (record) => ({
        ...record,
        ...definedIn(edit),
        version: nextVersion("memory", record, edit),
      })),

    async feedback(id, { verdict, note }) {
      const changed = await change(id, (record) => ({
        ...record,
        importance: importanceAfter(record.importance, verdict),
      }));
      const at = clock().getTime();
      await uses.record([{ memoryId: id, kind: verdict, at, ...(note !== undefined && { note }) }]);
      return changed;
    },

    async addLinks(id, links) {
      await lock.hold(async () => {
        const filed = await finder.find(id);
        if (!filed) return;
        const { record, path } = filed;
        const known = new Set([id, ...record.links.map((link) => link.id)]);
        const added = links.filter((link) => !known.has(link.id));
        if (added.length === 0 || record.links.length + added.length > MOST_LINKS) return;
        await index.put([
          await files.replace(path, asStored({ ...record, links: [...record.links, ...added] })),
        ]);
      });
    },

    forget: (id, { runId } = {}) =>
      lock.hold(async (): Promise<ArchiveEntry> => {
        const { record, path } = await existing(id);
        const about = { id, title: record.content, origin: originOf(path), runId };
        const entry = await archive.put(files.absolute(path), about);
        await index.remove(id);
        return entry;
      }),

    keepCopy: (id) =>
      lock.hold(async () => {
        const { record, path } = await existing(id);
        return archive.putCopy(files.absolute(path), { id, title: record.content, origin: originOf(path) });
      }),

    restore: (archiveId) =>
      lock.hold(async () => {
        const content = parseFile(MemoryRecord, await archive.read(archiveId));
        if ("reason" in content) throw unreadable(content.reason, archiveId);
        const path = recordPath(folders, content.value);
        await archive.takeOut(archiveId, files.absolute(path));
        await index.put([{ record: content.value, path, hash: content.hash }]);
        // What somebody wanted back is not retired again at once.
        await uses.record([{ memoryId: content.value.id, kind: "restored", at: clock().getTime() }]);
        return content.value;
      }),

    archived: () => archive.list(),
  };
}

/** The fields that are given. */
function definedIn(edit: MemoryEdit): Partial<MemoryRecord> {
  return Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined));
}

/** The folder a record lies in, as the archive tells it. */
function originOf(path: string): string {
  return `memory/${posix.dirname(path)}`;
}

/** How far one verdict moves importance; together they never leave 0–1. */
const STEP = 0.2;

/** What a memory matters after somebody said whether it was of use. */
function importanceAfter(importance: number, verdict: Feedback["verdict"]): number {
  const moved = importance + (verdict === "useful" ? STEP : -STEP);
  return Math.round(Math.max(0, Math.min(1, moved)) * 1_000) / 1_000;
}
