import { join } from "node:path";
import type { ArchiveEntry } from "../../contract/http.ts";
import { FunctionProposal, FunctionVersion } from "../../contract/function.ts";
import { type FileLock, openFileLock } from "../../database/file-lock.ts";
import { makeFolder } from "../../files/durable-file.ts";
import { parseFile } from "../../files/file-content.ts";
import { createRecordArchive } from "../../memory/store/record-archive.ts";
import type { ArchiveMetadata } from "../../memory/store/record-storage.ts";
import type { ProfilePaths } from "../../paths/profile-paths.ts";
import type { LocatedFunction } from "../index/protocol.ts";
import { createFunctionFiles, type FunctionFiles, functionPath } from "./function-files.ts";
import { openRecordFolder, type RecordFolder } from "./record-folder.ts";
import { FunctionFile, type StoredFunction } from "./stored-function.ts";

/** The archive of deleted functions. */
export interface FunctionArchive {
  put(filed: LocatedFunction, note: ArchiveMetadata): Promise<ArchiveEntry>;
  /** Newest first. */
  list(): Promise<ArchiveEntry[]>;
  /** The archived function, or why it cannot be read. Throws `NotFoundError`. */
  read(archiveId: string): Promise<{ value: StoredFunction } | { reason: string }>;
  /** Moves a function out of the archive; returns its path. Throws `AlreadyExistsError` if another one has its id. */
  restore(archiveId: string, stored: StoredFunction): Promise<string>;
  /** Deletes an archived function permanently. */
  purge(archiveId: string): Promise<void>;
}

/** The storage of functions. The index is built from its files. */
export interface FunctionStorage {
  files: FunctionFiles;
  /** Every version of a function, by its number. */
  history: RecordFolder<FunctionVersion>;
  /** The proposals of a function, by their ids. */
  proposals: RecordFolder<FunctionProposal>;
  archive: FunctionArchive;
  /**
   * A lock across processes, held while functions are written. Its holder finds the functions of other processes in the
   * index.
   */
  lock: Pick<FileLock, "hold">;
  /**
   * Resolves when the index contains what other processes stored before the call, as far as the storage has seen it.
   */
  load(): Promise<void>;
  /** Whether there is certainly no function, once `load` has resolved. Files may be added at any time. */
  isEmpty(): Promise<boolean>;
  /**
   * Like `load`, but waits only briefly for the first load. Until it completes, searches find only the newest
   * functions.
   */
  catchUp(): Promise<void>;
  /** Indexes what others store until it is closed. */
  follow(): { close(): void };
  /** Call it only when no call is pending. */
  close(): Promise<void>;
}

/** The dependencies of a storage of functions. */
export interface FunctionStoragePlace {
  /** The folder from whose files the index is built. */
  root: string;
  /** Absolute path of the index, which a storage may delete before the first call. */
  database: string;
  /** Reads these files again, present or deleted. */
  reindex(paths: readonly string[]): Promise<void>;
  onWarning: (message: string, cause?: unknown) => void;
}

/** Opens the functions of a profile as JSON files, with their history, proposals and archive. */
export async function openFunctionFiles({
  root,
  archiveRoot,
  clock,
  onWarning,
}: FunctionStoragePlace & {
  /** The folder of the archives of all kinds. */
  archiveRoot: ProfilePaths["memory"]["archive"]["root"];
  clock: () => Date;
}): Promise<FunctionStorage> {
  await makeFolder(root, "the folder of the functions");
  const onUnreadable = (path: string, reason: string): void =>
    onWarning(`${path} cannot be read and was skipped: ${reason}.`);
  const archive = createRecordArchive({ folder: join(archiveRoot, "functions"), kind: "function", clock });
  const lock = openFileLock(join(root, ".lock"), "the functions");
  return {
    files: createFunctionFiles(root),
    history: openRecordFolder({
      root: join(root, "history"),
      schema: FunctionVersion,
      subject: "the history of the function",
      onUnreadable,
    }),
    proposals: openRecordFolder({
      root: join(root, "proposals"),
      schema: FunctionProposal,
      subject: "the proposal",
      onUnreadable,
    }),
    archive: {
      put: ({ function: { id }, path }, note) => archive.put(join(root, path), { id, ...note }),
      list: () => archive.list(),
      async read(archiveId) {
        return parseFile(FunctionFile, await archive.read(archiveId));
      },
      async restore(archiveId, stored) {
        const path = functionPath(stored);
        await archive.restoreTo(archiveId, join(root, path));
        return path;
      },
      purge: (archiveId) => archive.purge(archiveId),
    },
    lock,
    // The index compares a file with its indexed state when it reads it.
    load: async () => undefined,
    isEmpty: async () => false,
    catchUp: async () => undefined,
    follow: () => ({ close: () => undefined }),
    close: async () => lock.close(),
  };
}
