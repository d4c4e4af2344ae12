import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { ReviewedContent } from "../contract/approval.ts";
import { FileNotFoundError } from "../errors/not-found-errors.ts";
import { MAX_DEPTH } from "../paths/file-names.ts";
import { type Folder, ignoreInaccessible, readEntries, statEntry } from "./folder.ts";
import { statSafely, withOpenFile } from "./regular-file.ts";
import type { Place, Workspace } from "./workspace.ts";

/** The bytes to hash per turn of the event loop, which takes less than a millisecond. */
const CHUNK = 256 * 1024;
/** Beyond these limits, the hash covers size, times and inode, because reading would take too long. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024;
const MAX_FOLDER_BYTES = 256 * 1024 * 1024;
/** The maximum number of files with their own hash in the result. */
const MAX_FILES = 100;
/** The length of a file's own hash in hexadecimal digits. */
const SHORT_HASH_LENGTH = 16;

/**
 * Hashes the content of files and folders with everything in them. The hash covers names and bytes, or size, times and
 * inode of files that are too large to read. A missing path also affects the hash.
 */
export async function hashContent(
  places: readonly Place[],
  workspace: Workspace,
  signal: AbortSignal | undefined,
): Promise<ReviewedContent> {
  const found: ContentLine[] = [];
  for (const place of places) {
    try {
      await workspace.at(place, { signal }, (folder, name) => collectEntry(folder, name, { found, signal }));
    } catch (error) {
      if (!(error instanceof FileNotFoundError)) throw error;
    }
    found.push({ path: place.path, kind: "end", hash: "" });
  }
  const lines = found.map((line) => JSON.stringify([line.kind, line.path, line.hash]));
  return {
    hash: sha256(lines.join("\n")),
    files: found
      .filter(({ kind }) => kind === "file" || kind === "other")
      .slice(0, MAX_FILES)
      .map(({ path, hash }) => ({ path, hash: hash.slice(0, SHORT_HASH_LENGTH) })),
  };
}

async function collectEntry(
  folder: Folder,
  name: string,
  { found, signal }: Pick<CollectState, "found" | "signal">,
): Promise<void> {
  const stats = await statSafely(folder, name);
  if (!stats) return;
  const path = `${folder.label}/${name.normalize("NFC")}`;
  if (!stats.isDirectory()) {
    found.push({ path, kind: "file", hash: await fileHash(folder, name, MAX_FILE_BYTES, signal) });
    return;
  }
  const inner = await folder.enter(name, { create: false });
  try {
    await collect(inner, { found, bytesLeft: MAX_FOLDER_BYTES, depth: 0, signal });
  } finally {
    await inner.close();
  }
}

interface ContentLine {
  path: string;
  kind: "file" | "folder" | "other" | "end";
  hash: string;
}

interface CollectState {
  found: ContentLine[];
  bytesLeft: number;
  depth: number;
  signal: AbortSignal | undefined;
}

/** Adds the entries of a folder in a fixed order. Returns the remaining number of bytes to read. */
async function collect(folder: Folder, into: CollectState): Promise<number> {
  const { found, depth, signal } = into;
  let { bytesLeft } = into;
  const children = (await readEntries(folder)).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, kind } of children) {
    signal?.throwIfAborted();
    const path = `${folder.label}/${name.normalize("NFC")}`;
    if (kind === "folder") {
      found.push({ path, kind, hash: "" });
      const inner =
        depth < MAX_DEPTH ? await folder.enter(name, { create: false }).catch(ignoreInaccessible) : undefined;
      if (!inner) continue;
      try {
        bytesLeft = await collect(inner, { found, bytesLeft, depth: depth + 1, signal });
      } finally {
        await inner.close();
      }
    } else {
      const bytes = (await statEntry(folder, name))?.size ?? 0;
      const hash =
        kind === "file"
          ? await fileHash(folder, name, bytesLeft, signal).catch(ignoreInaccessible)
          : undefined;
      if (hash !== undefined && bytes <= bytesLeft) bytesLeft -= bytes;
      found.push({ path, kind, hash: hash ?? (await identity(folder, name)) });
    }
  }
  return bytesLeft;
}

async function fileHash(
  folder: Folder,
  name: string,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  return await withOpenFile(folder, name, async (handle, { size }) =>
    size > maxBytes ? await identity(folder, name) : await bytesHash(handle, signal),
  );
}

async function bytesHash(handle: FileHandle, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(CHUNK);
  for (let position = 0; ;) {
    signal?.throwIfAborted();
    const { bytesRead } = await handle.read(chunk, 0, CHUNK, position);
    if (bytesRead === 0) return hash.digest("hex");
    hash.update(chunk.subarray(0, bytesRead));
    position += bytesRead;
  }
}

/** A hash that changes with every write without reading the bytes: programs cannot set `ctime`. */
async function identity(folder: Folder, name: string): Promise<string> {
  const stats = await statEntry(folder, name);
  return sha256(stats ? [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(":") : "");
}

/** The SHA-256 of a text in UTF-8, in hexadecimal digits. */
export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
