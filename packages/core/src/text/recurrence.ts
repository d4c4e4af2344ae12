import { SHORT_MONTHS } from "../contract/calendar-names.ts";
import { CLOCK_WORDS, readClockWords } from "./clock-words.ts";
import { NUMBERS_TO_TWELVE } from "./number-words.ts";

/** A recurrence in words, before it has a time zone or an anchor. */
export type RecurrenceRule =
  | { cron: string }
  | { seconds: number }
  /** Every `days` local days at a local time, first on that day of the week (0 is Sunday), if one is given. */
  | { days: number; weekday?: number; hour: number; minute: number }
  /** Every `months` months on that day at a local time; the months count from the first one that is still to come. */
  | { months: number; dayOfMonth: number; hour: number; minute: number };

/** A recurrence at the beginning of a text. */
export interface FoundRecurrence {
  rule: RecurrenceRule;
  /** How many characters of the text it takes up. */
  length: number;
}

/** The hour of a day that is named without a time. */
export const DEFAULT_HOUR = 9;

const CLOCK = String.raw`(?:${CLOCK_WORDS}|noon|midnight|\d{1,2}(?:[:.]\d{2})?(?:\s?[ap]\.?m\b\.?)?)(?:\s?o'?clock)?`;
const BARE_CLOCK = String.raw`(?:${CLOCK_WORDS}|noon|midnight|\d{1,2}[:.]\d{2}(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?[ap]\.?m\b\.?)`;
/** An hour in words, which only "at" makes a time. */
const HOUR_WORD = String.raw`(?:${NUMBERS_TO_TWELVE.slice(1).join("|")})(?![a-z-]|\s+(?:times|days|hours|minutes|weeks)\b)(?:\s?o'?clock)?`;
const TIMES = String.raw`(?:(?:at|around)\s+(?:${CLOCK}|${HOUR_WORD})|${BARE_CLOCK})(?:(?:\s*,\s*|\s+and\s+)(?:at\s+)?${CLOCK})*`;
const DAY =
  "(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)s?";
const DAYS = String.raw`${DAY}(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+or\s+)(?:on\s+)?${DAY})*`;
const DAYS_APART = String.raw`\s*(?:-|–|\b(?:to|through|thru|until|till)\b)\s*`;
const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const ORDINALS = "first second third fourth fifth".split(" ");
const NTH = String.raw`(?:${ORDINALS.join("|")}|\d{1,2}(?:st|nd|rd|th)?)`;
const EVERY = "(?:every|each)";

const WEEKDAYS = "sun mon tue wed thu fri sat".split(" ");
const UNIT_SECONDS: readonly (readonly [RegExp, number])[] = [
  [/^s/i, 1],
  [/^mi/i, 60],
  [/^h/i, 3_600],
  [/^d/i, 86_400],
  [/^w/i, 7 * 86_400],
];

/** Cron fields after minute and hour, with the usual hour of the words. */
interface Days {
  dayOfMonth?: string;
  month?: string;
  dayOfWeek?: string;
  hour?: number;
  /** The usual hour of the part of the day that is named: a time next to it is in that part. */
  part?: number;
  /** The usual times of day, for words that say how many. */
  hours?: readonly number[];
  /** A range of hours, each of which counts. */
  range?: string;
}
type Meaning =
  | Days
  | { seconds: number }
  | { days: number; weekday?: number }
  | { months: number; dayOfMonth: number }
  | undefined;

/** The usual hours of the parts of a day. */
export const PART_HOURS: Readonly<Record<string, number>> = {
  morning: 9,
  afternoon: 14,
  evening: 19,
  night: 21,
};
const OTHER = String.raw`${EVERY}\s+(?:other|second|2nd|alternate)`;
const COUNT = String.raw`(\d{1,6}|${NUMBERS_TO_TWELVE.join("|")})`;
const ON_DAY = String.raw`(?:\s*,?\s+on\s+(?:an?\s+)?(${DAY}))`;
const ON_DATE = String.raw`(?:\s*,?\s+on\s+(?:the\s+|day\s+)?(\d{1,2})(?:st|nd|rd|th)?(?:\s+day)?)?`;
const everyWeeks = (weeks: number, day: string): Meaning => ({
  days: 7 * weeks,
  ...(day !== "" && { weekday: weekdayOf(day) }),
});

/** Each form of words with its meaning; the first that matches counts. */
const FORMS: readonly (readonly [string, (groups: readonly string[]) => Meaning])[] = [
  [
    String.raw`(?:${OTHER}|on\s+(?:every\s+)?(?:other|alternate))\s+(${DAY})\b(?!\s*(?:,|and|or)\s+${DAY})`,
    ([day = ""]) => everyWeeks(2, day),
  ],
  [
    String.raw`(?:${OTHER}\s+week|${EVERY}\s+fortnight|fortnightly|bi-?weekly)${ON_DAY}?\b`,
    ([day = ""]) => everyWeeks(2, day),
  ],
  [
    String.raw`${EVERY}\s+${COUNT}\s+weeks?${ON_DAY}\b`,
    ([count = "", day = ""]) => everyWeeks(numberOf(count), day),
  ],
  [
    String.raw`${EVERY}\s+${COUNT}\s+(days?|weeks?)\b`,
    ([count = "", unit = ""]) => ({ days: numberOf(count) * (unit.startsWith("w") ? 7 : 1) }),
  ],
  [String.raw`${OTHER}\s+day\b`, () => ({ days: 2 })],
  [
    String.raw`(?:${EVERY}\s+${COUNT}\s+months|quarterly|${EVERY}\s+quarter)${ON_DATE}\b`,
    ([count = "", day = ""]) =>
      count === ""
        ? { dayOfMonth: day === "" ? "1" : String(Number(day)), month: "1,4,7,10" }
        : { months: numberOf(count), dayOfMonth: day === "" ? 1 : Number(day) },
  ],
  [
    String.raw`(?:(twice)|(three\s+times))\s+(?:a|per|every|each)\s+day\b`,
    ([twice = ""]) => ({ hours: twice === "" ? [9, 14, 19] : [9, 19] }),
  ],
  [
    String.raw`(?:${EVERY}\s+hour|hourly)\s+(?:between|from)\s+(${CLOCK})\s+(?:and|to|until|till)\s+(${CLOCK})(?![\d:.])`,
    ([from = "", to = ""]) => hourRange(from, to),
  ],
  [
    String.raw`${EVERY}\s+(\d{1,6}|${NUMBERS_TO_TWELVE.join("|")})\s*(seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|weeks?)\b`,
    ([count = "", unit = ""]) => ({ seconds: numberOf(count) * secondsOf(unit) }),
  ],
  [String.raw`(?:${EVERY}\s+half(?:\s+an?)?\s+hour|${EVERY}\s+half-hour)\b`, () => ({ seconds: 1_800 })],
  [String.raw`${EVERY}\s+(?:other|second)\s+hour\b`, () => ({ seconds: 7_200 })],
  [
    String.raw`${EVERY}\s+(second|minute)\b(?!\s+(?:${DAY}|day|week|month|year)\b)`,
    ([unit = ""]) => ({ seconds: secondsOf(unit) }),
  ],
  [String.raw`(?:${EVERY}\s+hour|hourly)\b`, () => ({ seconds: 3_600 })],
  [
    String.raw`(?:${EVERY}\s+(?:weekday|workday|working\s+day|business\s+day)|(?:on\s+)?(?:weekdays|workdays|working\s+days))\b`,
    () => ({ dayOfWeek: "1-5" }),
  ],
  [
    String.raw`(?:${EVERY}\s+weekend|(?:on\s+|at\s+)?(?:the\s+)?weekends)\b`,
    () => ({ dayOfWeek: "0,6", hour: 10 }),
  ],
  [String.raw`${EVERY}\s+morning\b`, () => ({ part: 9 })],
  [String.raw`${EVERY}\s+afternoon\b`, () => ({ part: 14 })],
  [String.raw`${EVERY}\s+evening\b`, () => ({ part: 19 })],
  [String.raw`(?:${EVERY}\s+night|nightly)\b`, () => ({ part: 21 })],
  [
    String.raw`${EVERY}\s+(?:day\s+)?(?:from\s+)?(${DAY})${DAYS_APART}(${DAY})\b`,
    ([first = "", last = ""]) => ({ dayOfWeek: weekdayRange(first, last) }),
  ],
  [String.raw`(?:(?:${EVERY}|once\s+a)\s+day|daily)\b`, () => ({})],
  [
    String.raw`(?:on\s+)?(?:the\s+)?(${ORDINALS.join("|")}|last)\s+(${DAY})\s+(?:of|in)\s+(?:the|every|each)\s+month\b`,
    ([nth = "", day = ""]) => ({
      dayOfWeek: `${weekdayOf(day)}#${nth === "last" ? "L" : ORDINALS.indexOf(nth) + 1}`,
    }),
  ],
  [
    String.raw`(?:on\s+)?(?:the\s+)?last\s+(?:day\s+)?of\s+(?:the|every|each)\s+month\b|${EVERY}\s+month\s+on\s+the\s+last\s+day\b|(?:at\s+)?(?:the\s+)?end\s+of\s+(?:every|each)\s+month\b`,
    () => ({ dayOfMonth: "L" }),
  ],
  [
    String.raw`(?:on\s+)?day\s+(\d{1,2}(?:(?:\s*,\s*|\s+and\s+)\d{1,2})*)\s+of\s+(?:the|every|each)\s+month\b`,
    ([days = ""]) => ({ dayOfMonth: daysOfMonth(days) }),
  ],
  [
    String.raw`(?:on\s+)?day\s+(\d{1,2})\s+of\s+(${MONTH}(?:(?:\s*,\s*|\s+and\s+)${MONTH})*)\b`,
    ([day = "", months = ""]) => ({ dayOfMonth: String(Number(day)), month: monthsOf(months) }),
  ],
  [
    String.raw`(?:on\s+|${EVERY}\s+)?(?:the\s+)?(${NTH}(?:(?:\s*,\s*|\s+and\s+)(?:the\s+)?${NTH})*)(?:\s+day)?\s+of\s+(?:(?:the|every|each|a)\s+)?month\b`,
    ([days = ""]) => ({ dayOfMonth: daysOfMonth(days) }),
  ],
  [
    String.raw`(?:${EVERY}\s+month|monthly|once\s+a\s+month)(?:\s*,?\s+on\s+(?:the\s+|day\s+)?(${NTH}(?:(?:\s*,\s*|\s+and\s+)(?:the\s+)?${NTH})*))?\b`,
    ([days = ""]) => ({ dayOfMonth: days === "" ? "1" : daysOfMonth(days) }),
  ],
  [
    String.raw`(?:(?:${EVERY}|once\s+a)\s+year|yearly|annually)\s+on\s+(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+(${MONTH})\b`,
    ([day = "", month = ""]) => ({ dayOfMonth: String(Number(day)), month: monthOf(month) }),
  ],
  [
    String.raw`(?:(?:${EVERY}|once\s+a)\s+year|yearly|annually)\s+on\s+(${MONTH})\s+(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)?\b`,
    ([month = "", day = ""]) => ({ dayOfMonth: String(Number(day)), month: monthOf(month) }),
  ],
  [
    String.raw`(?:on\s+)?(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+(${MONTH})\s+(?:every|each)\s+year\b`,
    ([day = "", month = ""]) => ({ dayOfMonth: String(Number(day)), month: monthOf(month) }),
  ],
  [
    String.raw`${EVERY}\s+(\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+(${MONTH})\b`,
    ([day = "", month = ""]) => ({ dayOfMonth: String(Number(day)), month: monthOf(month) }),
  ],
  // Without "every" the days may be those of one week, unless a time follows.
  [
    String.raw`(?:from\s+)?(${DAY})${DAYS_APART}(${DAY})\b(?=\s*,?\s+${TIMES}(?:$|[\s,.;:!?]))`,
    ([first = "", last = ""]) => ({ dayOfWeek: weekdayRange(first, last) }),
  ],
  [String.raw`${EVERY}\s+(${DAYS})\b`, ([days = ""]) => ({ dayOfWeek: weekdaysOf(days) })],
  [
    String.raw`(?:(?:${EVERY}|once\s+a)\s+week|weekly)(?:\s*,?\s+on\s+(${DAYS}))?\b`,
    ([days = ""]) => ({ dayOfWeek: days === "" ? "1" : weekdaysOf(days) }),
  ],
  [
    String.raw`(?:on\s+)?((?:mon|tues|wednes|thurs|fri|satur|sun)days(?:(?:\s*,\s*|\s+and\s+)(?:on\s+)?${DAY})*)\b`,
    ([days = ""]) => ({ dayOfWeek: weekdaysOf(days) }),
  ],
];

/** Each form has one of these: without one, no part of a text needs to be compared with all forms. */
const HINT = new RegExp(
  [
    "every|each|once|twice|three|daily|nightly|hourly|annually|quarterly|fortnight|day|week|work|month",
    "year|mon|tue|wed|thu|fri|sat|sun",
  ].join("|"),
  "iu",
);

/** False for a text that has a recurrence nowhere. */
export const mayRecur = (text: string): boolean => HINT.test(text);

const PART_OF_DAY = /\s+(?:in\s+the\s+)?(morning|afternoon|evening|night)s?\b/iy;
/** "At 7 in the evening": a part without a preposition begins what is to be done. */
const PART_AFTER_TIMES = /\s+(?:in\s+the|at)\s+(morning|afternoon|evening|night)\b/iy;
const COMPILED = FORMS.map(([form, meaning]) => [new RegExp(form, "iy"), meaning] as const);
const LEADING_TIMES = new RegExp(String.raw`(${TIMES})\s*,?\s+`, "iy");
const TRAILING_TIMES = new RegExp(String.raw`\s*,?\s+(${TIMES})(?=$|[\s,.;:!?])`, "iy");

/**
 * The recurrence at the beginning of a text: "every weekday at 7:30", "on the first of the month", "at 9 every Monday and
 * Thursday"; undefined when there is none.
 */
export function recurrenceAt(text: string): FoundRecurrence | undefined {
  const leading = matchAt(LEADING_TIMES, text, 0);
  for (const start of leading ? [leading[0].length, 0] : [0]) {
    for (const [form, meaning] of COMPILED) {
      const match = matchAt(form, text, start);
      if (!match) continue;
      const meant = meaning(match.slice(1).map((group: string | undefined) => group ?? ""));
      const part = matchAt(PART_OF_DAY, text, start + match[0].length);
      const end = start + match[0].length + (part?.[0].length ?? 0);
      const trailing = start === 0 ? matchAt(TRAILING_TIMES, text, end) : undefined;
      const times = start > 0 ? leading?.[1] : trailing?.[1];
      const timed = end + (trailing?.[0].length ?? 0);
      const partAfter = trailing && !part ? matchAt(PART_AFTER_TIMES, text, timed) : undefined;
      const named = (part ?? partAfter)?.[1];
      const rule = ruleOf(meant, times, named === undefined ? undefined : PART_HOURS[named.toLowerCase()]);
      if (rule) return { rule, length: timed + (partAfter?.[0].length ?? 0) };
    }
  }
  return undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function ruleOf(
  meaning: Meaning,
  times: string | undefined,
  partHour: number | undefined,
): RecurrenceRule | undefined {
  if (meaning === undefined) return undefined;
  // "Every two hours at 9" contains a start, which a person states in another way.
  if ("seconds" in meaning) return times === undefined && partHour === undefined ? meaning : undefined;
  if ("days" in meaning || "months" in meaning) return spacedRule(meaning, times, partHour);
  const { dayOfMonth = "*", month = "*", dayOfWeek = "*" } = meaning;
  const part = partHour ?? meaning.part;
  const hour = part ?? meaning.hour ?? DEFAULT_HOUR;
  const clocks =
    times === undefined
      ? (meaning.hours ?? [hour]).map((one) => ({ hour: one, minute: 0 }))
      : clockTimesIn(times, part);
  if (meaning.hours && clocks?.length !== meaning.hours.length) return undefined;
  if (meaning.range !== undefined)
    return times === undefined ? { cron: `0 ${meaning.range} * * *` } : undefined;
  if (!clocks || clocks.some(({ minute }) => minute !== clocks[0]?.minute)) return undefined;
  const hours = clocks.map((clock) => clock.hour).sort((a, b) => a - b);
  return { cron: [clocks[0]?.minute ?? 0, hours.join(","), dayOfMonth, month, dayOfWeek].join(" ") };
}

const MONTHS_OF_YEAR = 12;

/** Every so many days or months, at one time. */
function spacedRule(
  meaning: { days: number; weekday?: number } | { months: number; dayOfMonth: number },
  times: string | undefined,
  partHour: number | undefined,
): RecurrenceRule | undefined {
  const usual = { hour: partHour ?? DEFAULT_HOUR, minute: 0 };
  const clocks = times === undefined ? [usual] : (clockTimesIn(times, partHour) ?? []);
  const [clock] = clocks;
  if (!clock || clocks.length > 1) return undefined;
  if ("months" in meaning)
    return meaning.months > 0 && MONTHS_OF_YEAR % meaning.months === 0 ? { ...meaning, ...clock } : undefined;
  const isTimed = times !== undefined || partHour !== undefined || meaning.weekday !== undefined;
  if (!isTimed || meaning.days === 0) return { seconds: meaning.days * 86_400 };
  return { ...meaning, ...clock };
}

/** Whole hours from one time to a later one, as a cron field. */
function hourRange(from: string, to: string): Meaning {
  const [first, last] = [clockOf(from, PART_HOURS["morning"]), clockOf(to, undefined)];
  if (!first || !last || first.minute + last.minute > 0 || first.hour >= last.hour) return undefined;
  return { range: `${first.hour}-${last.hour}` };
}

interface ClockTime {
  hour: number;
  minute: number;
}

function clockTimesIn(times: string, partHour: number | undefined): ClockTime[] | undefined {
  const clocks = [...times.matchAll(new RegExp(`${CLOCK}|${HOUR_WORD}`, "gi"))].map(([text]) =>
    clockOf(text, partHour),
  );
  return clocks.length > 0 && clocks.every((clock) => clock !== undefined) ? clocks : undefined;
}

/** "At 5" is in the afternoon, "every evening at 8" in the evening and "every night at 2" after midnight. */
function clockOf(text: string, partHour: number | undefined): ClockTime | undefined {
  if (/^noon/i.test(text)) return { hour: 12, minute: 0 };
  if (/^midnight/i.test(text)) return { hour: 0, minute: 0 };
  const inWords = readClockWords(text.replace(/\s?o'?clock$/iu, ""));
  if (inWords?.isExact === true) return { hour: inWords.hour, minute: inWords.minute };
  const [, hourText = "", minuteText] = /^(\d{1,2})(?:[:.](\d{2}))?/.exec(text) ?? [];
  const half = /([ap])\.?m/i.exec(text)?.[1]?.toLowerCase();
  const hourWord = NUMBERS_TO_TWELVE.indexOf(text.replace(/\s?o'?clock$/iu, "").toLowerCase());
  let hour = inWords?.hour ?? (hourWord > 0 ? hourWord : Number(hourText));
  const minute = inWords?.minute ?? Number(minuteText ?? 0);
  if (half !== undefined && (hour < 1 || hour > 12)) return undefined;
  if (half === "p") hour = (hour % 12) + 12;
  else if (half === "a") hour %= 12;
  else if (hour >= 1 && hour < 12 && isAfterNoon(hour, partHour, minuteText !== undefined)) hour += 12;
  return hour > 23 || minute > 59 ? undefined : { hour, minute };
}

/** Whether an hour from 1 to 11 is after noon. `isExact` for digits with minutes, which say it without a part of the day. */
function isAfterNoon(hour: number, partHour: number | undefined, isExact: boolean): boolean {
  if (partHour === undefined) return !isExact && hour <= 6;
  return partHour >= 12 && !(partHour === PART_HOURS["night"] && hour < 6);
}

function numberOf(text: string): number {
  const index = NUMBERS_TO_TWELVE.indexOf(text.toLowerCase());
  return index < 0 ? Number(text) : index;
}

function secondsOf(unit: string): number {
  return UNIT_SECONDS.find(([pattern]) => pattern.test(unit))?.[1] ?? 0;
}

const weekdayOf = (text: string): number => WEEKDAYS.indexOf(text.slice(0, 3).toLowerCase());

function weekdaysOf(text: string): string {
  const days = [...text.matchAll(new RegExp(DAY, "gi"))].map(([day]) => weekdayOf(day));
  return [...new Set(days)].sort((a, b) => a - b).join(",");
}

/** "Monday to Friday" as a cron field, also over the end of a week: "Saturday to Monday". */
function weekdayRange(first: string, last: string): string {
  const [from, to] = [weekdayOf(first), weekdayOf(last)];
  const count = ((to - from + WEEKDAYS.length) % WEEKDAYS.length) + 1;
  const days = Array.from({ length: count }, (_, index) => (from + index) % WEEKDAYS.length);
  return from < to ? `${from}-${to}` : days.sort((a, b) => a - b).join(",");
}

const monthOf = (text: string): string => String(SHORT_MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1);

function monthsOf(text: string): string {
  const months = [...text.matchAll(new RegExp(MONTH, "gi"))].map(([month]) => Number(monthOf(month)));
  return [...new Set(months)].sort((a, b) => a - b).join(",");
}

function daysOfMonth(text: string): string {
  const days = [...text.toLowerCase().matchAll(new RegExp(NTH, "gi"))].map(([day]) =>
    /^\d/.test(day) ? parseInt(day, 10) : ORDINALS.indexOf(day) + 1,
  );
  return days.join(",");
}
