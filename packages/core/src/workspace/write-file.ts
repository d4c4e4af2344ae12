import { constants } from "node:fs";
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { AlreadyExistsError } from "../errors/request-errors.ts";
import { type Folder, temporaryName } from "./folder.ts";

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export const alreadyExists = (label: string): AlreadyExistsError =>
  new AlreadyExistsError(`${label} already exists.`, { context: { path: label } });

/** Reserves a name with an empty file. Throws `AlreadyExistsError` if the name is taken. */
export async function reserveFile(folder: Folder, name: string): Promise<void> {
  try {
    const handle = await open(folder.at(name), NEW_FILE);
    await handle.close();
  } catch (error) {
    if (systemCode(error) === "EEXIST") throw alreadyExists(`${folder.label}/${name}`);
    throw error;
  }
}

/** Names a finished file atomically. Throws `AlreadyExistsError` if the name is taken. */
async function nameExclusively(folder: Folder, temporary: string, name: string): Promise<void> {
  try {
    await link(folder.at(temporary), folder.at(name));
    await rm(folder.at(temporary));
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST") throw alreadyExists(`${folder.label}/${name}`);
    // Some file systems have no hard links (exFAT, network shares).
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code ?? "")) throw error;
    await reserveFile(folder, name);
    await rename(folder.at(temporary), folder.at(name));
  }
}

/** Sets the mode only if it differs, because some file systems do not support permissions. */
async function keepMode(handle: FileHandle, mode: number | undefined): Promise<void> {
  if (mode === undefined || ((await handle.stat()).mode & 0o777) === (mode & 0o777)) return;
  await handle.chmod(mode & 0o777);
}

export interface WriteFileOptions {
  /** `absent`: throws `AlreadyExistsError` if the name is taken when the file is named. */
  expect: "absent" | "any";
  /** Permission bits of the file to replace. */
  mode?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Called after the flush, just before the file is named. */
  beforeNaming?: () => Promise<void>;
}

/**
 * Writes a file atomically and durably: writes a temporary file, flushes it, renames it and flushes the folder. Readers
 * see either the old or the new content, also after a crash.
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
    // The next start deletes the temporary file if this fails; the original error matters more.
    await rm(folder.at(temporary), { force: true }).catch(() => undefined);
    throw fromNodeError(error, label);
  }
}
