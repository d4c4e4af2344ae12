import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import type { ReviewedContent } from "../contract/approval.ts";
import { FileNotFoundError } from "../errors/not-found-errors.ts";
import { MAX_DEPTH } from "../paths/confine.ts";
import { type Folder, lookAt } from "./folder.ts";
import { childrenOf, stayOut } from "./list-entries.ts";
import { inspect, readingFile } from "./regular-file.ts";
import type { Place, Workspace } from "./workspace.ts";

/** Read between two turns of the event loop: hashing it takes less than a millisecond. */
const CHUNK = 256 * 1024;
/** Larger files, and what a folder holds beyond, count by size, times and inode: reading them would take too long. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024;
const MAX_FOLDER_BYTES = 256 * 1024 * 1024;
/** Files whose own hashes are given. */
const MAX_FILES = 100;
/** Hexadecimal digits of a file's own hash: enough to tell which one changed. */
const SHORT = 16;

/**
 * The content of files, and of folders with everything in them. The hash covers names and bytes; of files that are too
 * large to read, size, times and inode. That nothing is at a place counts, too.
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
      .map(({ path, hash }) => ({ path, hash: hash.slice(0, SHORT) })),
  };
}

async function collectEntry(
  folder: Folder,
  name: string,
  { found, signal }: Pick<Collecting, "found" | "signal">,
): Promise<void> {
  const stats = await inspect(folder, name);
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

interface Collecting {
  found: ContentLine[];
  bytesLeft: number;
  depth: number;
  signal: AbortSignal | undefined;
}

/** Adds what a folder holds, in an order of its own; returns how many bytes may still be read. */
async function collect(folder: Folder, into: Collecting): Promise<number> {
  const { found, depth, signal } = into;
  let { bytesLeft } = into;
  const children = (await childrenOf(folder)).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, kind } of children) {
    signal?.throwIfAborted();
    const path = `${folder.label}/${name.normalize("NFC")}`;
    if (kind === "folder") {
      found.push({ path, kind, hash: "" });
      const inner =
        depth < MAX_DEPTH ? await folder.enter(name, { create: false }).catch(stayOut) : undefined;
      if (!inner) continue;
      try {
        bytesLeft = await collect(inner, { found, bytesLeft, depth: depth + 1, signal });
      } finally {
        await inner.close();
      }
    } else {
      const bytes = (await lookAt(folder, name))?.size ?? 0;
      const hash =
        kind === "file" ? await fileHash(folder, name, bytesLeft, signal).catch(stayOut) : undefined;
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
  return await readingFile(folder, name, async (handle, { size }) =>
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

/** What changes with every write although the bytes are not read: programs cannot set the time of change. */
async function identity(folder: Folder, name: string): Promise<string> {
  const stats = await lookAt(folder, name);
  return sha256(stats ? [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(":") : "");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
