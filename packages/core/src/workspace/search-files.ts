import { InvalidArgsError } from "../errors/request-errors.ts";
import { MetahumanError } from "../errors/metahuman-error.ts";
import { decodeText } from "./decode-text.ts";
import type { LineMatch, SearchResult } from "./files.ts";
import type { Folder } from "./folder.ts";
import { inReadingOrder, walk, type FoundEntry } from "./list-entries.ts";
import { inspect, readBytes, readingFile } from "./regular-file.ts";
import type { Place, Workspace } from "./workspace.ts";

/** The beginning of each file that is looked through, in bytes. */
const MOST_OF_A_FILE = 1_000_000;
/** All that one search reads, in bytes. */
const MOST_BYTES = 64_000_000;
const MOST_MS = 10_000;
/** So many lines are kept to choose from, whatever the limit. */
const MOST_KEPT = 1_000;
const SHOWN_LINE = 200;
/** These come first, whatever else is open. */
const OWN_ROOTS = ["out", "inbox"];

const fold = (text: string): string => text.normalize("NFKC").toLowerCase();
const wordsOf = (text: string): string[] => fold(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** What one search has found and used up so far. */
interface Search {
  /** The whole query, and its words. */
  phrase: string;
  words: readonly string[];
  lines: LineMatch[];
  /** Lines with all the words, which count where no line holds the whole query. */
  looseLines: LineMatch[];
  found: number;
  foundLoosely: number;
  names: string[];
  bytesLeft: number;
  isCut: boolean;
  endsAt: number;
  signal: AbortSignal | undefined;
}

/** `WorkspaceFiles.search`. Yields to the event loop at each file, as it reads it. */
export async function searchFiles(
  workspace: Workspace,
  query: string,
  { path, limit, signal }: { path?: string; limit: number; signal?: AbortSignal },
): Promise<SearchResult> {
  const phrase = fold(query).trim();
  if (phrase === "") throw new InvalidArgsError("There is nothing to search for: query is blank.");
  const search: Search = {
    phrase,
    words: wordsOf(query),
    lines: [],
    looseLines: [],
    found: 0,
    foundLoosely: 0,
    names: [],
    bytesLeft: MOST_BYTES,
    isCut: false,
    endsAt: performance.now() + MOST_MS,
    signal,
  };
  if (path !== undefined) await searchPlace(workspace, workspace.place(path), search);
  else
    for (const root of [
      ...OWN_ROOTS,
      ...[...workspace.roots.keys()].filter((name) => !OWN_ROOTS.includes(name)),
    ]) {
      // A root that is away for a while does not keep the others from being searched.
      await searchPlace(workspace, workspace.place(`${root}/`), search).catch(skip(search));
    }
  const isExact = search.found > 0;
  const lines = isExact ? search.lines : search.looseLines;
  const total = (isExact ? search.found : search.foundLoosely) + search.names.length;
  const names = search.names.slice(0, limit);
  const matches = lines.slice(0, limit);
  return { matches, names, total, truncated: search.isCut || matches.length + names.length < total };
}

/** Goes on where a file or folder cannot be read; everything unforeseen, and a stop from outside, is thrown. */
const skip =
  ({ signal }: Search) =>
  (error: unknown): undefined => {
    signal?.throwIfAborted();
    if (!(error instanceof MetahumanError)) throw error;
    return undefined;
  };

async function searchPlace(workspace: Workspace, place: Place, search: Search): Promise<void> {
  const { signal } = search;
  const isFile =
    place.segments.length > 0 &&
    (await workspace.at(place, { signal }, async (folder, name) => (await inspect(folder, name))?.isFile()));
  if (isFile === true) {
    await workspace.at(place, { signal }, (folder, name) => searchFile(folder, name, place.path, search));
    return;
  }
  const entries: FoundEntry[] = [];
  await workspace.inside(place, { signal }, async (folder) => {
    for await (const entry of walk(folder, { recursive: true, signal })) {
      entries.push(entry);
      if (isOver(search)) break;
    }
  });
  for (const { segments, kind } of entries.sort(inReadingOrder)) {
    const path = `${place.path}/${segments.join("/").normalize("NFC")}`;
    const name = fold(segments.at(-1) ?? "");
    if (
      name.includes(search.phrase) ||
      (search.words.length > 0 && search.words.every((word) => name.includes(word)))
    )
      search.names.push(path);
    if (kind !== "file" || isOver(search)) continue;
    const file = { ...place, segments: [...place.segments, ...segments] };
    await workspace
      .at(file, { signal }, (folder, found) => searchFile(folder, found, path, search))
      .catch(skip(search));
  }
}

function isOver(search: Search): boolean {
  search.signal?.throwIfAborted();
  search.isCut ||= search.bytesLeft <= 0 || performance.now() > search.endsAt;
  return search.isCut;
}

async function searchFile(folder: Folder, name: string, path: string, search: Search): Promise<void> {
  const { text, isWhole } = await readingFile(folder, name, async (handle, { size }) => {
    const length = Math.min(size, MOST_OF_A_FILE, search.bytesLeft);
    const bytes = await readBytes(handle, { from: 0, length, signal: search.signal });
    search.bytesLeft -= bytes.length;
    return { text: decodeText(bytes, path, bytes.length < size), isWhole: bytes.length === size };
  });
  search.isCut ||= !isWhole;
  if (!search.words.every((word) => fold(text).includes(word))) return;
  for (const [at, line] of text.split(/\r\n|[\n\r]/).entries()) {
    const folded = fold(line);
    const isExact = folded.includes(search.phrase);
    if (!isExact && (search.words.length === 0 || !search.words.every((word) => folded.includes(word))))
      continue;
    if (isExact) search.found += 1;
    else search.foundLoosely += 1;
    const kept = isExact ? search.lines : search.looseLines;
    if (kept.length < MOST_KEPT) kept.push({ path, line: at + 1, text: around(line, folded, search) });
  }
}

/** The line, or the part of it around the first match; folding may move places a little. */
function around(line: string, folded: string, { phrase, words }: Search): string {
  const text = line.trim();
  if (text.length <= SHOWN_LINE) return text;
  const at = Math.max(folded.indexOf(phrase), folded.indexOf(words[0] ?? phrase), 0);
  const start = Math.max(0, Math.min(at - SHOWN_LINE / 4, line.length - SHOWN_LINE));
  const end = start + SHOWN_LINE;
  return `${start > 0 ? "…" : ""}${line.slice(start, end).toWellFormed().trim()}${end < line.length ? "…" : ""}`;
}
