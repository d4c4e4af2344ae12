import { InvalidArgsError } from "../errors/request-errors.ts";
import { decodeText } from "./decode-text.ts";
import type { LineMatch, SearchResult } from "./files.ts";
import { collectNearestLines } from "./nearest-lines.ts";
import { foldText } from "../text/words.ts";

/** The maximum number of bytes that are searched, from the beginning of each file. */
const MAX_FILE_BYTES = 1_000_000;
/** The maximum number of bytes that one search reads. */
const MAX_BYTES = 64_000_000;
const MAX_MS = 10_000;
/** The maximum number of stored lines. */
const MAX_LINES = 1_000;
const MAX_LINE_LENGTH = 200;

const wordsOf = (text: string): string[] => foldText(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** Collects the names and lines that match a query, for every file storage. */
export interface TextSearch {
  readonly signal: AbortSignal | undefined;
  /** How many bytes of a file may still be read. */
  bytesLeft(): number;
  /** Whether the search must end. Throws the signal's reason. */
  isExhausted(): boolean;
  addName(path: string): void;
  /** Searches a file, or its beginning if not `isWhole`. Throws `InvalidArgsError` for bytes that are not text. */
  addFile(path: string, bytes: Uint8Array, isWhole: boolean): void;
  result(): SearchResult;
}

/** Throws `InvalidArgsError` for a blank query. */
export function createTextSearch(
  query: string,
  { limit, signal }: { limit: number; signal?: AbortSignal },
): TextSearch {
  const phrase = foldText(query).trim();
  if (phrase === "") throw new InvalidArgsError("The query is blank.");
  const words = wordsOf(query);
  const endsAt = performance.now() + MAX_MS;
  const lines: LineMatch[] = [];
  /** Lines with all the words, used if no line contains the whole query. */
  const looseLines: LineMatch[] = [];
  const names: string[] = [];
  const nearest = collectNearestLines(query);
  let exactCount = 0;
  let looseCount = 0;
  let bytesLeft = MAX_BYTES;
  let isTruncated = false;

  return {
    signal,
    bytesLeft: () => Math.min(MAX_FILE_BYTES, bytesLeft),
    isExhausted() {
      signal?.throwIfAborted();
      isTruncated ||= bytesLeft <= 0 || performance.now() > endsAt;
      return isTruncated;
    },
    addName(path) {
      const name = foldText(path.slice(path.lastIndexOf("/") + 1));
      if (name.includes(phrase) || (words.length > 0 && words.every((word) => name.includes(word))))
        names.push(path);
    },
    addFile(path, bytes, isWhole) {
      bytesLeft -= bytes.length;
      const text = decodeText(bytes, path, !isWhole);
      isTruncated ||= !isWhole;
      if (exactCount + looseCount + names.length === 0) nearest.addFile(path, text);
      if (!words.every((word) => foldText(text).includes(word))) return;
      for (const [index, line] of text.split(/\r\n|[\n\r]/).entries()) {
        const folded = foldText(line);
        const isExact = folded.includes(phrase);
        if (!isExact && (words.length === 0 || !words.every((word) => folded.includes(word)))) continue;
        if (isExact) exactCount += 1;
        else looseCount += 1;
        const target = isExact ? lines : looseLines;
        if (target.length < MAX_LINES)
          target.push({ path, line: index + 1, text: excerpt(line, folded, { phrase, words }) });
      }
    },
    result() {
      const isExact = exactCount > 0;
      const total = (isExact ? exactCount : looseCount) + names.length;
      const found = { matches: (isExact ? lines : looseLines).slice(0, limit), names: names.slice(0, limit) };
      const isComplete = found.matches.length + found.names.length === total;
      const near =
        total > 0
          ? undefined
          : nearest.result((path, line, text) => ({
              path,
              line,
              text: excerpt(text, foldText(text), { phrase, words }),
            }));
      return {
        ...found,
        total,
        truncated: isTruncated || !isComplete,
        ...(near && { nearest: { ...near, matches: near.matches.slice(0, limit) } }),
      };
    },
  };
}

/** The line, or the part of it around the first match; case folding may shift the position a little. */
function excerpt(
  line: string,
  folded: string,
  { phrase, words }: { phrase: string; words: readonly string[] },
): string {
  const text = line.trim();
  if (text.length <= MAX_LINE_LENGTH) return text;
  const at = Math.max(folded.indexOf(phrase), folded.indexOf(words[0] ?? phrase), 0);
  const start = Math.max(0, Math.min(at - MAX_LINE_LENGTH / 4, line.length - MAX_LINE_LENGTH));
  const end = start + MAX_LINE_LENGTH;
  return `${start > 0 ? "…" : ""}${line.slice(start, end).toWellFormed().trim()}${end < line.length ? "…" : ""}`;
}
