import { readdir } from "node:fs/promises";
import { posix } from "node:path";
import { z } from "zod";
import { FunctionProposal, FunctionVersion } from "@metahuman/core/contract/function";
import { FunctionId } from "@metahuman/core/contract/ids";
import { systemCode } from "@metahuman/core/errors/node-error";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import type { FunctionStorage, FunctionStoragePlace } from "@metahuman/core/functions/store/function-store";
import type { RecordFolder } from "@metahuman/core/functions/store/record-folder";
import { FunctionFile, type StoredFunction } from "@metahuman/core/functions/store/stored-function";
import { unreadable } from "@metahuman/core/memory/store/record-files";
import type { Postgres } from "../open-postgres.ts";
import { type CopyStart, openRecordCopy } from "./record-copy.ts";
import { openRecordLock, type RecordLock } from "./record-lock.ts";
import { openRecordRows, parsedBody, type Row, storableText } from "./record-rows.ts";

const KIND = "function";
/** The kinds of the parts of a function. */
export const PART_KINDS = { version: "function-version", proposal: "function-proposal" } as const;

/**
 * Opens the functions of a profile in the database, with a copy as files for the index of this process. All writes are made
 * under one lock of the profile, because a decision concerns a function together with its name, history and proposals.
 */
export async function openPostgresFunctions(
  database: Postgres,
  profile: string,
  { root, database: indexDatabase, reindex, head, onWarning }: FunctionStoragePlace & CopyStart,
): Promise<FunctionStorage> {
  const recordLock = openRecordLock(database, profile, KIND);
  const { guard } = recordLock;
  const rows = openRecordRows(database, profile, { kind: KIND, guard });
  const copy = await openRecordCopy<StoredFunction>({
    rows,
    root,
    indexDatabase,
    folders: await yearFolders(root),
    name: "functions",
    parse: ({ body }) => FunctionFile.safeParse(body).data,
    index: (records) => reindex(records.map(({ path }) => path)),
    head,
    onWarning,
  });
  const lock: FunctionStorage["lock"] = {
    hold: (work, options) =>
      recordLock.hold(async () => {
        await copy.load();
        return await work();
      }, options),
  };
  const applyToCopy = (row: Row, record: StoredFunction | null) =>
    copy.apply([{ id: row.id, seq: row.seq, path: row.path, record }]);

  return {
    files: {
      async create(stored) {
        const body = bodyOf(stored);
        const path = functionPathOf(stored.id);
        const seq = await rows.create([{ id: stored.id, path, body }]);
        const row = { id: stored.id, path, seq, body: parsedBody(body) };
        await applyToCopy(row, functionOf(row));
        return { function: functionOf(row), path };
      },
      async replace(path, stored) {
        const row = await rows.change(stored.id, () => bodyOf(stored));
        if (!row) throw new ConflictError("The function was deleted meanwhile.", { context: { path } });
        await applyToCopy(row, functionOf(row));
      },
      find: async (id) => (await rows.read(id))?.path,
      async read(path) {
        const row = await rows.read(posix.basename(path, ".json"));
        return row && FunctionFile.safeParse(row.body).data;
      },
      async all() {
        const { rows: all } = await rows.changesAfter(0, Number.MAX_SAFE_INTEGER);
        return all
          .flatMap(({ body }) => FunctionFile.safeParse(body).data ?? [])
          .sort((one, other) => (one.id < other.id ? -1 : 1));
      },
    },
    history: openParts(database, profile, { kind: PART_KINDS.version, schema: FunctionVersion, guard }),
    proposals: openParts(database, profile, { kind: PART_KINDS.proposal, schema: FunctionProposal, guard }),
    archive: {
      async put({ function: { id } }, note) {
        const done = await rows.archive(id, () => note);
        if (!done) throw new ConflictError("The function was deleted meanwhile.", { context: { id } });
        await applyToCopy(done.row, null);
        return done.entry;
      },
      list: () => rows.archived(),
      async read(archiveId) {
        const parsed = FunctionFile.safeParse(await rows.readArchived(archiveId));
        return parsed.success ? { value: parsed.data } : { reason: "its row is not a function" };
      },
      async restore(archiveId) {
        const row = await rows.restore(archiveId);
        await applyToCopy(row, functionOf(row));
        return row.path;
      },
      purge: (archiveId) => rows.purge(archiveId),
    },
    lock,
    async load() {
      await copy.load();
    },
    // The copy has a folder for each year with a function.
    isEmpty: async () => (await yearFolders(root)).length === 0,
    catchUp: () => copy.catchUp(),
    follow: () => copy.follow(() => undefined),
    close: () => copy.close(),
  };
}

/** The path of a function. It does not depend on the title, so it never changes. */
export function functionPathOf(id: string): string {
  return `${FunctionId.parse(id).slice("func-".length, "func-".length + 4)}/${id}.json`;
}

/** Content of agents may contain U+0000, which is replaced. */
function bodyOf(stored: StoredFunction): string {
  return storableText(stored, { replaces: stored.origin !== "written" });
}

/** Throws `StorageCorruptError` if the body is not a function. */
function functionOf({ id, body }: Pick<Row, "id" | "body">): StoredFunction {
  const parsed = FunctionFile.safeParse(body);
  if (!parsed.success) throw unreadable("its row is not a function", id);
  return parsed.data;
}

async function yearFolders(root: string): Promise<string[]> {
  try {
    return (await readdir(root)).filter((name) => /^\d{4}$/.test(name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

const BodyRow = z.object({ body: z.unknown() });

/** Opens one kind of parts of functions: a body for each function and name. Unreadable bodies are left out. */
function openParts<Schema extends z.ZodType>(
  database: Postgres,
  profile: string,
  { kind, schema, guard }: { kind: string; schema: Schema; guard: RecordLock["guard"] },
): RecordFolder<z.output<Schema>> {
  return {
    put: (id, name, value) =>
      database.inProfile(profile, async (session) => {
        await guard(session);
        await session.run(
          `INSERT INTO record_parts (profile, kind, record_id, name, body)
           VALUES (:profile, :kind, :id, :name, :body::jsonb)
           ON CONFLICT (profile, kind, record_id, name) DO UPDATE SET body = excluded.body`,
          { kind, id, name, body: storableText(value, { replaces: true }) },
        );
      }),
    get: (id, name) =>
      database.inProfile(profile, async (session) => {
        const row = await session.get(
          BodyRow,
          `SELECT body FROM record_parts
           WHERE profile = :profile AND kind = :kind AND record_id = :id AND name = :name`,
          { kind, id, name },
        );
        return schema.safeParse(row?.body).data;
      }),
    list: (id) =>
      database.inProfile(profile, async (session) => {
        const found = await session.all(
          BodyRow,
          "SELECT body FROM record_parts WHERE profile = :profile AND kind = :kind AND record_id = :id",
          { kind, id },
        );
        return found.map(({ body }) => schema.safeParse(body).data).filter((value) => value !== undefined);
      }),
    purge: (id) =>
      database.inProfile(profile, async (session) => {
        await guard(session);
        await session.run(
          "DELETE FROM record_parts WHERE profile = :profile AND kind = :kind AND record_id = :id",
          { kind, id },
        );
      }),
  };
}
