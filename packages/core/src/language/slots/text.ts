import { oneOf } from "../../text/patterns.ts";
import { statementsIn } from "../../text/statements.ts";
import { sentencesIn, withoutTrailing } from "../../text/words.ts";
import { type Clock, isoDay, wallTimeOf, formatClock } from "../dates/clock.ts";
import { ARTICLES, FUNCTION_WORDS, normalize } from "../tokens/words.ts";
import {
  skipSeparators,
  freeEnds,
  givenValue,
  itemsIn,
  MAX_TITLE,
  nounsOf,
  QUANTIFIERS,
  type Referent,
  referentAt,
  referring,
  type SlotInput,
  type SlotMatch,
  TEXT_NOUNS,
  textBetween,
  titleEnds,
} from "./slot-reader.ts";

/** First words of a description, as opposed to verbatim text: "a poem", "all my tasks", "what you know about me". */
const DESCRIPTION_STARTS: ReadonlySet<string> = new Set([
  ...ARTICLES,
  ...QUANTIFIERS,
  ..."what whatever who whoever whom whose which whichever where when why how".split(" "),
  ..."me us your his her their this that these those something down up out about".split(" "),
]);
/** Words that are not a title on their own: "create a task list" does not create a task named "list". */
const NOT_A_TITLE: ReadonlySet<string> = new Set(["list", "lists", "item", "items", "folder", "file"]);

/** "buy milk and one to buy bread" contains two titles. */
const TWO_TITLES =
  /\band (?:(?:one|another)(?: one| task)?|a (?:second|third) (?:one|task)) (?:to|for|called|named)\b/iu;

/** Text is a single value, so a reference that picks one of several does not apply. */
function textReferent({ tokens, to }: SlotInput, start: number): Referent | undefined {
  const referent = referentAt(tokens, start, to, TEXT_NOUNS);
  return referent?.pick === undefined ? referent : undefined;
}

/** "Today's date", "the current time", "the date of tomorrow", "the time now". */
const NAMES_OF_NOW: readonly string[] = [
  "(?<day>today|tomorrow|yesterday)['’]?s (?<what>date)",
  "(?:current|present|actual) (?<now>date and time|time and date|date|time|day)",
  "(?<of>date) (?:of )?(?<on>today|tomorrow|yesterday)",
  "(?<clock>time) (?:of day|now|right now)",
  "(?<=^the )(?<bare>date and time|date|time)",
];
const NOW = new RegExp(String.raw`^(?:the )?(?:${NAMES_OF_NOW.join("|")})$`, "iu");
const DAYS_FROM_TODAY: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

/** The day or the time in words like "today's date"; undefined for other words. */
function clockValue(words: string, { now, timeZone }: Clock): string | undefined {
  const named = NOW.exec(words)?.groups;
  if (named === undefined) return undefined;
  const today = wallTimeOf(now, timeZone);
  const time = formatClock(today);
  const asked = (named.now ?? named.clock ?? named.bare ?? "date").toLowerCase();
  if (asked === "time") return time;
  const offset = DAYS_FROM_TODAY[(named.day ?? named.on ?? "today").toLowerCase()] ?? 0;
  const day = isoDay({ ...today, day: today.day + offset });
  return asked.includes("time") ? `${day} ${time}` : day;
}

const VALUE_ORDER_WORDS = oneOf(
  "current|latest|newest|actual|present|(?:today|tomorrow|yesterday)['’]s|this (?:week|month|year)['’]s",
);
/** Words that order a value that has to be found out first: "the current weather", "today's headlines". */
const VALUE_ORDER = new RegExp(
  String.raw`^(?:(?:with|saying|containing|of) )?(?:the )?${VALUE_ORDER_WORDS}((?: [\p{L}-]+){1,3})$`,
  "iu",
);

/** True for words that only name a value, which must not be written verbatim. */
function namesValue(words: string): boolean {
  const named = VALUE_ORDER.exec(words)?.[1];
  return (
    named !== undefined &&
    named
      .trim()
      .split(" ")
      .every((word) => !FUNCTION_WORDS.has(word.toLowerCase()))
  );
}

function* quotedOrReferent(input: SlotInput, start: number): Iterable<SlotMatch> {
  const { tokens, to } = input;
  const token = start < to ? tokens[start] : undefined;
  if (token?.kind === "quoted") yield { end: start + 1, value: givenValue(token.text), typed: 1, free: 0 };
  const referent = textReferent(input, start);
  if (referent) yield referring(input, start, referent);
}

function isNotATitle(title: string): boolean {
  const content = title
    .toLowerCase()
    .split(" ")
    .filter((word) => !FUNCTION_WORDS.has(word));
  return content.every((word) => NOT_A_TITLE.has(word));
}

/** Words as text, or the value that they refer to; undefined if that value is unknown. */
function* textOrValue(
  { clock }: SlotInput,
  words: string,
  rest: Omit<SlotMatch, "value">,
): Iterable<SlotMatch> {
  const value = clockValue(words, clock);
  if (value !== undefined) yield { ...rest, value: givenValue(value), typed: rest.free, free: 0 };
  else if (!namesValue(words)) yield { ...rest, value: givenValue(words) };
}

/** Words before any word taken literally: "with the word it". */
const WORD_NOUN = /^(?:word|letter|character)$/u;
/** Pronouns, which refer to something else: "with text it". */
const PRONOUN = /^(?:it|this|that|them|these|those)$/u;
const TEXT_NOUN = /^(?:text|content|message)$/u;
/** Words without content of their own that are a text by themselves: "write s.txt with one". */
const WHOLE_TEXT = /^(?:one|no|none|on|off|up|down|here|there|now|yes)$/u;

/** A single word that is the whole text, although it has no content of its own. */
function literalWord({ request, tokens, to }: SlotInput, start: number): SlotMatch | undefined {
  const word = tokens[start];
  if (word?.kind !== "word" || start >= to || !FUNCTION_WORDS.has(word.text)) return undefined;
  const noun = tokens[start - 1]?.text ?? "";
  const isText = WHOLE_TEXT.test(word.text) || (TEXT_NOUN.test(noun) && !PRONOUN.test(word.text));
  if (!WORD_NOUN.test(noun) && !(isText && start === to - 1)) return undefined;
  return {
    end: start + 1,
    value: givenValue(textBetween(request, tokens, start, start + 1)),
    typed: 0,
    free: 1,
  };
}

const MAX_SENTENCES = 8;
/** A sentence that refers to something that another one names. */
const REFERS_BACK =
  /^(?:he|she|it|they|this|that|these|those|his|her|its|their|there|then|so|but|and|also)\b/iu;

/** The sentences of a text, if each of them is complete by itself; none for a longer text. */
function separateSentences(text: string): string[] {
  const found = text.includes("\n") ? [] : sentencesIn(text);
  const isSeparate = found.length <= MAX_SENTENCES && !found.slice(1).some((one) => REFERS_BACK.test(one));
  if (!isSeparate) return [];
  const separate = found.map((one) => withoutTrailing(one, /[\s.]/u));
  return separate.length === 1 ? joinedStatements(separate[0] ?? "") : separate;
}

/** Two statements may belong together: "Lena likes peas and Tom hates them". */
const MIN_STATEMENTS = 3;

/** The statements of a list of them: "I'm allergic to walnuts, my sister lives in Bergen, and our boat is blue". */
function joinedStatements(sentence: string): string[] {
  const parts = statementsIn(sentence);
  const isList =
    parts.length >= MIN_STATEMENTS &&
    parts.length <= MAX_SENTENCES &&
    !parts.some((part) => REFERS_BACK.test(part));
  return isList ? parts : [];
}

/** Reads text to store verbatim. A bare reference ("the text") is not text. */
export function* readText(input: SlotInput): Iterable<SlotMatch> {
  const start = skipSeparators(input);
  if (input.slot.unquoted === true && input.tokens[start]?.kind === "quoted") return;
  const { like } = input.slot;
  const literal = literalWord(input, start);
  if (literal && like === undefined) {
    yield literal;
    return;
  }
  for (const match of quotedOrReferent(input, start)) {
    const words =
      input.tokens[start]?.kind === "quoted"
        ? input.tokens[start].text
        : textBetween(input.request, input.tokens, start, match.end);
    if (like?.test(words) !== false) yield match;
  }
  const referent = textReferent(input, start);
  for (const end of freeEnds(input, start)) {
    if (end - start === referent?.length) continue;
    const words = textBetween(input.request, input.tokens, start, end);
    const facts = input.slot.sentences === true ? separateSentences(words) : [];
    if (facts.length > 1)
      yield { end, value: { kind: "several", values: facts }, typed: 0, free: end - start };
    yield* textOrValue(input, words, { end, typed: 0, free: end - start });
  }
}

/**
 * Reads text to store verbatim, unless its first word shows that it is a description. Rejects a single path, which
 * could stand for its name or its content.
 */
export function* readQuotedText(input: SlotInput): Iterable<SlotMatch> {
  const { request, tokens } = input;
  const start = skipSeparators(input);
  if (input.slot.unquoted === true && tokens[start]?.kind === "quoted") return;
  const literal = literalWord(input, start);
  if (literal) {
    yield literal;
    return;
  }
  if (input.slot.unquoted !== true) yield* quotedOrReferent(input, start);
  const first = tokens[start];
  if (first?.kind === "quoted") return;
  const describes = first?.kind === "word" && DESCRIPTION_STARTS.has(first.text);
  for (const end of freeEnds(input, start)) {
    if (end - start === 1 && first?.kind === "path") continue;
    const words = textBetween(request, tokens, start, end);
    if (input.slot.unquoted !== true)
      yield { end, value: { kind: "nested", from: start, to: end, words }, typed: 0, free: end - start };
    if (input.slot.referring === true) continue;
    const isItem = input.slot.lines === true && input.slot.like?.test(words) === true;
    if (!describes || isItem || clockValue(words, input.clock) !== undefined)
      yield* textOrValue(input, textOfItems(words, input.slot), { end, typed: 0, free: end - start });
  }
}

/** A name and an amount: "coffee 3.20". */
const NAME_AND_AMOUNT =
  /^(?<name>\p{L}.*?)\s+(?<amount>[€$£]?\d+(?:\.\d+)?)(?:\s?(?:€|\$|£|euros?|eur|dollars?|pounds?))?$/u;

/** The names of columns as a line of a CSV file; names with amounts are rows of a table of them. */
function rowsOf(items: readonly string[]): string {
  const rows = items.flatMap((item) => {
    const { name, amount } = NAME_AND_AMOUNT.exec(item)?.groups ?? {};
    return name === undefined || amount === undefined ? [] : [`${name},${amount}\n`];
  });
  return rows.length > 1 && rows.length === items.length
    ? `item,amount\n${rows.join("")}`
    : `${items.join(",")}\n`;
}

/** The text to write for the words: each item on its own line, or the items as rows of a CSV file. */
function textOfItems(words: string, { lines, cells }: SlotInput["slot"]): string {
  if (cells) return rowsOf(itemsIn(words));
  return lines ? itemsIn(words).join("\n") : words;
}

/** Reads a title: one line, without surrounding quotation marks and final punctuation. */
export function* readTitle(input: SlotInput): Iterable<SlotMatch> {
  const start = skipSeparators(input);
  const first = start < input.to ? input.tokens[start] : undefined;
  if (first?.kind === "quoted" && /\S/.test(first.text) && input.slot.each !== true) {
    yield { end: start + 1, value: givenValue(first.text), typed: 1, free: 0 };
  }
  for (const end of titleEnds(input, start)) {
    const title = withoutTrailing(textBetween(input.request, input.tokens, start, end), /[\s.,;:!?]/u)
      .replace(/^[!\s]+/u, "")
      .replace(/\s+/gu, " ");
    // "Add a task? Maybe later" asks, and what follows is an answer.
    const isTitle = (words: string): boolean =>
      words.length > 0 &&
      !words.startsWith("?") &&
      !isNotATitle(words) &&
      !TWO_TITLES.test(words) &&
      input.slot.like?.test(words) !== false;
    if (!isTitle(title) || title.length > MAX_TITLE || input.tokens[end - 1]?.kind === "rest") continue;
    const free = end - start;
    if (input.slot.each !== true) yield { end, value: givenValue(title), typed: 0, free };
    else {
      const values = itemsIn(textBetween(input.request, input.tokens, start, end));
      if (values.length > 1 && values.every(isTitle))
        yield { end, value: { kind: "several", values }, typed: values.length - 1, free };
    }
  }
}

/** Search words without a leading article and trailing punctuation. */
function* searchWords(
  input: SlotInput,
): Iterable<{ end: number; words: string; typed: number; free: number }> {
  let start = skipSeparators(input);
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

/** True for words without function words; for beginnings of one text, longest first, which are not split again for each end. */
function withoutFunctionWords(): (words: string) => boolean {
  let found = Infinity;
  return (words) => {
    if (words.length > found) return false;
    for (const { 0: word, index } of words.matchAll(/\S+/g)) {
      if (!FUNCTION_WORDS.has(normalize(word))) continue;
      found = index + word.length;
      return false;
    }
    return true;
  };
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
  if (slot.pronounOnly || QUANTIFIERS.has(tokens[skipSeparators(input)]?.text ?? "")) return;
  const isPlain = withoutFunctionWords();
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
    if (slot.plain && typed === 0 && !isPlain(words)) continue;
    if (slot.exact && (/[,:;]/u.test(words) || slot.except?.includes(normalize(words).split(" ")[0] ?? "")))
      continue;
    if (ID.test(words)) yield { end, value: givenValue(words), typed: 1, free: 0 };
    else yield { end, value: { kind: "look-up", words }, typed, free };
  }
}
