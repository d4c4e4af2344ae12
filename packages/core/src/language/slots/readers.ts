import type { SlotType } from "../grammar/phrase.ts";
import { readFilename } from "./filename.ts";
import { readPriority, readStatus } from "./levels.ts";
import { readPath } from "./path.ts";
import { readQuery, readReference } from "./search.ts";
import { given, type SlotInput, type SlotMatch, type SlotReader } from "./slot-reader.ts";
import { readTag } from "./tag.ts";
import { readText, readTitle, readQuotedText } from "./text.ts";
import { ARTICLES, FUNCTION_WORDS } from "../tokens/words.ts";

export const SLOT_READERS: Readonly<Record<SlotType, SlotReader>> = {
  path: readPath,
  filename: readFilename,
  folder: readFolder,
  text: readText,
  wording: readQuotedText,
  title: readTitle,
  query: readQuery,
  description: readDescription,
  date: readDate,
  priority: readPriority,
  status: readStatus,
  number: readNumber,
  tag: readTag,
  reference: readReference,
};

/** Types of slots that accept free text. */
export const FREE_TEXT_TYPES: ReadonlySet<SlotType> = new Set<SlotType>([
  "filename",
  "text",
  "wording",
  "title",
  "query",
  "description",
  "reference",
]);

/** Reads up to four descriptive words. */
function* readDescription({ tokens, from, to }: SlotInput): Iterable<SlotMatch> {
  const found: SlotMatch[] = [];
  const start = ARTICLES.has(tokens[from]?.text ?? "") ? from + 1 : from;
  for (let end = start + 1; end <= to && end - start <= 4; end++) {
    const token = tokens[end - 1];
    if (token?.kind !== "word" || FUNCTION_WORDS.has(token.text)) break;
    found.push({ end, value: { kind: "description" }, typed: 0, free: end - start });
  }
  yield* found.reverse();
}

const FOLDER = /^(?:folders?|director(?:y|ies)|dir)$/;

/**
 * Reads a folder as written (`notes/`), quoted, or as a bare word. An article may precede a known folder or one
 * called a folder.
 */
function* readFolder({ tokens, from, to, slot }: SlotInput): Iterable<SlotMatch> {
  const at = ARTICLES.has(tokens[from]?.text ?? "") && from + 1 < to ? from + 1 : from;
  const token = at < to ? tokens[at] : undefined;
  if (token === undefined) return;
  if (!token.text.endsWith(slot.ending ?? "")) return;
  if (token.kind === "path" && !/[^./\\]\.[^./\\]+$/.test(token.text)) {
    // Without a trailing slash it could also be a file.
    const typed = token.text.endsWith("/") ? 1 : 0.9;
    yield { end: at + 1, value: given(token.text.replace(/(?<=.)\/+$/, "")), typed, free: 0 };
  } else if (token.kind === "quoted" && /\S/.test(token.text) && !/[\r\n]/.test(token.text)) {
    yield { end: at + 1, value: given(token.text), typed: 1, free: 0 };
  } else if (token.kind === "word" && !FUNCTION_WORDS.has(token.text) && !slot.except?.includes(token.text)) {
    const known = slot.known?.includes(token.text) ?? false;
    const isCalledFolder =
      FOLDER.test(tokens[at + 1]?.text ?? "") ||
      FOLDER.test(tokens[at - 1]?.text ?? "") ||
      FOLDER.test(tokens[from - 1]?.text ?? "");
    const hasArticle = ARTICLES.has(tokens[at - 1]?.text ?? "");
    if (known || isCalledFolder || (slot.bare !== false && !hasArticle)) {
      yield { end: at + 1, value: given(token.text), typed: known ? 1 : 0, free: known ? 0 : 1 };
    }
  }
}

const NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");

function* readNumber({ tokens, from, to }: SlotInput): Iterable<SlotMatch> {
  const token = from < to ? tokens[from] : undefined;
  if (token?.kind !== "word") return;
  const value = /^\d{1,9}$/.test(token.text) ? Number(token.text) : NUMBER_WORDS.indexOf(token.text);
  if (value > 0) yield { end: from + 1, value: given(value), typed: 1, free: 0 };
}

/** True for "in December", "in 3 days". Elsewhere "in" belongs to the words before: "fill it in tomorrow". */
const NOT_AFTER_IN =
  /^(?:today|tonight|tomorrow|tmrw?|this|next|on|at|by|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)$/;

/** Reads a day or time that begins here. A preposition before it may already be part of the phrase. */
function* readDate({ dates, tokens, from, to, slot, afterFreeText }: SlotInput): Iterable<SlotMatch> {
  if (!afterFreeText && tokens[from - 1]?.text === "in" && NOT_AFTER_IN.test(tokens[from]?.text ?? ""))
    return;
  for (const span of dates()) {
    if (span.to <= to && span.to > from && (span.from === from || span.from === from - 1)) {
      yield {
        end: span.to,
        value: given(slot.last ? span.last : span.value),
        typed: span.to - from,
        free: 0,
      };
    }
  }
}
