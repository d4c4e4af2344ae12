import { randomBytes } from "node:crypto";
import { link, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AlreadyExistsError } from "../../errors/request-errors.ts";
import { fromNodeError, systemCode } from "../../errors/node-error.ts";
import { processExists } from "../../database/local-process.ts";

const TEMPORARY = /^\.(\d+)-[0-9a-f]{16}\.tmp$/;

/** Whether this is what a process that is gone left of a file it was writing. */
export function isAbandoned(name: string): boolean {
  const pid = TEMPORARY.exec(name)?.[1];
  return pid !== undefined && !processExists(Number(pid));
}

/** Removes what killed processes left in a folder, not in those inside it; one that is not there has none. */
export async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return [];
    throw fromNodeError(error, "the folder of the memories");
  });
  for (const name of names.filter(isAbandoned)) await rm(join(folder, name), { force: true });
}

/**
 * Writes a new file, whole or not at all: to a temporary name, flushed, then named in one act, its folder flushed. On
 * return it survives a loss of power. Throws `AlreadyExistsError` when the name is taken; `subject` is what people know
 * the thing by, for all other errors.
 */
export async function createFile(path: string, text: string | Uint8Array, subject: string): Promise<void> {
  await writeThen(path, text, subject, async (temporary) => {
    try {
      await link(temporary, path);
    } catch (error) {
      if (systemCode(error) === "EEXIST")
        throw new AlreadyExistsError(`${subject} already exists.`, { cause: error });
      // Some file systems have no hard links (exFAT, network shares): reserve the name, then replace the reservation.
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(systemCode(error) ?? "")) throw error;
      await (await open(path, "wx")).close();
      await rename(temporary, path);
      return;
    }
    await rm(temporary);
  });
}

/** Writes a file over the one of that name, whole or not at all; durable on return. */
export async function replaceFile(path: string, text: string | Uint8Array, subject: string): Promise<void> {
  await writeThen(path, text, subject, (temporary) => rename(temporary, path));
}

/** Moves a file in one act, both folders flushed; the folder it goes to is made. Replaces what is there. */
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

/** Removes a file for good, its folder flushed; one that is not there is no error. */
export async function removeFile(path: string, subject: string): Promise<void> {
  try {
    await rm(path, { force: true });
    await flushFolder(dirname(path));
  } catch (error) {
    throw fromNodeError(error, subject);
  }
}

/** Makes a folder and those above it, flushed into what holds them. */
export async function makeFolder(folder: string, subject: string): Promise<void> {
  try {
    const first = await mkdir(folder, { recursive: true });
    if (first === undefined) return;
    for (let made = folder; made !== dirname(first); made = dirname(made)) await flushFolder(dirname(made));
  } catch (error) {
    throw fromNodeError(error, subject);
  }
}

/** Makes new, renamed and removed names in a folder durable. */
export async function flushFolder(folder: string): Promise<void> {
  // Windows cannot open a folder to flush it; its file system journals names by itself.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeThen(
  path: string,
  text: string | Uint8Array,
  subject: string,
  name: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = join(dirname(path), `.${process.pid}-${randomBytes(8).toString("hex")}.tmp`);
  try {
    await makeFolder(dirname(path), subject);
    const handle = await open(temporary, "wx");
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await name(temporary);
    await flushFolder(dirname(path));
  } catch (error) {
    // One that cannot be removed now goes at a later reconciliation; the reason for the failure comes first.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw fromNodeError(error, subject);
  }
}
