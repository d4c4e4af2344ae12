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
import { type RecordFolders, recordPath, randomSuffix, type RecordIds } from "./record-paths.ts";
import { type ImportReport, sortImport } from "./import-records.ts";
import type { RelatedIds, RelatedQuery } from "../index/link-table.ts";
import { findLinks, relatedQueryOf } from "./linker.ts";
import type { MemoryUses } from "../evolution/memory-uses.ts";
import type { MemoryFinder } from "./memory-finder.ts";
import type { MemoryPort } from "../memory-port.ts";
import { newRecord, type Origin } from "./new-record.ts";

export interface MemoryStoreDependencies {
  folders: RecordFolders;
  files: RecordFiles;
  ids: RecordIds;
  archive: RecordArchive;
  bulk: BulkWriter;
  /** Held while an existing record is changed, moved or removed, across processes. */
  lock: FileLock;
  finder: MemoryFinder;
  /** Indexes written files. Never rejects: the files are authoritative and the index catches up. */
  index: {
    put(filed: readonly FiledMemory[]): Promise<void>;
    remove(id: string): Promise<void>;
    /** Memories of the same runs, conversations and entities; none while the index is unavailable. */
    related(query: RelatedQuery): Promise<RelatedIds>;
  };
  uses: Pick<MemoryUses, "record">;
  clock: () => Date;
}

const PREPARED_PER_TURN = 50;
/** The number of records per journal. */
const IMPORT_BATCH = 1_000;

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
  /** Adds missing links. Ignores a memory that no longer exists. */
  addLinks(id: string, links: readonly MemoryLink[]): Promise<void>;
};

/** Writes, edits, archives and restores the memory files of a profile. */
export function createMemoryStore(dependencies: MemoryStoreDependencies): Writes {
  const { files, ids, bulk, lock, finder, index, uses, clock } = dependencies;

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
    const links = findLinks(records, await index.related(query));
    return records.map((record, at) => ({ ...record, links: links[at] ?? record.links }));
  }

  /** Edits one record under the lock. */
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
      // A bulk write does not create files exclusively; the suffix keeps ids of two processes distinct.
      const suffix = `-${randomSuffix()}`;
      const drafts = memories.map((memory) => newRecord(memory, origin, { ids, clock, suffix }));
      const prepared: PreparedMemory[] = [];
      for (const record of await withLinks(drafts)) {
        prepared.push(files.prepare(record));
        // Yields to the event loop during large writes.
        if (prepared.length % PREPARED_PER_TURN === 0) await nextTurn();
      }
      const records = prepared.map(({ record }) => record);
      await bulk.write(records[0]?.id ?? suffix, prepared);
      await index.put(prepared);
      return records;
    },

    importMany: (records) => importRecords(records, dependencies),

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

    ...archiveMethods(dependencies, existing),
  };
}

/** Imports records in batches, each durable at once. Existing records are not changed. */
async function importRecords(
  records: readonly MemoryRecord[],
  { files, finder, archive, bulk, index }: MemoryStoreDependencies,
): Promise<ImportReport> {
  const report: ImportReport = { added: [], unchanged: [], conflicts: [] };
  for (let next = 0; next < records.length; next += IMPORT_BATCH) {
    const some: MemoryRecord[] = [];
    for (const record of records.slice(next, next + IMPORT_BATCH)) {
      some.push(asStored(record));
      if (some.length % PREPARED_PER_TURN === 0) await nextTurn();
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
}

/** Moves records to the archive and back, under the lock. */
function archiveMethods(
  { folders, files, archive, lock, index, uses, clock }: MemoryStoreDependencies,
  existing: (id: string) => Promise<FiledMemory>,
): Pick<MemoryPort, "forget" | "keepCopy" | "restore" | "archived"> {
  return {
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
        // Recording the use keeps retention from archiving the memory again at once.
        await uses.record([{ memoryId: content.value.id, kind: "restored", at: clock().getTime() }]);
        return content.value;
      }),

    archived: () => archive.list(),
  };
}

/** The defined fields of an edit. */
function definedIn(edit: MemoryEdit): Partial<MemoryRecord> {
  return Object.fromEntries(Object.entries(edit).filter(([, value]) => value !== undefined));
}

/** The folder of a record, as the archive shows it. */
function originOf(path: string): string {
  return `memory/${posix.dirname(path)}`;
}

/** The change in importance per rating; the result stays within 0–1. */
const STEP = 0.2;

/** The importance of a memory after a rating. */
function importanceAfter(importance: number, verdict: Feedback["verdict"]): number {
  const moved = importance + (verdict === "useful" ? STEP : -STEP);
  return Math.round(Math.max(0, Math.min(1, moved)) * 1_000) / 1_000;
}
