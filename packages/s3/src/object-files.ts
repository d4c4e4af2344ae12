import type { ReviewedContent } from "@metahuman/core/contract/approval";
import { ConflictError, InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { assertReachable, type ConfinedPath } from "@metahuman/core/paths/file-names";
import { decodeText } from "@metahuman/core/workspace/decode-text";
import type {
  ChangeOptions,
  FileState,
  FileText,
  WorkspaceFiles,
  WriteOptions,
  WrittenFile,
} from "@metahuman/core/workspace/files";
import { globMatcher } from "@metahuman/core/workspace/glob";
import { readPart } from "@metahuman/core/workspace/read-part";
import { alreadyExists, fileNotFound, isFolderError } from "@metahuman/core/workspace/regular-file";
import { createTextSearch, type TextSearch } from "@metahuman/core/workspace/text-search";
import type { RunExclusively } from "@metahuman/core/workspace/workspace";
import type { ObjectMoves } from "./object-moves.ts";
import {
  ObjectChangedError,
  type ObjectStore,
  type StoredObject,
  type WriteCondition,
} from "./object-store.ts";
import { assertNoBlockedNames, type ObjectTree, ROOTS, type TreeEntry } from "./object-tree.ts";
import { sha256 } from "@metahuman/core/workspace/content-hash";

export interface ObjectWorkspace {
  store: ObjectStore;
  tree: ObjectTree;
  moves: ObjectMoves;
  /** Runs one change of all processes at a time. */
  exclusively: RunExclusively;
}

/** The number of attempts while another writer, one without the lock, changes the file. */
const ATTEMPTS = 5;
/** The number of files with their own hash in the result. */
const MAX_FILES = 100;
const SHORT_HASH_LENGTH = 16;
const PARALLEL_READS = 16;

type ChangeMethod = "writeText" | "writeBytes" | "appendText" | "makeFolder" | "copy" | "move";

/** `WorkspaceFiles` in an object store. Conditional writes keep a change of another program from being lost. */
export function objectFiles(workspace: ObjectWorkspace): WorkspaceFiles {
  return { ...readMethods(workspace), ...changeMethods(workspace) };
}

function readMethods({ store, tree }: ObjectWorkspace): Omit<WorkspaceFiles, ChangeMethod> {
  const existing = (where: ConfinedPath, signal: AbortSignal | undefined) =>
    tree.withSuggestions(where, async () => {
      const state = await stateOf(tree, where, signal);
      if (state.kind === "absent") throw fileNotFound(where.path);
      return state;
    });

  return {
    resolve(path) {
      const where = tree.place(path);
      return { path: where.path, root: where.root, writable: true };
    },
    state: async (path, signal) => stateOf(tree, tree.place(path), signal),
    existing: async (path, signal) => existing(tree.place(path), signal),
    content: async (paths, signal) =>
      hashContent(
        { store, tree },
        paths.map((path) => tree.place(path)),
        signal,
      ),
    async freePath(path, signal) {
      const where = tree.place(path);
      return (await tree.find(where, signal)) ? tree.freePath(where, signal) : where.path;
    },
    async readText(path, { maxBytes, from = 0, signal }) {
      const where = tree.place(path);
      return tree.withSuggestions(where, () =>
        unlessChanged(where.path, async (): Promise<FileText> => {
          const object = await tree.findFile(where, signal);
          const file = {
            size: object.bytes,
            label: where.path,
            read: async (range: { from: number; length: number }) => readBytes(store, object, range, signal),
          };
          return { path: where.path, bytes: object.bytes, ...(await readPart(file, { from, maxBytes })) };
        }),
      );
    },
    async open(path, use, signal) {
      const where = tree.place(path);
      return tree.withSuggestions(where, async () => {
        const object = await tree.findFile(where, signal);
        async function* chunks(): AsyncGenerator<Uint8Array> {
          yield* await store.read(object, { from: 0, length: object.bytes }, signal);
        }
        return use({ path: where.path, bytes: object.bytes, chunks });
      });
    },
    async list(path, { pattern, recursive, limit, signal }) {
      const where = tree.place(path);
      const matches = pattern === undefined ? () => true : globMatcher(pattern);
      return tree.withSuggestions(where, async () => {
        const found = await tree.find(where, signal);
        if (!found) throw fileNotFound(where.path);
        if (found.kind === "file")
          throw new InvalidArgsError(`${where.path} is a file, not a folder.`, {
            context: { path: where.path },
          });
        const all = await tree.entriesBelow(found.key, { recursive, signal });
        const entries = all.filter(({ segments }) => matches(segments));
        const described = await inGroups(entries.slice(0, limit), (entry) =>
          tree.describe(found.key, entry, signal),
        );
        return { path: where.path, entries: described, total: entries.length };
      });
    },
    async search(query, { path, ...options }) {
      const search = createTextSearch(query, options);
      for (const root of path === undefined ? ROOTS : [path])
        await searchPath({ store, tree }, tree.place(root), search);
      return search.result();
    },
  };
}

function changeMethods(workspace: ObjectWorkspace): Pick<WorkspaceFiles, ChangeMethod> {
  const { store, tree, exclusively } = workspace;
  return {
    writeText: (path, content, options) => writeAt(workspace, path, Buffer.from(content, "utf8"), options),
    writeBytes: (path, content, options) => writeAt(workspace, path, content, options),
    async appendText(path, text, { verify, signal } = {}) {
      const where = tree.place(path);
      return exclusively(async () => {
        await verify?.();
        return unlessChanged(where.path, () => append(store, tree, { where, text, signal }));
      });
    },
    async makeFolder(path, { signal } = {}) {
      const where = tree.place(path);
      return exclusively(async () => {
        const found = await tree.find(where, signal);
        if (found?.kind === "file") throw alreadyExists(where.path);
        if (found) return { path: where.path, created: false };
        await tree.assertFoldersAbove(where, signal);
        await store.write(`${where.path}/`, "", undefined, signal);
        return { path: where.path, created: true };
      });
    },
    async copy(from, to, options) {
      const [source, target] = [tree.place(from), tree.place(to)];
      if (source.path === target.path)
        throw new InvalidArgsError(`${source.path} cannot be copied onto itself.`, {
          context: { path: source.path },
        });
      return tree.withSuggestions(source, () =>
        exclusively(() => copyTo(workspace, source, target, options)).catch(asConflict(source.path)),
      );
    },
    async move(from, to, options) {
      const [source, target] = [tree.place(from), tree.place(to)];
      if (source.path === target.path)
        throw new InvalidArgsError(`${source.path} is already there.`, { context: { path: source.path } });
      return tree.withSuggestions(source, () =>
        exclusively(() => moveTo(workspace, source, target, options)),
      );
    },
  };
}

/** The object at the path of a written file, and the key to write to. Throws for a folder, and below a file. */
async function targetAt(tree: ObjectTree, where: ConfinedPath, signal: AbortSignal | undefined) {
  const found = await tree.find(where, signal);
  if (found?.kind === "folder") throw isFolderError(where.path);
  if (!found) await tree.assertFoldersAbove(where, signal);
  return { found: found?.object, key: found?.object.key ?? where.path };
}

/** Throws `AlreadyExistsError` if an object exists there meanwhile. */
async function writeNew(
  store: ObjectStore,
  { key, bytes, path }: { key: string; bytes: Uint8Array; path: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await store.write(key, bytes, { isAbsent: true }, signal);
  } catch (error) {
    throw error instanceof ObjectChangedError ? alreadyExists(path) : error;
  }
}

/** Replaces the object that was found. Throws `ObjectChangedError` if it was changed meanwhile. */
async function writeExpected(
  store: ObjectStore,
  key: string,
  {
    bytes,
    found,
    signal,
  }: { bytes: Uint8Array; found: StoredObject | undefined; signal?: AbortSignal | undefined },
): Promise<void> {
  const condition: WriteCondition = found ? { etag: found.etag } : { isAbsent: true };
  await store.write(key, bytes, condition, signal);
}

async function append(
  store: ObjectStore,
  tree: ObjectTree,
  { where, text, signal }: { where: ConfinedPath; text: string; signal: AbortSignal | undefined },
): Promise<{ path: string; bytes: number; created: boolean; lineBreak: boolean }> {
  const { found, key } = await targetAt(tree, where, signal);
  const before = found
    ? await readBytes(store, found, { from: 0, length: found.bytes }, signal)
    : Buffer.alloc(0);
  decodeText(before, where.path, false);
  const needsLineBreak = before.length > 0 && before.at(-1) !== 0x0a && !text.startsWith("\n");
  const bytes = Buffer.concat([before, Buffer.from(`${needsLineBreak ? "\n" : ""}${text}`)]);
  await writeExpected(store, key, { bytes, found, signal });
  return { path: where.path, bytes: bytes.length, created: !found, lineBreak: needsLineBreak };
}

async function writeAt(
  { store, tree, exclusively }: ObjectWorkspace,
  path: string,
  content: Uint8Array,
  { expect, verify, signal }: WriteOptions,
): Promise<WrittenFile> {
  const where = tree.place(path);
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  return tree.withSuggestions(where, () =>
    exclusively(async () => {
      const { found, key } = await targetAt(tree, where, signal);
      await verify?.();
      if (expect === "absent") await writeNew(store, { key, bytes, path: where.path }, signal);
      else await writeExpected(store, key, { bytes, found, signal });
      return { path: where.path, bytes: bytes.length, created: !found };
    }).catch(asConflict(where.path)),
  );
}

async function copyTo(
  { store, tree }: ObjectWorkspace,
  source: ConfinedPath,
  target: ConfinedPath,
  { overwrite, verify, signal }: { overwrite: boolean } & ChangeOptions,
): Promise<{ from: string; to: string; bytes: number }> {
  const found = await tree.find(source, signal);
  if (!found) throw fileNotFound(source.path);
  if (found.kind === "folder")
    throw new InvalidArgsError(`${source.path} is a folder; only files are copied.`, {
      context: { path: source.path },
    });
  return tree.withSuggestions(target, async () => {
    const { found: taken, key } = await targetAt(tree, target, signal);
    if (taken && !overwrite) throw alreadyExists(target.path);
    await verify?.();
    if (!taken) await writeNew(store, { key, bytes: Buffer.alloc(0), path: target.path }, signal);
    try {
      await store.copy(found.object, key);
    } catch (error) {
      if (!taken) await store.remove(key);
      throw error;
    }
    return { from: source.path, to: target.path, bytes: found.object.bytes };
  });
}

async function moveTo(
  { store, tree, moves }: ObjectWorkspace,
  source: ConfinedPath,
  target: ConfinedPath,
  { overwrite, verify, signal }: { overwrite: boolean } & ChangeOptions,
): Promise<{ from: string; to: string }> {
  if (source.segments.length === 0) throw isFolderError(source.path);
  const found = await tree.find(source, signal);
  if (!found) throw fileNotFound(source.path);
  const from = found.kind === "file" ? found.object.key : found.key;
  if (found.kind === "folder")
    for (const { key } of await assertMovable(store, from, target.path))
      assertReachable(`${target.path}${key.slice(from.length)}`.replace(/\/$/, ""));
  return tree.withSuggestions(target, async () => {
    const taken = await tree.find(target, signal);
    if (taken && found.kind === "folder") throw alreadyExists(target.path);
    if (taken?.kind === "folder") throw isFolderError(target.path);
    if (taken && !overwrite) throw alreadyExists(target.path);
    if (!taken) await tree.assertFoldersAbove(target, signal);
    await verify?.();
    const to = taken?.object.key ?? target.path;
    await moves.move({ from, to, kind: found.kind, overwrite: taken !== undefined });
    return { from: source.path, to: target.path };
  });
}

/**
 * Throws if a folder cannot move to `target`: into itself, or with a blocked name inside. Returns the objects below the
 * folder.
 */
export async function assertMovable(
  store: ObjectStore,
  folder: string,
  target: string,
): Promise<StoredObject[]> {
  if (target.startsWith(`${folder}/`)) throw new InvalidArgsError(`${folder} cannot be moved into itself.`);
  const objects = await Array.fromAsync(store.list(`${folder}/`));
  assertNoBlockedNames(folder, objects);
  return objects;
}

async function stateOf(
  tree: ObjectTree,
  where: ConfinedPath,
  signal: AbortSignal | undefined,
): Promise<FileState> {
  const found = await tree.find(where, signal);
  const bytes = found?.kind === "file" ? found.object.bytes : 0;
  return { path: where.path, kind: found?.kind ?? "absent", bytes };
}

async function readBytes(
  store: ObjectStore,
  object: StoredObject,
  range: { from: number; length: number },
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(await store.read(object, range, signal)));
}

/** Retries while another program changes the file. Throws `ConflictError` after several attempts. */
async function unlessChanged<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ObjectChangedError)) throw error;
      if (attempt === ATTEMPTS) return asConflict(path)(error);
    }
  }
}

const asConflict =
  (path: string) =>
  (error: unknown): never => {
    if (!(error instanceof ObjectChangedError)) throw error;
    throw new ConflictError(`${path} is being changed by another program.`, {
      suggestions: ["Try again in a moment."],
      cause: error,
    });
  };

/** Hashes paths with the etags of their objects, which change with the content. */
async function hashContent(
  { tree }: Pick<ObjectWorkspace, "store" | "tree">,
  places: readonly ConfinedPath[],
  signal: AbortSignal | undefined,
): Promise<ReviewedContent> {
  const lines: { path: string; kind: string; hash: string }[] = [];
  for (const where of places) {
    const found = await tree.find(where, signal);
    if (found?.kind === "file")
      lines.push({ path: where.path, kind: "file", hash: sha256(found.object.etag) });
    if (found?.kind === "folder") {
      lines.push({ path: where.path, kind: "folder", hash: "" });
      const entries = await tree.entriesBelow(found.key, { recursive: true, signal });
      for (const { segments, kind, object } of entries.toSorted(byPath))
        lines.push({
          path: [where.path, ...segments].join("/").normalize("NFC"),
          kind,
          hash: object ? sha256(object.etag) : "",
        });
    }
    lines.push({ path: where.path, kind: "end", hash: "" });
  }
  return {
    hash: sha256(lines.map(({ kind, path, hash }) => JSON.stringify([kind, path, hash])).join("\n")),
    files: lines
      .filter(({ kind }) => kind === "file" || kind === "other")
      .slice(0, MAX_FILES)
      .map(({ path, hash }) => ({ path, hash: hash.slice(0, SHORT_HASH_LENGTH) })),
  };
}

const byPath = (one: TreeEntry, other: TreeEntry): number =>
  one.segments.join("/") < other.segments.join("/") ? -1 : 1;

async function searchPath(
  { store, tree }: Pick<ObjectWorkspace, "store" | "tree">,
  where: ConfinedPath,
  search: TextSearch,
): Promise<void> {
  const { signal } = search;
  const found = await tree.find(where, signal);
  if (!found) throw fileNotFound(where.path);
  if (found.kind === "file") return searchObject(store, found.object, where.path, search);
  for (const { segments, kind, object } of await tree.entriesBelow(found.key, { recursive: true, signal })) {
    const path = [where.path, ...segments].join("/").normalize("NFC");
    search.addName(path);
    if (kind !== "file" || !object || search.isExhausted()) continue;
    await searchObject(store, object, path, search).catch((error: unknown) => {
      signal?.throwIfAborted();
      // No text, or gone by now.
      if (!(error instanceof InvalidArgsError || error instanceof ObjectChangedError)) throw error;
    });
  }
}

async function searchObject(
  store: ObjectStore,
  object: StoredObject,
  path: string,
  search: TextSearch,
): Promise<void> {
  const length = Math.min(object.bytes, search.bytesLeft());
  const bytes = await readBytes(store, object, { from: 0, length }, search.signal);
  search.addFile(path, bytes, length === object.bytes);
}

async function inGroups<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let next = 0; next < items.length; next += PARALLEL_READS)
    results.push(...(await Promise.all(items.slice(next, next + PARALLEL_READS).map(work))));
  return results;
}
