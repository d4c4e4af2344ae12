import type { ProfileSettings } from "@metahuman/core/contract/profile";
import { homePaths } from "@metahuman/core/paths/data-root";
import { checkRoots } from "@metahuman/core/workspace/check-roots";
import {
  type ExistingFile,
  type FileContent,
  type FileEntry,
  type FileRename,
  type FileRenamed,
  type FileSort,
  type FileUploaded,
  type FileWrite,
  type FileWritten,
  MAX_EDITABLE_BYTES,
} from "@metahuman/core/contract/files";
import type { ArchiveEntry } from "@metahuman/core/contract/http";
import {
  AlreadyExistsError,
  InvalidArgsError,
  StaleVersionError,
} from "@metahuman/core/errors/request-errors";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import { type ArchivePort, keepingReplaced } from "@metahuman/core/workspace/archive";
import type { OpenFile, WorkspaceFiles, WrittenFile } from "@metahuman/core/workspace/files";
import type { InboxAnswer } from "@metahuman/core/contract/inbox";
import { decodeText } from "@metahuman/core/workspace/decode-text";

/** The maximum number of entries that one listing reads. */
const MAX_ENTRIES = 10_000;
/** The maximum number of simultaneous writers of one name that are all kept. */
const MAX_ATTEMPTS = 100;

/**
 * The workspace for a person: on the page, over HTTP and in the terminal. Confined like `WorkspaceFiles` and within the
 * profile's quota; deleted and overwritten content goes to the archive. Throws the errors of those ports.
 */
export interface FileManager {
  /**
   * The entries of a folder, at most 10,000; of all roots for an empty path. `recursive` includes the folders below. By
   * name, folders come first.
   */
  list(
    path: string,
    options: { recursive: boolean; sort: FileSort; signal?: AbortSignal },
  ): Promise<FileEntry[]>;
  /** Reads text, at most `MAX_EDITABLE_BYTES`. Throws `InvalidArgsError` for a file that is not text. */
  read(path: string, signal?: AbortSignal): Promise<FileContent>;
  /** Opens a file of any kind for `use`. */
  open<Result>(path: string, use: (file: OpenFile) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /**
   * Creates a file, or replaces one that is still at `version`. Throws `AlreadyExistsError` for a taken path without a
   * version, `StaleVersionError` if the file changed or was deleted.
   */
  write(request: FileWrite, signal?: AbortSignal): Promise<FileWritten>;
  /**
   * Stores an uploaded file of any kind. Throws `AlreadyExistsError` for a taken path if `existing` is `refuse`, and
   * errors of reading the pieces.
   */
  receive(
    path: string,
    pieces: AsyncIterable<Uint8Array>,
    options: { existing: ExistingFile; signal: AbortSignal },
  ): Promise<FileUploaded>;
  /** Throws `AlreadyExistsError` if `to` is taken. A `removeEmpty` that is not a folder, or has a file, stays. */
  rename(request: FileRename, signal?: AbortSignal): Promise<FileRenamed>;
  /** Moves a file, or a folder if `recursive`, into the archive. */
  remove(path: string, options: { recursive: boolean; signal?: AbortSignal }): Promise<ArchiveEntry>;
}

export function createFileManager({
  files,
  archive,
  store,
  onChange,
}: {
  files: WorkspaceFiles;
  archive: ArchivePort;
  store: Pick<ProfileStore, "settings">;
  /** Called after every change. */
  onChange(): void;
}): FileManager {
  const roots = async (): Promise<FileEntry[]> => {
    const { workspaceRoots } = await store.settings();
    // No folder joins files in an object store.
    const added = Object.keys(workspaceRoots).filter((name) => files.resolve(name).root === name);
    return ["out", "inbox", ...added.sort()].map((name) => ({ name, path: name, kind: "folder", bytes: 0 }));
  };
  const listBelow = async (
    path: string,
    { recursive, signal }: { recursive: boolean; signal?: AbortSignal },
  ): Promise<FileEntry[]> => {
    const options = { recursive, limit: MAX_ENTRIES, ...(signal && { signal }) };
    return (await files.list(path, options)).entries;
  };
  const isEmptyFolder = async (path: string, signal: AbortSignal | undefined): Promise<boolean> => {
    const found = await files.state(path, signal);
    // A root stays, whatever is in it.
    if (found.kind !== "folder" || !found.path.includes("/")) return false;
    const entries = await listBelow(path, { recursive: true, ...(signal && { signal }) });
    return entries.every(({ kind }) => kind === "folder");
  };
  const versionOf = async (path: string, signal: AbortSignal | undefined): Promise<string> =>
    (await files.content([path], signal)).hash;
  const afterChange = <Result>(result: Result): Result => {
    onChange();
    return result;
  };

  return {
    list: async (path, { sort, ...options }) => {
      if (path !== "") return sortEntries(await listBelow(path, options), sort);
      const all = await roots();
      if (!options.recursive) return all;
      const below = await Promise.all(all.map((root) => listBelow(root.path, options)));
      return sortEntries(below.flat().slice(0, MAX_ENTRIES), sort);
    },

    read: async (given, signal) => {
      const { path } = await files.existing(given, signal);
      // Read first: a change in between makes the version too old, never the text.
      const version = await versionOf(path, signal);
      const text = await files.readText(path, { maxBytes: MAX_EDITABLE_BYTES, ...(signal && { signal }) });
      const { path: canonical, content, bytes, truncated } = text;
      return { path: canonical, content, bytes, truncated, version };
    },

    open: (path, use, signal) => files.open(path, use, signal),

    write: async ({ path, content, version }, signal) => {
      const options = signal && { signal };
      if (version === undefined) {
        const written = await files.writeText(path, content, { expect: "absent", ...options });
        return afterChange({ ...written, version: await versionOf(written.path, signal) });
      }
      const verify = async (): Promise<void> => {
        if ((await versionOf(path, signal)) === version) return;
        throw new StaleVersionError(`${files.resolve(path).path} was changed meanwhile.`, {
          suggestions: ["Read it again before you change it."],
          context: { path: files.resolve(path).path },
        });
      };
      await verify();
      const written = await keepingReplaced({ files, archive }, path, { verify, ...options }, (verify) =>
        files.writeText(path, content, { expect: "any", verify, ...options }),
      );
      return afterChange({ ...written, version: await versionOf(written.path, signal) });
    },

    receive: async (path, pieces, { existing, signal }) => {
      const bytes = Buffer.concat(await Array.fromAsync(pieces));
      const write = (at: string) => files.writeBytes(at, bytes, { expect: "absent", signal });
      switch (existing) {
        case "refuse":
          return afterChange(await write(path));
        case "keep_both":
          return afterChange(await atFreePath(files, path, signal, write));
        case "replace":
          return afterChange(
            await keepingReplaced({ files, archive }, path, { signal }, (verify) =>
              files.writeBytes(path, bytes, { expect: "any", verify, signal }),
            ),
          );
        default:
          return existing satisfies never;
      }
    },

    rename: async ({ from, to, removeEmpty }, signal) => {
      const createdFolder = await topmostAbsent(files, to, signal);
      const moved = await files.move(from, to, { overwrite: false, ...(signal && { signal }) });
      if (removeEmpty !== undefined && (await isEmptyFolder(removeEmpty, signal)))
        await archive.removeFile(removeEmpty, { recursive: true, ...(signal && { signal }) });
      return afterChange({ ...moved, ...(createdFolder !== undefined && { createdFolder }) });
    },

    remove: async (path, options) => afterChange((await archive.removeFile(path, options)).removed),
  };
}

/** Writes at the first free path at or next to `path`; at the next one if another writer takes it meanwhile. */
async function atFreePath(
  files: WorkspaceFiles,
  path: string,
  signal: AbortSignal,
  write: (free: string) => Promise<WrittenFile>,
): Promise<WrittenFile> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write(await files.freePath(path, signal));
    } catch (error) {
      if (!(error instanceof AlreadyExistsError) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** The topmost folder on the way to `path` that does not exist; undefined if all do. */
async function topmostAbsent(
  files: WorkspaceFiles,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const segments = files.resolve(path).path.split("/");
  for (let depth = 2; depth < segments.length; depth += 1) {
    const folder = segments.slice(0, depth).join("/");
    if ((await files.state(folder, signal)).kind === "absent") return folder;
  }
  return undefined;
}

function sortEntries(entries: readonly FileEntry[], sort: FileSort): FileEntry[] {
  switch (sort) {
    case "name":
      return [...entries];
    case "newest":
      return entries.toSorted((a, b) => (b.modified ?? "").localeCompare(a.modified ?? ""));
    case "largest":
      return entries.toSorted((a, b) => b.bytes - a.bytes);
    default:
      return sort satisfies never;
  }
}

type Roots = ProfileSettings["workspaceRoots"];

/**
 * Checks the folders that a change adds to the workspace. Throws `InvalidArgsError` for a path that does not exist, is
 * not a folder, or belongs to the system or a profile. Existing workspace folders are not checked, because a drive may
 * be absent.
 */
export async function checkOpenedFolders(
  { profilesHome, hasFolders }: { profilesHome: string; hasFolders: boolean },
  before: Roots,
  after: Roots,
): Promise<void> {
  const opened = Object.entries(after).filter(([name, path]) => before[name] !== path);
  if (opened.length > 0 && !hasFolders)
    throw new InvalidArgsError(
      "The files of this installation are in an object store, which no folder can join.",
    );
  await checkRoots(Object.fromEntries(opened), [homePaths(profilesHome).profiles]);
}

/**
 * Stores an uploaded text file in `inbox/` under its name, or under a free name next to it. Throws `InvalidArgsError`
 * for content that is not UTF-8 text, and errors of reading the pieces.
 */
export async function receiveFile(
  files: WorkspaceFiles,
  name: string,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<InboxAnswer> {
  const text = decodeText(Buffer.concat(await Array.fromAsync(pieces)), name, false);
  const written = await atFreePath(files, `inbox/${name}`, signal, (path) =>
    files.writeText(path, text, { expect: "absent", signal }),
  );
  return { path: written.path, bytes: written.bytes };
}
