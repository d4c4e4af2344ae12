import {
  AlreadyExistsError,
  InvalidArgsError,
  PathOutsideWorkspaceError,
} from "@metahuman/core/errors/request-errors";
import { FileNotFoundError } from "@metahuman/core/errors/not-found-errors";
import {
  confine,
  type ConfinedPath,
  invalidNameReason,
  isBlockedName,
  MAX_DEPTH,
} from "@metahuman/core/paths/file-names";
import type { FileEntry } from "@metahuman/core/workspace/files";
import { compareEntries, type FoundEntry } from "@metahuman/core/workspace/folder";
import { freeName, MAX_ENTRIES, mostSimilar } from "@metahuman/core/workspace/local-files";
import { fileNotFound, isFolderError } from "@metahuman/core/workspace/regular-file";
import type { ObjectStore, StoredObject } from "./object-store.ts";

/** The roots of a workspace in objects. */
export const ROOTS = ["out", "inbox"] as const;

/** The entry at a path. A folder is a marker, an object whose key ends with a slash, or any objects below it. */
export type FoundAt = { kind: "file"; object: StoredObject } | { kind: "folder"; key: string };

/** An entry of a folder, with its object unless it is a folder. */
export interface TreeEntry extends FoundEntry {
  object: StoredObject | undefined;
}

/** The objects of a workspace as files in folders. The key of a file is its path. */
export interface ObjectTree {
  place(path: string): ConfinedPath;
  /** Undefined if there is nothing. */
  find(place: ConfinedPath, signal?: AbortSignal): Promise<FoundAt | undefined>;
  /** Throws `FileNotFoundError` without a file, `InvalidArgsError` for a folder. */
  findFile(place: ConfinedPath, signal?: AbortSignal): Promise<StoredObject>;
  /** Throws `InvalidArgsError` if one of the folders above the place is a file. */
  assertFoldersAbove(place: ConfinedPath, signal?: AbortSignal): Promise<void>;
  /** Everything below a folder without blocked names, in the order of lists. */
  entriesBelow(
    key: string,
    options: { recursive: boolean; signal?: AbortSignal | undefined },
  ): Promise<TreeEntry[]>;
  describe(folder: string, entry: TreeEntry, signal?: AbortSignal): Promise<FileEntry>;
  freePath(place: ConfinedPath, signal?: AbortSignal): Promise<string>;
  /** Runs `work`. Adds the nearest existing paths to a "not found" error and a free path to an "already exists" error. */
  withSuggestions<Result>(place: ConfinedPath, work: () => Promise<Result>): Promise<Result>;
}

export function openObjectTree(store: ObjectStore): ObjectTree {
  const place = (path: string): ConfinedPath => confine(path, ROOTS);

  async function findKey(key: string, signal?: AbortSignal): Promise<FoundAt | undefined> {
    const [object, below] = await Promise.all([
      store.head(key, signal),
      Array.fromAsync(store.list(`${key}/`, { limit: 1, ...(signal && { signal }) })),
    ]);
    if (object) return { kind: "file", object };
    return below.length > 0 ? { kind: "folder", key } : undefined;
  }

  /** Another program may have written names in another Unicode form. */
  async function resolveSpelling(segments: readonly string[], signal?: AbortSignal): Promise<string> {
    let key = segments[0] ?? "";
    for (const segment of segments.slice(1)) {
      const below = `${key}/`;
      let name = segment;
      if (!/^[\x20-\x7E]*$/u.test(segment))
        for await (const found of store.listFolder(below, signal)) {
          const other = lastName("folder" in found ? found.folder : found.key);
          if (other.normalize("NFC") === segment) name = other;
        }
      key = `${below}${name}`;
    }
    return key;
  }

  async function find(
    { path, root, segments }: ConfinedPath,
    signal?: AbortSignal,
  ): Promise<FoundAt | undefined> {
    if (segments.length === 0) return { kind: "folder", key: root };
    const found = await findKey(path, signal);
    if (found || /^[\x20-\x7E]*$/u.test(path)) return found;
    const key = await resolveSpelling([root, ...segments], signal);
    return key === path ? undefined : findKey(key, signal);
  }

  const tree: ObjectTree = {
    place,
    find,
    async findFile(where, signal) {
      const found = await find(where, signal);
      if (!found) throw fileNotFound(where.path);
      if (found.kind === "folder") throw isFolderError(where.path);
      return found.object;
    },
    async assertFoldersAbove({ root, segments }, signal) {
      const above = segments
        .slice(0, -1)
        .map((_, level) => [root, ...segments.slice(0, level + 1)].join("/"));
      const files = await Promise.all(above.map((key) => store.head(key, signal)));
      const file = above.find((_, level) => files[level]);
      if (file !== undefined)
        throw new InvalidArgsError(`${file} is a file, not a folder.`, { context: { path: file } });
    },
    async entriesBelow(key, { recursive, signal }) {
      const entries = recursive
        ? await allBelow(store, key, signal)
        : await directlyBelow(store, key, signal);
      return entries.sort(compareEntries);
    },
    async describe(folder, { segments, kind, object }, signal) {
      const path = [folder, ...segments].join("/").normalize("NFC");
      const newest = object ?? (await firstBelow(store, `${[folder, ...segments].join("/")}/`, signal));
      return {
        name: lastName(path),
        path,
        kind,
        bytes: kind === "file" ? (object?.bytes ?? 0) : 0,
        modified: (newest?.modified ?? new Date(0)).toISOString(),
      };
    },
    async freePath({ path }, signal) {
      const folder = path.slice(0, path.lastIndexOf("/") + 1);
      const name = await freeName(
        lastName(path),
        async (other) => (await findKey(`${folder}${other}`, signal)) !== undefined,
      );
      return `${folder}${name}`;
    },
    async withSuggestions(where, work) {
      try {
        return await work();
      } catch (error) {
        const context = { path: where.path };
        if (error instanceof FileNotFoundError && error.suggestions.length === 0) {
          const suggestions = await nearestPaths(store, where);
          throw new FileNotFoundError(error.message, { suggestions, context, cause: error });
        }
        if (error instanceof AlreadyExistsError && error.suggestions.length === 0) {
          const suggestions = [await tree.freePath(where)];
          throw new AlreadyExistsError(error.message, { suggestions, context, cause: error });
        }
        throw error;
      }
    },
  };
  return tree;
}

function lastName(key: string): string {
  return key.replace(/\/$/, "").split("/").at(-1) ?? "";
}

/** Throws `PathOutsideWorkspaceError` if something below a folder has a blocked name. */
export function assertNoBlockedNames(folder: string, objects: readonly StoredObject[]): void {
  const kept = objects.find(({ key }) => key.slice(folder.length).split("/").some(isBlockedName));
  if (!kept) return;
  throw new PathOutsideWorkspaceError(`${folder} contains ${kept.key}, which is not accessible.`, {
    suggestions: ["Name the other files one by one."],
    context: { path: folder, kept: kept.key },
  });
}

async function firstBelow(
  store: ObjectStore,
  prefix: string,
  signal: AbortSignal | undefined,
): Promise<StoredObject | undefined> {
  for await (const object of store.list(prefix, { limit: 1, ...(signal && { signal }) })) return object;
  return undefined;
}

function kindOf(name: string, kind: "file" | "folder"): FileEntry["kind"] {
  return invalidNameReason(name.normalize("NFC")) === undefined ? kind : "other";
}

async function directlyBelow(
  store: ObjectStore,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<TreeEntry[]> {
  const prefix = `${folder}/`;
  const entries: TreeEntry[] = [];
  for await (const found of store.listFolder(prefix, signal)) {
    const isFolder = "folder" in found;
    const name = (isFolder ? found.folder : found.key).slice(prefix.length).replace(/\/$/, "");
    if (name === "" || isBlockedName(name)) continue;
    entries.push({
      segments: [name],
      kind: kindOf(name, isFolder ? "folder" : "file"),
      object: isFolder ? undefined : found,
    });
  }
  return entries;
}

/** Folders have no objects of their own unless they are empty, so they are derived from the keys. */
async function allBelow(
  store: ObjectStore,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<TreeEntry[]> {
  const prefix = `${folder}/`;
  const entries: TreeEntry[] = [];
  const folders = new Set<string>();
  const deepest = MAX_DEPTH - folder.split("/").length;
  for await (const object of store.list(prefix, signal && { signal })) {
    const names = object.key.slice(prefix.length).split("/");
    const blockedAt = names.findIndex((name) => name !== "" && isBlockedName(name));
    const invalidAt = names.findIndex((name) => name !== "" && kindOf(name, "file") === "other");
    const isMarker = names.at(-1) === "";
    const reachable = Math.min(
      names.length,
      blockedAt === -1 ? Infinity : blockedAt,
      invalidAt === -1 ? Infinity : invalidAt + 1,
      deepest,
    );
    for (let level = 1; level <= Math.min(reachable, names.length - 1); level += 1) {
      const segments = names.slice(0, level);
      const path = segments.join("/");
      if (folders.has(path) || segments.includes("")) continue;
      folders.add(path);
      entries.push({ segments, kind: kindOf(segments.at(-1) ?? "", "folder"), object: undefined });
    }
    if (!isMarker && reachable === names.length && !names.includes(""))
      entries.push({ segments: names, kind: kindOf(names.at(-1) ?? "", "file"), object });
  }
  return entries;
}

/** Existing paths similar to the missing one, best first: in its own root, then in the others. */
async function nearestPaths(store: ObjectStore, missing: ConfinedPath): Promise<string[]> {
  const paths = new Map<string, string>();
  for (const root of [missing.root, ...ROOTS.filter((other) => other !== missing.root)]) {
    let seen = 0;
    for await (const { key } of store.list(`${root}/`, { limit: MAX_ENTRIES })) {
      const names = key.slice(root.length + 1).split("/");
      if (names.some((name) => isBlockedName(name))) continue;
      for (let level = 1; level <= names.length; level += 1) {
        const path = [root, ...names.slice(0, level)].join("/").normalize("NFC").replace(/\/$/, "");
        // The parents of the missing path are not useful suggestions.
        if (path !== root && !missing.path.startsWith(`${path}/`)) paths.set(path, lastName(path));
      }
      seen += 1;
      if (seen >= MAX_ENTRIES) break;
    }
  }
  return mostSimilar(missing, paths);
}
