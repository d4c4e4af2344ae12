import { z } from "zod";
import { type ArchiveEntry as Entry, ArchiveEntry } from "@metahuman/core/contract/http";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { AlreadyExistsError, ConflictError, InvalidArgsError } from "@metahuman/core/errors/request-errors";
import {
  archiveEntryOf,
  type RecordKind,
  type ArchiveMetadata,
} from "@metahuman/core/memory/store/record-storage";
import type { Postgres } from "../open-postgres.ts";
import { jsonText, type ProfileSession } from "../session.ts";

/** A record as its row has it. */
export interface Row {
  id: string;
  /** The number of its last change. */
  seq: number;
  /** The path of its file in a copy. */
  path: string;
  /** Null if it was removed. */
  body: unknown;
}

/** A new record. */
export interface NewRow {
  id: string;
  path: string;
  /** JSON text that PostgreSQL can store. */
  body: string;
}

const Row = z.object({ id: z.string(), seq: z.number(), path: z.string(), body: z.unknown() });
const SeqRow = z.object({ seq: z.number() });
/** The number of the last change, and one of the changes; without them if there is none. */
const ChangeRow = z.union([
  Row.extend({ head: z.number() }).transform(({ head, ...change }) => ({ head, change })),
  z.object({ head: z.number(), id: z.null() }).transform(({ head }) => ({ head, change: undefined })),
]);
const HeadRow = z.object({ seq: z.number(), epoch: z.string() });
const IdRow = z.object({ id: z.string() });
const ArchivedRow = z.object({ record_id: z.string(), path: z.string(), body: z.unknown() });
const EntryRow = z.object({ entry: z.strictObject(ArchiveEntry.shape) });

const HEAD_SQL = "SELECT seq::float8 AS seq, epoch::text AS epoch FROM record_heads WHERE profile = :profile";

/** How many transactions in a row may find that another process was faster. */
const MAX_ATTEMPTS = 50;

/** Checks a precondition at the beginning of each write; throws if the write is not allowed. */
export type WriteGuard = (session: ProfileSession) => Promise<void>;

/** The number of a profile's last change, of any kind, and what it belongs to; undefined before the first change. */
export type RecordHead = z.output<typeof HeadRow> | undefined;

/** The records of one kind of a profile. Each call is one transaction, unless stated otherwise. */
export interface RecordRows {
  read(id: string): Promise<Row | undefined>;
  /** The records with these ids. */
  readMany(ids: readonly string[]): Promise<Row[]>;
  /**
   * The changes after a number, in their order, including removals, and the number of the profile's last change, of any
   * kind, at that moment. Queries the database only if there may be changes.
   */
  changesAfter(seq: number, limit: number): Promise<{ rows: Row[]; head: number }>;
  /** The newest records before a number, the newest first. */
  recordsBefore(seq: number, limit: number): Promise<Row[]>;
  head(): Promise<RecordHead>;
  /** Tells the number of the profile's last change regularly. */
  follow(onHead: (seq: number) => void): { close(): void };
  /** Creates records, all or none. Returns the number of the first one. Throws `AlreadyExistsError`. */
  create(rows: readonly NewRow[]): Promise<number>;
  /** Creates those records that were neither created nor archived before, all or none. */
  createMissing(
    rows: readonly NewRow[],
  ): Promise<{ created: (NewRow & { seq: number })[]; existing: Row[]; archived: string[] }>;
  /** Replaces a record that has not changed since `seen`. Returns the new number; undefined if it has. */
  replace(seen: Row, body: string): Promise<number | undefined>;
  /**
   * Reads, decides and replaces, again if another process was faster. `decide` returns the new body, or undefined for no
   * change. Throws `ConflictError` after `MAX_ATTEMPTS`.
   */
  change(
    id: string,
    decide: (row: Row) => string | undefined | Promise<string | undefined>,
  ): Promise<Row | undefined>;
  /** Moves a record into the archive, or copies it there. */
  archive(
    id: string,
    note: (row: Row) => ArchiveMetadata,
    options?: { copies?: boolean },
  ): Promise<{ entry: Entry; row: Row } | undefined>;
  /** Newest first. */
  archived(): Promise<Entry[]>;
  /** The body of an archived record. Throws `NotFoundError`. */
  readArchived(archiveId: string): Promise<unknown>;
  /** Moves a record out of the archive. Throws `NotFoundError`, `AlreadyExistsError`. */
  restore(archiveId: string): Promise<Row>;
  /** Deletes an archived record for good. */
  purge(archiveId: string): Promise<void>;
}

/** Follows the bodies of records that a transaction wrote; also called for those that are restored. */
export type WriteFollower = (session: ProfileSession, bodies: readonly string[]) => Promise<void>;

export function openRecordRows(
  database: Postgres,
  profile: string,
  {
    kind,
    guard = async () => undefined,
    written = async () => undefined,
  }: { kind: RecordKind; guard?: WriteGuard | undefined; written?: WriteFollower | undefined },
): RecordRows {
  const read: InTransaction = (work) => database.inProfile(profile, work);
  const write: InTransaction = (work) =>
    database.inProfile(profile, async (session) => {
      await guard(session);
      return await work(session);
    });

  const readAtOnce: InTransaction = (work) => database.readProfile(profile, work);

  const rowOf = (session: ProfileSession, id: string) =>
    session.get(
      Row,
      `SELECT id, seq::float8 AS seq, path, body FROM records
       WHERE profile = :profile AND kind = :kind AND id = :id AND body IS NOT NULL`,
      { kind, id },
    );
  const readRow = (id: string) => readAtOnce(async (session) => rowOf(session, id));

  const replace = (seen: Row, body: string) =>
    write(async (session) => {
      const seq = await nextNumber(session, 1);
      const changed = await session.run(
        `UPDATE records SET body = :body::jsonb, seq = :seq
         WHERE profile = :profile AND kind = :kind AND id = :id AND seq = :seen AND body IS NOT NULL`,
        { kind, id: seen.id, seen: seen.seq, body, seq },
      );
      if (changed === 0) return undefined;
      await written(session, [body]);
      return seq;
    });
  const insert = async (session: ProfileSession, rows: readonly NewRow[]): Promise<number> => {
    const first = await insertRows(session, kind, rows);
    await written(
      session,
      rows.map(({ body }) => body),
    );
    return first;
  };

  return {
    read: readRow,
    readMany: (ids) =>
      readAtOnce((session) =>
        session.all(
          Row,
          `SELECT id, seq::float8 AS seq, path, body FROM records
           WHERE profile = :profile AND kind = :kind AND id = ANY(:ids) AND body IS NOT NULL`,
          { kind, ids },
        ),
      ),
    async changesAfter(seq, limit) {
      const known = database.heads(profile);
      if (known && known.records <= seq) return { rows: [], head: seq };
      return await readAtOnce((session) => findChanges(session, kind, { seq, limit }));
    },
    recordsBefore: (seq, limit) =>
      readAtOnce((session) =>
        session.all(
          Row,
          `SELECT id, seq::float8 AS seq, path, body FROM records
           WHERE profile = :profile AND kind = :kind AND seq < :seq AND body IS NOT NULL
           ORDER BY seq DESC LIMIT :limit`,
          { kind, seq, limit },
        ),
      ),
    head: () => readAtOnce((session) => session.get(HeadRow, HEAD_SQL)),
    follow: (onHead) => database.poll.follow(profile, ({ records }) => onHead(records)),
    create: (rows) => write((session) => insert(session, rows)),
    createMissing: (rows) =>
      write(async (session) => {
        // Locks out all other writers before it looks for existing records.
        await nextNumber(session, 0);
        const ids = rows.map(({ id }) => id);
        const existing = await session.all(
          Row,
          `SELECT id, seq::float8 AS seq, path, body FROM records
           WHERE profile = :profile AND kind = :kind AND id = ANY(:ids) AND body IS NOT NULL`,
          { kind, ids },
        );
        const archived = await session.all(
          IdRow,
          `SELECT DISTINCT record_id AS id FROM record_archive
           WHERE profile = :profile AND kind = :kind AND record_id = ANY(:ids)`,
          { kind, ids },
        );
        const known = new Set([...existing, ...archived].map(({ id }) => id));
        const missing = rows.filter(({ id }) => !known.has(id));
        const first = missing.length === 0 ? 0 : await insert(session, missing);
        return {
          created: missing.map((row, index) => ({ ...row, seq: first + index })),
          existing,
          archived: archived.map(({ id }) => id),
        };
      }),
    replace,
    change: (id, decide) =>
      attempts(async () => {
        const seen = await readRow(id);
        if (!seen) return undefined;
        const body = await decide(seen);
        if (body === undefined) return seen;
        const seq = await replace(seen, body);
        return seq === undefined ? "lost" : { ...seen, seq, body: parsedBody(body) };
      }),
    ...archiveCalls(kind, { read, write, readRow, insert }),
  };
}

/** The changes after a number, with that of the last one. One statement, which sees one state of the database. */
async function findChanges(
  session: ProfileSession,
  kind: RecordKind,
  { seq, limit }: { seq: number; limit: number },
): Promise<{ rows: Row[]; head: number }> {
  const found = await session.all(
    ChangeRow,
    `SELECT head.seq AS head, changed.* FROM (
       SELECT coalesce(max(seq), 0)::float8 AS seq FROM record_heads WHERE profile = :profile) head
     LEFT JOIN LATERAL (
       SELECT id, seq::float8 AS seq, path, body FROM records
       WHERE profile = :profile AND kind = :kind AND seq > :seq ORDER BY seq LIMIT :limit) changed ON true
     ORDER BY changed.seq`,
    { kind, seq, limit },
  );
  return {
    rows: found.flatMap(({ change }) => change ?? []),
    head: Math.max(seq, found[0]?.head ?? 0),
  };
}

/** Runs work in a transaction of the profile. */
type InTransaction = <Result>(work: (session: ProfileSession) => Promise<Result>) => Promise<Result>;

function archiveCalls(
  kind: RecordKind,
  {
    read,
    write,
    readRow,
    insert,
  }: {
    read: InTransaction;
    write: InTransaction;
    readRow: (id: string) => Promise<Row | undefined>;
    insert: (session: ProfileSession, rows: readonly NewRow[]) => Promise<number>;
  },
): Pick<RecordRows, "archive" | "archived" | "readArchived" | "restore" | "purge"> {
  return {
    archive: (id, note, { copies = false } = {}) =>
      attempts(async () => {
        const row = await readRow(id);
        if (!row) return undefined;
        const about = note(row);
        return (
          (await write((session) => moveToArchive(session, kind, { row, note: about, copies }))) ?? "lost"
        );
      }),
    archived: () =>
      read(async (session) => {
        const rows = await session.all(
          EntryRow,
          "SELECT entry FROM record_archive WHERE profile = :profile AND kind = :kind ORDER BY place DESC",
          { kind },
        );
        return rows.map(({ entry }) => entry);
      }),
    readArchived: (archiveId) => read(async (session) => (await archivedRow(session, kind, archiveId)).body),
    restore: (archiveId) =>
      write(async (session) => {
        const { record_id: id, path, body } = await archivedRow(session, kind, archiveId);
        const seq = await insert(session, [{ id, path, body: JSON.stringify(body) }]);
        await deleteArchived(session, kind, archiveId);
        return { id, seq, path, body };
      }),
    purge: (archiveId) => write((session) => deleteArchived(session, kind, archiveId)),
  };
}

async function insertRows(
  session: ProfileSession,
  kind: RecordKind,
  rows: readonly NewRow[],
): Promise<number> {
  if (new Set(rows.map(({ id }) => id)).size < rows.length)
    throw new AlreadyExistsError("Two of the new records have the same id; none was stored.");
  const first = (await nextNumber(session, rows.length)) - rows.length + 1;
  const inserted = await session.run(
    `INSERT INTO records (profile, kind, id, seq, path, body)
     SELECT :profile, :kind, given.id, :first::bigint + given.place - 1, given.path, given.body::jsonb
     FROM unnest(:ids::text[], :paths::text[], :bodies::text[]) WITH ORDINALITY AS given(id, path, body, place)
     ON CONFLICT (profile, kind, id) DO UPDATE SET seq = excluded.seq, path = excluded.path, body = excluded.body
       WHERE records.body IS NULL`,
    {
      ...{ kind, first },
      ids: rows.map(({ id }) => id),
      paths: rows.map(({ path }) => path),
      bodies: rows.map(({ body }) => body),
    },
  );
  if (inserted < rows.length)
    throw new AlreadyExistsError("A record with this id already exists; it was not changed.");
  return first;
}

async function moveToArchive(
  session: ProfileSession,
  kind: RecordKind,
  { row, note, copies }: { row: Row; note: ArchiveMetadata; copies: boolean },
) {
  const seq = await nextNumber(session, 1);
  const changed = await session.run(
    `UPDATE records SET seq = :seq, body = CASE WHEN :copies THEN body END
     WHERE profile = :profile AND kind = :kind AND id = :id AND seq = :seen AND body IS NOT NULL`,
    { kind, id: row.id, seen: row.seq, seq, copies },
  );
  if (changed === 0) return undefined;
  const taken = await session.all(
    IdRow,
    "SELECT id FROM record_archive WHERE profile = :profile AND kind = :kind AND record_id = :id",
    { kind, id: row.id },
  );
  const id = freeId(row.id, new Set(taken.map((each) => each.id)));
  const entry = archiveEntryOf({ id, kind, ...note }, session.now);
  await session.run(
    `INSERT INTO record_archive (profile, kind, id, record_id, path, body, entry)
     VALUES (:profile, :kind, :archiveId, :id, :path, :body::jsonb, :entry::jsonb)`,
    {
      ...{ kind, archiveId: id, id: row.id, path: row.path },
      body: JSON.stringify(row.body),
      entry: jsonText(entry),
    },
  );
  return { entry, row: { ...row, seq } };
}

/** Tries again while another process is faster. */
async function attempts<Result>(attempt: () => Promise<Result | "lost">): Promise<Result> {
  for (let tried = 1; tried <= MAX_ATTEMPTS; tried += 1) {
    const result = await attempt();
    if (result !== "lost") return result;
  }
  throw new ConflictError("Others changed this record at every attempt. Try again.");
}

/**
 * Takes the next numbers of changes and returns the last one. Keeps all other writers of the profile out until the
 * commit, so that numbers become visible in their order.
 */
export async function nextNumber(session: ProfileSession, count: number): Promise<number> {
  const row = await session.get(
    SeqRow,
    `INSERT INTO record_heads (profile, seq) VALUES (:profile, :count)
     ON CONFLICT (profile) DO UPDATE SET seq = record_heads.seq + :count RETURNING seq::float8 AS seq`,
    { count },
  );
  if (!row) throw new RangeError("The number of a change was not returned.");
  return row.seq;
}

async function archivedRow(session: ProfileSession, kind: RecordKind, archiveId: string) {
  // No id has this character, which the database refuses.
  const row = archiveId.includes("\u0000")
    ? undefined
    : await session.get(
        ArchivedRow,
        `SELECT record_id, path, body FROM record_archive
         WHERE profile = :profile AND kind = :kind AND id = :archiveId FOR UPDATE`,
        { kind, archiveId },
      );
  if (!row) throw new NotFoundError(`The archive has nothing named ${archiveId.slice(0, 100)}.`);
  return row;
}

async function deleteArchived(session: ProfileSession, kind: RecordKind, archiveId: string): Promise<void> {
  await session.run(
    "DELETE FROM record_archive WHERE profile = :profile AND kind = :kind AND id = :archiveId",
    {
      kind,
      archiveId,
    },
  );
}

/** The body in the form in which it is read back. */
export function parsedBody(body: string): unknown {
  return JSON.parse(body);
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  for (let number = 2, free = id; ; number += 1) {
    if (!taken.has(free)) return free;
    free = `${id}~${number}`;
  }
}

/**
 * The JSON text of a record. Throws `InvalidArgsError` if it contains U+0000, which PostgreSQL cannot store, unless
 * `replaces` is set: then it becomes U+FFFD.
 */
export function storableText(record: unknown, { replaces = false } = {}): string {
  const json = JSON.stringify(record);
  // A backslash takes the next character along, so that the text \\u0000 is not taken for the character.
  const hasNull = json.matchAll(/\\(u0000|.)/g).some(([, escaped]) => escaped === "u0000");
  if (hasNull && !replaces)
    throw new InvalidArgsError("The text contains the character U+0000, which cannot be stored.", {
      suggestions: ["Remove the character, then try again."],
    });
  return jsonText(record);
}
