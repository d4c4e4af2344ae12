import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ArchiveEntry } from "../../contract/http.ts";
import { AlreadyExistsError } from "../../errors/request-errors.ts";
import { fromNodeError, systemCode } from "../../errors/node-error.ts";
import { NotFoundError } from "../../errors/not-found-errors.ts";
import { archiveEntryOf, type RecordKind, type ArchiveMetadata } from "./record-storage.ts";
import { createFile, moveFile, removeFile, replaceFile } from "../../files/durable-file.ts";
import { fileText, parseFile } from "../../files/file-content.ts";
import { unreadable } from "./record-files.ts";

/** The format of archive ids, which also prevents path traversal. */
const ARCHIVE_ID =
  /^(?:(?:evt|task)-[0-9TZ]{19}-[a-z0-9-]{1,64}|func-\d{8}-[0-9a-z]{6}|sched-[0-9a-z]{26})(?:~[0-9]{1,6})?$/;

/**
 * The archive of deleted records of one kind: the unchanged file and a note that describes it. The archive id is the
 * record's id, with `~2` appended if the archive already has one of that id.
 */
export interface RecordArchive {
  readonly folder: string;
  /** Moves the file at `path` into the archive atomically. */
  put(path: string, about: ArchivedRecord): Promise<ArchiveEntry>;
  /** Copies the file at `path` into the archive. */
  putCopy(path: string, about: ArchivedRecord): Promise<ArchiveEntry>;
  /** Newest first. */
  list(): Promise<ArchiveEntry[]>;
  has(id: string): Promise<boolean>;
  /** The bytes of an archived file; throws `NotFoundError`. */
  read(archiveId: string): Promise<Uint8Array>;
  /** Moves a file out of the archive to `path`. Throws `AlreadyExistsError` if another file is there. */
  restoreTo(archiveId: string, path: string): Promise<void>;
  /** Deletes an archived file permanently. */
  purge(archiveId: string): Promise<void>;
}

interface ArchivedRecord extends ArchiveMetadata {
  id: string;
}

export interface RecordArchiveOptions {
  folder: string;
  kind: RecordKind;
  clock: () => Date;
}

export function createRecordArchive({ folder, kind, clock }: RecordArchiveOptions): RecordArchive {
  const recordFile = (archiveId: string): string => join(folder, `${archiveId}.json`);
  const noteFile = (archiveId: string): string => join(folder, `${archiveId}.note.json`);

  async function names(): Promise<Set<string>> {
    try {
      return new Set(await readdir(folder));
    } catch (error) {
      if (systemCode(error) === "ENOENT") return new Set();
      throw fromNodeError(error, "the archive");
    }
  }

  /** Synchronous, because an import asks for each of its records: a call takes a few microseconds. */
  const has = async (id: string): Promise<boolean> => existsSync(recordFile(id));

  async function freeId(id: string): Promise<string> {
    for (let number = 2, free = id; ; number += 1) {
      if (!(await has(free))) return free;
      free = `${id}~${number}`;
    }
  }

  async function readBytes(archiveId: string): Promise<Uint8Array> {
    if (!ARCHIVE_ID.test(archiveId)) throw unknown(archiveId);
    try {
      return await readFile(recordFile(archiveId));
    } catch (error) {
      throw systemCode(error) === "ENOENT" ? unknown(archiveId) : fromNodeError(error, "the archived record");
    }
  }

  /** Writes the note before the file; `list` ignores a note without a file after a crash. */
  async function writeNote({ id, ...about }: ArchivedRecord): Promise<ArchiveEntry> {
    const entry = archiveEntryOf({ ...about, id: await freeId(id), kind }, clock());
    await replaceFile(noteFile(entry.id), fileText(entry), "the archive");
    return entry;
  }

  /** Returns no bytes if the note was removed since the folder was read. */
  async function noteBytes(archiveId: string): Promise<Uint8Array> {
    try {
      return await readFile(noteFile(archiveId));
    } catch (error) {
      if (systemCode(error) === "ENOENT") return new Uint8Array();
      throw fromNodeError(error, "the archive");
    }
  }

  async function remove(archiveId: string): Promise<void> {
    await removeFile(recordFile(archiveId), "the archived record");
    await removeFile(noteFile(archiveId), "the archived record");
  }

  return {
    folder,
    async put(path, about) {
      const entry = await writeNote(about);
      await moveFile(path, recordFile(entry.id), `“${entry.title}”`);
      return entry;
    },
    async putCopy(path, about) {
      const entry = await writeNote(about);
      await createFile(recordFile(entry.id), await readFile(path, "utf8"), `“${entry.title}”`);
      return entry;
    },
    async list() {
      const present = await names();
      const ids = [...present]
        .filter((name) => name.endsWith(".note.json"))
        .map((name) => name.slice(0, -".note.json".length));
      const entries = await Promise.all(
        ids
          .filter((id) => present.has(`${id}.json`))
          .map(async (id) => {
            const content = parseFile(z.strictObject(ArchiveEntry.shape), await noteBytes(id));
            return "value" in content ? [content.value] : [];
          }),
      );
      return entries
        .flat()
        .sort((a, b) => Date.parse(b.archivedAt) - Date.parse(a.archivedAt) || (a.id < b.id ? 1 : -1));
    },
    has,
    read: readBytes,
    async restoreTo(archiveId, path) {
      const bytes = await readBytes(archiveId);
      await createFile(path, Buffer.from(bytes).toString("utf8"), "the archived record").catch(
        async (error: unknown) => {
          if (!(error instanceof AlreadyExistsError)) throw error;
          // An interrupted restore left the same file.
          if ((await readFile(path)).equals(bytes)) return;
          throw new AlreadyExistsError("A record with this id already exists; it was not changed.", {
            cause: error,
          });
        },
      );
      await remove(archiveId);
    },
    async purge(archiveId) {
      if (!ARCHIVE_ID.test(archiveId)) throw unknown(archiveId);
      await remove(archiveId);
    },
  };
}

/** The record of an archived file. Throws `NotFoundError`, and `StorageCorruptError` if it does not match the schema. */
export async function readArchived<Schema extends z.ZodType>(
  archive: Pick<RecordArchive, "read">,
  schema: Schema,
  archiveId: string,
): Promise<{ value: z.output<Schema>; hash: string }> {
  const content = parseFile(schema, await archive.read(archiveId));
  if ("reason" in content) throw unreadable(content.reason, archiveId);
  return content;
}

function unknown(archiveId: string): NotFoundError {
  return new NotFoundError(`The archive has nothing named ${archiveId.slice(0, 100)}.`);
}
