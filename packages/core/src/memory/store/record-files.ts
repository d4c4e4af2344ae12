import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { MemoryRecord } from "../../contract/memory.ts";
import { plainIssue, plainReason } from "../../contract/plain-issue.ts";
import { AlreadyExistsError, InvalidArgsError, StaleVersionError } from "../../errors/request-errors.ts";
import { fromNodeError, systemCode } from "../../errors/node-error.ts";
import { StorageCorruptError } from "../../errors/storage-errors.ts";
import { createFile, replaceFile } from "../../files/durable-file.ts";
import { fileText, hashOf, parseFile } from "../../files/file-content.ts";
import { type RecordFolders, recordPath } from "./record-paths.ts";

/** A record with its file. */
export interface StoredMemory {
  record: MemoryRecord;
  /** Relative to the memory folder. */
  path: string;
  /** Of the file's bytes. */
  hash: string;
}

/** A record with the text to write. */
export interface PreparedMemory extends StoredMemory {
  text: string;
}

/** Reads and writes single memory files. */
export interface RecordFiles {
  /**
   * Creates a file durably. Throws `AlreadyExistsError` if a file of that id exists. `onNamed` runs while the folder is
   * flushed.
   */
  create(record: MemoryRecord, onNamed?: (filed: StoredMemory) => Promise<void>): Promise<StoredMemory>;
  replace(path: string, record: MemoryRecord): Promise<StoredMemory>;
  /** Returns undefined if there is no file. Throws `StorageCorruptError` if it is not a memory. */
  read(path: string): Promise<StoredMemory | undefined>;
  /**
   * False if there is certainly no file. Synchronous, because there are many paths to check: a call takes a few
   * microseconds.
   */
  mayExist(path: string): boolean;
  /** The path and text of a new record, without disk access. */
  prepare(record: MemoryRecord): PreparedMemory;
  absolute(path: string): string;
}

/** Parses a record as it would be read back. Throws `InvalidArgsError` if it is invalid. */
export function asStored(record: MemoryRecord): MemoryRecord {
  const parsed = MemoryRecord.safeParse(JSON.parse(JSON.stringify(record)), { error: plainIssue });
  if (parsed.success) return parsed.data;
  throw new InvalidArgsError(`This is not a memory: ${plainReason(parsed.error)}.`);
}

export function createRecordFiles(root: string, folders: RecordFolders): RecordFiles {
  const prepared = (record: MemoryRecord, path: string): PreparedMemory => {
    const text = fileText(record);
    return { record, path, text, hash: hashOf(text) };
  };
  return {
    async create(record, onNamed) {
      const { text, ...filed } = prepared(record, recordPath(folders, record));
      await createFile(
        join(root, filed.path),
        text,
        "the memory",
        () => onNamed?.(filed) ?? Promise.resolve(),
      );
      return filed;
    },
    async replace(path, record) {
      const { text, ...filed } = prepared(record, path);
      await replaceFile(join(root, path), text, "the memory");
      return filed;
    },
    async read(path) {
      let bytes: Uint8Array;
      try {
        bytes = await readFile(join(root, path));
      } catch (error) {
        if (systemCode(error) === "ENOENT") return undefined;
        throw fromNodeError(error, "the memory");
      }
      const content = parseFile(MemoryRecord, bytes);
      if ("value" in content) return { record: content.value, path, hash: content.hash };
      throw unreadable(content.reason, path);
    },
    mayExist(path) {
      try {
        return statSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
      } catch {
        // Reading it throws the reason.
        return true;
      }
    },
    prepare: (record) => prepared(record, recordPath(folders, record)),
    absolute: (path) => join(root, path),
  };
}

export function unreadable(reason: string, path: string): StorageCorruptError {
  return new StorageCorruptError(`The file of this memory cannot be read: ${reason}.`, { context: { path } });
}

/** Retries with a new id while the id is taken: another process may use it in the same millisecond. */
export async function createUnderFreeId<Value>(create: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await create();
    } catch (error) {
      if (!(error instanceof AlreadyExistsError) || attempt === 50) throw error;
    }
  }
}

/**
 * The version of a record after an edit. Throws `StaleVersionError`, with the current record and the edit, if the edit
 * names another version than the current one.
 */
export function nextVersion(
  subject: "memory" | "task" | "schedule",
  current: { version?: number | undefined },
  { version, ...yours }: { version?: number | undefined },
): number {
  const { version: currentVersion = 1 } = current;
  if (version !== undefined && version !== currentVersion)
    throw new StaleVersionError(
      `The ${subject} is at version ${currentVersion}; this change is based on version ${version}.`,
      {
        suggestions: ["Review the changes, then save again from the current version."],
        context: { currentVersion, current, yours },
      },
    );
  return currentVersion + 1;
}
