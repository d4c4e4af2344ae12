import { createReadStream, createWriteStream } from "node:fs";
import { lstat, mkdir, readdir, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fromNodeError, systemCode } from "../errors/node-error.ts";

/** A file of a profile, or a folder without any. */
export interface WorkspaceEntry {
  /** Relative to the profile, with `/`: `out/plan.md`. */
  path: string;
  kind: "file" | "folder" | "link";
  /** Milliseconds since 1970. */
  modifiedMs: number;
}

/** The files of a profile that a person or the operator made, and those that were deleted. Nobody may change them meanwhile. */
export interface WorkspaceCopies {
  /** Files, empty folders and links, which are not followed, by path. */
  each(): AsyncIterable<WorkspaceEntry>;
  read(path: string): Readable;
  /** Writes a file that is not there, or makes a folder. */
  put(entry: WorkspaceEntry, content: Readable | undefined): Promise<void>;
}

/** The folders of a profile with such files. */
const FOLDERS = ["inbox", "memory/archive/files", "out"];
/** The lock of all writers, without data. */
const LOCK = /^memory\/archive\/files\/write\.lock(?:-journal)?$/;

/** Uses the profile's folder `root`. */
export function openFileWorkspaceCopies(root: string): WorkspaceCopies {
  async function* entriesBelow(folder: string): AsyncGenerator<WorkspaceEntry> {
    const found = await entriesOf(join(root, folder));
    if (found === undefined) return;
    if (found.length === 0 && !FOLDERS.includes(folder)) {
      const { mtimeMs } = await lstat(join(root, folder));
      yield { path: folder, kind: "folder", modifiedMs: Math.floor(mtimeMs) };
    }
    for (const entry of found.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = `${folder}/${entry.name}`;
      if (LOCK.test(path)) continue;
      if (entry.isDirectory()) yield* entriesBelow(path);
      else {
        const { mtimeMs } = await lstat(join(root, path));
        yield { path, kind: entry.isFile() ? "file" : "link", modifiedMs: Math.floor(mtimeMs) };
      }
    }
  }

  return {
    async *each() {
      for (const folder of FOLDERS) yield* entriesBelow(folder);
    },
    read: (path) => createReadStream(join(root, path)),
    async put({ path, kind, modifiedMs }, content) {
      const target = join(root, path);
      try {
        await mkdir(kind === "folder" ? target : dirname(target), { recursive: true });
        if (content) await pipeline(content, createWriteStream(target, { flags: "wx", flush: true }));
        await utimes(target, modifiedMs / 1_000, modifiedMs / 1_000);
      } catch (error) {
        throw fromNodeError(error, path);
      }
    },
  };
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw fromNodeError(error, "the files of the profile");
  }
}
