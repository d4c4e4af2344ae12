import { randomBytes } from "node:crypto";
import { closeSync, fsync, linkSync, openSync, renameSync, rmSync, writeFile, writeFileSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { AlreadyExistsError } from "../errors/request-errors.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { processExists } from "../database/local-process.ts";

const TEMPORARY = /^\.(\d+)-[0-9a-f]{16}\.tmp$/;

/** A new path for a temporary file of this process, which `removeAbandoned` removes when the process was killed. */
export function temporaryPath(folder: string): string {
  return join(folder, `.${process.pid}-${randomBytes(8).toString("hex")}.tmp`);
}

/** Whether a name is the temporary file of a process that no longer exists. */
export function isAbandoned(name: string): boolean {
  const pid = TEMPORARY.exec(name)?.[1];
  return pid !== undefined && !processExists(Number(pid));
}

/** Removes temporary files of killed processes from a folder, without its subfolders. Ignores a missing folder. */
export async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return [];
    throw fromNodeError(error, "the folder of the memories");
  });
  for (const name of names.filter(isAbandoned)) await rm(join(folder, name), { force: true });
}

/**
 * Creates a file atomically and durably: writes a temporary file, flushes it, links it to its name and flushes the
 * folder. Throws `AlreadyExistsError` if the name is taken. `subject` names the file in error messages. `onNamed` runs while the
 * folder is flushed: the file has its name and its final stamp, but may be lost in a power failure.
 */
export async function createFile(
  path: string,
  text: string | Uint8Array,
  subject: string,
  { onNamed, mode }: { onNamed?: () => Promise<void>; mode?: number } = {},
): Promise<void> {
  const publish = (temporary: string): void => {
    try {
      linkSync(temporary, path);
    } catch (error) {
      if (systemCode(error) === "EEXIST")
        throw new AlreadyExistsError(`${subject} already exists.`, { cause: error });
      // Some file systems have no hard links (exFAT, network shares): reserve the name, then replace the reservation.
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(systemCode(error) ?? "")) throw error;
      closeSync(openSync(path, "wx"));
      renameSync(temporary, path);
      return;
    }
    rmSync(temporary);
  };
  await writeTemporary(path, { text, subject, publish, onNamed, mode });
}

/** Replaces a file atomically and durably. `mode` holds from its first byte on; without it, the process decides. */
export async function replaceFile(
  path: string,
  text: string | Uint8Array,
  subject: string,
  { mode }: { mode?: number } = {},
): Promise<void> {
  await writeTemporary(path, { text, subject, mode, publish: (temporary) => renameSync(temporary, path) });
}

/** Moves a file atomically and durably. Creates the target folder and replaces an existing file. */
export async function moveFile(from: string, to: string, subject: string): Promise<void> {
  try {
    await makeFolder(dirname(to), subject);
    await rename(from, to);
    await flushFolder(dirname(to));
    await flushFolder(dirname(from));
  } catch (error) {
    throw fromNodeError(error, subject);
  }
}

/** Deletes a file durably. Ignores a missing file. */
export async function removeFile(path: string, subject: string): Promise<void> {
  try {
    await rm(path, { force: true });
    await flushFolder(dirname(path));
  } catch (error) {
    throw fromNodeError(error, subject);
  }
}

/** Creates a folder and its parents durably. */
export async function makeFolder(folder: string, subject: string): Promise<void> {
  try {
    const first = await mkdir(folder, { recursive: true });
    if (first === undefined) return;
    for (let made = folder; made !== dirname(first); made = dirname(made)) await flushFolder(dirname(made));
  } catch (error) {
    throw fromNodeError(error, subject);
  }
}

/** Flushes a folder, which makes created, renamed and removed names durable. */
export async function flushFolder(folder: string): Promise<void> {
  // Windows cannot open a folder to flush it; its file system journals names.
  if (process.platform === "win32") return;
  const file = openSync(folder, "r");
  try {
    await flush(file);
  } finally {
    closeSync(file);
  }
}

const flush = promisify(fsync);
const write = promisify(writeFile);
/** From this length on, writing is not worth waiting for on the main thread. */
const LONG = 64 * 1_024;

interface TemporaryFile {
  text: string | Uint8Array;
  subject: string;
  /** Gives the temporary file its name. */
  publish: (temporary: string) => void;
  onNamed?: (() => Promise<void>) | undefined;
  mode?: number | undefined;
}

/**
 * Only flushing is awaited. The other calls take microseconds, while each call that is awaited takes a turn of the event
 * loop, which is some milliseconds while many searches run.
 */
async function writeTemporary(
  path: string,
  { text, subject, publish, onNamed, mode }: TemporaryFile,
): Promise<void> {
  const folder = dirname(path);
  const temporary = temporaryPath(folder);
  try {
    const file = await openNew(temporary, subject, mode);
    try {
      if (text.length < LONG) writeFileSync(file, text);
      else await write(file, text);
      await flush(file);
    } finally {
      closeSync(file);
    }
    publish(temporary);
    await Promise.all([onNamed?.(), flushFolder(folder)]);
  } catch (error) {
    // A later reconciliation removes the temporary file if this fails; the original error matters more.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw fromNodeError(error, subject);
  }
}

/** Opens a new file for writing; creates its folder if missing. */
async function openNew(path: string, subject: string, mode?: number): Promise<number> {
  try {
    return openSync(path, "wx", mode);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    await makeFolder(dirname(path), subject);
    return openSync(path, "wx", mode);
  }
}
