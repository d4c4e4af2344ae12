import type { SlotType } from "../grammar/phrase.ts";
import { type DateSpan, isoDay, wallTimeOf } from "../dates/clock.ts";
import { readPastPeriod } from "../dates/past-periods.ts";
import { relativeDatesAt } from "../dates/relative-dates.ts";
import { readFilename, readPath } from "./path.ts";
import { readPriority, readStatus } from "./levels.ts";
import {
  givenValue,
  nounsOf,
  referentAt,
  referring,
  type SlotInput,
  type SlotMatch,
  type SlotReader,
  textBetween,
} from "./slot-reader.ts";
import { readQuery, readQuotedText, readReference, readText, readTitle } from "./text.ts";
import type { Token } from "../tokens/tokens.ts";
import { ARTICLES, FUNCTION_WORDS } from "../tokens/words.ts";
import { smallNumber } from "../../text/number-words.ts";

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
  period: readPeriod,
  priority: readPriority,
  status: readStatus,
  number: readNumber,
  tag: readTag,
  reference: readReference,
  name: readName,
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
  "name",
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
function* readFolder(input: SlotInput): Iterable<SlotMatch> {
  const several = folderInWords(input);
  if (several !== undefined) yield several;
  const first = oneFolder(input, input.from);
  if (first === undefined) {
    const referent = input.slot.pronoun
      ? referentAt(input.tokens, input.from, input.to, FOLDER_NOUNS)
      : undefined;
    if (referent?.pick === undefined && referent?.isPlural === false)
      yield referring(input, input.from, referent);
    return;
  }
  const found: SlotMatch[] = [
    { end: first.end, value: givenValue(first.folder), typed: first.typed, free: first.typed > 0 ? 0 : 1 },
  ];
  const values = [first.folder];
  for (let { end } = first; values.length < MAX_FOLDERS;) {
    let next = end;
    while (next < input.to && JOINING.test(input.tokens[next]?.text ?? "")) next++;
    const other = next > end && next < input.to ? oneFolder(input, next) : undefined;
    if (other === undefined) break;
    values.push(other.folder);
    end = other.end;
    found.push({ end, value: { kind: "several", values: [...values] }, typed: first.typed, free: 0 });
  }
  yield* found.reverse();
}

const FOLDER_NOUNS = nounsOf("folder");
const JOINING = /^(?:,|and|&|plus|as|well)$/;
const MAX_FOLDERS = 20;

const CALLED = /^(?:called|named)$/;
const MAX_FOLDER_WORDS = 4;

/** Reads a name of several words after "called" or before "folder": "a folder called club stuff" is `club-stuff`. */
function folderInWords({ tokens, from, to }: SlotInput): SlotMatch | undefined {
  const start = ARTICLES.has(tokens[from]?.text ?? "") ? from + 1 : from;
  let end = start;
  while (end < to && end - start < MAX_FOLDER_WORDS && isPlainWord(tokens[end])) end++;
  const isNamed = CALLED.test(tokens[from - 1]?.text ?? "") && (end === to || tokens[end]?.kind === "mark");
  const isBeforeNoun = ARTICLES.has(tokens[start - 1]?.text ?? "") && FOLDER.test(tokens[end]?.text ?? "");
  if (end - start < 2 || (!isNamed && !isBeforeNoun)) return undefined;
  const name = tokens.slice(start, end).map(({ text }) => text);
  return { end, value: givenValue(name.join("-")), typed: 0, free: end - start };
}

const isPlainWord = (token: Token | undefined): boolean =>
  token?.kind === "word" && !FUNCTION_WORDS.has(token.text) && !FOLDER.test(token.text);

/** Reads one folder at `from`; `typed` is 0 for a bare word that no list contains. */
function oneFolder(
  { tokens, to, slot }: SlotInput,
  from: number,
): { folder: string; end: number; typed: number } | undefined {
  // "A, b and c" are three names.
  const isArticle =
    ARTICLES.has(tokens[from]?.text ?? "") && from + 1 < to && tokens[from + 1]?.kind !== "mark";
  const at = isArticle ? from + 1 : from;
  const token = at < to ? tokens[at] : undefined;
  if (token === undefined || !token.text.endsWith(slot.ending ?? "")) return undefined;
  if (token.kind === "path") {
    // A name that begins with a dot is one of a file: ".gitignore".
    if (/(?:^|[^.])\.[^./\\]+$/.test(token.text)) return undefined;
    // Without a trailing slash it could also be a file.
    const typed = token.text.endsWith("/") ? 1 : 0.9;
    return { folder: token.text.replace(/(?<=.)\/+$/, ""), end: at + 1, typed };
  }
  if (token.kind === "quoted")
    return /\S/.test(token.text) && !/[\r\n]/.test(token.text)
      ? { folder: token.text, end: at + 1, typed: 1 }
      : undefined;
  const isLetter = token.text.length === 1 && !isArticle;
  if (
    token.kind !== "word" ||
    (FUNCTION_WORDS.has(token.text) && !isLetter) ||
    slot.except?.includes(token.text)
  )
    return undefined;
  const known = slot.known?.includes(token.text) ?? false;
  const isCalledFolder = [at + 1, at - 1, from - 1].some((place) => FOLDER.test(tokens[place]?.text ?? ""));
  const hasArticle = ARTICLES.has(tokens[at - 1]?.text ?? "");
  if (!known && !isCalledFolder && (slot.bare === false || hasArticle)) return undefined;
  return { folder: token.text, end: at + 1, typed: known ? 1 : 0 };
}

const MAX_NAME = 3;

/** Reads one to three plain words, one path or a quotation as a name, without a leading article. */
function* readName({ request, tokens, from, to, slot }: SlotInput): Iterable<SlotMatch> {
  const start = ARTICLES.has(tokens[from]?.text ?? "") ? from + 1 : from;
  const first = start < to ? tokens[start] : undefined;
  const fits = (name: string): boolean => slot.like?.test(name) !== false;
  if (first?.kind === "quoted") {
    if (/\S/.test(first.text) && fits(first.text))
      yield { end: start + 1, value: givenValue(first.text), typed: 1, free: 0 };
    return;
  }
  const found: SlotMatch[] = [];
  for (let end = start + 1; end <= to && end - start <= MAX_NAME; end++) {
    const token = tokens[end - 1];
    const isName = token?.kind === "word" ? !FUNCTION_WORDS.has(token.text) : token?.kind === "path";
    if (!isName) break;
    const name = textBetween(request, tokens, start, end);
    if (fits(name)) found.push({ end, value: givenValue(name), typed: 0, free: end - start });
  }
  yield* found.reverse();
}

/** Reads a positive number; with `signed`, a negative one, too. Never drops a sign. */
function* readNumber({ tokens, from, to, slot }: SlotInput): Iterable<SlotMatch> {
  const isSign = (index: number): boolean =>
    tokens[index]?.text === "minus" ||
    (/^[-−–]$/u.test(tokens[index]?.text ?? "") && tokens[index]?.end === tokens[index + 1]?.start);
  const isNegative = isSign(from);
  if ((isNegative && slot.signed !== true) || isSign(from - 1)) return;
  const at = isNegative ? from + 1 : from;
  const token = at < to ? tokens[at] : undefined;
  if (token?.kind !== "word") return;
  const value = /^\d{1,9}$/.test(token.text) ? Number(token.text) : (smallNumber(token.text) ?? 0);
  if (value > 0) yield { end: at + 1, value: givenValue(isNegative ? -value : value), typed: 1, free: 0 };
}

/** "the day before yesterday in the morning" */
const MAX_PERIOD = 8;

/** Reads a period that has begun, with its preposition. */
function* readPeriod({ tokens, from, to, clock }: SlotInput): Iterable<SlotMatch> {
  for (let end = Math.min(to, from + MAX_PERIOD); end > from; end--) {
    const words = tokens.slice(from, end);
    if (words.some(({ kind }) => kind !== "word" && kind !== "path")) continue;
    const period = readPastPeriod(words.map(({ text }) => text).join(" "), clock);
    if (period === undefined) continue;
    yield { end, value: givenValue(`${period.from}/${period.until}`), typed: end - from, free: 0 };
  }
}

/** Words before which "in" belongs to the words before it: "fill it in tomorrow". It begins a date in "in December", "in 3 days". */
const NOT_AFTER_IN =
  /^(?:today|tonight|tomorrow|tmrw?|this|next|on|at|by|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)$/;

const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/u;

/** The value of a date, or of a week or month with `span`; with `ahead`, a weekday that is today is the one in a week. */
function dayOf(span: DateSpan, { tokens, slot, clock }: SlotInput): string {
  if (slot.span) return `${span.value}/${span.last}`;
  const value = slot.last ? span.last : span.value;
  const { year, month, day } = wallTimeOf(clock.now, clock.timeZone);
  const isToday = value === isoDay({ year, month, day });
  const isWeekday = tokens.slice(span.from, span.to).some(({ text }) => WEEKDAY.test(text));
  return slot.ahead && isToday && isWeekday ? isoDay({ year, month, day: day + 7 }) : value;
}

const PREPOSITION = /^(?:on|by|before|until|till|for|at|in|from|after|since)$/u;

/** The words of a date with the preposition before them, if there is one. */
function withPreposition({ request, tokens }: SlotInput, { from, to }: DateSpan): string {
  const before = ARTICLES.has(tokens[from - 1]?.text ?? "") ? from - 2 : from - 1;
  const start = PREPOSITION.test(tokens[before]?.text ?? "") ? before : from;
  return textBetween(request, tokens, start, to);
}

/** Reads a day or time that begins here. A preposition before it may already be part of the phrase. */
function* readDate(input: SlotInput): Iterable<SlotMatch> {
  const { dates, tokens, from, to, slot, afterFreeText } = input;
  if (!afterFreeText && tokens[from - 1]?.text === "in" && NOT_AFTER_IN.test(tokens[from]?.text ?? ""))
    return;
  const relative = slot.relative === true ? relativeDatesAt(tokens, { from, to, dates: dates() }) : [];
  for (const { value, length } of relative)
    yield { end: from + length, value: givenValue(value), typed: length, free: 0 };
  for (const span of dates()) {
    if (slot.like?.test(withPreposition(input, span)) === false) continue;
    if (slot.span && span.value === span.last) continue;
    // One day in place of several would be half of what the words say.
    if (span.isRange && !slot.span && !slot.last) continue;
    if (slot.relative === true && relative.some(({ length }) => from + length === span.to)) continue;
    if (span.to <= to && span.to > from && (span.from === from || span.from === from - 1)) {
      yield {
        end: span.to,
        value:
          span.question === undefined
            ? givenValue(dayOf(span, input))
            : {
                kind: "question",
                question: span.question,
                ...(span.within !== undefined && { within: span.within }),
              },
        typed: span.to - from,
        free: 0,
      };
    }
  }
}

const MAX_TAG_LENGTH = 64;

/** A plain word is a tag only after one of these words; `#home` is a tag anywhere. */
const TAG_INTRODUCTION = /^(?:tag|tags|tagged|label|labels|labelled|labeled|under)$/;

/** Reads `#home` or, after an introducing word, a quotation or one plain word. */
function oneTag(
  request: string,
  tokens: readonly Token[],
  from: number,
  to: number,
  isIntroduced: boolean,
): { tag: string; end: number } | undefined {
  const first = from < to ? tokens[from] : undefined;
  const hasHash = first?.kind === "mark" && first.text === "#";
  const at = hasHash ? from + 1 : from;
  const token = at < to ? tokens[at] : undefined;
  if (token === undefined || (hasHash ? token.spaced : !isIntroduced)) return undefined;
  const tag = token.kind === "quoted" ? token.text : textBetween(request, tokens, at, at + 1);
  const isName =
    token.kind === "quoted"
      ? /\S/.test(tag)
      : token.kind === "word" && (hasHash || !FUNCTION_WORDS.has(token.text));
  return isName && tag.length <= MAX_TAG_LENGTH ? { tag, end: at + 1 } : undefined;
}

/** Reads one tag or, for a list argument, several in a row. */
function* readTag({ request, tokens, from, to, slot }: SlotInput): Iterable<SlotMatch> {
  const introduction = tokens[from - 1];
  // "The tagged parcel" is a thing.
  const isAdjective =
    /^(?:tagged|labell?ed)$/.test(introduction?.text ?? "") &&
    /^(?:the|an?)$/.test(tokens[from - 2]?.text ?? "");
  const isIntroduced =
    !isAdjective &&
    TAG_INTRODUCTION.test(
      (/^[:,]$/.test(introduction?.text ?? "") ? tokens[from - 2] : introduction)?.text ?? "",
    );
  const tags: string[] = [];
  let end = from;
  const found: SlotMatch[] = [];
  for (;;) {
    let next = end;
    while (tags.length > 0 && (tokens[next]?.text === "," || tokens[next]?.text === "and")) next++;
    const one = oneTag(request, tokens, next, to, isIntroduced);
    if (one === undefined) break;
    tags.push(one.tag);
    end = one.end;
    found.push({ end, value: givenValue(slot.list ? [...tags] : one.tag), typed: end - from, free: 0 });
    if (!slot.list) break;
  }
  yield* found.reverse();
}
