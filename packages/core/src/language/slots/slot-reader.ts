import { smallNumber } from "../../text/number-words.ts";
import { withoutTrailing } from "../../text/words.ts";
import type { Clock, DateSpan } from "../dates/clock.ts";
import type { Slot } from "../grammar/phrase.ts";
import type { Token } from "../tokens/tokens.ts";
import { FUNCTION_WORDS, synonymsOf } from "../tokens/words.ts";

export type SlotValue =
  /** A value; `invented` if the words only suggest it. */
  | { kind: "given"; value: unknown; invented: boolean }
  /** Several values, each for its own call. */
  | { kind: "several"; values: string[] }
  /**
   * "it", "the result": the result of an earlier call. `pick`: a 0-based index, -1 for the last; `isPlural`: all of
   * them, or the first `count` of them, the last if it is negative.
   */
  | { kind: "referent"; words: string; pick?: number; count?: number; isPlural: boolean }
  /** Words that may be a read request, whose result is the value. */
  | { kind: "nested"; from: number; to: number; words: string }
  /** Words for a look-up by a finder skill. */
  | { kind: "look-up"; words: string }
  /** Words for several items, each with its own look-up and its own call. */
  | { kind: "look-ups"; words: string[] }
  /** "All my tasks": every item in a list with these arguments. */
  | { kind: "listing"; words: string; args: Readonly<Record<string, unknown>> }
  /** "a.md or b.md": the person chooses. */
  | { kind: "choice"; words: string; values: string[] }
  /** An impossible value, such as a day that does not exist: the person is asked. */
  | { kind: "question"; question: string; within?: string }
  /** Descriptive words without a value. */
  | { kind: "description" };

export interface SlotMatch {
  /** The index after the slot's last token. */
  end: number;
  value: SlotValue;
  /** Number of tokens that the slot's type explains. */
  typed: number;
  /** Number of tokens that are free text. */
  free: number;
}

export interface SlotInput {
  request: string;
  tokens: readonly Token[];
  /** The first token of the slot, and the end of the clause. */
  from: number;
  to: number;
  slot: Slot;
  /** True if free text directly precedes; what follows may belong to it. */
  afterFreeText: boolean;
  /** The dates in the request, parsed on first use. */
  dates: () => readonly DateSpan[];
  clock: Clock;
}

/** Returns every way to fill a slot of one type from a position, longest first. */
export type SlotReader = (input: SlotInput) => Iterable<SlotMatch>;

export const givenValue = (value: unknown, invented = false): SlotValue => ({
  kind: "given",
  value,
  invented,
});

/** Returns a slot match that refers to an earlier step. */
export function referring(
  { request, tokens }: SlotInput,
  from: number,
  { length, pick, count, isPlural }: Referent,
): SlotMatch {
  const words = textBetween(request, tokens, from, from + length);
  const value: SlotValue = {
    kind: "referent",
    words,
    isPlural,
    ...(pick !== undefined && { pick }),
    ...(count !== undefined && { count }),
  };
  return { end: from + length, value, typed: length, free: 0 };
}

/** Returns the text between two tokens exactly as written. */
export function textBetween(request: string, tokens: readonly Token[], from: number, to: number): string {
  const first = tokens[from];
  const last = tokens[to - 1];
  return first === undefined || last === undefined ? "" : request.slice(first.start, last.end);
}

const SINGULAR: ReadonlySet<string> = new Set(["it", "its", "that", "this"]);
const PLURAL: ReadonlySet<string> = new Set(["them", "these", "those"]);
const DETERMINERS: ReadonlySet<string> = new Set(["the", "that", "this", "these", "those", "its"]);
const ORDINALS: readonly string[] = "first second third fourth fifth sixth seventh eighth ninth tenth".split(
  " ",
);
const FIGURES = /^(\d{1,2})(?:st|nd|rd|th)$/;

/** Nouns for the text result of an earlier step. */
export const TEXT_NOUNS: readonly string[] =
  "result results list contents content text output answer files tasks names titles summary one".split(" ");

/** Words that refer to the result of an earlier step. */
export interface Referent {
  /** Length in tokens. */
  length: number;
  /** The 0-based index in a list, or -1 for the last item: "the second one". */
  pick?: number;
  /** The number of items: "the first two"; negative for the last ones. */
  count?: number;
  /** True for "them": all results. */
  isPlural: boolean;
}

/** Reads "the first two", "the last 3 tasks". */
function severalAt(
  word: (index: number) => string,
  from: number,
  isNoun: (index: number) => boolean,
): Referent | undefined {
  const at = DETERMINERS.has(word(from)) ? from + 1 : from;
  const side = word(at) === "first" ? 1 : word(at) === "last" ? -1 : 0;
  const number = word(at + 1);
  const amount = /^\d{1,2}$/.test(number) ? Number(number) : (smallNumber(number) ?? 0);
  if (side === 0 || amount < 2) return undefined;
  return { length: at + (isNoun(at + 2) ? 3 : 2) - from, count: side * amount, isPlural: true };
}

/** Synonyms for the noun of a kind. */
const OTHER_NOUNS: Readonly<Record<string, readonly string[]>> = {
  file: ["list", "note", "log", "page", "copy"],
  task: ["reminder"],
  schedule: ["reminder", "automation"],
};

/** Returns the nouns for a kind of thing from an earlier step: "the file", "that one". */
export function nounsOf(kind: string): readonly string[] {
  return [...synonymsOf(kind), ...(OTHER_NOUNS[kind] ?? []), "one"];
}

/** Returns the index that an ordinal names. */
function ordinalOf(word: string): number | undefined {
  if (word === "last") return -1;
  const figure = Number(FIGURES.exec(word)?.[1] ?? 0);
  const place = figure > 0 ? figure - 1 : ORDINALS.indexOf(word);
  return place < 0 ? undefined : place;
}

/** Returns the length in words of "all of them", "both" or "them all" at `from`. */
function allOf(word: (index: number) => string, from: number): number {
  const isAll = (index: number): boolean => word(index) === "all" || word(index) === "both";
  if (isAll(from)) {
    const at = word(from + 1) === "of" ? from + 2 : from + 1;
    return PLURAL.has(word(at)) ? at + 1 - from : 0;
  }
  return PLURAL.has(word(from)) && isAll(from + 1) ? 2 : 0;
}

/**
 * Returns the reference to an earlier step at `from`, such as "it", "that one", "the result" or "the second file";
 * undefined if there is none.
 */
export function referentAt(
  tokens: readonly Token[],
  from: number,
  to: number,
  nouns: readonly string[],
): Referent | undefined {
  const word = (index: number): string => {
    const token = index < to ? tokens[index] : undefined;
    return token?.kind === "word" ? token.text : "";
  };
  // "Write just the result to …".
  if (/^(?:just|only)$/u.test(word(from)) && DETERMINERS.has(word(from + 1))) {
    const found = referentAt(tokens, from + 1, to, nouns);
    return found && { ...found, length: found.length + 1 };
  }
  const all = allOf(word, from);
  if (all > 0) return { length: all, isPlural: true };
  const first = word(from);
  const isNoun = (index: number): boolean =>
    nouns.includes(word(index)) || (PLURAL.has(first) && nouns.includes(word(index).replace(/s$/, "")));
  const several = severalAt(word, from, (at) =>
    [word(at), word(at).replace(/s$/, "")].some((noun) => nouns.includes(noun)),
  );
  if (several !== undefined) return several;
  const hasArticle = DETERMINERS.has(first);
  const at = hasArticle ? from + 1 : from;
  const pick = ordinalOf(word(at));
  if (pick !== undefined && (hasArticle || isNoun(at + 1)))
    return { length: at + (isNoun(at + 1) ? 2 : 1) - from, pick, isPlural: false };
  if (hasArticle && isNoun(at)) return { length: 2, isPlural: PLURAL.has(first) };
  if (PLURAL.has(first)) return { length: 1, isPlural: true };
  return SINGULAR.has(first) ? { length: 1, isPlural: false } : undefined;
}

/** Quantifiers. The words after them name more than a single item. */
export const QUANTIFIERS: ReadonlySet<string> = new Set([
  "all",
  "every",
  "everything",
  "any",
  "anything",
  "both",
  "each",
  "no",
  "nothing",
]);
/** Maximum length of a title or a search, in UTF-16 code units. */
export const MAX_TITLE = 500;
/** Polite words at the end of a title or a search. In other text they are content. */
const POLITE_ENDING = /^(?:please|pls|plz|thanks|thx)$/;

function isContent(token: Token | undefined): boolean {
  if (token === undefined || token.kind === "mark") return false;
  return token.kind !== "word" || !FUNCTION_WORDS.has(token.text);
}

/**
 * Skips punctuation that separates a slot from the words before it: "todo: water plants". A dash on a new line, or
 * at the beginning of text to write, is a bullet.
 */
export function skipSeparators({ tokens, from, to, slot }: SlotInput): number {
  const isWritten = slot.type === "wording" || slot.type === "text";
  const separates = (token: Token | undefined): boolean =>
    token?.kind === "mark" &&
    /^[,:;.–—-]$/.test(token.text) &&
    !token.onNewLine &&
    !(isWritten && /^[-.]$/u.test(token.text) && token.spaced);
  let index = from;
  while (index < to && separates(tokens[index])) index++;
  return index;
}

/** True for punctuation that belongs to the word before it: "Hurry!", "(one)". A full stop may end the command. */
function belongsToWord(token: Token | undefined): boolean {
  if (token?.kind === "symbol" || (token?.kind === "mark" && token.text === "%")) return true;
  return token?.kind === "mark" && !token.spaced && /^[!?…)\]}%>*'"]$/.test(token.text);
}

/** "May" is a month after a preposition: "from may". */
const isMay = (tokens: readonly Token[], index: number): boolean =>
  tokens[index]?.text === "may" && /^(?:from|in|of|during|since|for)$/.test(tokens[index - 1]?.text ?? "");

const JOINING = /^(?:,|;|and|&|then|or)$/;
const ANOTHER = /^(?:another|second|third)$/;

/** True if the words contain more than one text: `"a" and y.md with "b"`, "call Tom and another one to call Ann". */
function hasSeveralTexts(tokens: readonly Token[], start: number, end: number): boolean {
  if (tokens[start]?.kind === "quoted" && end > start + 1 && JOINING.test(tokens[start + 1]?.text ?? ""))
    return true;
  for (let index = start + 1; index < end; index++)
    if (ANOTHER.test(tokens[index]?.text ?? "") && JOINING.test(tokens[index - 1]?.text ?? "")) return true;
  return false;
}

/** Returns the possible ends of a span of free words, longest first. A span needs a content word. */
export function* freeEnds(input: SlotInput, start: number): Iterable<number> {
  const { tokens, to, slot } = input;
  const ends =
    slot.type === "text" && slot.like !== undefined ? endsLike(input, slot.like, start) : undefined;
  if (ends?.length === 0 || hasSeveralTexts(tokens, start, to)) return;
  let content = start;
  while (content < to && !isContent(tokens[content]) && !isMay(tokens, content)) content++;
  if (ends === undefined) {
    for (let end = to; end > content; end--) if (isFreeEnd(tokens, end, to)) yield end;
  } else {
    for (const end of ends) if (end > content && end <= to && isFreeEnd(tokens, end, to)) yield end;
  }
}

function isFreeEnd(tokens: readonly Token[], end: number, to: number): boolean {
  if (tokens[end - 1]?.kind === "mark" && end !== to && !belongsToWord(tokens[end - 1])) return false;
  return end === to || !belongsToWord(tokens[end]);
}

/** The ends up to `to` at which the words from one token on have a form. */
interface EndsLike {
  to: number;
  ends: number[];
}

const endsOfForms = new WeakMap<readonly Token[], Map<RegExp, EndsLike[]>>();

/**
 * Returns the ends at which the words from `start` on are like a form, longest first. Each part of a request is read once for each
 * form, although it is part of many spans: a request of 200 words has 20,000.
 */
function endsLike({ request, tokens, to }: SlotInput, like: RegExp, start: number): readonly number[] {
  const ofForms = endsOfForms.get(tokens) ?? new Map<RegExp, EndsLike[]>();
  endsOfForms.set(tokens, ofForms);
  const ofForm = ofForms.get(like) ?? [];
  ofForms.set(like, ofForm);
  const known = (ofForm[start] ??= { to: start, ends: [] });
  const further: number[] = [];
  for (let end = to; end > known.to; end--)
    if (like.test(textBetween(request, tokens, start, end))) further.push(end);
  known.ends = [...further, ...known.ends];
  known.to = Math.max(known.to, to);
  return known.ends;
}

/** Words that something follows. */
const INNER = /^(?:is|are|was|were|be|the|an?|of|my|our|and|or|which)$/;

/** Returns the possible ends of a span of free words up to the length of a title, without polite words at the end. */
export function* titleEnds(input: SlotInput, start: number): Iterable<number> {
  const { tokens } = input;
  const begin = tokens[start]?.start ?? 0;
  for (const end of freeEnds(input, start)) {
    if ((tokens[end - 1]?.end ?? 0) - begin > MAX_TITLE) continue;
    const last = tokens[end - 1]?.text ?? "";
    // "Check which bills are due": a title does not end within its words.
    if (end < input.to && end - start > 1 && INNER.test(last)) continue;
    const isForMe = /^(?:me|us)$/.test(last) && tokens[end - 2]?.text === "for";
    if (
      end - start === 1 ||
      !(POLITE_ENDING.test(last) || isForMe || (last === "you" && tokens[end - 2]?.text === "thank"))
    )
      yield end;
  }
}

/** In a long gap, a separator would be looked for from every blank on. */
const LONG_GAP = /[^\S\n]{12,}/gu;

/** Splits a list: "milk, eggs and bread", or one item per line. */
export function itemsIn(words: string): string[] {
  // "1. pick up the suit 2. polish shoes" is one item per number.
  const list = words.replaceAll(LONG_GAP, " ");
  const numbered = /^\s*1[.)]\s/u.test(list) ? list.split(/[\s,;]*(?<![^\s,;])\d{1,2}[.)]\s+/u) : [list];
  return (numbered.length > 2 ? numbered : [list])
    .flatMap((part) => part.split(/\s*[,;\n]\s*(?:(?:and|&)\s+)?|\s+(?:and|&)\s+/iu))
    .map((item) => withoutTrailing(item.replace(/^[-*•\s]+/u, ""), /[\s.,;:!?]/u))
    .filter((item) => item !== "");
}
