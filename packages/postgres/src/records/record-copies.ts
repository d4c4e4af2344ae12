import { z } from "zod";
import { ArchiveEntry } from "@metahuman/core/contract/http";
import { AlreadyExistsError, InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { recordFolders, recordPath } from "@metahuman/core/memory/store/record-files";
import { MemoryRecord } from "@metahuman/core/contract/memory";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { canonicalJson } from "@metahuman/core/runs/canonical-json";
import { type RecordCopies, type RecordEntry, recordSchemas } from "@metahuman/core/transfer/record-copies";
import type { Postgres } from "../open-postgres.ts";
import { jsonText, type ProfileSession } from "../session.ts";
import { functionPathOf, PART_KINDS } from "./function-storage.ts";
import { nextNumber } from "./record-rows.ts";

const ROWS_AT_ONCE = 500;

const Kind = z.enum(["memory", "task", "function", "schedule"]);
const RecordRow = z.object({ kind: Kind, id: z.string(), path: z.string(), body: z.unknown() });
const ArchivedRow = z.object({
  place: z.number(),
  kind: Kind,
  record_id: z.string(),
  body: z.unknown(),
  entry: z.strictObject(ArchiveEntry.shape),
});
const PartRow = z.object({ kind: z.string(), record_id: z.string(), name: z.string(), body: z.unknown() });
const StoredRow = z.object({ kind: z.string(), id: z.string() });
const BodyRow = z.object({ body: z.unknown() });

/** Uses the rows of a profile. Nobody may change them meanwhile. Text that PostgreSQL cannot store is refused. */
export function openPostgresRecordCopies(database: Postgres, profile: string): RecordCopies {
  return {
    compare: (entry) => database.inProfile(profile, (session) => compare(session, entry)),
    async *each() {
      for (const source of [readRecords, readArchive, readParts]) yield* source(database, profile);
    },
    put: (entries) =>
      database.inProfile(profile, async (session) => {
        const [whole, others] = [entries.filter(isRecord), entries.filter(isPartOrArchived)];
        await putRecords(session, whole);
        for (const entry of others) await putEntry(session, entry);
      }),
  };
}

async function* readRecords(database: Postgres, profile: string): AsyncGenerator<RecordEntry[]> {
  let last = { kind: "", id: "" };
  for (;;) {
    const rows = await database.inProfile(profile, (session) =>
      session.all(
        RecordRow,
        `SELECT kind, id, path, body FROM records
         WHERE profile = :profile AND body IS NOT NULL AND (kind, id) > (:kind, :id)
         ORDER BY kind, id LIMIT :limit`,
        { ...last, limit: ROWS_AT_ONCE },
      ),
    );
    const end = rows.at(-1);
    if (!end) return;
    last = end;
    yield rows.map(({ kind, id, path, body }) => ({
      part: "record",
      kind,
      id,
      path,
      // In the order of the fields that files have.
      body: recordSchemas[kind].parse(body),
    }));
  }
}

async function* readArchive(database: Postgres, profile: string): AsyncGenerator<RecordEntry[]> {
  let after = 0;
  for (;;) {
    const rows = await database.inProfile(profile, (session) =>
      session.all(
        ArchivedRow,
        `SELECT place::float8 AS place, kind, record_id, body, entry FROM record_archive
         WHERE profile = :profile AND place > :after ORDER BY place LIMIT :limit`,
        { after, limit: ROWS_AT_ONCE },
      ),
    );
    const end = rows.at(-1);
    if (!end) return;
    after = end.place;
    yield rows.map(({ kind, record_id: recordId, body, entry }) => ({
      part: "archived",
      kind,
      recordId,
      entry,
      body: recordSchemas[kind].parse(body),
    }));
  }
}

async function* readParts(database: Postgres, profile: string): AsyncGenerator<RecordEntry[]> {
  for (const part of ["version", "proposal"] as const) {
    let last = { functionId: "", name: "" };
    for (;;) {
      const rows = await database.inProfile(profile, (session) =>
        session.all(
          PartRow,
          `SELECT kind, record_id, name, body FROM record_parts
           WHERE profile = :profile AND kind = :kind AND (record_id, name) > (:functionId, :name)
           ORDER BY record_id, name LIMIT :limit`,
          { ...last, kind: PART_KINDS[part], limit: ROWS_AT_ONCE },
        ),
      );
      const end = rows.at(-1);
      if (!end) break;
      last = { functionId: end.record_id, name: end.name };
      yield rows.map(({ record_id: functionId, name, body }) => ({ part, functionId, name, body }));
    }
  }
}

function pathOf({ kind, id, path, body }: RecordEntry & { part: "record" }): string {
  if (kind === "memory") return path === "" ? recordPath(folders, MemoryRecord.parse(body)) : path;
  return kind === "function" ? functionPathOf(id) : `${id}.json`;
}

/** The folders of memories, relative to the folder of all memories. */
const folders = recordFolders(profilePaths("/", "profile").memory);

type WholeRecord = RecordEntry & { part: "record" };

const isRecord = (entry: RecordEntry): entry is WholeRecord => entry.part === "record";
const isPartOrArchived = (entry: RecordEntry): entry is Exclude<RecordEntry, WholeRecord> =>
  entry.part !== "record";

/** Stores records in one statement, and compares those that were there already. */
async function putRecords(session: ProfileSession, entries: readonly WholeRecord[]): Promise<void> {
  if (entries.length === 0) return;
  const keyOf = ({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`;
  // A record that occurs twice is stored once.
  const unique = [...new Map(entries.toReversed().map((entry) => [keyOf(entry), entry])).values()].reverse();
  const first = (await nextNumber(session, unique.length)) - unique.length + 1;
  const stored = await session.all(
    StoredRow,
    `INSERT INTO records (profile, kind, id, seq, path, body)
     SELECT :profile, given.kind, given.id, :first::bigint + given.place - 1, given.path, given.body::jsonb
     FROM unnest(:kinds::text[], :ids::text[], :paths::text[], :bodies::text[])
       WITH ORDINALITY AS given(kind, id, path, body, place)
     ON CONFLICT (profile, kind, id) DO UPDATE SET seq = excluded.seq, path = excluded.path, body = excluded.body
       WHERE records.body IS NULL
     RETURNING kind, id`,
    {
      first,
      kinds: unique.map(({ kind }) => kind),
      ids: unique.map(({ id }) => id),
      paths: unique.map(pathOf),
      bodies: unique.map((entry) => unchangedText(entry.body, nameOf(entry))),
    },
  );
  const added = new Set(stored.map(({ kind, id }) => `${kind} ${id}`));
  for (const entry of entries) if (!added.has(`${entry.kind} ${entry.id}`)) await assertSame(session, entry);
}

async function putEntry(session: ProfileSession, entry: Exclude<RecordEntry, WholeRecord>): Promise<void> {
  const body = unchangedText(entry.body, nameOf(entry));
  switch (entry.part) {
    case "archived": {
      const { kind, recordId, entry: note } = entry;
      const stored = await session.run(
        `INSERT INTO record_archive (profile, kind, id, record_id, path, body, entry)
         VALUES (:profile, :kind, :id, :recordId, :path, :body::jsonb, :entry::jsonb) ON CONFLICT DO NOTHING`,
        {
          ...{ kind, id: note.id, recordId, body, entry: unchangedText(note, note.id) },
          path: pathOf({ part: "record", kind, id: recordId, path: "", body: entry.body }),
        },
      );
      if (stored === 0) await assertSame(session, entry);
      return;
    }
    case "version":
    case "proposal": {
      const parameters = { kind: PART_KINDS[entry.part], id: entry.functionId, name: entry.name };
      const stored = await session.run(
        `INSERT INTO record_parts (profile, kind, record_id, name, body)
         VALUES (:profile, :kind, :id, :name, :body::jsonb) ON CONFLICT DO NOTHING`,
        { ...parameters, body },
      );
      if (stored === 0) await assertSame(session, entry);
      return;
    }
    default:
      return entry satisfies never;
  }
}

/** Throws `AlreadyExistsError` if the stored body differs. */
async function assertSame(session: ProfileSession, entry: RecordEntry): Promise<void> {
  if ((await compare(session, entry)) === "different")
    throw new AlreadyExistsError(`${nameOf(entry)} already exists with other content.`);
}

async function compare(
  session: ProfileSession,
  entry: RecordEntry,
): Promise<"absent" | "same" | "different"> {
  const row = await storedBody(session, entry);
  if (row === undefined) return "absent";
  return canonicalJson(row.body) === canonicalJson(entry.body) ? "same" : "different";
}

function storedBody(session: ProfileSession, entry: RecordEntry): Promise<{ body: unknown } | undefined> {
  switch (entry.part) {
    case "record":
      return session.get(
        BodyRow,
        `SELECT body FROM records
         WHERE profile = :profile AND kind = :kind AND id = :id AND body IS NOT NULL`,
        { kind: entry.kind, id: entry.id },
      );
    case "archived":
      return session.get(
        BodyRow,
        "SELECT body FROM record_archive WHERE profile = :profile AND kind = :kind AND id = :id",
        { kind: entry.kind, id: entry.entry.id },
      );
    case "version":
    case "proposal":
      return session.get(
        BodyRow,
        `SELECT body FROM record_parts
         WHERE profile = :profile AND kind = :kind AND record_id = :id AND name = :name`,
        { kind: PART_KINDS[entry.part], id: entry.functionId, name: entry.name },
      );
    default:
      return entry satisfies never;
  }
}

function nameOf(entry: RecordEntry): string {
  if (entry.part === "record") return entry.id;
  return entry.part === "archived" ? `the archived ${entry.entry.id}` : `the ${entry.part} ${entry.name}`;
}

/** JSON text that is read back unchanged. Throws `InvalidArgsError` for U+0000 and halves of surrogate pairs. */
function unchangedText(value: unknown, name: string): string {
  const text = jsonText(value);
  if (text !== JSON.stringify(value))
    throw new InvalidArgsError(`${name} contains a character that PostgreSQL cannot store.`, {
      suggestions: ["Edit the record, then try again."],
      context: { record: name },
    });
  return text;
}
