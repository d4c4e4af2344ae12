import { withoutTrailing } from "../../text/words.ts";
import { ARTICLES, FUNCTION_WORDS, normalize } from "../tokens/words.ts";
import {
  afterMarks,
  givenValue,
  itemsIn,
  MAX_TITLE,
  nounsOf,
  QUANTIFIERS,
  referentAt,
  referring,
  type SlotInput,
  type SlotMatch,
  textBetween,
  titleEnds,
} from "./slot-reader.ts";

/** Search words without a leading article and trailing punctuation. */
function* searchWords(
  input: SlotInput,
): Iterable<{ end: number; words: string; typed: number; free: number }> {
  let start = afterMarks(input);
  const { tokens, to } = input;
  while (start < to - 1 && ARTICLES.has(tokens[start]?.text ?? "")) start++;
  const first = start < to ? tokens[start] : undefined;
  if (first?.kind === "quoted" && /\S/.test(first.text)) {
    yield { end: start + 1, words: first.text, typed: 1, free: 0 };
  }
  for (const end of titleEnds(input, start)) {
    const words = withoutTrailing(textBetween(input.request, tokens, start, end), /[\s.,;:!?]/u);
    if (words.length > 0 && words.length <= MAX_TITLE) yield { end, words, typed: 0, free: end - start };
  }
}

const POSSESSIVE = /\p{L}['’]s\b|(?<![\p{L}'])(?:my|our)(?![\p{L}'])/iu;

/** "Find out …" and "find a way …" ask for reasoning; "search the web …" asks for another source. */
const NOT_SEARCHED = /^(?:out|a way|ways|web|online|internet)\b/iu;

export function* readQuery(input: SlotInput): Iterable<SlotMatch> {
  for (const { end, words, typed, free } of searchWords(input)) {
    if (typed === 0 && NOT_SEARCHED.test(words)) continue;
    if (input.slot.possessive && !POSSESSIVE.test(words)) continue;
    yield { end, value: givenValue(input.slot.query?.(words) ?? words), typed, free };
  }
}

/** Record ids begin with their kind and a day. */
const ID = /^[a-z]+-\d{8}\S*$/;

const FINISHED = /^(?:done|finished|completed|complete|closed)$/;
const UNFINISHED = /^(?:open|remaining|pending|unfinished|current)$/;

/** Reads "all my tasks", "everything on my list", "all done tasks". */
function* readListing({ request, tokens, from, to, slot }: SlotInput): Iterable<SlotMatch> {
  const word = (index: number): string =>
    index < to && tokens[index]?.kind === "word" ? tokens[index].text : "";
  const nouns = nounsOf(slot.kind ?? "");
  let position = from;
  if (word(position) === "everything") {
    position++;
    if (/^(?:on|in|from)$/.test(word(position)) && ARTICLES.has(word(position + 1))) {
      position += 2;
      while (/^(?:todo|task|list)$/.test(word(position))) position++;
    }
  } else if (/^(?:all|every|each)$/.test(word(position))) {
    position++;
    if (word(position) === "of") position++;
    if (ARTICLES.has(word(position)) || /^(?:these|those)$/.test(word(position))) position++;
  } else if (/^(?:my|our|the)$/.test(word(position)) && FINISHED.test(word(position + 1))) {
    // "My finished tasks" are all of them; "the done task" is one.
    if (!nouns.includes(word(position + 2).replace(/s$/, "")) || !word(position + 2).endsWith("s")) return;
    position++;
  } else return;
  const args = FINISHED.test(word(position)) ? { status: "done" } : {};
  if ("status" in args || UNFINISHED.test(word(position))) position++;
  if ([word(position), word(position).replace(/s$/, "")].some((noun) => nouns.includes(noun))) position++;
  const words = textBetween(request, tokens, from, position);
  if (slot.like?.test(words) === false) return;
  yield { end: position, value: { kind: "listing", words, args }, typed: position - from, free: 0 };
}

const EXTENSION = /^(?:\*?\.)?(?:[a-z][a-z0-9]{1,4}|7z)$/;
const KNOWN_EXTENSION =
  /^(?:md|txt|json|csv|tsv|html?|ya?ml|log|pdf|tsx?|jsx?|py|css|xml|png|jpe?g|tmp|bak|doc|docx|zip)$/;

/** Reads "all the csv files", "every .log file in out/data", "the files in notes": all files of a folder or with an ending. */
function* fileListing({ request, tokens, from, to }: SlotInput): Iterable<SlotMatch> {
  const word = (index: number): string =>
    index < to && tokens[index]?.kind !== "quoted" ? (tokens[index]?.text ?? "") : "";
  let position = from;
  const isEvery = /^(?:all|every|each)$/.test(word(position));
  if (isEvery) position += word(position + 1) === "of" ? 2 : 1;
  if (/^(?:the|my|our|these|those)$/.test(word(position))) position++;
  else if (!isEvery) return;
  const named = word(position);
  const isGlob = /^\*?\./.test(named) && EXTENSION.test(named);
  const extension = isGlob || KNOWN_EXTENSION.test(named) ? named.replace(/^\*?\./, "") : undefined;
  if (extension !== undefined) position++;
  const noun = word(position);
  const isPlural = /^(?:files|documents)$/.test(noun);
  if (!isPlural && !(/^each|every$/.test(word(from)) && noun === "file")) return;
  position++;
  const folder = folderAfter(word, position);
  if (extension === undefined && folder === undefined) return;
  const end = folder?.end ?? position;
  const args = {
    pattern: extension === undefined ? "*" : `*.${extension}`,
    ...(folder === undefined ? { recursive: true } : { path: folder.path }),
  };
  yield {
    end,
    value: { kind: "listing", words: textBetween(request, tokens, from, end), args },
    typed: end - from,
    free: 0,
  };
}

/** The folder that a phrase such as "in the folder notes" names at `from`. */
function folderAfter(
  word: (index: number) => string,
  from: number,
): { path: string; end: number } | undefined {
  if (!/^(?:in|inside|from|under|of)$/.test(word(from))) return undefined;
  let at = from + 1;
  if (ARTICLES.has(word(at))) at++;
  if (/^(?:folder|directory)$/.test(word(at))) at++;
  const path = word(at).replace(/\/+$/, "");
  if (path === "" || FUNCTION_WORDS.has(path) || /\.[a-z]+$/i.test(path)) return undefined;
  return { path, end: /^(?:folder|directory)$/.test(word(at + 1)) ? at + 2 : at + 1 };
}

/** Reads a reference to an earlier step, an id as written, or words for a look-up. "All" is not a reference. */
export function* readReference(input: SlotInput): Iterable<SlotMatch> {
  const { tokens, from, to, slot } = input;
  if (slot.onlyEvery) {
    yield* slot.kind === "file" ? fileListing(input) : readListing(input);
    return;
  }
  const referent = referentAt(tokens, from, to, nounsOf(slot.kind ?? ""));
  if (referent) yield referring(input, from, referent);
  else if (slot.every) yield* readListing(input);
  if (slot.pronounOnly || QUANTIFIERS.has(tokens[afterMarks(input)]?.text ?? "")) return;
  for (const { end, words, typed, free } of searchWords(input)) {
    if (slot.each) {
      const items = itemsIn(words);
      if (items.length > 1)
        yield { end, value: { kind: "look-ups", words: items }, typed: items.length - 1, free };
      continue;
    }
    if (slot.like?.test(words) === false) continue;
    // A path identifies a file and needs no look-up.
    if (end - from === 1 && tokens[from]?.kind === "path") continue;
    if (slot.plain && typed === 0 && words.split(/\s+/).some((word) => FUNCTION_WORDS.has(normalize(word))))
      continue;
    if (slot.exact && (/[,:;]/u.test(words) || slot.except?.includes(normalize(words).split(" ")[0] ?? "")))
      continue;
    if (ID.test(words)) yield { end, value: givenValue(words), typed: 1, free: 0 };
    else yield { end, value: { kind: "look-up", words }, typed, free };
  }
}
