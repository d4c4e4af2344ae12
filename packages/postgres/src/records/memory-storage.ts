import { setImmediate as nextTurn } from "node:timers/promises";
import { MemoryRecord } from "@metahuman/core/contract/memory";
import { fileText, hashOf } from "@metahuman/core/files/file-content";
import {
  createRecordFiles,
  recordPath,
  type StoredMemory,
  topFolders,
  unreadable,
} from "@metahuman/core/memory/store/record-files";
import type {
  ImportReport,
  MemoryStorage,
  MemoryStoragePlace,
} from "@metahuman/core/memory/store/record-storage";
import { canonicalJson } from "@metahuman/core/runs/canonical-json";
import type { Postgres } from "../open-postgres.ts";
import { type CopyStart, openRecordCopy, type WrittenRecord } from "./record-copy.ts";
import { describeMemories, describeMissing, openMemorySearch } from "./memory-search.ts";
import {
  type NewRow,
  openRecordRows,
  parsedBody,
  type RecordRows,
  type Row,
  storableText,
  type WriteFollower,
} from "./record-rows.ts";

const PREPARED_PER_TURN = 50;

/**
 * Opens the memories of a profile in the database, with a copy as files for the index of this process. What an operator or an
 * agent writes may contain U+0000, which is replaced; what a person writes may not.
 */
export async function openPostgresMemories(
  database: Postgres,
  profile: string,
  place: MemoryStoragePlace & CopyStart,
): Promise<MemoryStorage> {
  const { root, database: indexDatabase, folders, index, head, onWarning } = place;
  const rows = openRecordRows(database, profile, {
    kind: "memory",
    written: database.vectors && followWrites,
  });
  const files = createRecordFiles(root, folders);
  const copy = await openRecordCopy<MemoryRecord>({
    rows,
    root,
    indexDatabase,
    folders: topFolders(folders),
    name: "memories",
    parse: ({ body }) => MemoryRecord.safeParse(body).data,
    async index(records) {
      await index.put(
        records.flatMap(({ record, path, hash }) => (record === null ? [] : { record, path, hash })),
      );
      for (const { id, record } of records) if (record === null) await index.remove(id);
    },
    head,
    onWarning,
  });

  const search = openMemorySearch(database, profile, { isNeeded: () => !copy.isComplete() });

  /** Copies a row that this process wrote. */
  async function copyRow(row: Row): Promise<StoredMemory> {
    const filed = storedMemoryOf(row);
    await copy.apply([{ id: row.id, seq: row.seq, path: row.path, record: filed.record }]);
    return filed;
  }

  async function find(id: string): Promise<StoredMemory | undefined> {
    if (!MemoryRecord.shape.id.safeParse(id).success) return undefined;
    const row = await rows.read(id);
    return row && storedMemoryOf(row);
  }

  return {
    search,
    async create(record) {
      const row = newRow(folders, record);
      return await copyRow({ ...row, seq: await rows.create([row]), body: parsedBody(row.body) });
    },
    find,
    async read({ id, path, hash }) {
      // A file that another process removed or changed meanwhile is read from its row.
      const filed = await files.read(path);
      return filed?.record.id === id && (hash === undefined || filed.hash === hash) ? filed : await find(id);
    },
    async change(id, decide) {
      const row = await rows.change(id, async (seen) => {
        const { record } = storedMemoryOf(seen);
        const decided = await decide(record);
        return decided === record ? undefined : bodyOf(decided);
      });
      return row && (await copyRow(row));
    },
    async createMany(records) {
      if (records.length === 0) return;
      const made = await newRows(folders, records);
      const first = await rows.create(made);
      await copy.apply(made.map((row, index) => writtenRecordOf({ ...row, seq: first + index })));
    },
    async importMany(records) {
      const byId = new Map(records.map((record) => [record.id, record]));
      const outcome = await rows.createMissing(await newRows(folders, [...byId.values()]));
      await copy.apply(outcome.created.map(writtenRecordOf));
      return importReport(byId, outcome);
    },
    async archive(id, note) {
      const done = await rows.archive(id, (row) => note(storedMemoryOf(row)));
      if (done) await copy.apply([{ id, seq: done.row.seq, path: done.row.path, record: null }]);
      return done?.entry;
    },
    async archiveCopy(id, note) {
      return (await rows.archive(id, (row) => note(storedMemoryOf(row)), { copies: true }))?.entry;
    },
    async restore(archiveId) {
      return await copyRow(await rows.restore(archiveId));
    },
    archived: () => rows.archived(),
    readArchived: async (id) => memoryOf({ id, body: await rows.readArchived(id) }),
    async load() {
      const isFirst = !copy.isComplete();
      await copy.load();
      if (search && isFirst) await describeMissing(database, profile);
    },
    catchUp: () => copy.catchUp(),
    // Nothing is missed: a look asks for all changes after the last number.
    watch: (onChange) => ({ ready: Promise.resolve(), ...copy.follow(onChange) }),
    close: () => copy.close(),
  };
}

const followWrites: WriteFollower = (session, bodies) =>
  describeMemories(
    session,
    bodies.map((body) => MemoryRecord.parse(parsedBody(body))),
  );

function newRow(folders: MemoryStoragePlace["folders"], record: MemoryRecord): NewRow {
  return { id: record.id, path: recordPath(folders, record), body: bodyOf(record) };
}

/** The rows of records. Yields to the event loop during large writes. */
async function newRows(
  folders: MemoryStoragePlace["folders"],
  records: readonly MemoryRecord[],
): Promise<NewRow[]> {
  const made: NewRow[] = [];
  for (const record of records) {
    made.push(newRow(folders, record));
    if (made.length % PREPARED_PER_TURN === 0) await nextTurn();
  }
  return made;
}

/** What became of imported records: those that existed with other content, or were archived, are conflicts. */
function importReport(
  imported: ReadonlyMap<string, MemoryRecord>,
  { created, existing, archived }: Awaited<ReturnType<RecordRows["createMissing"]>>,
): ImportReport {
  const isSame = (row: Row): boolean => {
    const given = imported.get(row.id);
    return (
      given !== undefined && canonicalJson(storedOf(given)) === canonicalJson(storedMemoryOf(row).record)
    );
  };
  const there = new Set(existing.map(({ id }) => id));
  return {
    added: created.map(({ id }) => id),
    unchanged: existing.filter(isSame).map(({ id }) => id),
    conflicts: [
      ...existing.filter((row) => !isSame(row)).map(({ id }) => id),
      // An import must not restore what a person deleted.
      ...archived.filter((id) => !there.has(id)),
    ],
  };
}

/** A row that was created, for the copy. */
function writtenRecordOf({ id, path, seq, body }: NewRow & { seq: number }): WrittenRecord<MemoryRecord> {
  return { id, path, seq, record: MemoryRecord.parse(parsedBody(body)) };
}

function bodyOf(record: MemoryRecord): string {
  return storableText(record, { replaces: record.source.kind !== "user" });
}

/** The parsed form of a stored record. */
function storedOf(record: MemoryRecord): MemoryRecord {
  return MemoryRecord.parse(parsedBody(bodyOf(record)));
}

/** Throws `StorageCorruptError` if the body is not a memory. */
function memoryOf({ id, body }: Pick<Row, "id" | "body">): MemoryRecord {
  const parsed = MemoryRecord.safeParse(body);
  if (!parsed.success) throw unreadable("its row is not a memory", id);
  return parsed.data;
}

/** Throws `StorageCorruptError` as `memoryOf`. */
function storedMemoryOf({ id, path, body }: Row): StoredMemory {
  const record = memoryOf({ id, body });
  return { record, path, hash: hashOf(fileText(record)) };
}
