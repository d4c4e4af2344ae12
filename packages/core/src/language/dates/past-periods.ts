import { smallNumber } from "../../text/number-words.ts";
import { englishDates } from "../english-dates.ts";
import { correctDateWords } from "./date-words.ts";
import { instantOf, libraryReference, wallTimeOf, type Clock, type WallTime } from "./clock.ts";

/** A period that has begun: from its first moment until before `until`, as ISO 8601 timestamps in UTC. */
export interface PastPeriod {
  from: string;
  until: string;
}

/** Longer text names no period. */
const MAX_LENGTH = 60;
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const WEEKDAY =
  /^(?:(?:last|this|this past|past) )?((?:sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?)s?$/u;
/** The hours of a part of a day; the night lasts until the next morning. */
const PARTS: Readonly<Record<string, readonly [from: number, until: number]>> = {
  morning: [0, 12],
  afternoon: [12, 18],
  evening: [17, 24],
  night: [18, 30],
};
const PART = /^(.+?)(?: in the| during the)? (morning|afternoon|evening|night)$/u;
const UNITS: Readonly<Record<string, number>> = {
  minute: 1,
  hour: 60,
  day: 1_440,
  week: 10_080,
  month: 43_200,
  year: 525_600,
};
const AMOUNT =
  /^(?:(?:the )?(?:last|past) )(?:(\d{1,3}|a|an|one|two|three|four|five|six|seven|few|couple of) )?(minute|hour|day|week|month|year)s?$/u;
const AGO = /^(\d{1,3}|a|an|one|two|three|four|five|six|seven) (day|week|month|year)s? ago$/u;
/** Words for a number other than numerals. */
const AMOUNT_WORDS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  few: 3,
  "couple of": 2,
};
/** "So far" and "until now" add nothing to a period that has begun. */
const SO_FAR = /(?:^| )(?:so far|until now|up to now|till now|already)$/u;
const PREPOSITION = /^(?:on|in|during|over|within|for|of|from|at)(?: the)? /u;
/** Words that are a month only after a preposition. */
const VERB_OR_MONTH = /^(?:may|march)$/iu;
/** What the library reads as a day only with a month or a date in numbers. */
const NAMES_DAY = /\d|(?:^| )(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?: |$)/u;

/** Reads words that are a period that has begun: “today”, “last week”, “on monday”, “since friday”, “in october”. */
export function readPastPeriod(words: string, clock: Clock): PastPeriod | undefined {
  if (words.length > MAX_LENGTH || VERB_OR_MONTH.test(words)) return undefined;
  const plain = correctDateWords(words.trim().toLowerCase())
    .text.replaceAll(/\s+/gu, " ")
    .replace(SO_FAR, "")
    .replace(PREPOSITION, "");
  const since = /^since (.+)$/u.exec(plain)?.[1];
  const days = localPeriod(since ?? plain, clock);
  if (days === undefined) return undefined;
  const from = instantOf(days.from, clock.timeZone);
  const until =
    since === undefined ? instantOf(days.until, clock.timeZone) : new Date(clock.now.getTime() + 1);
  return from > clock.now ? undefined : { from: from.toISOString(), until: until.toISOString() };
}

interface LocalPeriod {
  from: WallTime;
  until: WallTime;
}

function localPeriod(words: string, clock: Clock): LocalPeriod | undefined {
  const now = wallTimeOf(clock.now, clock.timeZone);
  const today = { ...now, hour: 0, minute: 0 };
  const later = (days: number, day = today): WallTime => ({ ...day, day: day.day + days });
  const days = (from: number, until: number): LocalPeriod => ({ from: later(from), until: later(until) });
  const months = (from: number, until: number): LocalPeriod => ({
    from: { ...today, month: today.month + from, day: 1 },
    until: { ...today, month: today.month + until, day: 1 },
  });
  const years = (from: number, until: number): LocalPeriod => ({
    from: { ...today, year: today.year + from, month: 1, day: 1 },
    until: { ...today, year: today.year + until, month: 1, day: 1 },
  });
  const weekday = new Date(Date.UTC(now.year, now.month - 1, now.day)).getUTCDay();
  const sinceMonday = (weekday + 6) % 7;
  switch (words) {
    case "today":
    case "this day":
      return days(0, 1);
    case "tonight":
      return partOfDay(today, "night");
    case "yesterday":
    case "the other day":
      return words === "yesterday" ? days(-1, 0) : days(-7, 0);
    case "day before yesterday":
    case "the day before yesterday":
      return days(-2, -1);
    case "last night":
      return { from: { ...later(-1), hour: 18 }, until: { ...today, hour: 6 } };
    case "this week":
    case "week":
      return days(-sinceMonday, 7 - sinceMonday);
    case "last week":
    case "previous week":
      return days(-sinceMonday - 7, -sinceMonday);
    case "this weekend":
    case "last weekend":
    case "weekend": {
      const saturday = weekday === 6 ? 0 : -sinceMonday - 2;
      const isNow = weekday === 0 && words !== "last weekend";
      return isNow ? days(-1, 1) : days(saturday, saturday + 2);
    }
    case "this month":
    case "month":
      return months(0, 1);
    case "last month":
    case "previous month":
      return months(-1, 0);
    case "this year":
    case "year":
      return years(0, 1);
    case "last year":
    case "previous year":
      return years(-1, 0);
    case "recently":
    case "lately":
      return days(-6, 1);
    default:
      return (
        amount(words, now) ??
        periodOfDayAgo(words, today) ??
        lastWeekday(words, today, weekday) ??
        part(words, clock) ??
        namedDay(words, clock)
      );
  }
}

const countOf = (words: string | undefined): number =>
  words === undefined ? 1 : (AMOUNT_WORDS[words] ?? smallNumber(words) ?? Number(words));

/** "The last two hours", "the past 3 days": whole days count with today. */
function amount(words: string, now: WallTime): LocalPeriod | undefined {
  const [whole, count, unit = ""] = AMOUNT.exec(words) ?? [];
  if (whole === undefined) return undefined;
  const minutes = (UNITS[unit] ?? 0) * countOf(count);
  const until = { ...now, minute: now.minute + 1 };
  const from = { ...now, minute: now.minute - minutes };
  return { from: minutes < 1_440 ? from : { ...from, hour: 0, minute: -minutes + 1_440 }, until };
}

function periodOfDayAgo(words: string, today: WallTime): LocalPeriod | undefined {
  const [whole, count, unit = ""] = AGO.exec(words) ?? [];
  if (whole === undefined) return undefined;
  const ago = countOf(count);
  const back =
    unit === "month" || unit === "year"
      ? { [unit]: today[unit] - ago }
      : { day: today.day - ago * (unit === "week" ? 7 : 1) };
  const from = { ...today, ...back };
  return { from, until: { ...from, day: from.day + 1 } };
}

/** The last such weekday, today included. */
function lastWeekday(words: string, today: WallTime, weekday: number): LocalPeriod | undefined {
  const name = WEEKDAY.exec(words)?.[1];
  const index = name === undefined ? -1 : WEEKDAYS.findIndex((one) => one.startsWith(name.slice(0, 3)));
  if (index < 0) return undefined;
  const back = (weekday - index + 7) % 7;
  const isBefore = back === 0 && words.startsWith("last ");
  const from = { ...today, day: today.day - (isBefore ? 7 : back) };
  return { from, until: { ...from, day: from.day + 1 } };
}

function part(words: string, clock: Clock): LocalPeriod | undefined {
  const [, day = "", name = ""] = PART.exec(words) ?? [];
  if (name === "") return undefined;
  const whole = localPeriod(day === "this" ? "today" : day, clock);
  return whole === undefined ? undefined : partOfDay(whole.from, name);
}

function partOfDay(day: WallTime, name: string): LocalPeriod | undefined {
  const [from = 0, until = 24] = PARTS[name] ?? [];
  return { from: { ...day, hour: from, minute: 0 }, until: { ...day, hour: until, minute: 0 } };
}

/** A date or a month, the last one that has begun. */
function namedDay(words: string, clock: Clock): LocalPeriod | undefined {
  if (!NAMES_DAY.test(words)) return undefined;
  const [result] = englishDates.parse(words, libraryReference(clock));
  if (result?.text.length !== words.length || result.start.isCertain("hour")) return undefined;
  const { start, end } = result;
  const dayIn = ({ get }: Pick<typeof start, "get">): WallTime => ({
    year: get("year") ?? 0,
    month: get("month") ?? 1,
    day: get("day") ?? 1,
    hour: 0,
    minute: 0,
  });
  const first = dayIn({ get: (name) => start.get(name) });
  if (!start.isCertain("month")) return undefined;
  if (!start.isCertain("year") && Date.UTC(first.year, first.month - 1, first.day) > clock.now.getTime())
    first.year -= 1;
  if (!start.isCertain("day"))
    return { from: { ...first, day: 1 }, until: { ...first, month: first.month + 1, day: 1 } };
  const final = !end ? first : dayIn({ get: (name) => end.get(name) });
  return { from: first, until: { ...final, day: final.day + 1 } };
}
