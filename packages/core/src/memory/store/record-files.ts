import { randomInt } from "node:crypto";
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, posix, relative, sep } from "node:path";
import { MemoryRecord, type MemoryType } from "../../contract/memory.ts";
import { plainIssue, plainReason } from "../../contract/plain-issue.ts";
import { fromNodeError, systemCode } from "../../errors/node-error.ts";
import { AlreadyExistsError, InvalidArgsError, StaleVersionError } from "../../errors/request-errors.ts";
import { StorageCorruptError } from "../../errors/storage-errors.ts";
import { createFile, replaceFile } from "../../files/durable-file.ts";
import { fileText, hashOf, parseFile } from "../../files/file-content.ts";
import type { ProfilePaths } from "../../paths/profile-paths.ts";

/** The folder of each memory type, relative to the memory folder, with `/`. */
export type RecordFolders = Readonly<Record<MemoryType, string>>;

export function recordFolders(memory: ProfilePaths["memory"]): RecordFolders {
  const relativePath = (folder: string): string => relative(memory.root, folder).split(sep).join(posix.sep);
  return {
    conversation: relativePath(memory.episodic),
    observation: relativePath(memory.episodic),
    tool_invocation: relativePath(memory.episodic),
    action: relativePath(memory.actions),
    inner_dialogue: relativePath(memory.reflections),
    reflection: relativePath(memory.reflections),
    dream: relativePath(memory.dreams),
    audio: relativePath(memory.audio),
    curiosity_question: relativePath(memory.curiosity),
    function_usage: relativePath(memory.functionUsage),
    curated: relativePath(memory.curated),
    pattern: relativePath(memory.patterns),
  };
}

/** The record folders that are not inside another one. */
export function topFolders(folders: RecordFolders): string[] {
  const all = [...new Set(Object.values(folders))];
  return all.filter((folder) => !all.some((other) => folder.startsWith(`${other}/`)));
}

/** The path of a new record. A record that was moved by hand keeps its path. */
export function recordPath(folders: RecordFolders, record: Pick<MemoryRecord, "id" | "type">): string {
  return `${folders[record.type]}/${yearOf(record.id)}/${record.id}.json`;
}

/** Every default path of a record with this id. */
export function possiblePaths(folders: RecordFolders, id: string): string[] {
  return [...new Set(Object.values(folders))].map((folder) => `${folder}/${yearOf(id)}/${id}.json`);
}

function yearOf(id: string): string {
  return id.slice("evt-".length, "evt-".length + 4);
}

/** Generates ids that sort by time: `<prefix>-20251114T093012123Z-<slug>`. */
export interface RecordIds {
  /**
   * A new id. Ids increase strictly within this process, even if the clock is set back. Another process may generate the
   * same id; exclusive file creation detects that.
   */
  next(slug: string): string;
}

export function createRecordIds(prefix: "evt" | "task", clock: () => Date): RecordIds {
  let last = 0;
  return {
    next(slug) {
      last = Math.max(clock().getTime(), last + 1);
      return `${prefix}-${new Date(last).toISOString().replaceAll(/[-:.]/g, "")}-${slug}`;
    },
  };
}

/** Four random characters that make an id unique without exclusive file creation. */
export function randomSuffix(): string {
  return randomInt(36 ** 4)
    .toString(36)
    .padStart(4, "0");
}

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
export function parseAsStored(record: MemoryRecord): MemoryRecord {
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
      await createFile(join(root, filed.path), text, "the memory", {
        onNamed: () => onNamed?.(filed) ?? Promise.resolve(),
      });
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
