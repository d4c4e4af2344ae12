import { type Clock, wallTimeOf } from "@metahuman/core/language/dates/clock";
import {
  type RelativeDay,
  type WeekdayMention,
  FULL_MONTH,
  MONTH,
  kindsIn,
  monthNumbers,
  monthsNamedIn,
  relativeDaysIn,
  shortWeekdaysIn,
  weekdaysIn,
} from "./quantity-words.ts";
import { multiplierOf } from "./units.ts";
import { HEDGE, NUMBER_WORDS } from "./vocabulary.ts";

/** A number as a text writes it. */
export interface NumberMention {
  text: string;
  /** Every value that the text can mean: `1.280` is 1280 in one language and 1.28 in another. */
  values: readonly number[];
  /** The word or sign after it (or the currency before it), in lower case; `""` without one. */
  unit: string;
  /** The words right after it, in lower case. */
  after: string;
  isHedged: boolean;
  isWord: boolean;
  start: number;
}

/** A day, as far as a text names it. Months count from 1. */
export interface DayMention {
  text: string;
  year: number | undefined;
  month: number | undefined;
  day: number | undefined;
  start: number;
  end: number;
}

const ISO_DAY = /(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)/gu;

const ISO_MONTH = /(?<![\d-])((?:19|20)\d{2})-(0[1-9]|1[0-2])(?![\d-])/gu;

const DAY_MONTH = new RegExp(
  `(?<![\\p{L}\\d])(\\d{1,2})(?:st|nd|rd|th|er|º)?\\.?\\s*(?:of |de |d['’])?(${MONTH})(?![\\p{L}])\\.?(?:,?\\s*(?:de |del )?(\\d{4})(?!\\d))?`,
  "giu",
);

/** "from 1 to 15 January": the first day of a range has its month from the last. */
const DAY_RANGE = new RegExp(
  `(?<![\\p{L}\\d.,:-])(\\d{1,2})(?:st|nd|rd|th|er|º)?\\.?(?=\\s*(?:to|until|and|bis|und|au|et|al|y|a|e|[–—-])\\s*\\d{1,2}(?:st|nd|rd|th|er|º)?\\.?\\s*(?:of |de |d['’])?(${MONTH})(?![\\p{L}])\\.?(?:,?\\s*(?:de |del )?(\\d{4})(?!\\d))?)`,
  "giu",
);

const MONTH_DAY = new RegExp(
  `(?<![\\p{L}])(${MONTH})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?(?!\\d|[.:,]\\d{3}|:\\d|\\s?[%€$£])(?:,?\\s+(\\d{4})(?!\\d))?`,
  "giu",
);

const MONTH_YEAR = new RegExp(`(?<![\\p{L}])(${MONTH})\\.?\\s+(?:de |del )?(\\d{4})(?!\\d)`, "giu");

/** "18.6." is a day or a number at the end of a sentence. Without a year, the words around it decide. */
const DOTTED =
  /(?<![\d.−-])(?:(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d{2})(?![\d:])|(?<=(?:am|bis|zum|vom|den|der|seit|ab)\s)(\d{1,2})\.\s?(\d{1,2})\.(?!\d)|(\d{1,2})\.(\d{1,2})\.(?=[ ,;)]+[^\s]))/gu;

const SLASHED = /(?<![\d/])(\d{1,2})[/-](\d{1,2})(?:[/-](\d{4}|\d{2}))(?![\d/])/gu;

const ORDINAL_DAY =
  /(?<![\p{L}\d])(?:the (\d{1,2})(?:st|nd|rd|th)|(?:am|bis zum|zum|vom) (\d{1,2})\.(?!\d))(?![\p{L}\d])/giu;

const TIME =
  /(?<![\d.,:])(\d{1,2})(?::(\d{2})(?::\d{2})?\s*(am|pm|a\.m\.|p\.m\.|uhr|h)?|\s?(am|pm|a\.m\.|p\.m\.|uhr|h)(?![\p{L}])(?:\s?(\d{2})(?!\d))?)/giu;

/** "6 h 45 min" is a span, not a time of the day. */
const DURATION =
  /(?<![\d.,:])(\d{1,3})\s?(?:h|hrs?|hours?|std|stunden?|heures?|horas?|or[ae])\s?(?:and |und |et |y |e )?(\d{1,2})\s?(?:m|mins?|minutes?|minuten|minutos?|minuti)(?![\p{L}])/giu;

const WORD_NUMBER = new RegExp(
  `(?<![\\p{L}\\p{N}-])(${[...NUMBER_WORDS.keys()].filter((word) => word !== "-").join("|")})(?![\\p{L}\\p{N}-])`,
  "giu",
);

/** Letters as ranges, which are several times faster than Unicode properties. */
const NUMBER =
  /(?<![A-Za-zß-ɏͰ-ӿ\d._/#-])([$€£]\s?)?([-−]?\d{1,3}(?:[.,'’\u00A0\u202F ]\d{3})+(?:[.,]\d+)?(?![\d])|[-−]?\d+(?:[.,]\d+)?)(?!\d)\s?(%|€|\$|£|°\s?C?|[A-Za-zß-ɏͰ-ӿ]+)?/g;

/**
 * A text with dates, times and everything else that is not a quantity replaced by spaces, so that positions stay the
 * same.
 */
interface Blanked {
  text: string;
  blank(start: number, length: number): void;
}

function blankable(text: string): Blanked {
  let current = text;
  let holes: [start: number, length: number][] = [];
  return {
    get text() {
      let from = 0;
      const parts = holes
        .toSorted(([a], [b]) => a - b)
        .flatMap(([start, length]) => {
          const part = [current.slice(from, start), " ".repeat(length)];
          from = start + length;
          return part;
        });
      if (holes.length > 0) current = parts.join("") + current.slice(from);
      holes = [];
      return current;
    },
    blank(start, length) {
      holes.push([start, length]);
    },
  };
}

/** The quantities in a text. */
export interface Quantities {
  numbers: NumberMention[];
  days: DayMention[];
  /** Months without a day, 1 to 12. */
  months: { text: string; month: number }[];
  weekdays: WeekdayMention[];
  /** Minutes of the day; both possible times if the text does not say which half of the day. */
  times: { text: string; minutes: number }[];
  /** All months that are named, with or without a day, including abbreviations. */
  monthsNamed: number[];
  /** Weekdays in short, Sunday being 0. */
  shortWeekdays: number[];
  relative: RelativeDay[];
}

let lastRead: { text: string; quantities: Quantities } | undefined;

/** Reads numbers, days and times in figures and in words, in any of the languages. */
export function quantitiesIn(text: string): Quantities {
  // Several rules read the same sentence one after the other.
  if (lastRead?.text !== text) lastRead = { text, quantities: readQuantities(text) };
  return lastRead.quantities;
}

function readQuantities(text: string): Quantities {
  const rest = blankable(text);
  const days: DayMention[] = [];
  const take = (pattern: RegExp, read: (match: RegExpExecArray) => Partial<DayMention> | undefined): void => {
    for (const match of rest.text.matchAll(pattern)) {
      const found = read(match);
      if (!found) continue;
      days.push({
        year: undefined,
        month: undefined,
        day: undefined,
        ...found,
        text: match[0].trim(),
        start: match.index,
        end: match.index + match[0].length,
      });
      rest.blank(match.index, match[0].length);
    }
  };
  const hasDigit = /\d/u.test(text);
  const kinds = kindsIn(text);
  const months: Quantities["months"] = [];
  if (hasDigit) {
    take(ISO_DAY, ([, y, m, d]) => ({ year: Number(y), month: Number(m), day: Number(d) }));
    take(ISO_MONTH, ([, y, m]) => ({ year: Number(y), month: Number(m) }));
    if (kinds.has("month")) {
      take(DAY_RANGE, ([, d, m, y]) => monthDay(d, m, y));
      take(DAY_MONTH, ([, d, m, y]) => monthDay(d, m, y));
      take(MONTH_DAY, ([, m, d, y]) => monthDay(d, m, y));
      take(MONTH_YEAR, ([, m, y]) => ({ year: Number(y), month: monthNumbers.get((m ?? "").toLowerCase()) }));
    }
    take(DOTTED, ([, d, m, y, day, month, otherDay, otherMonth]) =>
      readNumericDate(d ?? day ?? otherDay, m ?? month ?? otherMonth, y),
    );
    take(SLASHED, ([, a, b, y]) => readNumericDate(a, b, y) ?? readNumericDate(b, a, y));
    take(ORDINAL_DAY, ([, a, b]) => {
      const day = Number(a ?? b);
      return day >= 1 && day <= 31 ? { day } : undefined;
    });
  }
  for (const match of kinds.has("month") ? rest.text.matchAll(FULL_MONTH) : []) {
    const month = monthNumbers.get((match[1] ?? "").toLowerCase());
    if (month !== undefined) months.push({ text: match[0], month });
  }
  const times: Quantities["times"] = [];
  const durations: NumberMention[] = [];
  for (const match of hasDigit ? rest.text.matchAll(DURATION) : []) {
    const { index } = match;
    durations.push({
      text: match[0],
      values: [Number(match[1]) * 60 + Number(match[2])],
      unit: "min",
      after: "",
      isHedged: isHedgedAt(text, index),
      isWord: false,
      start: index,
    });
    rest.blank(index, match[0].length);
  }
  for (const match of hasDigit ? rest.text.matchAll(TIME) : []) {
    const minutes = minutesOf(match);
    if (minutes === undefined) continue;
    times.push({ text: match[0].trim(), minutes });
    rest.blank(match.index, match[0].length);
  }
  return {
    numbers: [...durations, ...numbersIn(rest.text, hasDigit, kinds.has("number"))],
    days,
    months,
    weekdays: kinds.has("weekday") ? weekdaysIn(text) : [],
    times,
    relative: kinds.has("relative") ? relativeDaysIn(text) : [],
    monthsNamed: kinds.has("month") ? monthsNamedIn(text) : [],
    shortWeekdays: kinds.has("shortWeekday") ? shortWeekdaysIn(text) : [],
  };
}

export function monthDay(
  day: string | undefined,
  month: string | undefined,
  year: string | undefined,
): Partial<DayMention> | undefined {
  const number = monthNumbers.get((month ?? "").toLowerCase());
  const at = Number(day);
  return number === undefined || at < 1 || at > 31
    ? undefined
    : { day: at, month: number, year: year === undefined ? undefined : Number(year) };
}

export function readNumericDate(
  day: string | undefined,
  month: string | undefined,
  year: string | undefined,
): Partial<DayMention> | undefined {
  const [d, m] = [Number(day), Number(month)];
  if (d < 1 || d > 31 || m < 1 || m > 12) return undefined;
  const y = year === undefined ? undefined : year.length === 2 ? 2000 + Number(year) : Number(year);
  return { day: d, month: m, year: y };
}

function minutesOf([, hours, minutes, half, otherHalf, after]: RegExpExecArray): number | undefined {
  const mark = (half ?? otherHalf ?? "").toLowerCase().replaceAll(".", "");
  let hour = Number(hours);
  const minute = Number(minutes ?? after ?? 0);
  if (hour > 24 || minute > 59) return undefined;
  if (mark === "pm" && hour < 12) hour += 12;
  if (mark === "am" && hour === 12) hour = 0;
  return hour * 60 + minute;
}

const ORDINAL_ENDS: ReadonlySet<string> = new Set(["st", "nd", "rd", "th"]);

/** The number of a list item is not a quantity. */
function isItemNumber(text: string, index: number, digits: string): boolean {
  const sign = text.charAt(index + digits.length);
  if (sign !== "." && sign !== ")" && sign !== ":") return false;
  return (
    /^\s?$/u.test(text.charAt(index + digits.length + 1)) &&
    text.slice(text.lastIndexOf("\n", index) + 1, index).trim() === ""
  );
}

/** "about 40". Computed on demand, because most numbers of a long text are never compared. */
const isHedgedAt = (text: string, index: number): boolean =>
  HEDGE.test(text.slice(Math.max(0, index - 24), index));

function numbersIn(text: string, hasDigit: boolean, hasWord: boolean): NumberMention[] {
  const found: NumberMention[] = [];
  for (const match of hasDigit ? text.matchAll(NUMBER) : []) {
    const [whole, currency = "", digits = "", unit = ""] = match;
    const at = match.index + whole.indexOf(digits);
    if (isItemNumber(text, at, digits) || ORDINAL_ENDS.has(unit)) continue;
    found.push({
      text: `${currency}${digits}`.trim(),
      values: withHalf(
        scaleValues(valuesOf(digits), unit),
        text.slice(at + digits.length, at + digits.length + 40),
      ),
      unit: (currency.trim() || unitAfterHalf(text.slice(at + digits.length)) || unit).toLowerCase(),
      get after() {
        return text.slice(at + digits.length, at + digits.length + 40).toLowerCase();
      },
      get isHedged() {
        return isHedgedAt(text, match.index);
      },
      isWord: false,
      start: at,
    });
  }
  for (const match of hasWord ? text.matchAll(WORD_NUMBER) : []) {
    const value = NUMBER_WORDS.get(match[0].toLowerCase());
    if (value === undefined) continue;
    const after = text.slice(match.index + match[0].length, match.index + match[0].length + 40).toLowerCase();
    found.push({
      text: match[0],
      values: withHalf(scaleValues([value], /^\s*(\p{L}+)/u.exec(after)?.[1] ?? ""), after),
      unit: unitAfterHalf(after) || (/^\s*(\p{L}+)/u.exec(after)?.[1] ?? ""),
      after,
      get isHedged() {
        return isHedgedAt(text, match.index);
      },
      isWord: true,
      start: match.index,
    });
  }
  return found.sort((a, b) => a.start - b.start);
}

/** `1,280` is 1280 or 1.28. */
function valuesOf(digits: string): number[] {
  const simple = Number(digits);
  if (Number.isInteger(simple) && !digits.includes(".")) return [simple];
  const plain = digits.replaceAll(/['’\u00A0\u202F ]/g, "").replace("−", "-");
  const separators = [...plain.matchAll(/[.,]/gu)].map(([sign]) => sign);
  const last = separators.at(-1);
  if (last === undefined) return [Number(plain)];
  const asDecimal = Number(plain.replaceAll(last === "," ? "." : ",", "").replace(last, "."));
  const asGroups = Number(plain.replaceAll(/[.,]/gu, ""));
  if (separators.length > 1 && separators.every((sign) => sign === last)) return [asGroups];
  if (separators.length > 1) return [asDecimal];
  return /[.,]\d{3}$/u.test(plain) ? [asGroups, asDecimal] : [asDecimal];
}

function scaleValues(values: number[], unit: string): number[] {
  const factor = multiplierOf(unit);
  return factor === undefined ? values : values.map((value) => value * factor);
}

/** "three and a half hours", "31 ore e mezza". */
const AND_A_HALF =
  /^\s*(?:\p{L}+\s)?(?:and a half|e mezz[oa]|et demie?|y medi[oa]|e mei[oa]|en een halve?|och en halv)(?!\p{L})/iu;

const withHalf = (values: number[], after: string): number[] =>
  AND_A_HALF.test(after) ? values.map((value) => value + 0.5) : values;

/** "hours" of "and a half hours"; `""` where none follows. */
function unitAfterHalf(after: string): string {
  const unit = /^\s*and a half\s(\p{L}+)/iu.exec(after)?.[1] ?? "";
  return unit.toLowerCase();
}

/** Days since 1 January 1970. */
export const dayNumber = (year: number, month: number, day: number): number =>
  Date.UTC(year, month - 1, day) / 86_400_000;

/** The current day: its year, its number since 1970 and its weekday, Sunday being 0. */
export interface Today {
  year: number;
  number: number;
  weekday: number;
}

/** Today in the person's time zone. */
export function todayOf(clock: Clock): Today {
  const wall = wallTimeOf(clock.now, clock.timeZone);
  const number = dayNumber(wall.year, wall.month, wall.day);
  return { year: wall.year, number, weekday: new Date(number * 86_400_000).getUTCDay() };
}

/** True for the name of a weekday or a month. */
export function isCalendarName(name: string): boolean {
  const { weekdays, monthsNamed } = quantitiesIn(name);
  return weekdays.length + monthsNamed.length > 0;
}
