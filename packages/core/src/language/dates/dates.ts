import type { ParsedResult } from "chrono-node/en";
import {
  instantOf,
  isoDay,
  libraryReference,
  wallTimeOf,
  type Clock,
  type DateSpan,
  type WallTime,
  formatLocalTime,
} from "./clock.ts";
import { amountInEnglish, DATE_LANGUAGES, type DateLanguage } from "../date-languages.ts";
import { HALF_HOUR, readClockWords } from "../../text/clock-words.ts";
import { COUNT, englishDates as library } from "../english-dates.ts";
import { correctDateWords } from "./date-words.ts";
import type { Token } from "../tokens/tokens.ts";
import { FUNCTION_WORDS } from "../tokens/words.ts";
import { calendarDay, isImpossible, knownSpans, withAlternatives } from "./unclear-dates.ts";

/** The parser's cost grows with the text, so text beyond this length is not searched for dates. */
const MAX_CHARACTERS = 4_000;
/** Characters after the tokens of a long request. They are not a date of it, but may continue the last one. */
const MAX_CONTINUED = 200;

const PREPOSITION = /^(?:on|at|by|in|until|till|before)\s+/i;
const UNIT = "(?:s|m|h|secs?|mins?|hrs?|seconds?|minutes?|hours?|days?|weeks?|months?|years?)";
const SECONDS = /\d\s*s(?:ec(?:ond)?s?)?$|\bseconds?$/i;
/**
 * Periods, words that the library reads as dates, and amounts of time before a word other than a day: none specifies a
 * day.
 */
const NOT_A_DAY = new RegExp(
  `^(?:for\\s|(?:right |just )?now$|${COUNT}\\s*${UNIT}$|the (?:week|month|year)$|last\\s|past\\s|yesterday)|\\s(?:before|after)$|\\b[hm]oney$`,
  "i",
);
/** Words before a day that make it part of the text: "every monday", "the friday report", "about May". */
const PART_OF_TEXT_AFTER = new Set(
  "every each the a an my our his her their your this these of about from since like than with and or not between after per for's".split(
    " ",
  ),
);

/** Replaces quotations with spaces, so that quoted dates are ignored and offsets do not change. */
function withoutQuotations(request: string, tokens: readonly Token[]): string {
  const last = tokens.at(-1);
  const read = last?.kind === "rest" ? last.start + MAX_CONTINUED : MAX_CHARACTERS;
  const text = request.slice(0, Math.min(read, MAX_CHARACTERS));
  let written = 0;
  let kept = "";
  for (const { kind, start, end } of tokens) {
    if ((kind !== "quoted" && kind !== "path") || start >= text.length) continue;
    const until = Math.min(end, text.length);
    kept += text.slice(written, start) + "\u0000".repeat(until - start);
    written = until;
  }
  return kept + text.slice(written);
}

/** Reads "at 5" without a.m. or p.m. as the afternoon, and as today if that time is still ahead. */
function withLikelyHour(result: ParsedResult, wall: WallTime, today: WallTime): WallTime {
  const stated = result.start.isCertain("meridiem") || /\d:\d|noon|midnight|\bh\b/i.test(result.text);
  if (stated || !/\bat\s+\d{1,2}\b/i.test(result.text) || wall.hour < 1 || wall.hour > 6) return wall;
  const hour = wall.hour + 12;
  const dayIsNamed = result.start.isCertain("day") || result.start.isCertain("weekday");
  const isAhead = hour > today.hour || (hour === today.hour && wall.minute > today.minute);
  return !dayIsNamed && isAhead ? { ...today, hour, minute: wall.minute } : { ...wall, hour };
}

/** Returns the first and last day of a named week or month: a "this" period ends, a "next" period begins. */
function daysOfPeriod(text: string, today: WallTime): { value: string; last: string } | undefined {
  const day = new Date(Date.UTC(today.year, today.month - 1, today.day));
  const toSunday = (7 - day.getUTCDay()) % 7;
  const later = (days: number): string => isoDay({ ...today, day: today.day + days });
  const monthEnd = (months: number): string => isoDay({ ...today, month: today.month + months + 1, day: 0 });
  switch (
    text
      .toLowerCase()
      .replace(PREPOSITION, "")
      .replace(/^later /, "")
  ) {
    case "this week":
      return { value: later(toSunday), last: later(toSunday) };
    case "this weekend": {
      const toSaturday = Math.max(0, toSunday - 1);
      return { value: later(toSaturday), last: later(toSunday) };
    }
    case "next week":
      return { value: later(toSunday + 1), last: later(toSunday + 7) };
    case "end of next week":
      return { value: later(toSunday + 7), last: later(toSunday + 7) };
    case "this month":
      return { value: monthEnd(0), last: monthEnd(0) };
    case "next month":
      return { value: isoDay({ ...today, month: today.month + 1, day: 1 }), last: monthEnd(1) };
    default:
      return undefined;
  }
}

/** The length of `2026-11-28`. */
const DAY_LENGTH = 10;

function wallOf(components: ParsedResult["start"]): WallTime {
  const part = (name: "year" | "month" | "day" | "hour" | "minute"): number => components.get(name) ?? 0;
  return {
    year: part("year"),
    month: part("month"),
    day: part("day"),
    hour: part("hour"),
    minute: part("minute"),
  };
}

function valueOf(result: ParsedResult, clock: Clock, today: WallTime): string {
  const wall = wallOf(result.start);
  if (!result.start.isCertain("hour") && !/noon|midnight/i.test(result.text)) return isoDay(wall);
  // Times have no seconds: "in 30 seconds" is the next full minute, because this one has begun.
  if (SECONDS.test(result.text) && (result.start.get("second") ?? 0) > 0) wall.minute += 1;
  return instantOf(withLikelyHour(result, wall, today), clock.timeZone).toISOString();
}

/** The result of parsing a date argument. */
export type ParsedDate =
  /** `value` and `last` as in `DateSpan`. */
  | { kind: "date"; value: string; last: string }
  /** A day that does not exist, such as 31 November. */
  | { kind: "impossible" }
  /** Words with two possible days. */
  | { kind: "ambiguous"; values: readonly [string, string] }
  | { kind: "unknown" };

const ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})(?=$|[T\s])/;
const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/i;
/** "24.12.", "24.12.2026", "24/12", "24/12/26" */
const NUMERIC = /^(\d{1,2})([./])\s?(\d{1,2})(?:\2\s?(\d{4}|\d{2}))?\.?(?=$|[,\s])/;
const MAX_DATE_LENGTH = 100;

/** The month comes first only in locales that write it so; a date with dots always begins with the day. */
function numericDay(match: RegExpExecArray, clock: Clock, today: WallTime): string | undefined {
  const [, first, mark, second, yearText] = match;
  const monthFirst =
    mark === "/" && /^en(?:-(?:US|PH|PR))?$/i.test(clock.locale ?? "") && Number(first) <= 12;
  const month = Number(monthFirst ? first : second);
  const day = Number(monthFirst ? second : first);
  if (yearText !== undefined) return calendarDay(Number(yearText.padStart(4, "20")), month, day);
  for (let year = today.year; year < today.year + 9; year += 1) {
    const found = calendarDay(year, month, day);
    if (found !== undefined && found >= isoDay(today)) return found;
  }
  return undefined;
}

/** After a day in digits, which the library takes as a whole, "in the morning" is the same as "morning". */
const BEFORE_PART_OF_DAY = /^ (?:(?:in|during) the|at) (?=(?:morning|afternoon|evening|night)$)/iu;

/**
 * Parses text that consists of a date only: ISO, "24.12.", "next Tuesday", "friday 5pm", "übermorgen". Text with
 * different meanings in different languages is unknown. A time without an offset is in `clock.timeZone`.
 */
export function readDateText(text: string, clock: Clock): ParsedDate {
  let rest = text.trim().replace(PREPOSITION, "");
  if (rest === "" || rest.length > MAX_DATE_LENGTH) return { kind: "unknown" };
  const today = wallTimeOf(clock.now, clock.timeZone);
  const iso = ISO.exec(rest);
  const numeric = iso ? undefined : (NUMERIC.exec(rest) ?? undefined);
  const day = iso
    ? calendarDay(Number(iso[1]), Number(iso[2]), Number(iso[3]))
    : numeric && numericDay(numeric, clock, today);
  if (((iso || numeric) && day === undefined) || isImpossible(rest)) return { kind: "impossible" };
  if (day !== undefined) {
    if (ISO_INSTANT.test(rest)) {
      const instant = new Date(rest);
      if (Number.isNaN(instant.getTime())) return { kind: "unknown" };
      return single(instant.toISOString());
    }
    const written = (iso ?? numeric)?.[0].length ?? 0;
    const time = rest
      .slice(written)
      .replace(/^(?:T|,?\s+)/i, " ")
      .replace(BEFORE_PART_OF_DAY, " ");
    if (time.trim() === "") return single(day);
    rest = `${day}${time}`;
  }
  const english = readEnglish(text.trim(), rest, { clock, today, isDayKnown: day !== undefined });
  if (day !== undefined) return english;
  const code = (clock.locale ?? "en").slice(0, 2).toLowerCase();
  const others = DATE_LANGUAGES.filter((language) => english.kind === "unknown" || language.code === code);
  const readings = [
    ...(english.kind === "unknown" ? [] : [english]),
    ...others.flatMap((language) => {
      const reading = readOther(text, language, { clock, today, isLocal: language.code === code });
      return reading.kind === "unknown" ? [] : [reading];
    }),
  ];
  const [first] = readings;
  if (first === undefined) {
    const corrected = correctDateWords(text).text;
    return corrected === text ? { kind: "unknown" } : readDateText(corrected, clock);
  }
  return readings.every((reading) => JSON.stringify(reading) === JSON.stringify(first))
    ? first
    : { kind: "unknown" };
}

interface ReadAt {
  clock: Clock;
  today: WallTime;
}

function readEnglish(
  text: string,
  rest: string,
  { clock, today, isDayKnown = false }: ReadAt & { isDayKnown?: boolean },
): ParsedDate {
  const reference = libraryReference(clock);
  // A preposition may belong to the date ("in two weeks") or precede it ("by friday").
  for (const candidate of isDayKnown ? [rest] : [text, rest, rest.replace(/^the\s+/iu, "")]) {
    const result = library
      .parse(candidate, reference, { forwardDate: true })
      .find((found) => found.index === 0 && found.text.length === candidate.length);
    if (!result || /^(?:for\s|(?:right |just )?now$)/i.test(result.text)) continue;
    const value = valueOf(result, clock, today);
    return { kind: "date", ...(daysOfPeriod(result.text, today) ?? { value, last: value }) };
  }
  return { kind: "unknown" };
}

/** Shorter words are abbreviations in one language and ordinary words in others. */
const MIN_WORD_LENGTH = 4;

function readOther(
  text: string,
  language: DateLanguage,
  { clock, today, isLocal }: ReadAt & { isLocal: boolean },
): ParsedDate {
  const phrase = text.trim().toLowerCase().normalize("NFC").replace(language.prefix, "");
  const [part, partInEnglish] = language.parts.find(([words]) => words.test(phrase)) ?? [];
  if (part !== undefined && partInEnglish !== undefined) {
    const day = readOther(phrase.replace(part, ""), language, { clock, today, isLocal });
    if (day.kind === "date" && day.value === day.last && !day.value.includes("T")) {
      const english = `${day.value} ${partInEnglish}`;
      return readEnglish(english, english, { clock, today, isDayKnown: true });
    }
  }
  const [, count = "", unit = ""] = language.amount.exec(phrase) ?? [];
  const english =
    language.phrases.find(([known]) => known.test(phrase))?.[1] ??
    (count === "" ? undefined : amountInEnglish(count, unit));
  if (english !== undefined) return readEnglish(english, english, { clock, today });
  if (phrase.length < MIN_WORD_LENGTH && !isLocal) return { kind: "unknown" };

  const next = groupOf(language.next, phrase);
  const words = next ?? groupOf(language.coming, phrase) ?? phrase;
  const reference = libraryReference(clock);
  const result = language.library
    .parse(words, reference, { forwardDate: true })
    .find((found) => found.index === 0 && found.text.length === words.length);
  if (!result) return { kind: "unknown" };
  const value = valueOf(result, clock, today);
  if (next === undefined) return single(value);
  if (!result.start.isCertain("weekday") || value.includes("T")) return { kind: "unknown" };
  // Before Monday the next occurrence is in this week, and "next" may mean it or the one after.
  const monday = isoDay({ ...today, day: today.day + 7 - ((weekdayOf(today) + 6) % 7) });
  const { start } = result;
  const later = isoDay({
    year: start.get("year") ?? 0,
    month: start.get("month") ?? 0,
    day: (start.get("day") ?? 0) + 7,
  });
  return value < monday ? { kind: "ambiguous", values: [value, later] } : single(value);
}

/** Returns the first group that matched. */
const groupOf = (pattern: RegExp, text: string): string | undefined =>
  pattern
    .exec(text)
    ?.slice(1)
    .find((group: string | undefined) => group !== undefined);

/** 0 is Sunday. */
const weekdayOf = ({ year, month, day }: WallTime): number =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDay();

const single = (value: string): ParsedDate => ({ kind: "date", value, last: value });

const DOTTED_DAY = new RegExp(
  [
    String.raw`(?<![\d.])\d{1,2}\.\s?\d{1,2}\.\s?\d{4}(?!\d|\.\d)`,
    String.raw`(?<=\b(?:by|on|until|till|before|due|for|from|to)\s+(?:the\s+)?)\d{1,2}\.\s?\d{1,2}\.(?![\d.])`,
    String.raw`(?<=\p{L}\s)(?<!\b(?:version|chapter|section|part|no|number|is|are|was|times|plus|minus|and|or|costs?|pay|add|spent)\s)(?:[12]\d|3[01]|0?[1-9])\.(?:1[0-2]|0?[1-9])\.(?=\s+\p{L}|\s*$)`,
  ].join("|"),
  "giu",
);

/** A day written with slashes: "3/12", "3/12/2026". */
const SLASHED_DAY = /(?<![\d/])\d{1,2}\/\d{1,2}(?![\d])/u;

/** Days written with dots, with a year, after a preposition or with the second dot: "3.1.2027", "by 24.12.", "invoice 10.12.". The day comes first. */
function dottedSpans(request: string, tokens: readonly Token[], clock: Clock): DateSpan[] {
  return [...withoutQuotations(request, tokens).matchAll(DOTTED_DAY)].flatMap(({ 0: day, index }) => {
    const from = tokens.findIndex((token) => token.start === index);
    const last = tokens.findLastIndex((token) => token.end <= index + day.length);
    const read = readDateText(day, clock);
    return from < 0 || last < from || read.kind !== "date"
      ? []
      : [{ from, to: last + 1, value: read.value, last: read.last }];
  });
}

/** The day or the moment that these words alone name; undefined for any other words. */
function momentOf(words: string, clock: Clock): string | undefined {
  const read = readDateText(words, clock);
  return read.kind === "date" ? read.value : undefined;
}

const namesOnlyTime = ({ start }: ParsedResult): boolean =>
  start.isCertain("hour") && !(["day", "weekday", "month"] as const).some((part) => start.isCertain(part));

/** What to ask about “half nine”, which people of different languages mean as two times. */
function halfQuestion(words: string): string {
  const { hour } = readClockWords(words) ?? { hour: 1 };
  const before = hour === 1 ? 12 : hour - 1;
  return `“${words}” is ${hour}:30 to some and ${before}:30 to others. Which time do you mean?`;
}

/** True for “her” that belongs to the verb before it, in “call her tomorrow”, and not to the day, in “her friday class”. */
const isObject = (tokens: readonly Token[], at: number, next: Token | undefined): boolean =>
  tokens[at - 1]?.kind === "word" &&
  !FUNCTION_WORDS.has(tokens[at - 1]?.text ?? "") &&
  (next === undefined || next.kind === "mark" || FUNCTION_WORDS.has(next.text));

/** Returns every span of tokens that names a day or a time. */
export function dateSpans(request: string, tokens: readonly Token[], clock: Clock): DateSpan[] {
  const reference = libraryReference(clock);
  const today = wallTimeOf(clock.now, clock.timeZone);
  const text = withoutQuotations(request, tokens);
  const known = knownSpans(text, tokens, clock);
  const dotted = dottedSpans(request, tokens, clock);
  const spans: DateSpan[] = [...known, ...dotted];
  const alternatives: DateSpan[] = [];
  const corrected = correctDateWords(text);
  for (const result of library.parse(corrected.text, reference, { forwardDate: true })) {
    const start = corrected.original(result.index);
    const end = corrected.original(result.index + result.text.length);
    const from = tokens.findIndex((token) => token.start === start);
    const found = tokens.findIndex((token) => token.end === end);
    // The library takes the comma after a day with it.
    const last = tokens[found]?.text === "," ? found - 1 : found;
    if (from < 0 || last < from || NOT_A_DAY.test(result.text)) continue;
    if (known.some((span) => from < span.to && last >= span.from)) continue;
    const dottedDay = dotted.find((span) => from < span.to && last >= span.from);
    if (dottedDay !== undefined && dottedDay.from <= from && last < dottedDay.to) continue;
    // The library reads the month first, in every locale; with a time, the whole is read again.
    const isInDigits = dottedDay !== undefined || SLASHED_DAY.test(result.text);
    const value = isInDigits ? momentOf(result.text, clock) : valueOf(result, clock, today);
    if (value === undefined) continue;
    const left = tokens[from - 1]?.text ?? "";
    const isNumbered =
      left === "the" && /^(?:\d|end\b|first|second|third|fourth|fifth|\p{L}+th\b)/iu.test(result.text);
    const isBetween = /^(?:between|and)$/u.test(left) && /\bbetween\b/iu.test(request);
    const span = { from, to: last + 1, value, last: "" };
    const half = HALF_HOUR.exec(result.text);
    if (half) {
      const within = result.text.replace(half[0], "{}");
      spans.push({ ...span, value: result.text, last: result.text, within, question: halfQuestion(half[0]) });
      continue;
    }
    if (left === "or") alternatives.push(span);
    const isPartOfText =
      PART_OF_TEXT_AFTER.has(left) && !(left === "her" && isObject(tokens, from - 1, tokens[last + 1]));
    if (isPartOfText && !isNumbered && !isBetween && !/^(?:on|at|by|in)\s/i.test(result.text)) continue;
    const lastDay = result.end && isoDay(wallOf(result.end));
    const isRange = lastDay !== undefined && lastDay > value.slice(0, DAY_LENGTH);
    spans.push({
      ...span,
      ...(daysOfPeriod(result.text, today) ?? { last: isRange ? lastDay : value }),
      ...(isRange && { isRange }),
      ...(namesOnlyTime(result) && { time: formatLocalTime(value, clock) }),
    });
  }
  return withAlternatives(spans, alternatives, request, tokens);
}
