import { constants } from "node:fs";
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { AlreadyExistsError } from "../errors/request-errors.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import type { Folder } from "./folder.ts";
import { temporaryName } from "./temporary-files.ts";

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export const occupied = (label: string): AlreadyExistsError =>
  new AlreadyExistsError(`${label} already exists.`, { context: { path: label } });

/** Reserves a name with an empty file; throws `AlreadyExistsError` when it is taken. */
export async function reserveFile(folder: Folder, name: string): Promise<void> {
  try {
    const handle = await open(folder.at(name), NEW_FILE);
    await handle.close();
  } catch (error) {
    if (systemCode(error) === "EEXIST") throw occupied(`${folder.label}/${name}`);
    throw error;
  }
}

/** Gives a finished file its name, unless the name is taken: decided by the system in one act. */
async function nameExclusively(folder: Folder, temporary: string, name: string): Promise<void> {
  try {
    await link(folder.at(temporary), folder.at(name));
    await rm(folder.at(temporary));
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST") throw occupied(`${folder.label}/${name}`);
    // Some file systems have no hard links (exFAT, network shares).
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code ?? "")) throw error;
    await reserveFile(folder, name);
    await rename(folder.at(temporary), folder.at(name));
  }
}

/** Only where it differs: file systems without permissions refuse to set any. */
async function keepMode(handle: FileHandle, mode: number | undefined): Promise<void> {
  if (mode === undefined || ((await handle.stat()).mode & 0o777) === (mode & 0o777)) return;
  await handle.chmod(mode & 0o777);
}

export interface WriteFileOptions {
  /** `absent`: fails with `AlreadyExistsError` when anything is there at the moment of naming. */
  expect: "absent" | "any";
  /** Permission bits to carry over from the file that is replaced. */
  mode?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Called when all is written and flushed, just before it gets its name. */
  beforeNaming?: () => Promise<void>;
}

/**
 * Writes a whole file so that a reader, or the next start after a crash, finds all of it or what was there before:
 * to a temporary name, flushed, then named, the folder flushed.
 */
export async function writeFile(
  folder: Folder,
  name: string,
  fill: (handle: FileHandle) => Promise<unknown>,
  options: WriteFileOptions,
): Promise<void> {
  const label = `${folder.label}/${name}`;
  const temporary = temporaryName();
  let handle: FileHandle;
  try {
    await folder.verify();
    handle = await open(folder.at(temporary), NEW_FILE);
  } catch (error) {
    throw fromNodeError(error, label);
  }
  try {
    try {
      await keepMode(handle, options.mode);
      await fill(handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    options.signal?.throwIfAborted();
    await options.beforeNaming?.();
    await folder.verify();
    if (options.expect === "absent") await nameExclusively(folder, temporary, name);
    else await rename(folder.at(temporary), folder.at(name));
    await folder.flush();
  } catch (error) {
    // A temporary file that cannot be removed now goes at the next start; the reason for the failure comes first.
    await rm(folder.at(temporary), { force: true }).catch(() => undefined);
    throw fromNodeError(error, label);
  }
}
