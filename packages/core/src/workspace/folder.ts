import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { InvalidArgsError, PathOutsideWorkspaceError } from "../errors/request-errors.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
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
