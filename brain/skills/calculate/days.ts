import { MONTHS } from "@metahuman/core/contract/calendar-names";
import type { Phrase, Slot } from "@metahuman/core/language/grammar/phrase";
import { formatClock, wallTimeOf } from "@metahuman/core/language/dates/clock";
import { formatCount } from "@metahuman/core/text/format";
import { smallNumber } from "@metahuman/core/text/number-words";

const ON_DAY = /^(days until|weeks until|age on|weekday of|date of|week of) (\d{4}-\d{2}-\d{2})/u;
/** The first moment of a period that has begun follows. */
const SINCE = /^days since ([^/\s]+)/u;
const BETWEEN_DAYS = /^days from (\d{4}-\d{2}-\d{2})\S* to (\d{4}-\d{2}-\d{2})/u;
const BETWEEN_TIMES = /^time from (\S+(?: ?[ap]m)?) to ([^\s?!]+(?: ?[ap]m)?)[?!.]*$/iu;
/** A time of the day: "9:15", "9 am", "noon". */
export const CLOCK = String.raw`(?:\d{1,2}[:.]\d{2}(?:\s*[ap]m)?|\d{1,2}\s*[ap]m|noon|midnight)`;
const MONTH = String.raw`(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}{0,7}`;
const IN_MONTH = new RegExp(String.raw`^days in (${MONTH})(?:,? (\d{4}))?[?.!\s]*$`, "iu");
const IN_YEAR = /^leap year (\d{4})/u;
const LENGTH = String.raw`(?:\d{1,3}|half an|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve) (?:minutes?|mins?|hours?|hrs?)`;
const SHIFTED = new RegExp(String.raw`^(${LENGTH}) (before|after) (${CLOCK})[?.!\s]*$`, "iu");

const month: Slot = {
  type: "text",
  like: new RegExp(String.raw`^${MONTH}(?:,? \d{4})?[?.!]?$`, "iu"),
  sample: "february 2028",
};
const year: Slot = { type: "text", like: /^\d{4}[?.!]?$/u, sample: "2028" };
const length: Slot = { type: "text", like: new RegExp(`^${LENGTH}$`, "iu"), sample: "45 minutes" };
const time: Slot = { type: "text", like: new RegExp(`^${CLOCK}[?.!]?$`, "iu"), sample: "9:15" };
const shiftedTimePhrase = (words: string, sign: "before" | "after"): Phrase => ({
  template: `[(what time is it|what time is|what is|when is|which time is|it is)] {length} ${words} {time}`,
  slots: { length, time },
  compose: { expression: `{length} ${sign} {time}` },
  mayStartWithSlot: true,
  lastResort: true,
});

/** Questions about months, years and weeks of the calendar, and for a time before or after another one. */
export const calendarPhrases: readonly Phrase[] = [
  {
    template:
      "(what|which) [calendar] week [number] (is|is it|does) [on|in] {date} [in|have|fall in]|what is the [calendar] week [number] of {date}",
    slots: { date: "date" },
    compose: { expression: "week of {date}" },
  },
  {
    template:
      "how many days (are|are there|is|has|have|does|did|will) [in] [the month of] {month} [have|has|had]|how many days in [the month of] {month}",
    slots: { month },
    compose: { expression: "days in {month}" },
  },
  {
    template: "leap year {year}",
    slots: { year },
    compose: { expression: "leap year {year}" },
  },
  shiftedTimePhrase("(before|earlier than)", "before"),
  shiftedTimePhrase("(after|later than|past)", "after"),
];

const DAY_MS = 86_400_000;
const DAY_MINUTES = 1_440;

const dayOf = (iso: string): number => Date.parse(`${iso}T00:00:00Z`);

/** The ISO 8601 week of a day: the one that holds its Thursday. */
function weekOf(day: number): number {
  const weekday = (new Date(day).getUTCDay() + 6) % 7;
  const thursday = new Date(day + (3 - weekday) * DAY_MS);
  return 1 + Math.floor((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / (7 * DAY_MS));
}

/** The minutes since midnight: "9:15", "9.15", "9 am", "noon"; undefined for any other text. */
export function minutesIn(clock: string): number | undefined {
  const words = clock.trim().toLowerCase();
  if (words === "noon" || words === "midnight") return words === "noon" ? DAY_MINUTES / 2 : 0;
  const [, hours, minutes = "0", half] = /^(\d{1,2})(?:[:.](\d{2}))?\s*([ap]m)?$/u.exec(words) ?? [];
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === "pm" ? 12 : 0);
  const isTime = hours !== undefined && hour < 24 && Number(minutes) < 60;
  return isTime && (half === undefined || Number(hours) <= 12) ? hour * 60 + Number(minutes) : undefined;
}

/** "8 hours 30 minutes", "18 minutes 45 seconds": to the second. */
export function durationOf(minutes: number): string {
  const seconds = Math.round(minutes * 60);
  const parts = [
    { amount: Math.floor(seconds / 3_600), unit: "hour" },
    { amount: Math.floor(seconds / 60) % 60, unit: "minute" },
    { amount: seconds % 60, unit: "second" },
  ].filter(({ amount }) => amount > 0);
  return parts.length === 0
    ? formatCount(0, "minute")
    : parts.map(({ amount, unit }) => formatCount(amount, unit)).join(" ");
}

/** "26 weeks and 4 days" */
function weeksIn(days: number): string {
  const [weeks, rest] = [Math.trunc(days / 7), Math.abs(days % 7)];
  return rest === 0
    ? formatCount(weeks, "week")
    : weeks === 0
      ? formatCount(days, "day")
      : `${formatCount(weeks, "week")} and ${formatCount(rest, "day")}`;
}

/** Days from one day to another. A day of next year before one of this year is meant in this year: 3 March to 24 December. */
function daysBetween(start: string, end: string): number {
  const isNextYear = Number(start.slice(0, 4)) === Number(end.slice(0, 4)) + 1;
  const first = isNextYear ? `${end.slice(0, 4)}${start.slice(4)}` : start;
  return Math.abs(Math.round((dayOf(end) - dayOf(first)) / DAY_MS));
}

/** The days of a month; without a year, of the month in the year of today. */
function daysInMonth(name: string, year: number): number {
  const index = MONTHS.findIndex((one) => one.toLowerCase().startsWith(name.slice(0, 3).toLowerCase()));
  return new Date(Date.UTC(year, index + 1, 0)).getUTCDate();
}

/** The time of the day so long before or after another one: "08:30". */
function shiftedTime(length: string, sign: string, clock: string): string | undefined {
  const [count = "", unit = ""] = length
    .toLowerCase()
    .replace(/^half an/u, "half")
    .split(" ");
  const amount = count === "half" ? 0.5 : /^an?$/u.test(count) ? 1 : (smallNumber(count) ?? Number(count));
  const start = minutesIn(clock.replace(/[?.!\s]+$/u, ""));
  if (start === undefined || Number.isNaN(amount)) return undefined;
  const minutes = amount * (unit.startsWith("h") ? 60 : 1) * (sign.toLowerCase() === "before" ? -1 : 1);
  // A length has at most 999 hours.
  const moment = (((start + minutes) % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
  return formatClock({ hour: Math.floor(moment / 60), minute: moment % 60 });
}

/** Whole years from one day to another. */
function yearsBetween(from: number, to: number): number {
  const [first, last] = [new Date(from), new Date(to)];
  const years = last.getUTCFullYear() - first.getUTCFullYear();
  const isToCome =
    last.getUTCMonth() * 31 + last.getUTCDate() < first.getUTCMonth() * 31 + first.getUTCDate();
  return isToCome ? years - 1 : years;
}

/**
 * Answers about a day, counted from today in the person's time zone, and about the time between two times of a day.
 * Undefined for any other expression.
 */
export function aboutDay(expression: string, now: Date, timeZone: string): string | undefined {
  const wall = wallTimeOf(now, timeZone);
  const today = Date.UTC(wall.year, wall.month - 1, wall.day);
  if (/^week number\b/u.test(expression)) return `week ${String(weekOf(today))}`;
  const [from, to] = (BETWEEN_TIMES.exec(expression) ?? []).slice(1).map(minutesIn);
  // The second time is on the next day if it is earlier: from 22:00 to 6:30.
  if (from !== undefined && to !== undefined) return durationOf((to - from + DAY_MINUTES) % DAY_MINUTES);
  const [, name, ofYear] = IN_MONTH.exec(expression) ?? [];
  if (name !== undefined) return formatCount(daysInMonth(name, Number(ofYear ?? wall.year)), "day");
  const [, leap] = IN_YEAR.exec(expression) ?? [];
  if (leap !== undefined)
    return daysInMonth("feb", Number(leap)) === 29 ? "yes, it has 366 days" : "no, it has 365 days";
  const [, length, sign, clock] = SHIFTED.exec(expression) ?? [];
  if (length !== undefined && sign !== undefined && clock !== undefined)
    return shiftedTime(length, sign, clock);
  const [, start, end] = BETWEEN_DAYS.exec(expression) ?? [];
  if (start !== undefined && end !== undefined) return formatCount(daysBetween(start, end), "day");
  const [, since] = SINCE.exec(expression) ?? [];
  if (since !== undefined) {
    const { year, month, day } = wallTimeOf(new Date(since), timeZone);
    return formatCount(Math.round((today - Date.UTC(year, month - 1, day)) / DAY_MS), "day");
  }
  const [, question, day] = ON_DAY.exec(expression) ?? [];
  if (day === undefined) return undefined;
  const date = dayOf(day);
  const days = Math.round((date - today) / DAY_MS);
  switch (question) {
    case "date of":
      return new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" }).format(date);
    case "weekday of":
      return new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" }).format(date);
    case "week of":
      return `week ${String(weekOf(date))}`;
    case "weeks until":
      return weeksIn(days);
    case "age on":
      return formatCount(yearsBetween(date, today), "year");
    default:
      return formatCount(days, "day");
  }
}
