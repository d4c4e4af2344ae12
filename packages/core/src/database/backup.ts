import BetterSqlite3 from "better-sqlite3";
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import type { DatabaseBackup } from "../contract/state-database.ts";
import { fromNodeError } from "../errors/node-error.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { StorageCorruptError } from "../errors/storage-errors.ts";
import { isIntact } from "./check-file.ts";

/** The number of backups to keep. */
const MAX_BACKUPS = 5;
const DAY_MS = 86_400_000;

/**
 * Copies the database to `<path>.backup-v<version>` before a migration, and returns that path. Writes a temporary file and
 * renames it once it is complete and flushed. Reads the version from the copy, because another process may migrate in
 * between.
 */
export function backUpBeforeMigration(connection: BetterSqlite3.Database, path: string): string {
  removeAbandoned(path);
  const unfinished = `${path}.backup-${process.pid}.tmp`;
  createPrivate(unfinished);
  try {
    connection.prepare("VACUUM INTO ?").run(unfinished);
    const copy = new BetterSqlite3(unfinished, { readonly: true });
    const version = Number(copy.pragma("user_version", { simple: true }));
    copy.close();
    return publishBackup(path, unfinished, `${path}.backup-v${version}`);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** The complete copies of the database at `path`, newest first. */
export function listBackups(path: string): DatabaseBackup[] {
  const folder = dirname(path);
  const prefix = `${basename(path)}.backup-`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && /^(?:v\d+|\d{8}T\d{9}Z)$/u.test(name.slice(prefix.length)))
    .map((name) => ({ name, state: statSync(join(folder, name)) }))
    .toSorted((a, b) => b.state.mtimeMs - a.state.mtimeMs || (a.name < b.name ? 1 : -1))
    .map(({ name, state }) => ({ name, madeAt: state.mtime.toISOString(), bytes: state.size }));
}

/**
 * Copies the database to `<path>.backup-<time>` in a worker thread if the newest backup is at least a day old, and keeps
 * the last five. Returns the path, or undefined if no backup is due. Throws if the database or the copy is damaged, and
 * keeps older backups then.
 */
export async function backUpIfDue(path: string, now: Date): Promise<string | undefined> {
  const newest = listBackups(path)[0];
  // A clock that was set back also makes a backup due.
  if (newest && Math.abs(now.getTime() - Date.parse(newest.madeAt)) < DAY_MS) return undefined;
  removeAbandoned(path);
  const unfinished = `${path}.backup-${process.pid}.tmp`;
  createPrivate(unfinished);
  try {
    const worker = new Worker(new URL("./backup.worker.ts", import.meta.url), {
      name: "backup",
      workerData: { source: path, copy: unfinished },
    });
    await new Promise<void>((resolve, reject) => {
      worker.once("error", reject);
      worker.once("exit", () => resolve());
    });
    utimesSync(unfinished, now, now);
    return publishBackup(path, unfinished, `${path}.backup-${now.toISOString().replaceAll(/[-:.]/gu, "")}`);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/**
 * Replaces an unusable database by a backup and keeps the unusable file. No process may have the database open. Throws
 * `NotFoundError` if there is no such backup and `StorageCorruptError` if the backup is damaged; changes nothing then.
 */
export function restoreBackup(path: string, name: string | undefined): { restored: string; kept?: string } {
  const backups = listBackups(path);
  const selected = name === undefined ? backups[0] : backups.find((backup) => backup.name === name);
  if (!selected)
    throw new NotFoundError(
      name === undefined ? "There is no backup to restore." : `There is no backup named ${name}.`,
      { suggestions: backups.map((backup) => backup.name) },
    );
  const source = join(dirname(path), selected.name);
  if (!isIntact(source))
    throw new StorageCorruptError(`The backup ${selected.name} is damaged and was not restored.`, {
      suggestions: backups.filter((backup) => backup !== selected).map((backup) => backup.name),
    });
  const unfinished = `${path}.restoring.tmp`;
  try {
    copyFileSync(source, unfinished);
    flush(unfinished);
    const corruptCopy = moveCorruptFile(path);
    renameSync(unfinished, path);
    flushFolderOf(path);
    return { restored: selected.name, ...(corruptCopy !== undefined && { kept: corruptCopy }) };
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw fromNodeError(error, "the backup");
  }
}

/** Renames a database and its log to `<path>.corrupt-<time>`. Returns the new name, or undefined if there is no file. */
export function moveCorruptFile(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const corruptCopy = `${path}.corrupt-${new Date().toISOString().replaceAll(/[-:.]/gu, "")}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, corruptCopy + suffix);
  }
  return basename(corruptCopy);
}

/** Creates an empty file that only its owner can read; SQLite writes the copy into it. */
function createPrivate(path: string): void {
  rmSync(path, { force: true });
  closeSync(openSync(path, "wx", 0o600));
}

/** Renames a complete copy to its final name and deletes all but the last five backups. */
function publishBackup(path: string, unfinished: string, finished: string): string {
  flush(unfinished);
  renameSync(unfinished, finished);
  flushFolderOf(path);
  for (const { name } of listBackups(path).slice(MAX_BACKUPS))
    rmSync(join(dirname(path), name), { force: true });
  return finished;
}

function flushFolderOf(path: string): void {
  // Windows cannot open a folder to flush it; its file system journals names.
  if (process.platform !== "win32") flush(dirname(path));
}

/** Deletes incomplete copies of processes that no longer exist. */
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
    // EPERM: the process exists under another user.
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

const FIRST_AFTER_MS = 60_000;
const CHECK_EVERY_MS = 3_600_000;

/** Makes a backup each day while the process runs, the first a minute after its start. `close` waits for a running backup. */
export function scheduleBackups(
  path: string,
  { clock, onWarning }: { clock: () => Date; onWarning: (message: string, cause: unknown) => void },
): { close(): Promise<void> } {
  let working: Promise<unknown> = Promise.resolve();
  const runBackup = (): void => {
    working = backUpIfDue(path, clock()).catch((error: unknown) =>
      onWarning(`no backup of ${basename(path)} could be made`, error),
    );
  };
  const first = setTimeout(runBackup, FIRST_AFTER_MS).unref();
  const hourly = setInterval(runBackup, CHECK_EVERY_MS).unref();
  return {
    async close() {
      clearTimeout(first);
      clearInterval(hourly);
      await working;
    },
  };
}
