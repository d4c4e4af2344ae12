import { InvalidArgsError } from "../errors/request-errors.ts";
import { MetahumanError } from "../errors/metahuman-error.ts";
import { decodeText } from "./decode-text.ts";
import type { LineMatch, SearchResult } from "./files.ts";
import type { Folder } from "./folder.ts";
import { compareEntries, walk, type FoundEntry } from "./list-entries.ts";
import { statSafely, readBytes, withOpenFile } from "./regular-file.ts";
import type { Place, Workspace } from "./workspace.ts";
import { plainWords } from "../text/words.ts";

/** The number of bytes to search at the beginning of each file. */
const MAX_FILE_BYTES = 1_000_000;
/** The number of bytes that one search reads. */
const MAX_BYTES = 64_000_000;
const MAX_MS = 10_000;
/** The maximum number of stored lines. */
const MAX_LINES = 1_000;
const MAX_LINE_LENGTH = 200;
/** The roots that are searched first. */
const OWN_ROOTS = ["out", "inbox"];

const fold = (text: string): string => text.normalize("NFKC").toLowerCase();

/** The state of a search. */
interface Search {
  /** The normalized query and its words. */
  phrase: string;
  words: readonly string[];
  lines: LineMatch[];
  /** Lines with all the words, used if no line contains the whole query. */
  looseLines: LineMatch[];
  found: number;
  looseCount: number;
  names: string[];
  bytesLeft: number;
  isTruncated: boolean;
  endsAt: number;
  signal: AbortSignal | undefined;
}

/** Implements `WorkspaceFiles.search`. Yields to the event loop at each file. */
export async function searchFiles(
  workspace: Workspace,
  query: string,
  { path, limit, signal }: { path?: string; limit: number; signal?: AbortSignal },
): Promise<SearchResult> {
  const phrase = fold(query).trim();
  if (phrase === "") throw new InvalidArgsError("The query is blank.");
  const search: Search = {
    phrase,
    words: plainWords(query),
    lines: [],
    looseLines: [],
    found: 0,
    looseCount: 0,
    names: [],
    bytesLeft: MAX_BYTES,
    isTruncated: false,
    endsAt: performance.now() + MAX_MS,
    signal,
  };
  if (path !== undefined) await searchPath(workspace, workspace.place(path), search);
  else
    for (const root of [
      ...OWN_ROOTS,
      ...[...workspace.roots.keys()].filter((name) => !OWN_ROOTS.includes(name)),
    ]) {
      // An unavailable root does not stop the search in the others.
      await searchPath(workspace, workspace.place(`${root}/`), search).catch(skip(search));
    }
  const isExact = search.found > 0;
  const lines = isExact ? search.lines : search.looseLines;
  const total = (isExact ? search.found : search.looseCount) + search.names.length;
  const names = search.names.slice(0, limit);
  const matches = lines.slice(0, limit);
  return { matches, names, total, truncated: search.isTruncated || matches.length + names.length < total };
}

/** Ignores inaccessible files and folders. Throws unexpected errors and the signal's reason. */
const skip =
  ({ signal }: Search) =>
  (error: unknown): undefined => {
    signal?.throwIfAborted();
    if (!(error instanceof MetahumanError)) throw error;
    return undefined;
  };

async function searchPath(workspace: Workspace, place: Place, search: Search): Promise<void> {
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
      if (isExhausted(search)) break;
    }
  });
  for (const { segments, kind } of entries.sort(compareEntries)) {
    const path = `${place.path}/${segments.join("/").normalize("NFC")}`;
    const name = fold(segments.at(-1) ?? "");
    if (
      name.includes(search.phrase) ||
      (search.words.length > 0 && search.words.every((word) => name.includes(word)))
    )
      search.names.push(path);
    if (kind !== "file" || isExhausted(search)) continue;
    const file = { ...place, segments: [...place.segments, ...segments] };
    await workspace
      .at(file, { signal }, (folder, found) => searchFile(folder, found, path, search))
      .catch(skip(search));
  }
}

function isExhausted(search: Search): boolean {
  search.signal?.throwIfAborted();
  search.isTruncated ||= search.bytesLeft <= 0 || performance.now() > search.endsAt;
  return search.isTruncated;
}

async function searchFile(folder: Folder, name: string, path: string, search: Search): Promise<void> {
  const { text, isWhole } = await withOpenFile(folder, name, async (handle, { size }) => {
    const length = Math.min(size, MAX_FILE_BYTES, search.bytesLeft);
    const bytes = await readBytes(handle, { from: 0, length, signal: search.signal });
    search.bytesLeft -= bytes.length;
    return { text: decodeText(bytes, path, bytes.length < size), isWhole: bytes.length === size };
  });
  search.isTruncated ||= !isWhole;
  if (!search.words.every((word) => fold(text).includes(word))) return;
  for (const [at, line] of text.split(/\r\n|[\n\r]/).entries()) {
    const folded = fold(line);
    const isExact = folded.includes(search.phrase);
    if (!isExact && (search.words.length === 0 || !search.words.every((word) => folded.includes(word))))
      continue;
    if (isExact) search.found += 1;
    else search.looseCount += 1;
    const kept = isExact ? search.lines : search.looseLines;
    if (kept.length < MAX_LINES) kept.push({ path, line: at + 1, text: around(line, folded, search) });
  }
}

/** The line, or the part of it around the first match; folding may move places a little. */
function around(line: string, folded: string, { phrase, words }: Search): string {
  const text = line.trim();
  if (text.length <= MAX_LINE_LENGTH) return text;
  const at = Math.max(folded.indexOf(phrase), folded.indexOf(words[0] ?? phrase), 0);
  const start = Math.max(0, Math.min(at - MAX_LINE_LENGTH / 4, line.length - MAX_LINE_LENGTH));
  const end = start + MAX_LINE_LENGTH;
  return `${start > 0 ? "…" : ""}${line.slice(start, end).toWellFormed().trim()}${end < line.length ? "…" : ""}`;
}
