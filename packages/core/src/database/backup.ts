import BetterSqlite3 from "better-sqlite3";
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Copies the whole database to `<path>.backup-v<version>` before its schema changes, and returns that path. The copy is
 * made beside its final name and renamed when it is complete and flushed. The version in the name is read from the copy:
 * another process may have migrated in between.
 */
export function backUp(connection: BetterSqlite3.Database, path: string): string {
  removeAbandoned(path);
  const unfinished = `${path}.backup-${process.pid}.tmp`;
  rmSync(unfinished, { force: true });
  try {
    connection.prepare("VACUUM INTO ?").run(unfinished);
    const copy = new BetterSqlite3(unfinished, { readonly: true });
    const version = Number(copy.pragma("user_version", { simple: true }));
    copy.close();
    const finished = `${path}.backup-v${version}`;
    flush(unfinished);
    renameSync(unfinished, finished);
    // Windows cannot open a folder to flush it; its file system journals names by itself.
    if (process.platform !== "win32") flush(dirname(path));
    return finished;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Removes copies left by processes that died while they made them. */
function removeAbandoned(path: string): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}.backup-`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith(".tmp")) continue;
    const pid = Number(name.slice(prefix.length, -".tmp".length));
    if (Number.isInteger(pid) && pid !== process.pid && !isAlive(pid))
      rmSync(join(folder, name), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives, but belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Flushes a file, or the names in a folder, to disk. */
function flush(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
