import { isoDay, wallTimeOf, type Clock, type DateSpan, type WallTime } from "./clock.ts";
import { SHORT_MONTHS } from "../../contract/calendar-names.ts";
import { CLOCK_WORDS } from "../../text/clock-words.ts";
import { NUMBERS_TO_TWELVE } from "../../text/number-words.ts";
import type { Token } from "../tokens/tokens.ts";
import { capitalize } from "../../text/format.ts";

// Dates that need a question: dates that do not exist, dates with a wrong weekday, and ambiguous dates.

/** Months of 30 days and February, by the first letters of their names. */
const DAYS_IN_MONTH: Readonly<Record<string, number>> = { feb: 29, apr: 30, jun: 30, sep: 30, nov: 30 };

const DAY_AND_MONTH =
  /^(?:(\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+([a-z]{3,9})|([a-z]{3,9})\s+(\d{1,2})(?:st|nd|rd|th)?)\b/i;
/** Returns `YYYY-MM-DD`; undefined for a day that does not exist. */
export function calendarDay(year: number, month: number, day: number): string | undefined {
  const value = isoDay({ year, month, day });
  return value === [String(year), String(month).padStart(2, "0"), String(day).padStart(2, "0")].join("-")
    ? value
    : undefined;
}

export function isImpossible(text: string): boolean {
  const match = DAY_AND_MONTH.exec(text);
  const name = (match?.[2] ?? match?.[3])?.slice(0, 3).toLowerCase() ?? "";
  const day = Number(match?.[1] ?? match?.[4]);
  return SHORT_MONTHS.includes(name) && (day < 1 || day > (DAYS_IN_MONTH[name] ?? 31));
}

const WEEKDAYS = "sunday monday tuesday wednesday thursday friday saturday".split(" ");
const WEEKDAY = "(mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?";
const MONTH = `(?:${SHORT_MONTHS.join("|")})[a-z]*`;
const WRITTEN_DAY = new RegExp(
  `\\b(?:${WEEKDAY},?\\s+(?:the\\s+)?)?((?:\\d{1,2}(?:st|nd|rd|th)?(?:\\s+of)?\\s+${MONTH}|${MONTH}\\s+\\d{1,2}(?:st|nd|rd|th)?|\\d{4}-\\d{1,2}-\\d{1,2})(?:,?\\s+\\d{4})?)(?![\\p{L}\\p{N}-])`,
  "giu",
);
/** "Friday the 13th", without a month. */
const WEEKDAY_AND_DAY = new RegExp(
  `\\b${WEEKDAY},?\\s+(?:the\\s+)?(\\d{1,2})(?:st|nd|rd|th)\\b(?!\\s+(?:of\\s+)?${MONTH})`,
  "giu",
);
const YEAR = /\b(\d{4})$/u;
/** The number of months within which a weekday falls on each day of the month. */
const MAX_MONTHS = 16;

const weekdayAt = (name: string): number =>
  WEEKDAYS.findIndex((weekday) => weekday.startsWith(name.toLowerCase().slice(0, 3)));
const weekdayOf = (day: string): string => WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? "";

/** The tokens between two offsets; undefined if they begin or end inside a token. */
function tokensAt(
  tokens: readonly Token[],
  start: number,
  end: number,
): Pick<DateSpan, "from" | "to"> | undefined {
  const from = tokens.findIndex((token) => token.start === start);
  const last = tokens.findIndex((token) => token.end === end);
  return from < 0 || last < from ? undefined : { from, to: last + 1 };
}

const HOUR_WORD = `(?:${NUMBERS_TO_TWELVE.slice(1).join("|")})`;
const CLOCK_TIME = String.raw`(?:\d{1,2}[:.]\d{2}(?:\s?[ap]m)?|\d{1,2}\s?(?:[ap]m|o['’]clock)|noon|midday)`;
const TIME_AFTER = new RegExp(
  String.raw`^(?:,?\s+at\s+(${CLOCK_TIME}|${CLOCK_WORDS}|${HOUR_WORD}|\d{1,2})|,?\s+(${CLOCK_TIME})|\s+(?:in the\s+)?(morning|afternoon|evening|night))(?![\p{L}\d])`,
  "iu",
);
const TIME_BEFORE = new RegExp(
  String.raw`(?:\bat\s+(${CLOCK_TIME}|\d{1,2})|\b(${CLOCK_TIME}))\s+(?:on\s+)?(?:the\s+)?$`,
  "iu",
);

/**
 * The tokens of a day and of the time next to it. With a time, `within` is the text with `{}` in place of another day.
 */
function placeWithTime(
  text: string,
  tokens: readonly Token[],
  start: number,
  end: number,
): Pick<DateSpan, "from" | "to" | "within"> | undefined {
  const after = TIME_AFTER.exec(text.slice(end));
  const before = after ? null : TIME_BEFORE.exec(text.slice(0, start));
  const [, timed, exact, part] = after ?? before ?? [];
  const time = timed ?? exact;
  const place =
    time === undefined && part === undefined
      ? undefined
      : tokensAt(tokens, before?.index ?? start, end + (after?.[0].length ?? 0));
  return place === undefined
    ? tokensAt(tokens, start, end)
    : { ...place, within: time === undefined ? `{} ${part ?? ""}` : `{} at ${time}` };
}

/**
 * Days that need no date library: ones that do not exist, such as 31 November or 29 February 2027, ones that contradict
 * their weekday, and "Friday the 13th". `text` is the request without quotations.
 */
export function knownSpans(text: string, tokens: readonly Token[], clock: Clock): DateSpan[] {
  const written = [...text.matchAll(WRITTEN_DAY)].flatMap((match): DateSpan[] => {
    const [whole, weekday, day = ""] = match;
    const place = placeWithTime(text, tokens, match.index, match.index + whole.length);
    const question = isNoDay(day)
      ? `There is no ${day}. Which day do you mean?`
      : weekday === undefined
        ? undefined
        : contradiction(weekday, day, clock);
    return place && question !== undefined ? [{ ...place, value: whole, last: whole, question }] : [];
  });
  const numbered = [...text.matchAll(WEEKDAY_AND_DAY)].flatMap((match): DateSpan[] => {
    const place = placeWithTime(text, tokens, match.index, match.index + match[0].length);
    const read = nextSuchDay(weekdayAt(match[1] ?? ""), Number(match[2]), clock);
    if (place === undefined || read === undefined) return [];
    // The date library reads a day with a time.
    if (typeof read === "string" && place.within !== undefined) return [];
    return typeof read === "string"
      ? [{ ...place, value: read, last: read }]
      : [{ ...place, value: match[0], last: match[0], question: read.question }];
  });
  return [...written, ...numbered];
}

/** The next day with this spelling; undefined if there is none. */
function dayAsWritten(written: string, today: WallTime): string | undefined {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})/u.exec(written);
  if (iso) return calendarDay(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  const [, first, name, otherName, second] = DAY_AND_MONTH.exec(written) ?? [];
  const month = SHORT_MONTHS.indexOf((name ?? otherName ?? "").slice(0, 3).toLowerCase()) + 1;
  const inYear = (year: number): string | undefined => calendarDay(year, month, Number(first ?? second));
  const named = YEAR.exec(written)?.[1];
  if (named !== undefined) return inYear(Number(named));
  const soon = inYear(today.year);
  return soon !== undefined && soon >= isoDay(today) ? soon : inYear(today.year + 1);
}

/** What to ask if a written day is not the weekday that is named with it. */
function contradiction(weekday: string, written: string, { now, timeZone }: Clock): string | undefined {
  const day = dayAsWritten(written, wallTimeOf(now, timeZone));
  if (day === undefined || weekdayOf(day) === WEEKDAYS[weekdayAt(weekday)]) return undefined;
  return `${day} is a ${capitalize(weekdayOf(day))}, not a ${capitalize(WEEKDAYS[weekdayAt(weekday)] ?? "")}. Which day do you mean?`;
}

/** The coming day of the month with this number if it is that weekday; else what to ask. */
function nextSuchDay(
  weekday: number,
  number: number,
  { now, timeZone }: Clock,
): string | { question: string } | undefined {
  const today = wallTimeOf(now, timeZone);
  const coming = Array.from({ length: MAX_MONTHS }, (_, ahead) => {
    const first = new Date(Date.UTC(today.year, today.month - 1 + ahead, 1));
    return calendarDay(first.getUTCFullYear(), first.getUTCMonth() + 1, number);
  }).filter((day) => day !== undefined && day >= isoDay(today));
  const [next] = coming;
  const name = WEEKDAYS[weekday] ?? "";
  const fitting = coming.find((day) => day !== undefined && weekdayOf(day) === name);
  if (next === undefined || next === fitting) return next;
  const later = fitting === undefined ? "" : `; the next such ${capitalize(name)} is ${fitting}`;
  return { question: `${next} is a ${capitalize(weekdayOf(next))}${later}. Which day do you mean?` };
}

function isNoDay(day: string): boolean {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})/u.exec(day);
  if (iso) return calendarDay(Number(iso[1]), Number(iso[2]), Number(iso[3])) === undefined;
  if (isImpossible(day)) return true;
  const year = YEAR.exec(day)?.[1];
  const isLeapDay = /\b29(?:th)?(?:\s+of)?\s+feb|\bfeb[a-z]*\s+29/iu.test(day);
  return isLeapDay && year !== undefined && calendarDay(Number(year), 2, 29) === undefined;
}

const HOUR = /^(?:[01]?\d|2[0-3])$/u;
/** What may follow a time: the end, a mark, or words that begin something else. */
const AFTER_TIME = /^(?:to|in|on|at|today|tonight|tomorrow|am|pm|o'clock|please|thanks|[^\p{L}\p{N}]+)$/u;

/** Joins "at 5 or 6" and "on monday or tuesday" to one span with a question. `afterOr`: the spans that follow "or". */
export function withAlternatives(
  spans: readonly DateSpan[],
  afterOr: readonly DateSpan[],
  request: string,
  tokens: readonly Token[],
): DateSpan[] {
  const joined = spans.flatMap((span): DateSpan[] => {
    if (tokens[span.to]?.text !== "or" || span.question !== undefined) return [];
    const start = span.to + 1;
    const next = [...afterOr, ...spans].find(({ from }) => from === start);
    const after = tokens[start + 1];
    const isHour =
      span.value.includes("T") &&
      HOUR.test(tokens[start]?.text ?? "") &&
      (after === undefined || AFTER_TIME.test(after.text));
    const to = next?.to ?? (isHour ? start + 1 : undefined);
    if (to === undefined) return [];
    const words = request.slice(tokens[span.from]?.start, tokens[to - 1]?.end);
    const question = `“${words}” are two. Which one do you mean?`;
    return [{ from: span.from, to, value: words, last: words, question }];
  });
  const isPart = (span: DateSpan): boolean => joined.some(({ from, to }) => span.from < to && span.to > from);
  return [...spans.filter((span) => !isPart(span)), ...joined];
}
