import { randomBytes } from "node:crypto";
import { constants, type Dirent, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { MetahumanError } from "../errors/metahuman-error.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { InvalidArgsError, PathOutsideWorkspaceError } from "../errors/request-errors.ts";
import { invalidNameReason, isBlockedName, MAX_DEPTH } from "../paths/file-names.ts";
import type { FileEntry } from "./files.ts";
import { identityOf, type Root } from "./roots.ts";

/**
 * How operations in a folder resist path swaps. `handle` (Linux): every name is resolved from an open handle of its
 * folder, so a swapped path cannot lead elsewhere. `path` (other systems): real paths are compared before and after, so a
 * swap in between is detected but not prevented.
 */
export type Anchor = "handle" | "path";

export const platformAnchor: Anchor = process.platform === "linux" ? "handle" : "path";

/** One real folder of a workspace, reached without following any link. */
export interface Folder {
  /** Canonical relative path, for messages. */
  readonly label: string;
  readonly anchor: Anchor;
  /** The system path of an entry; `at("")` is the folder itself. Valid until the folder is closed. */
  at(name: string): string;
  /** Opens the subfolder `name`; with `create`, creates it if missing. */
  enter(name: string, options: { create: boolean }): Promise<Folder>;
  /** Throws `PathOutsideWorkspaceError` if the folder is no longer at its path. */
  verify(): Promise<void>;
  /** Makes new, renamed and removed entries durable. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export const linkError = (label: string): PathOutsideWorkspaceError =>
  new PathOutsideWorkspaceError(`${label} is a link; links are not followed.`, { context: { path: label } });

export const pathChanged = (label: string): PathOutsideWorkspaceError =>
  new PathOutsideWorkspaceError(`${label} is a link to another place.`, { context: { path: label } });

const blockedFolders = (label: string): PathOutsideWorkspaceError =>
  new PathOutsideWorkspaceError(`${label} contains profiles' data, which is not accessible.`, {
    context: { path: label },
  });

/** The `lstat` of an entry; undefined if it does not exist. */
export async function statEntry(folder: Folder, name: string): Promise<Stats | undefined> {
  try {
    return await lstat(folder.at(name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw fromNodeError(error, `${folder.label}/${name}`);
  }
}

/** Creates the subfolder `name` if requested. Throws a typed error if it cannot be entered. */
async function prepare(folder: Folder, name: string, create: boolean): Promise<void> {
  const label = `${folder.label}/${name}`;
  let found = await statEntry(folder, name);
  if (!found && create) {
    await folder.verify();
    await mkdir(folder.at(name)).catch((error: unknown) => {
      if (systemCode(error) !== "EEXIST") throw fromNodeError(error, label);
    });
    await folder.flush();
    found = await statEntry(folder, name);
  }
  if (found?.isSymbolicLink()) throw linkError(label);
  if (found && !found.isDirectory())
    throw new InvalidArgsError(`${label} is a file: nothing can be inside it.`);
}

/** Windows lacks some flags; they are undefined there and have no effect. */
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Flushes a folder. Some file systems (FUSE, network shares) do not support it. */
async function flushFolder(handle: FileHandle): Promise<void> {
  await handle.sync().catch((error: unknown) => {
    if (!["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(systemCode(error) ?? "")) throw error;
  });
}

const childLabel = (label: string, name: string): string => `${label}/${name.normalize("NFC")}`;

async function openHandleFolder(root: Root, label: string, path: string): Promise<Folder> {
  let handle: FileHandle;
  try {
    handle = await open(path, FOLDER_FLAGS);
  } catch (error) {
    // It was a folder at the previous check, so another entry replaced it.
    if (["ELOOP", "ENOTDIR"].includes(systemCode(error) ?? "")) throw pathChanged(label);
    throw fromNodeError(error, label);
  }
  const folder: Folder = {
    label,
    anchor: "handle",
    at: (name) => `/proc/self/fd/${handle.fd}/${name}`,
    enter: async (name, { create }) => {
      await prepare(folder, name, create);
      return await assertNotBlocked(
        root,
        await openHandleFolder(root, childLabel(label, name), folder.at(name)),
      );
    },
    verify: async () => undefined,
    flush: () => flushFolder(handle),
    close: () => handle.close(),
  };
  return folder;
}

const isSameSpelling = (one: string, other: string): boolean =>
  one.normalize("NFC").toLowerCase() === other.normalize("NFC").toLowerCase();

function openPathFolder(root: Root, label: string, path: string): Folder {
  const folder: Folder = {
    label,
    anchor: "path",
    at: (name) => join(path, name),
    enter: async (name, { create }) => {
      await prepare(folder, name, create);
      const entered = openPathFolder(root, childLabel(label, name), join(path, name));
      await entered.verify();
      return await assertNotBlocked(root, entered);
    },
    verify: async () => {
      const real = await realpath(path).catch((error: unknown) => {
        throw fromNodeError(error, label);
      });
      if (!isSameSpelling(real, path)) throw pathChanged(label);
    },
    // Windows cannot open a folder to flush it; its file system journals names.
    flush: async () => {
      if (process.platform === "win32") return;
      const handle = await open(path, FOLDER_FLAGS);
      try {
        await flushFolder(handle);
      } finally {
        await handle.close();
      }
    },
    close: async () => undefined,
  };
  return folder;
}

async function assertNotBlocked(root: Root, folder: Folder): Promise<Folder> {
  if (root.blockedFolders.size === 0) return folder;
  try {
    if (root.blockedFolders.has(identityOf(await stat(folder.at(""), { bigint: true }))))
      throw blockedFolders(folder.label);
    return folder;
  } catch (error) {
    await folder.close();
    throw fromNodeError(error, folder.label);
  }
}

async function openRoot(root: Root, anchor: Anchor): Promise<Folder> {
  const real = await root.real();
  return anchor === "handle"
    ? await openHandleFolder(root, root.name, real)
    : openPathFolder(root, root.name, real);
}

/**
 * The spelling of a name on disk. Requested names are in Unicode form NFC, but another system may have written them
 * decomposed. Returns a missing name unchanged.
 */
export async function spelledOnDisk(folder: Folder, name: string): Promise<string> {
  if (/^[\x20-\x7E]*$/u.test(name) || (await statEntry(folder, name))) return name;
  const names = await readdir(folder.at("")).catch((error: unknown) => {
    throw fromNodeError(error, folder.label);
  });
  return names.find((other) => other.normalize("NFC") === name) ?? name;
}

export interface InFolderOptions {
  anchor: Anchor;
  /** Creates missing parent folders. */
  create: boolean;
  signal?: AbortSignal | undefined;
}

/** Opens a folder below a root for `use`, without following links. */
export async function inFolder<Result>(
  root: Root,
  segments: readonly string[],
  options: InFolderOptions,
  use: (folder: Folder) => Promise<Result>,
): Promise<Result> {
  options.signal?.throwIfAborted();
  let folder = await openRoot(root, options.anchor);
  try {
    for (const segment of segments) {
      const parent = folder;
      folder = await parent.enter(await spelledOnDisk(parent, segment), { create: options.create });
      await parent.close();
    }
    const result = await use(folder);
    await folder.verify();
    return result;
  } finally {
    await folder.close();
  }
}

/** One entry below a folder; `segments` are relative to that folder. */
export interface FoundEntry {
  segments: readonly string[];
  kind: FileEntry["kind"];
}

function kindOf(entry: Dirent): FileEntry["kind"] {
  if (invalidNameReason(entry.name.normalize("NFC")) !== undefined) return "other";
  if (entry.isFile()) return "file";
  return entry.isDirectory() ? "folder" : "other";
}

/** The entries of a folder without blocked names. */
export async function readEntries(folder: Folder): Promise<{ name: string; kind: FileEntry["kind"] }[]> {
  const entries = await readdir(folder.at(""), { withFileTypes: true }).catch((error: unknown) => {
    throw fromNodeError(error, folder.label);
  });
  return entries
    .filter((entry) => !isBlockedName(entry.name))
    .map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
}

/** The path of the first blocked name below a folder, other than a temporary file; undefined if there is none. */
export async function firstBlockedPath(folder: Folder): Promise<string | undefined> {
  const entries = await readdir(folder.at(""), { withFileTypes: true }).catch((error: unknown) => {
    throw fromNodeError(error, folder.label);
  });
  const blocked = entries.find((entry) => isBlockedName(entry.name) && !isTemporaryName(entry.name));
  if (blocked) return `${folder.label}/${blocked.name}`;
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const inner = await folder.enter(name, { create: false });
    try {
      const found = await firstBlockedPath(inner);
      if (found !== undefined) return found;
    } finally {
      await inner.close();
    }
  }
  return undefined;
}

/** Returns undefined for a typed error (no access, removed, a link); throws any other error again. */
export function ignoreInaccessible(error: unknown): undefined {
  if (!(error instanceof MetahumanError)) throw error;
  return undefined;
}

/**
 * Yields every entry below a folder, each level before the levels below. Yields links but does not follow them. Yields but
 * does not enter a folder that cannot be opened (no permission, removed, too deep for a workspace path).
 */
export async function* walk(
  folder: Folder,
  options: { recursive: boolean; signal?: AbortSignal | undefined },
  above: readonly string[] = [],
): AsyncGenerator<FoundEntry> {
  options.signal?.throwIfAborted();
  // Paths of deeper entries would be refused.
  if (folder.label.split("/").length >= MAX_DEPTH) return;
  const reading = readEntries(folder);
  // A folder that is entered by its path may turn out to be unreadable only here.
  const children = above.length === 0 ? await reading : ((await reading.catch(ignoreInaccessible)) ?? []);
  for (const { name, kind } of children) yield { segments: [...above, name], kind };
  if (!options.recursive) return;
  for (const { name } of children.filter((child) => child.kind === "folder")) {
    const inner = await folder.enter(name, { create: false }).catch(ignoreInaccessible);
    if (!inner) continue;
    try {
      yield* walk(inner, options, [...above, name]);
    } finally {
      await inner.close();
    }
  }
}

const naturalOrder = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

const byCodePoint = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Orders entries as a tree: within each folder, subfolders first, then names in natural order (`2` before `10`). */
export function compareEntries(a: FoundEntry, b: FoundEntry): number {
  const depth = Math.min(a.segments.length, b.segments.length);
  for (let level = 0; level < depth; level += 1) {
    const [one = "", other = ""] = [a.segments[level], b.segments[level]];
    if (one === other) continue;
    const isFirstFolder = a.kind === "folder" || level < a.segments.length - 1;
    const isSecondFolder = b.kind === "folder" || level < b.segments.length - 1;
    if (isFirstFolder !== isSecondFolder) return isFirstFolder ? -1 : 1;
    return naturalOrder.compare(one, other) || byCodePoint(one, other);
  }
  return a.segments.length - b.segments.length;
}

/** An entry with size and time; undefined if it no longer exists. An unreadable entry is `other` without size. */
export async function describeEntry(
  folder: Folder,
  name: string,
  kind: FileEntry["kind"],
): Promise<FileEntry | undefined> {
  const stats = await statEntry(folder, name);
  if (!stats) return undefined;
  const readable = kind === "file" && stats.isFile() && stats.nlink === 1;
  const shown = name.normalize("NFC");
  return {
    name: shown,
    path: `${folder.label}/${shown}`,
    kind: kind === "folder" ? "folder" : readable ? "file" : "other",
    bytes: readable ? stats.size : 0,
    modified: stats.mtime.toISOString(),
  };
}

const TEMPORARY_NAME = /^\.mh-(\d+)-[0-9a-f]{12}\.tmp$/u;

/** A name for an unfinished write in the target folder. It is never listed and not a valid workspace path. */
export function temporaryName(): string {
  return `.mh-${process.pid}-${randomBytes(6).toString("hex")}.tmp`;
}

function isTemporaryName(name: string): boolean {
  return TEMPORARY_NAME.test(name);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists under another user.
    return systemCode(error) === "EPERM";
  }
}

/**
 * Deletes temporary files of killed processes in a folder and its subfolders, also the second link of an interrupted
 * exclusive creation. Does not follow links.
 */
export async function removeAbandonedFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    // A missing or inaccessible folder does not prevent work in the others.
    if (["ENOENT", "EACCES", "EPERM"].includes(systemCode(error) ?? "")) return [];
    throw error;
  });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removeAbandonedFiles(path);
    const pid = TEMPORARY_NAME.exec(entry.name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(path, { recursive: true, force: true });
  }
}
