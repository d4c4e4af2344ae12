import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { parse } from "node:path";
import { nearest } from "../errors/nearest.ts";
import { FileNotFoundError } from "../errors/not-found-errors.ts";
import { AlreadyExistsError, InvalidArgsError } from "../errors/request-errors.ts";
import { assertReachable, type ConfinedPath, MAX_NAME_BYTES } from "../paths/file-names.ts";
import { appendToFile } from "./append-to-file.ts";
import { hashContent } from "./content-hash.ts";
import { copyFile } from "./copy-entry.ts";
import type {
  ChangeOptions,
  FileEntry,
  FileState,
  WorkspaceFiles,
  WriteOptions,
  WrittenFile,
} from "./files.ts";
import {
  compareEntries,
  describeEntry,
  type FoundEntry,
  ignoreInaccessible,
  statEntry,
  walk,
} from "./folder.ts";
import { globMatcher } from "./glob.ts";
import { assertMovable, moveEntry } from "./move-entry.ts";
import { readPart } from "./read-part.ts";
import {
  alreadyExists,
  assertReplaceable,
  fileNotFound,
  readBytes,
  statSafely,
  withOpenFile,
  writeFile,
} from "./regular-file.ts";
import { searchFiles } from "./search-files.ts";
import type { Place, Workspace } from "./workspace.ts";

/** The bytes of one chunk. */
const CHUNK_BYTES = 1 << 18;

async function* chunksOf(
  handle: FileHandle,
  size: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < size;) {
    const bytes = await readBytes(handle, { from, length: Math.min(CHUNK_BYTES, size - from), signal });
    if (bytes.length === 0) return;
    yield bytes;
    from += bytes.length;
  }
}

/** `WorkspaceFiles` on the local disk. */
export function localFiles(workspace: Workspace): WorkspaceFiles {
  return { ...readMethods(workspace), ...changeMethods(workspace) };
}

type ChangeMethod = "writeText" | "writeBytes" | "appendText" | "makeFolder" | "copy" | "move";

function readMethods(workspace: Workspace): Omit<WorkspaceFiles, ChangeMethod> {
  return {
    resolve: (path) => {
      const place = workspace.place(path);
      return { path: place.path, root: place.root, writable: place.home.writable };
    },

    state: async (path, signal) => await stateOf(workspace, workspace.place(path), signal),

    existing: async (path, signal) => {
      const place = workspace.place(path);
      return await withPathSuggestions(workspace, place, signal, async () => {
        const state = await stateOf(workspace, place, signal);
        if (state.kind === "absent") throw fileNotFound(place.path);
        return state;
      });
    },

    content: (paths, signal) =>
      hashContent(
        paths.map((path) => workspace.place(path)),
        workspace,
        signal,
      ),

    freePath: async (path, signal) => {
      const place = workspace.place(path);
      const { kind } = await stateOf(workspace, place, signal);
      return kind === "absent" ? place.path : await freePath(workspace, place, signal);
    },

    readText: async (path, { maxBytes, from = 0, signal }) => {
      const place = workspace.place(path);
      return await withPathSuggestions(workspace, place, signal, () =>
        workspace.at(place, { signal }, (folder, name) =>
          withOpenFile(folder, name, async (handle, stats) => {
            const file = {
              size: stats.size,
              label: place.path,
              read: (range: { from: number; length: number }) => readBytes(handle, { ...range, signal }),
            };
            const part = await readPart(file, { from, maxBytes });
            return { path: place.path, bytes: stats.size, ...part };
          }),
        ),
      );
    },

    open: async (path, use, signal) => {
      const place = workspace.place(path);
      return await withPathSuggestions(workspace, place, signal, () =>
        workspace.at(place, { signal }, (folder, name) =>
          withOpenFile(folder, name, (handle, { size }) =>
            use({ path: place.path, bytes: size, chunks: () => chunksOf(handle, size, signal) }),
          ),
        ),
      );
    },

    list: async (path, { pattern, recursive, limit, signal }) => {
      const place = workspace.place(path);
      const matches = pattern === undefined ? () => true : globMatcher(pattern);
      return await withPathSuggestions(workspace, place, signal, async () => {
        const found: FoundEntry[] = [];
        await workspace.inside(place, { signal }, async (folder) => {
          for await (const entry of walk(folder, { recursive, signal }))
            if (matches(entry.segments)) found.push(entry);
        });
        const page = found.sort(compareEntries).slice(0, limit);
        return {
          path: place.path,
          entries: await describeEntries(workspace, place, page, signal),
          total: found.length,
        };
      });
    },

    search: async (query, options) => await searchFiles(workspace, query, options),
  };
}

/** Every change holds the write lock of the workspace. */
function changeMethods(workspace: Workspace): Pick<WorkspaceFiles, ChangeMethod> {
  return {
    writeText: (path, content, options) => writeAt(workspace, path, Buffer.from(content, "utf8"), options),

    writeBytes: (path, content, options) => writeAt(workspace, path, content, options),

    appendText: async (path, text, { verify, signal } = {}) => {
      const place = workspace.writablePlace(path);
      return await workspace.exclusively(() =>
        workspace.at(place, { create: true, signal }, async (folder, name) => {
          await verify?.();
          return { path: place.path, ...(await appendToFile(folder, name, text, signal)) };
        }),
      );
    },

    makeFolder: async (path, { signal } = {}) => {
      const place = workspace.writablePlace(path);
      return await workspace.exclusively(async () => {
        const { kind } = await stateOf(workspace, place, signal);
        if (kind === "file") throw alreadyExists(place.path);
        await workspace.inside(place, { create: true, signal }, (folder) => folder.verify());
        return { path: place.path, created: kind === "absent" };
      });
    },

    copy: async (from, to, options) => {
      const source = workspace.place(from);
      const target = workspace.writablePlace(to);
      if (source.path === target.path)
        throw new InvalidArgsError(`${source.path} cannot be copied onto itself.`, {
          context: { path: source.path },
        });
      return await withPathSuggestions(workspace, source, options.signal, () =>
        workspace.exclusively(() => copyTo(workspace, source, target, options)),
      );
    },

    move: async (from, to, options) => {
      const source = workspace.writablePlace(from);
      const target = workspace.writablePlace(to);
      if (source.path === target.path)
        throw new InvalidArgsError(`${source.path} is already there.`, { context: { path: source.path } });
      return await withPathSuggestions(workspace, source, options.signal, () =>
        workspace.exclusively(() => moveTo(workspace, source, target, options)),
      );
    },
  };
}

async function writeAt(
  workspace: Workspace,
  path: string,
  bytes: Uint8Array,
  { expect, verify, signal }: WriteOptions,
): Promise<WrittenFile> {
  const place = workspace.writablePlace(path);
  return await withPathSuggestions(workspace, place, signal, () =>
    workspace.exclusively(() =>
      workspace.at(place, { create: true, signal }, async (folder, name) => {
        const before = await statSafely(folder, name);
        if (before) assertReplaceable(before, place.path);
        await writeFile(folder, name, (handle) => handle.writeFile(bytes, { signal }), {
          expect,
          mode: before?.mode,
          signal,
          ...(verify && { beforeNaming: verify }),
        });
        return { path: place.path, bytes: bytes.length, created: !before };
      }),
    ),
  );
}

/** Copies a file under the write lock, which the caller holds. */
async function copyTo(
  workspace: Workspace,
  source: Place,
  target: Place,
  { overwrite, verify, signal }: { overwrite: boolean } & ChangeOptions,
): Promise<{ from: string; to: string; bytes: number }> {
  return await workspace.at(source, { signal }, async (fromFolder, fromName) => {
    const found = await statSafely(fromFolder, fromName);
    if (!found) throw fileNotFound(source.path);
    if (found.isDirectory())
      throw new InvalidArgsError(`${source.path} is a folder; only files are copied.`, {
        context: { path: source.path },
      });
    return await withPathSuggestions(workspace, target, signal, () =>
      workspace.at(target, { create: true, signal }, async (toFolder, toName) => {
        const taken = await statSafely(toFolder, toName);
        if (taken) assertReplaceable(taken, target.path);
        await verify?.();
        await copyFile(
          { folder: fromFolder, name: fromName },
          { folder: toFolder, name: toName },
          { expect: overwrite ? "any" : "absent", signal },
        );
        return { from: source.path, to: target.path, bytes: found.size };
      }),
    );
  });
}

/** Moves an entry under the write lock, which the caller holds. Never replaces a folder. */
async function moveTo(
  workspace: Workspace,
  source: Place,
  target: Place,
  { overwrite, verify, signal }: { overwrite: boolean } & ChangeOptions,
): Promise<{ from: string; to: string }> {
  return await workspace.at(source, { signal }, async (fromFolder, fromName) => {
    const found = await statSafely(fromFolder, fromName);
    if (!found) throw fileNotFound(source.path);
    const kind = found.isDirectory() ? "folder" : "file";
    if (kind === "folder") {
      await assertMovable(fromFolder, fromName, target.path);
      await workspace.inside(source, { signal }, async (folder) => {
        for await (const { segments } of walk(folder, { recursive: true, signal }))
          assertReachable([target.path, ...segments].join("/"));
      });
    }
    return await withPathSuggestions(workspace, target, signal, () =>
      workspace.at(target, { create: true, signal }, async (toFolder, toName) => {
        const taken = await statSafely(toFolder, toName);
        const isSameEntry = taken?.ino === found.ino && taken.dev === found.dev;
        if (taken && !isSameEntry && kind === "folder") throw alreadyExists(target.path);
        if (taken && !isSameEntry) assertReplaceable(taken, target.path);
        await verify?.();
        await moveEntry(
          { folder: fromFolder, name: fromName },
          { folder: toFolder, name: toName },
          { kind, overwrite },
        );
        return { from: source.path, to: target.path };
      }),
    );
  });
}

async function statsOf(
  workspace: Workspace,
  place: Place,
  signal: AbortSignal | undefined,
): Promise<Stats | undefined> {
  try {
    return await workspace.at(place, { signal }, statSafely);
  } catch (error) {
    if (error instanceof FileNotFoundError) return undefined;
    throw error;
  }
}

async function stateOf(
  workspace: Workspace,
  place: Place,
  signal: AbortSignal | undefined,
): Promise<FileState> {
  const { path } = place;
  if (place.segments.length === 0) return { path, kind: "folder", bytes: 0 };
  const stats = await statsOf(workspace, place, signal);
  if (!stats) return { path, kind: "absent", bytes: 0 };
  return stats.isDirectory() ? { path, kind: "folder", bytes: 0 } : { path, kind: "file", bytes: stats.size };
}

/** Describes entries below `place`, in the same order. Leaves out those that are gone or inaccessible. */
async function describeEntries(
  workspace: Workspace,
  place: Place,
  found: readonly FoundEntry[],
  signal: AbortSignal | undefined,
): Promise<FileEntry[]> {
  const byFolder = Map.groupBy(found, ({ segments }) => segments.slice(0, -1).join("/"));
  const described = new Map<FoundEntry, FileEntry>();
  for (const entries of byFolder.values()) {
    const above = entries[0]?.segments.slice(0, -1) ?? [];
    const where: Place = { ...place, segments: [...place.segments, ...above] };
    const work = workspace.inside(where, { signal }, async (folder) => {
      for (const entry of entries) {
        const file = await describeEntry(folder, entry.segments.at(-1) ?? "", entry.kind);
        if (file) described.set(entry, file);
      }
    });
    await work.catch(ignoreInaccessible);
  }
  return found.flatMap((entry) => described.get(entry) ?? []);
}

/** Runs `work`. Adds the nearest existing paths to a "not found" error and a free path to an "already exists" error. */
export async function withPathSuggestions<Result>(
  workspace: Workspace,
  place: Place,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const context = { path: place.path };
    if (error instanceof FileNotFoundError && error.suggestions.length === 0) {
      const suggestions = await nearestPaths(workspace, place, signal);
      throw new FileNotFoundError(error.message, { suggestions, context, cause: error });
    }
    if (error instanceof AlreadyExistsError && error.suggestions.length === 0) {
      const suggestions = [await freePath(workspace, place, signal)];
      throw new AlreadyExistsError(error.message, { suggestions, context, cause: error });
    }
    throw error;
  }
}

/** The maximum number of entries to read per root, which bounds the time for a huge root. */
export const MAX_ENTRIES = 2_000;

/** Existing paths similar to the missing one, best first: in its own root, then in the others. */
async function nearestPaths(workspace: Workspace, missing: Place, signal?: AbortSignal): Promise<string[]> {
  const paths = new Map<string, string>();
  const roots = [missing.root, ...[...workspace.roots.keys()].filter((root) => root !== missing.root)];
  for (const root of roots) {
    let seen = 0;
    // A missing root has no suggestions.
    const found = workspace.inside(workspace.place(root), { signal }, async (folder) => {
      for await (const { segments, kind } of walk(folder, { recursive: true, signal })) {
        const path = [root, ...segments].join("/").normalize("NFC");
        // The parents of the missing path are not useful suggestions.
        if (kind !== "other" && !missing.path.startsWith(`${path}/`)) paths.set(path, segments.at(-1) ?? "");
        seen += 1;
        if (seen >= MAX_ENTRIES) break;
      }
    });
    await found.catch((error: unknown) => {
      if (signal?.aborted) throw error;
    });
  }
  return mostSimilar(missing, paths);
}

/** The three paths most similar to the missing one: those with a similar name, then those with a similar path. */
export function mostSimilar(
  missing: ConfinedPath,
  /** The name of each path. */
  paths: ReadonlyMap<string, string>,
): string[] {
  const byPath = nearest(missing.path, paths.keys());
  const wanted = missing.segments.at(-1) ?? missing.root;
  const sameName = nearest(wanted, new Set(paths.values())).flatMap((name) =>
    [...paths].filter(([, other]) => other === name).map(([path]) => path),
  );
  return [...new Set([...sameName.slice(0, 3), ...byPath])].slice(0, 3);
}

const MAX_ATTEMPTS = 1_000;

/** A free path next to `taken`: `notes.md` → `notes-2.md`. */
async function freePath(workspace: Workspace, taken: Place, signal?: AbortSignal): Promise<string> {
  return await workspace.at(
    taken,
    { signal },
    async (folder, name) =>
      `${folder.label}/${await freeName(name, async (other) => (await statEntry(folder, other)) !== undefined)}`,
  );
}

/** A longer extension is a part of the name. */
const MAX_EXTENSION_BYTES = 32;

/** The first free name next to a taken one: `notes.md` → `notes-2.md`. The longest names are shortened for the number. */
export async function freeName(
  taken: string,
  isTaken: (candidate: string) => Promise<boolean>,
): Promise<string> {
  const { ext } = parse(taken);
  const extension = Buffer.byteLength(ext) > MAX_EXTENSION_BYTES ? "" : ext;
  const stem = taken.slice(0, taken.length - extension.length);
  const numbered = (number: number): string => {
    const end = `-${number}${extension}`;
    const start = [...stem];
    while (Buffer.byteLength(start.join("")) + Buffer.byteLength(end) > MAX_NAME_BYTES) start.pop();
    return `${start.join("")}${end}`;
  };
  for (let number = 2; number < MAX_ATTEMPTS; number += 1) {
    const candidate = numbered(number);
    if (!(await isTaken(candidate))) return candidate;
  }
  return numbered(Date.now());
}
