import { oneOf } from "../../text/patterns.ts";
import type { Token } from "../tokens/tokens.ts";
import {
  givenValue,
  nounsOf,
  referentAt,
  referring,
  type SlotInput,
  type SlotMatch,
  textBetween,
} from "./slot-reader.ts";
import { ARTICLES, FUNCTION_WORDS } from "../tokens/words.ts";

const FILE_NOUNS = nounsOf("file");
const MAX_PATHS = 20;
const IN = /^(?:in|from|of)$/;
const JOINING = /^(?:,|and|&|then)$/;

/**
 * Reads one path, plain or quoted. A trailing slash names a folder, a star makes a pattern; an empty or multi-line
 * quotation is not a path.
 */
function onePath(input: SlotInput, index: number): string | undefined {
  const path = anyPath(input, index);
  const { ending = "", like } = input.slot;
  return path !== undefined && path.endsWith(ending) && like?.test(path) !== false ? path : undefined;
}

function anyPath({ tokens, to, slot }: SlotInput, index: number): string | undefined {
  const token = index < to ? tokens[index] : undefined;
  if (token?.kind === "path") {
    return /[/\\]$/.test(token.text) || (!slot.glob && /[*?]/.test(token.text)) ? undefined : token.text;
  }
  return token?.kind === "quoted" && /\S/.test(token.text) && !/[\r\n]/.test(token.text)
    ? token.text
    : undefined;
}

/** Reads a path, several paths joined by commas and "and", or a reference to a file of an earlier step. */
export function* readPath(input: SlotInput): Iterable<SlotMatch> {
  const { tokens, from, to } = input;
  const copy = nameOfCopy(input);
  if (copy !== undefined && input.slot.several !== true) yield copy;
  const first = onePath(input, from);
  if (first === undefined) {
    const referent = referentAt(tokens, from, to, FILE_NOUNS);
    if (referent) yield referring(input, from, referent);
    return;
  }
  // Without an extension it could also be a folder, if the phrase has a folder slot.
  const typed = tokens[from]?.kind === "quoted" || /\.[^./\\]+$/.test(first) ? 1 : 0.9;
  const found: SlotMatch[] = [{ end: from + 1, value: givenValue(first), typed, free: 0 }];
  const values = [first];
  for (let end = from + 1; values.length < MAX_PATHS;) {
    let next = end;
    while (next < to && JOINING.test(tokens[next]?.text ?? "")) next++;
    // "In a.txt and in b.txt"
    const preposition = tokens[from - 1]?.text;
    if (next > end && preposition !== undefined && IN.test(preposition) && tokens[next]?.text === preposition)
      next++;
    const path = next > end ? onePath(input, next) : undefined;
    if (path === undefined) break;
    values.push(path);
    end = next + 1;
    found.push({ end, value: { kind: "several", values: [...values] }, typed: end - from, free: 0 });
  }
  yield* found.reverse().filter(({ value }) => value.kind === "several" || input.slot.several !== true);
  if (input.slot.several === true) return;
  yield* alternatives(input, first);
  yield* nameWithSpaces(input);
}

/** Reads "notes/plan (1).md", as downloads and copies are called. */
function nameOfCopy({ request, tokens, from, to, slot }: SlotInput): SlotMatch | undefined {
  const [name, bracket, rest] = tokens.slice(from, Math.min(to, from + 3));
  const isName = name?.kind === "path" || name?.kind === "word";
  if (!isName || bracket?.text !== "(" || !/^\d{1,3}\)\.[A-Za-z0-9]{1,10}$/u.test(rest?.text ?? ""))
    return undefined;
  const path = textBetween(request, tokens, from, from + 3);
  if (!path.endsWith(slot.ending ?? "") || slot.like?.test(path) === false) return undefined;
  return { end: from + 3, value: givenValue(path), typed: 3, free: 0 };
}

/** A path with spaces that is not quoted may be at most so many words long. */
const MAX_SPACED = 5;
const NO_NAME = /^(?:to|into|and|as|with|from|in|on|at|then|or|for|that|which|is|,)$/u;

/** Reads "notes/copy of plan.md" as one path: a folder and a word, more words, and a name with an extension. */
function* nameWithSpaces({ request, tokens, from, to }: SlotInput): Iterable<SlotMatch> {
  const first = tokens[from]?.text ?? "";
  if (tokens[from]?.kind !== "path" || !/\/[^./\\]+$/u.test(first)) return;
  for (let end = from + 2; end <= to && end - from <= MAX_SPACED; end++) {
    const token = tokens[end - 1];
    if (token === undefined || NO_NAME.test(token.text)) return;
    if (token.kind === "path" && !/[/\\]/u.test(token.text) && /\.[^.]+$/u.test(token.text)) {
      yield { end, value: givenValue(textBetween(request, tokens, from, end)), typed: end - from, free: 0 };
      return;
    }
    if (token.kind !== "word") return;
  }
}

/** Reads "a.md or maybe b.md", between which the person chooses. */
function* alternatives(input: SlotInput, first: string): Iterable<SlotMatch> {
  const { request, tokens, from, to } = input;
  const values = [first];
  let end = from + 1;
  for (let next = end; tokens[next]?.text === "or"; next = end) {
    next++;
    while (/^(?:maybe|perhaps|to|in|into|else|rather|possibly)$/.test(tokens[next]?.text ?? "")) next++;
    const other = next < to ? onePath(input, next) : undefined;
    if (other === undefined) break;
    values.push(other);
    end = next + 1;
  }
  if (values.length > 1) {
    const words = textBetween(request, tokens, from, end);
    yield { end, value: { kind: "choice", words, values }, typed: end - from, free: 0 };
  }
}

const NOT_A_NAME_WORDS = oneOf(
  String.raw`called|named|titled|\d+|two|three|four|five|six|seven|eight|nine|ten|several|many|few|couple`,
  "multiple|new|different|same|whole|entire",
);
/** "Two files" is a number of files, and after "called" the name has yet to come. */
const NOT_A_NAME = new RegExp(String.raw`^${NOT_A_NAME_WORDS}$`, "");
const MAX_WORDS = 6;

/** Converts "Trip Notes" to `trip-notes.txt`. Keeps letters of every script. */
function fileNameOf(words: string, extension = ".txt"): string {
  const slug = words
    .normalize("NFKC")
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return `${slug}${extension}`;
}

/** Reads a few plain words as a file name, or a file name as written. */
export function* readFilename({ request, tokens, from, to, slot }: SlotInput): Iterable<SlotMatch> {
  const first = from < to ? tokens[from] : undefined;
  if (first?.kind === "quoted" && slot.named && /\S/.test(first.text) && !/[\r\n]/.test(first.text)) {
    yield { end: from + 1, value: givenValue(first.text), typed: 1, free: 0 };
    return;
  }
  if (first?.kind === "path" && slot.named) {
    yield { end: from + 1, value: givenValue(first.text), typed: 1, free: 0 };
    return;
  }
  const start = ARTICLES.has(first?.text ?? "") ? from + 1 : from;
  const found: SlotMatch[] = [];
  for (let end = start + 1; end <= to && end - start <= MAX_WORDS; end++) {
    const token = tokens[end - 1];
    if (token?.kind !== "word" || FUNCTION_WORDS.has(token.text)) break;
    const isExcepted = slot.except?.includes(tokens[start]?.text ?? "") === true;
    if (end - start === 1 && (NOT_A_NAME.test(token.text) || (isExcepted && slot.ending === undefined)))
      break;
    if (slot.ending !== undefined && token.text !== slot.ending && token.text !== `check${slot.ending}`)
      continue;
    const name = fileNameOf(textBetween(request, tokens, start, end), slot.extension);
    if (name.startsWith(".")) break;
    // "List" alone names no file, "list for the party" does.
    if (slot.ending === undefined || (end - start > 1 && !isExcepted))
      found.push({ end, value: givenValue(name, slot.named !== true), typed: 0, free: end - start });
    if (slot.ending === undefined) continue;
    for (const further of endsOfPurpose(tokens, end, to)) {
      const whole = fileNameOf(textBetween(request, tokens, start, further), slot.extension);
      found.push({
        end: further,
        value: givenValue(whole, slot.named !== true),
        typed: 0,
        free: further - start,
      });
    }
  }
  yield* found.reverse();
}

/** Where "for Lisbon" and "for my birthday party" after "packing list" may end: up to three words after the preposition. */
function endsOfPurpose(tokens: readonly Token[], from: number, to: number): number[] {
  if (from >= to || !/^(?:for|of)$/u.test(tokens[from]?.text ?? "")) return [];
  const start = /^(?:the|a|an|my|our)$/u.test(tokens[from + 1]?.text ?? "") ? from + 2 : from + 1;
  const ends: number[] = [];
  for (let end = start + 1; end <= Math.min(to, start + 3); end++) {
    const token = tokens[end - 1];
    if (token?.kind !== "word" || FUNCTION_WORDS.has(token.text)) break;
    ends.push(end);
  }
  return ends;
}

/** Names of files without an extension: LICENSE, Makefile, .env. */
export const EXTENSIONLESS_NAME = /^(?:[A-Z][A-Z0-9_-]*|Makefile|Dockerfile|\..+)$/;

/**
 * The path of a renamed file: a bare name goes into the folder of the old path, and gets its extension if it has none: `b` and
 * `notes/a.md` → `notes/b.md`. A name with a folder is unchanged.
 */
export function renamedPath(name: string, path: string): string {
  if (/[/\\]/.test(name)) return name;
  const folder = /^(.*[/\\])[^/\\]+[/\\]*$/.exec(path)?.[1] ?? "";
  const extension =
    name.includes(".") || EXTENSIONLESS_NAME.test(name) ? "" : (/\.[A-Za-z]\w{0,7}$/.exec(path)?.[0] ?? "");
  return `${folder}${name}${extension}`;
}

/** Joins a folder and the last segment of a path: `archive` and `notes/a.md` → `archive/a.md`. */
export function inFolder(folder: string, path: string): string {
  const last =
    path
      .replace(/[/\\]+$/, "")
      .split(/[/\\]/)
      .at(-1) ?? path;
  return `${folder.replace(/[/\\]+$/, "")}/${last}`;
}
