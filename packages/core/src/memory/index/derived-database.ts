import { existsSync, rmSync, statSync } from "node:fs";
import { StorageCorruptError, StorageNewerError } from "../../errors/storage-errors.ts";

/**
 * Opens a database that can be rebuilt from files. Deletes and recreates one that is damaged or was written by a later
 * version; with `isNew`, the caller must read every file.
 */
export function openDerivedDatabase<Tables>(
  path: string,
  open: () => Tables,
): { tables: Tables; isNew: boolean } {
  const existed = existsSync(path);
  // A write-ahead log without its database is stale; SQLite must not apply it to the new database.
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

/** Identifies a file by device and inode, to detect that it was replaced. */
export function fileIdentity(path: string): string {
  const state = statSync(path, { bigint: true, throwIfNoEntry: false });
  return state === undefined ? "absent" : `${state.dev}:${state.ino}`;
}
