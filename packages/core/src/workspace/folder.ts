import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { InvalidArgsError, PathOutsideWorkspaceError } from "../errors/request-errors.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { identityOf, type Root } from "./roots.ts";
import type { Workspace } from "./workspace.ts";

/**
 * How folders are held while something happens in them. `handle` (Linux): every name is resolved from an open handle of
 * its folder, so that nothing swapped in meanwhile can lead elsewhere. `path` (elsewhere): real paths are compared
 * before and after; a swap in the instant between is found, but only when it has happened.
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
  /** Opens the folder `name` in it; with `create`, makes it when it is missing. */
  enter(name: string, options: { create: boolean }): Promise<Folder>;
  /** Throws `PathOutsideWorkspaceError` when the folder is no longer where its path says. */
  verify(): Promise<void>;
  /** Makes new, renamed and removed entries durable. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export const linked = (label: string): PathOutsideWorkspaceError =>
  new PathOutsideWorkspaceError(`${label} is a link; links are not followed.`, { context: { path: label } });

export const movedAway = (label: string): PathOutsideWorkspaceError =>
  new PathOutsideWorkspaceError(`${label} leads elsewhere than its path says.`, { context: { path: label } });

const keptOut = (label: string): PathOutsideWorkspaceError =>
  new PathOutsideWorkspaceError(`${label} holds profiles' data, which is kept out of reach.`, {
    context: { path: label },
  });

/** What stands at a name, links not followed; undefined when nothing does. */
export async function lookAt(folder: Folder, name: string): Promise<Stats | undefined> {
  try {
    return await lstat(folder.at(name));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw fromNodeError(error, `${folder.label}/${name}`);
  }
}

/** Makes the folder `name` if asked to, and throws the typed error for whatever else keeps it from being entered. */
async function prepare(folder: Folder, name: string, create: boolean): Promise<void> {
  const label = `${folder.label}/${name}`;
  let found = await lookAt(folder, name);
  if (!found && create) {
    await folder.verify();
    await mkdir(folder.at(name)).catch((error: unknown) => {
      if (systemCode(error) !== "EEXIST") throw fromNodeError(error, label);
    });
    await folder.flush();
    found = await lookAt(folder, name);
  }
  if (found?.isSymbolicLink()) throw linked(label);
  if (found && !found.isDirectory())
    throw new InvalidArgsError(`${label} is a file: nothing can be inside it.`);
}

/** Where a system lacks a flag (Windows), it is undefined and adds nothing. */
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Some file systems (FUSE, network shares) have no flush for folders; they order names in their own way. */
async function flushFolder(handle: FileHandle): Promise<void> {
  await handle.sync().catch((error: unknown) => {
    if (!["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(systemCode(error) ?? "")) throw error;
  });
}

const childLabel = (label: string, name: string): string => `${label}/${name.normalize("NFC")}`;

async function heldFolder(root: Root, label: string, path: string): Promise<Folder> {
  let handle: FileHandle;
  try {
    handle = await open(path, FOLDER_FLAGS);
  } catch (error) {
    // It was a folder a moment ago: whatever it is now was swapped in.
    if (["ELOOP", "ENOTDIR"].includes(systemCode(error) ?? "")) throw movedAway(label);
    throw fromNodeError(error, label);
  }
  const folder: Folder = {
    label,
    anchor: "handle",
    at: (name) => `/proc/self/fd/${handle.fd}/${name}`,
    enter: async (name, { create }) => {
      await prepare(folder, name, create);
      return await refuseKeptOut(root, await heldFolder(root, childLabel(label, name), folder.at(name)));
    },
    verify: async () => undefined,
    flush: () => flushFolder(handle),
    close: () => handle.close(),
  };
  return folder;
}

const sameSpelling = (one: string, other: string): boolean =>
  one.normalize("NFC").toLowerCase() === other.normalize("NFC").toLowerCase();

function pathFolder(root: Root, label: string, path: string): Folder {
  const folder: Folder = {
    label,
    anchor: "path",
    at: (name) => join(path, name),
    enter: async (name, { create }) => {
      await prepare(folder, name, create);
      const entered = pathFolder(root, childLabel(label, name), join(path, name));
      await entered.verify();
      return await refuseKeptOut(root, entered);
    },
    verify: async () => {
      const real = await realpath(path).catch((error: unknown) => {
        throw fromNodeError(error, label);
      });
      if (!sameSpelling(real, path)) throw movedAway(label);
    },
    // Windows cannot open a folder to flush it; its file system journals names by itself.
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

async function refuseKeptOut(root: Root, folder: Folder): Promise<Folder> {
  if (root.keptOut.size === 0) return folder;
  try {
    if (root.keptOut.has(identityOf(await stat(folder.at(""), { bigint: true }))))
      throw keptOut(folder.label);
    return folder;
  } catch (error) {
    await folder.close();
    throw fromNodeError(error, folder.label);
  }
}

async function openRoot(root: Root, anchor: Anchor): Promise<Folder> {
  const real = await root.real();
  return anchor === "handle" ? await heldFolder(root, root.name, real) : pathFolder(root, root.name, real);
}

/**
 * A name as the disk spells it. Names are asked for in Unicode form NFC; a disk may hold the same name decomposed,
 * written there by another system. A name that is not there comes back as it was.
 */
export async function spelledOnDisk(folder: Folder, name: string): Promise<string> {
  if (/^[\x20-\x7E]*$/u.test(name) || (await lookAt(folder, name))) return name;
  const names = await readdir(folder.at("")).catch((error: unknown) => {
    throw fromNodeError(error, folder.label);
  });
  return names.find((other) => other.normalize("NFC") === name) ?? name;
}

export interface InFolderOptions {
  anchor: Anchor;
  /** Makes missing folders on the way. */
  create: boolean;
  signal?: AbortSignal | undefined;
}

/** Walks from a root down to a folder and holds it open for `use`. */
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

/** A workspace folder as programs of this machine know it. */
export interface HeldFolder {
  /** Canonical relative path, `out/site`. */
  path: string;
  /** To start a program in: leads to this very folder, whatever is put at its path meanwhile. Valid while it is held. */
  cwd: string;
  /** Its real system path. */
  real: string;
  /** The workspace root it lies in, by name and real system path. */
  root: { name: string; real: string };
}

/** Folders of the workspace for what cannot work through `WorkspaceFiles`: programs. Confined in the same way. */
export interface WorkspaceFolders {
  /** Holds a folder open for `use`. Throws `PathOutsideWorkspaceError`, `FileNotFoundError`, `InvalidArgsError` for a file. */
  within<Result>(
    path: string,
    use: (folder: HeldFolder) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
}

export function localFolders(workspace: Workspace): WorkspaceFolders {
  return {
    within: async (path, use, signal) => {
      const place = workspace.place(path);
      return await workspace.inside(place, { signal }, async (folder) =>
        use({
          path: place.path,
          cwd: folder.at("."),
          real: await realpath(folder.at("")),
          root: { name: place.root, real: await place.home.real() },
        }),
      );
    },
  };
}
