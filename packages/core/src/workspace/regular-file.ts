import { constants, type Stats } from "node:fs";
import { type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { FileNotFoundError } from "../errors/not-found-errors.ts";
import { AlreadyExistsError, InvalidArgsError, PathOutsideWorkspaceError } from "../errors/request-errors.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { PermissionDeniedError } from "../errors/access-errors.ts";
import { type Folder, linkError, pathChanged, statEntry, temporaryName } from "./folder.ts";

/** The number of checks for a second hard link: an exclusive write has one for an instant. */
const LINK_CHECKS = 5;
const LINK_CHECK_MS = 10;

const hardLinked = (label: string): PathOutsideWorkspaceError =>
  new PathOutsideWorkspaceError(
    `${label} has a second name (a hard link), which may lie outside the workspace.`,
    {
      suggestions: ["Replace it with a copy."],
      context: { path: label },
    },
  );

const special = (label: string): PathOutsideWorkspaceError =>
  new PathOutsideWorkspaceError(`${label} is a device, pipe or socket, not a file.`, {
    context: { path: label },
  });

export const isFolderError = (label: string): InvalidArgsError =>
  new InvalidArgsError(`${label} is a folder, not a file.`, { context: { path: label } });

export const fileNotFound = (label: string): FileNotFoundError =>
  new FileNotFoundError(`There is nothing at ${label}.`, { context: { path: label } });

/** Throws unless `stats` describe a regular file with a single name. */
function assertPlainFile(stats: Stats, label: string): void {
  if (stats.isSymbolicLink()) throw linkError(label);
  if (stats.isDirectory()) throw isFolderError(label);
  if (!stats.isFile()) throw special(label);
  if (stats.nlink > 1) throw hardLinked(label);
}

/** Throws for entries that must not be replaced: folders and read-only files. */
export function assertReplaceable(stats: Stats, label: string): void {
  if (stats.isDirectory()) throw isFolderError(label);
  if ((stats.mode & 0o222) === 0)
    throw new PermissionDeniedError(`${label} is marked read-only.`, { context: { path: label } });
}

async function statsAfterLinking(stat: () => Promise<Stats>): Promise<Stats> {
  let stats = await stat();
  for (let check = 1; check < LINK_CHECKS && stats.isFile() && stats.nlink > 1; check += 1) {
    await wait(LINK_CHECK_MS);
    stats = await stat();
  }
  return stats;
}

/**
 * The stats of a regular file or folder; undefined if the entry does not exist. Throws `PathOutsideWorkspaceError` for
 * links, devices and files with several hard links, whose other name may be outside the workspace.
 */
export async function statSafely(folder: Folder, name: string): Promise<Stats | undefined> {
  const first = await statEntry(folder, name);
  if (!first) return undefined;
  const stats =
    first.nlink > 1 && first.isFile()
      ? await statsAfterLinking(async () => (await statEntry(folder, name)) ?? first)
      : first;
  if (!stats.isDirectory()) assertPlainFile(stats, `${folder.label}/${name}`);
  return stats;
}

// NONBLOCK: opening a pipe must not block.
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The number of attempts to open a file that is being replaced. */
const MAX_OPEN_ATTEMPTS = 10;

async function openEntry(folder: Folder, name: string): Promise<FileHandle> {
  const label = `${folder.label}/${name}`;
  try {
    return await open(folder.at(name), READ_FLAGS);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ELOOP") throw linkError(label);
    if (code === "ENOENT") throw fileNotFound(label);
    // A socket cannot be opened.
    if (code === "ENXIO" || code === "ENODEV") throw special(label);
    throw fromNodeError(error, label);
  }
}

/** Whether the open file is still at its path. Always true with the `handle` anchor. */
async function isAtPath(folder: Folder, name: string, stats: Stats): Promise<boolean> {
  if (folder.anchor === "handle") return true;
  await folder.verify();
  const found = await statEntry(folder, name);
  return found?.ino === stats.ino && found.dev === stats.dev;
}

/** Opens a regular file for `use`, checked on its open handle, and closes it afterwards. */
export async function withOpenFile<Result>(
  folder: Folder,
  name: string,
  use: (handle: FileHandle, stats: Stats) => Promise<Result>,
): Promise<Result> {
  const label = `${folder.label}/${name}`;
  for (let opening = 1; opening <= MAX_OPEN_ATTEMPTS; opening += 1) {
    const handle = await openEntry(folder, name);
    try {
      const stats = await statsAfterLinking(() => handle.stat());
      assertPlainFile(stats, label);
      if (await isAtPath(folder, name, stats)) return await use(handle, stats);
    } catch (error) {
      throw fromNodeError(error, label);
    } finally {
      await handle.close();
    }
  }
  throw pathChanged(label);
}

/** Reads up to `length` bytes from byte `from`. */
export async function readBytes(
  handle: FileHandle,
  { from, length, signal }: { from: number; length: number; signal: AbortSignal | undefined },
): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    signal?.throwIfAborted();
    const { bytesRead } = await handle.read(bytes, filled, length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

const CHUNK = 1 << 20;

/** Copies up to `size` bytes from the start. `last` is the last copied byte. */
export async function copyBytes(
  from: FileHandle,
  to: FileHandle,
  size: number,
  signal: AbortSignal | undefined,
): Promise<{ copied: number; last: number | undefined }> {
  const buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, size)));
  let copied = 0;
  let last: number | undefined;
  while (copied < size) {
    signal?.throwIfAborted();
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, size - copied), copied);
    if (bytesRead === 0) break;
    for (let written = 0; written < bytesRead;) {
      written += (await to.write(buffer, written, bytesRead - written)).bytesWritten;
    }
    last = buffer[bytesRead - 1];
    copied += bytesRead;
  }
  return { copied, last };
}

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

interface WriteFileOptions {
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
