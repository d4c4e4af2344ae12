import { createReadStream } from "node:fs";
import { lstat, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { systemCode } from "../errors/node-error.ts";
import { createFile, replaceFile } from "../files/durable-file.ts";

/** One file of a profile, with its path in an export. */
export interface StoredFile {
  path: string;
  modified: Date;
  open(): Readable;
}

/** The files of a profile, for its export and import, by their paths in an export. */
export interface StoredFiles {
  /** The files below folders, in the order of their names. Does not follow links. */
  below(folders: readonly string[], signal: AbortSignal): AsyncIterable<StoredFile>;
  /** Undefined if there is nothing. "blocked": a link or something else is in its place. */
  read(path: string): Promise<Buffer | "blocked" | undefined>;
  /** The size in bytes; undefined if there is nothing. */
  sizeOf(path: string): Promise<number | undefined>;
  /** Creates a file. Throws `AlreadyExistsError` if the path is taken. */
  create(path: string, bytes: Uint8Array): Promise<void>;
  replace(path: string, bytes: Uint8Array): Promise<void>;
}

/** The files in the folder of a profile. */
export function openStoredFiles(root: string): StoredFiles {
  return {
    async *below(folders, signal) {
      for (const folder of folders)
        for await (const path of filesBelow(root, folder, signal)) {
          const file = join(root, path);
          const { mtime } = await stat(file).catch(noTimeIfMissing);
          // A file that disappears from here on fails the export, because a backup must be complete.
          if (mtime) yield { path, modified: mtime, open: () => createReadStream(file) };
        }
    },
    async read(path) {
      const kind = await kindAt(root, path);
      if (kind === "absent") return undefined;
      return kind === "blocked" ? kind : readFile(join(root, path));
    },
    async sizeOf(path) {
      try {
        return (await lstat(join(root, path))).size;
      } catch (error) {
        if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return undefined;
        throw error;
      }
    },
    create: (path, bytes) => createFile(join(root, path), bytes, path),
    replace: (path, bytes) => replaceFile(join(root, path), bytes, path),
  };
}

async function* filesBelow(root: string, folder: string, signal: AbortSignal): AsyncGenerator<string> {
  signal.throwIfAborted();
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, path, signal);
    else if (entry.isFile()) yield path;
  }
}

function noTimeIfMissing(error: unknown): { mtime: undefined } {
  if (systemCode(error) === "ENOENT") return { mtime: undefined };
  throw error;
}

/** Checks what exists at a path below `root`, name by name, because a link on the way would lead out of the profile. */
async function kindAt(root: string, path: string): Promise<"absent" | "file" | "blocked"> {
  const segments = path.split("/");
  let at = root;
  for (const [index, segment] of segments.entries()) {
    at = join(at, segment);
    try {
      const found = await lstat(at);
      const isLast = index === segments.length - 1;
      if (isLast ? !found.isFile() : !found.isDirectory()) return "blocked";
    } catch (error) {
      const code = systemCode(error);
      if (code === "ENOENT") return "absent";
      throw error;
    }
  }
  return "file";
}
