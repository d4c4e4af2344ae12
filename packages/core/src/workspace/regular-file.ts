import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { FileNotFoundError } from "../errors/not-found-errors.ts";
import { InvalidArgsError, PathOutsideWorkspaceError } from "../errors/request-errors.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { PermissionDeniedError } from "../errors/access-errors.ts";
import { type Folder, linked, lookAt, movedAway } from "./folder.ts";

/** How often a second name is looked at again before it counts: an exclusive write has one for an instant. */
const LINK_CHECKS = 5;
const LINK_CHECK_MS = 10;

const shared = (label: string): PathOutsideWorkspaceError =>
  new PathOutsideWorkspaceError(
    `${label} has a second name (a hard link), which may lie outside the workspace.`,
    {
      suggestions: ["Replace it by a copy of its own."],
      context: { path: label },
    },
  );

const special = (label: string): PathOutsideWorkspaceError =>
  new PathOutsideWorkspaceError(`${label} is a device, pipe or socket, not a file.`, {
    context: { path: label },
  });

export const isFolder = (label: string): InvalidArgsError =>
  new InvalidArgsError(`${label} is a folder, not a file.`, { context: { path: label } });

export const notThere = (label: string): FileNotFoundError =>
  new FileNotFoundError(`There is nothing at ${label}.`, { context: { path: label } });

/** Throws unless `stats` are those of a file that is nowhere but here. */
function assertPlainFile(stats: Stats, label: string): void {
  if (stats.isSymbolicLink()) throw linked(label);
  if (stats.isDirectory()) throw isFolder(label);
  if (!stats.isFile()) throw special(label);
  if (stats.nlink > 1) throw shared(label);
}

/** Throws unless a file may be replaced by another: folders never, and files marked read-only keep their word. */
export function assertReplaceable(stats: Stats, label: string): void {
  if (stats.isDirectory()) throw isFolder(label);
  if ((stats.mode & 0o222) === 0)
    throw new PermissionDeniedError(`${label} is marked read-only.`, { context: { path: label } });
}

async function settledStats(look: () => Promise<Stats>): Promise<Stats> {
  let stats = await look();
  for (let check = 1; check < LINK_CHECKS && stats.isFile() && stats.nlink > 1; check += 1) {
    await wait(LINK_CHECK_MS);
    stats = await look();
  }
  return stats;
}

/**
 * What stands at a name: undefined for nothing, else a plain file or a folder. Throws `PathOutsideWorkspaceError` for
 * links, devices, and files that have another name somewhere: a hard link cannot be told from the file it shares.
 */
export async function inspect(folder: Folder, name: string): Promise<Stats | undefined> {
  const first = await lookAt(folder, name);
  if (!first) return undefined;
  const stats =
    first.nlink > 1 && first.isFile()
      ? await settledStats(async () => (await lookAt(folder, name)) ?? first)
      : first;
  if (!stats.isDirectory()) assertPlainFile(stats, `${folder.label}/${name}`);
  return stats;
}

// NONBLOCK: opening a pipe must not wait for its other end.
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** How often a file is opened again because another took its name meanwhile. */
const OPENINGS = 10;

async function openEntry(folder: Folder, name: string): Promise<FileHandle> {
  const label = `${folder.label}/${name}`;
  try {
    return await open(folder.at(name), READ_FLAGS);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ELOOP") throw linked(label);
    if (code === "ENOENT") throw notThere(label);
    // A socket cannot be opened at all.
    if (code === "ENXIO" || code === "ENODEV") throw special(label);
    throw fromNodeError(error, label);
  }
}

/** True when what was opened is what stands at the path; an anchored folder leaves no doubt. */
async function isAtItsPlace(folder: Folder, name: string, stats: Stats): Promise<boolean> {
  if (folder.anchor === "handle") return true;
  await folder.verify();
  const found = await lookAt(folder, name);
  return found?.ino === stats.ino && found.dev === stats.dev;
}

/** Opens a plain file for reading, judged by its open handle, and closes it after `use`. */
export async function readingFile<Result>(
  folder: Folder,
  name: string,
  use: (handle: FileHandle, stats: Stats) => Promise<Result>,
): Promise<Result> {
  const label = `${folder.label}/${name}`;
  for (let opening = 1; opening <= OPENINGS; opening += 1) {
    const handle = await openEntry(folder, name);
    try {
      const stats = await settledStats(() => handle.stat());
      assertPlainFile(stats, label);
      if (await isAtItsPlace(folder, name, stats)) return await use(handle, stats);
    } catch (error) {
      throw fromNodeError(error, label);
    } finally {
      await handle.close();
    }
  }
  throw movedAway(label);
}

/** Reads `length` bytes from byte `from` on, or all there are. */
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

/** Copies up to `size` bytes from the start; fewer when the file ends before. `last` is the last byte copied. */
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
