import { MetahumanError } from "../errors/metahuman-error.ts";
import type { SearchResult } from "./files.ts";
import { compareEntries, type Folder, type FoundEntry, walk } from "./folder.ts";
import { statSafely, readBytes, withOpenFile } from "./regular-file.ts";
import { createTextSearch, type TextSearch } from "./text-search.ts";
import type { Place, Workspace } from "./workspace.ts";

/** The roots to search first. */
const OWN_ROOTS = ["out", "inbox"];

/** Implements `WorkspaceFiles.search`. Yields to the event loop at each file. */
export async function searchFiles(
  workspace: Workspace,
  query: string,
  { path, ...options }: { path?: string; limit: number; signal?: AbortSignal },
): Promise<SearchResult> {
  const search = createTextSearch(query, options);
  if (path !== undefined) await searchPath(workspace, workspace.place(path), search);
  else
    for (const root of [
      ...OWN_ROOTS,
      ...[...workspace.roots.keys()].filter((name) => !OWN_ROOTS.includes(name)),
    ]) {
      // An unavailable root does not stop the search in the others.
      await searchPath(workspace, workspace.place(`${root}/`), search).catch(skip(search));
    }
  return search.result();
}

/** Ignores inaccessible files and folders. Throws unexpected errors and the signal's reason. */
const skip =
  ({ signal }: TextSearch) =>
  (error: unknown): undefined => {
    signal?.throwIfAborted();
    if (!(error instanceof MetahumanError)) throw error;
    return undefined;
  };

async function searchPath(workspace: Workspace, place: Place, search: TextSearch): Promise<void> {
  const { signal } = search;
  const isFile =
    place.segments.length > 0 &&
    (await workspace.at(place, { signal }, async (folder, name) =>
      (await statSafely(folder, name))?.isFile(),
    ));
  if (isFile === true) {
    await workspace.at(place, { signal }, (folder, name) => searchFile(folder, name, place.path, search));
    return;
  }
  const entries: FoundEntry[] = [];
  await workspace.inside(place, { signal }, async (folder) => {
    for await (const entry of walk(folder, { recursive: true, signal })) {
      entries.push(entry);
      if (search.isExhausted()) break;
    }
  });
  for (const { segments, kind } of entries.sort(compareEntries)) {
    const path = `${place.path}/${segments.join("/").normalize("NFC")}`;
    search.addName(path);
    if (kind !== "file" || search.isExhausted()) continue;
    const file = { ...place, segments: [...place.segments, ...segments] };
    await workspace
      .at(file, { signal }, (folder, found) => searchFile(folder, found, path, search))
      .catch(skip(search));
  }
}

async function searchFile(folder: Folder, name: string, path: string, search: TextSearch): Promise<void> {
  await withOpenFile(folder, name, async (handle, { size }) => {
    const length = Math.min(size, search.bytesLeft());
    const bytes = await readBytes(handle, { from: 0, length, signal: search.signal });
    search.addFile(path, bytes, bytes.length === size);
  });
}
