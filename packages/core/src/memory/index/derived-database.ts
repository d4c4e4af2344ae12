import { existsSync, rmSync, statSync } from "node:fs";
import { StorageCorruptError, StorageNewerError } from "../../errors/storage-errors.ts";

/**
 * Opens a database that holds nothing which is not in files. One that cannot be read, or was written by a later version,
 * is deleted and made anew; `isNew` says that everything has to be read.
 */
export function openDerived<Tables>(path: string, open: () => Tables): { tables: Tables; isNew: boolean } {
  const existed = existsSync(path);
  // Without its main file a write-ahead log is a leftover, and must not be taken for part of the next one.
  if (!existed) removeDatabase(path);
  try {
    return { tables: open(), isNew: !existed };
  } catch (error) {
    if (!(error instanceof StorageCorruptError) && !(error instanceof StorageNewerError)) throw error;
    removeDatabase(path);
    return { tables: open(), isNew: true };
  }
}

export function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

/** Tells an open file from one that took its place. */
export function identityOf(path: string): string {
  const state = statSync(path, { bigint: true, throwIfNoEntry: false });
  return state === undefined ? "absent" : `${state.dev}:${state.ino}`;
}
