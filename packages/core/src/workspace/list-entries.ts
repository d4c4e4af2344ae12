import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { MAX_DEPTH } from "../paths/confine.ts";
import { invalidNameReason, isBlockedName } from "../paths/file-names.ts";
import { MetahumanError } from "../errors/metahuman-error.ts";
import { fromNodeError } from "../errors/node-error.ts";
import type { FileEntry } from "./files.ts";
import { statEntry, type Folder } from "./folder.ts";
import { isTemporaryName } from "./temporary-files.ts";

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
