import { casual, type Parser } from "chrono-node/en";
import { CLOCK_WORDS, readClockWords } from "../text/clock-words.ts";
import { NUMBERS_TO_TWELVE } from "../text/number-words.ts";
import { PART_HOURS } from "../text/recurrence.ts";
import { BEFORE_MERGING, PARTS_OF_DAY } from "./dates/date-words.ts";

/** A number of time units, in words or digits. */
export const COUNT =
  "(?:\\d+(?:\\.\\d+)?|a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve|half(?: an?)?)";

const WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day";
/** Limit for the text of the day from which another is counted. */
const MAX_ANCHOR_LENGTH = 60;

/**
 * Days relative to another day: "a week from tomorrow", "two weeks before 5 May", "friday week", "in a fortnight".
 */
const RELATIVE_DAYS: Parser[] = [
  {
    pattern: () =>
      new RegExp(`\\b(${COUNT})\\s+(days?|weeks?|fortnights?|months?)\\s+(from|after|before|on)\\s+`, "i"),
    extract: (context, match) => {
      const [head, count = "", unit = "", direction = ""] = match;
      const start = match.index ?? 0;
      const number = countOf(count);
      const { reference } = context;
      const rest = context.text.slice(start + head.length, start + head.length + MAX_ANCHOR_LENGTH);
      const today = /^(?:now|today)\b/i.exec(rest)?.[0];
      const dayIn = (text: string) =>
        englishDates.parse(text, reference.instant, context.option).find(({ index }) => index === 0);
      // A holiday is a day only after a preposition.
      const holiday = HOLIDAY_FIRST.exec(rest)?.[0];
      const anchor =
        today !== undefined ? undefined : holiday === undefined ? dayIn(rest) : dayIn(`on ${holiday}`);
      if (number === undefined || (today === undefined && !anchor)) return null;
      if (/^on$/i.test(direction) && !anchor?.start.isCertain("weekday")) return null;
      const part = (name: "year" | "month" | "day"): number => anchor?.start.get(name) ?? 1;
      const from = anchor
        ? new Date(part("year"), part("month") - 1, part("day"))
        : reference.getDateWithAdjustedTimezone();
      const day = addToDay(from, /^before$/i.test(direction) ? -number : number, unit);
      const result = context.createParsingResult(start, head + (today ?? holiday ?? anchor?.text ?? ""), day);
      const hour = anchor?.start.isCertain("hour") ? anchor.start.get("hour") : null;
      if (hour !== null) {
        result.start.assign("hour", hour);
        result.start.assign("minute", anchor?.start.get("minute") ?? 0);
      }
      return result;
    },
  },
  {
    pattern: () => /\b(?:the )?(morning|afternoon|evening|night) of\s+/i,
    extract: (context, match) => {
      const [head, part = ""] = match;
      const start = match.index ?? 0;
      const anchor = englishDates
        .parse(
          context.text.slice(start + head.length, start + head.length + MAX_ANCHOR_LENGTH),
          context.reference.instant,
          context.option,
        )
        .find(({ index }) => index === 0);
      if (!anchor) return null;
      const day = (name: "year" | "month" | "day"): number => anchor.start.get(name) ?? 1;
      const result = context.createParsingResult(start, head + anchor.text, {
        year: day("year"),
        month: day("month"),
        day: day("day"),
        hour: PART_HOURS[part.toLowerCase()] ?? 0,
        minute: 0,
      });
      result.start.assign("meridiem", /^morning$/i.test(part) ? 0 : 1);
      return result;
    },
  },
  {
    // "In the next seven days" ends with the last of them.
    pattern: () =>
      new RegExp(
        `\\b(?:in|within|over|during|for) the (?:next|coming) (${COUNT}) (days?|weeks?|months?)\\b`,
        "i",
      ),
    extract: (context, match) => {
      const number = countOf(match[1] ?? "");
      if (number === undefined) return null;
      return addToDay(context.reference.getDateWithAdjustedTimezone(), number, match[2] ?? "");
    },
  },
  {
    pattern: () => new RegExp(`\\b(?:in|within) (${COUNT}) fortnights?\\b`, "i"),
    extract: (context, match) => {
      const number = countOf(match[1] ?? "");
      if (number === undefined) return null;
      return addToDay(context.reference.getDateWithAdjustedTimezone(), number, "fortnight");
    },
  },
  {
    pattern: () => new RegExp(`\\b(today|tomorrow|${WEEKDAY}) week\\b`, "i"),
    extract: (context, match) =>
      addToDay(nextOccurrence(context.reference.getDateWithAdjustedTimezone(), match[1] ?? ""), 1, "week"),
  },
  {
    // "Next friday" is in the next week; this one is in the week after it.
    pattern: () => new RegExp(`\\b(?:the )?(week|${WEEKDAY}) after next\\b`, "i"),
    extract: (context, match) => {
      const today = context.reference.getDateWithAdjustedTimezone();
      const { year, month, day } = addToDay(today, 14 - ((today.getDay() + 6) % 7), "day");
      return addToDay(nextOccurrence(new Date(year, month - 1, day), match[1] ?? ""), 0, "day");
    },
  },
];

/** The number of a `COUNT`; undefined for a fraction. */
function countOf(text: string): number | undefined {
  if (/^(?:a|an)$/i.test(text)) return 1;
  if (/^\d{1,3}$/.test(text)) return Number(text);
  const number = NUMBERS_TO_TWELVE.indexOf(text.toLowerCase());
  return number < 0 ? undefined : number;
}

function addToDay(from: Date, count: number, unit: string): { year: number; month: number; day: number } {
  const day = new Date(from);
  if (/^month/i.test(unit)) {
    day.setDate(1);
    day.setMonth(day.getMonth() + count);
    const last = new Date(day.getFullYear(), day.getMonth() + 1, 0).getDate();
    day.setDate(Math.min(from.getDate(), last));
  } else {
    const days = /^fortnight/i.test(unit) ? 14 : /^week/i.test(unit) ? 7 : 1;
    day.setDate(day.getDate() + count * days);
  }
  return { year: day.getFullYear(), month: day.getMonth() + 1, day: day.getDate() };
}

/** Returns tomorrow or the first such weekday from `from` on; `from` itself for any other word. */
function nextOccurrence(from: Date, name: string): Date {
  const day = new Date(from);
  const weekday = "sun mon tue wed thu fri sat".split(" ").indexOf(name.slice(0, 3).toLowerCase());
  if (/^tomorrow$/i.test(name)) day.setDate(day.getDate() + 1);
  else if (weekday >= 0) day.setDate(day.getDate() + ((weekday - day.getDay() + 7) % 7));
  return day;
}

const withoutApostrophes = (name: string): string => name.replaceAll(/['’]/gu, "");

/** Holidays that fall on the same day each year, with month and day; longer names first. */
const HOLIDAYS: Readonly<Record<string, readonly [month: number, day: number]>> = {
  "christmas eve": [12, 24],
  "christmas day": [12, 25],
  christmas: [12, 25],
  xmas: [12, 25],
  "boxing day": [12, 26],
  "new year's eve": [12, 31],
  "new year's day": [1, 1],
  "new year": [1, 1],
  halloween: [10, 31],
  "valentine's day": [2, 14],
};

/** Holidays around Easter Sunday, with their days after it. */
const EASTER_DAYS: Readonly<Record<string, number>> = {
  "good friday": -2,
  "easter sunday": 0,
  "easter monday": 1,
  easter: 0,
};

/** Easter Sunday of a year of the Gregorian calendar (the algorithm of Meeus, Jones and Butcher), moved by some days. */
function easterDay(year: number, offset: number): Date {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const yearOfCentury = year % 100;
  const epact =
    (19 * golden +
      century -
      Math.floor(century / 4) -
      Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3) +
      15) %
    30;
  const toSunday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7;
  const correction = Math.floor((golden + 11 * epact + 22 * toSunday) / 451);
  const daysAfterMarch = epact + toSunday - 7 * correction + 114;
  return new Date(year, Math.floor(daysAfterMarch / 31) - 1, (daysAfterMarch % 31) + 1 + offset);
}

/** The next such day, which may be the day of `from`. */
function nextEasterDay(from: Date, name: string): Date {
  const offset = EASTER_DAYS[name.toLowerCase()] ?? 0;
  const today = new Date(from.getFullYear(), from.getMonth(), from.getDate());
  const thisYear = easterDay(from.getFullYear(), offset);
  return thisYear < today ? easterDay(from.getFullYear() + 1, offset) : thisYear;
}

const HOLIDAY_FIRST = new RegExp(
  `^(?:${[...Object.keys(HOLIDAYS), ...Object.keys(EASTER_DAYS)].join("|")})(?![\\p{L}'’])`,
  "iu",
);

/** Number words that the library does not know. */
const TENS: Readonly<Record<string, number>> = {
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  ninety: 90,
};

const PART_BEFORE = /\b(morning|afternoon|evening|night|tonight),?\s+(?:(?:at|around|about|by)\s+)?$/iu;
/** As many characters before a time say which part of the day it is in. */
const LOOKS_BACK = 24;

/** The hour that a person means without a.m. or p.m.: one to six is in the afternoon. */
function likelyHour(hour: number, part: string | undefined): number {
  if (part === undefined) return hour >= 1 && hour <= 6 ? hour + 12 : hour;
  return part !== "morning" && hour > 0 && hour < 12 ? hour + 12 : hour;
}

/** chrono-node's English parser with additional date expressions. */
export const englishDates = casual.clone();
englishDates.refiners.unshift(BEFORE_MERGING);
englishDates.refiners.push(PARTS_OF_DAY);
englishDates.parsers.push(
  ...RELATIVE_DAYS,
  {
    // The library parses number words up to twelve.
    pattern: () =>
      new RegExp(
        `\\b(?:in|within) (${Object.keys(TENS).join("|")})(?:[ -](five))? (minutes?|mins?|hours?|days?)\\b`,
        "i",
      ),
    extract: (context, match) => {
      const [, tens = "", five, unit = ""] = match;
      const count = (TENS[tens.toLowerCase()] ?? 0) + (five === undefined ? 0 : 5);
      const at = context.reference.getDateWithAdjustedTimezone();
      if (/^d/i.test(unit)) return addToDay(at, count, "day");
      at.setMinutes(at.getMinutes() + count * (/^h/i.test(unit) ? 60 : 1));
      return {
        year: at.getFullYear(),
        month: at.getMonth() + 1,
        day: at.getDate(),
        hour: at.getHours(),
        minute: at.getMinutes(),
      };
    },
  },
  {
    // "At nine"; the next word shows that it is not a number of things: "at two places".
    pattern: () =>
      new RegExp(
        `\\bat (${NUMBERS_TO_TWELVE.slice(1).join("|")})(?: o['’]?clock)?(?=\\s*$|\\s*[.,;!?]|\\s+(?:to|on|today|tomorrow|tonight|in the|and)\\b)`,
        "i",
      ),
    extract: (_context, match) => {
      const hour = NUMBERS_TO_TWELVE.indexOf((match[1] ?? "").toLowerCase());
      // One to six is in the afternoon.
      return { hour: hour <= 6 ? hour + 12 : hour, minute: 0 };
    },
  },
  {
    pattern: () => new RegExp(String.raw`\b(?:(?:at|around|about)\s+)?(?:${CLOCK_WORDS})`, "iu"),
    extract: (context, match) => {
      const clock = readClockWords(match[0].replace(/^(?:at|around|about)\s+/iu, ""));
      const start = match.index ?? 0;
      const before = PART_BEFORE.exec(context.text.slice(Math.max(0, start - LOOKS_BACK), start))?.[1];
      if (clock === undefined) return null;
      const { hour, minute, isExact } = clock;
      return { hour: isExact ? hour : likelyHour(hour, before?.toLowerCase()), minute };
    },
  },
  {
    // Only after a preposition: in "plan christmas" it is what is planned.
    pattern: () =>
      new RegExp(
        `\\b(?:on|by|before|until|untill|till|til|to|at|next|this) (${Object.keys(HOLIDAYS).join("|").replaceAll("'", "['’]?")})(?![\\p{L}'’])`,
        "iu",
      ),
    extract: (_context, match) => {
      const holiday = withoutApostrophes((match[1] ?? "").toLowerCase());
      const [, [month, day] = []] =
        Object.entries(HOLIDAYS).find(([name]) => withoutApostrophes(name) === holiday) ?? [];
      return month === undefined || day === undefined ? null : { month, day };
    },
  },
  {
    // As with the other holidays, only after a preposition.
    pattern: () =>
      new RegExp(
        `\\b(?:on|by|before|until|untill|till|til|to|at|next|this) (${Object.keys(EASTER_DAYS).join("|")})(?![\\p{L}'’])`,
        "iu",
      ),
    extract: (context, match) =>
      addToDay(nextEasterDay(context.reference.getDateWithAdjustedTimezone(), match[1] ?? ""), 0, "day"),
  },
  {
    pattern: () =>
      new RegExp(
        `\\b(?:eod|end of (?:the |this )?day|close of business|end of)(?: on| of)? (today|tomorrow|${WEEKDAY})\\b`,
        "i",
      ),
    extract: (context, match) =>
      addToDay(nextOccurrence(context.reference.getDateWithAdjustedTimezone(), match[1] ?? ""), 0, "day"),
  },
  {
    pattern: () => /\b(?:eod|end of (?:the |this )?day|end of today|close of business)\b/i,
    extract: (context) => {
      const today = context.reference.getDateWithAdjustedTimezone();
      return { year: today.getFullYear(), month: today.getMonth() + 1, day: today.getDate() };
    },
  },
  {
    pattern: () => /\b(?:the )?day after tomorrow\b/i,
    extract: (context) => {
      const day = context.reference.getDateWithAdjustedTimezone();
      day.setDate(day.getDate() + 2);
      return { year: day.getFullYear(), month: day.getMonth() + 1, day: day.getDate() };
    },
  },
  {
    pattern: () => /\bend of (?:the|this) week\b|\b(?:over|on|at) the weekend\b/i,
    extract: (context, match) => {
      const day = context.reference.getDateWithAdjustedTimezone();
      const last = match[0].toLowerCase().endsWith("weekend") ? 6 : 7;
      day.setDate(day.getDate() + ((last - day.getDay()) % 7));
      return { year: day.getFullYear(), month: day.getMonth() + 1, day: day.getDate() };
    },
  },
  {
    // "the 5th" is in this month, or in the next if it has passed.
    pattern: () => /\bthe (\d{1,2})(?:st|nd|rd|th)\b/i,
    extract: (context, match) => {
      const dayOfMonth = Number(match[1]);
      const day = context.reference.getDateWithAdjustedTimezone();
      if (dayOfMonth < 1 || dayOfMonth > 28) return null;
      if (dayOfMonth < day.getDate()) day.setMonth(day.getMonth() + 1, dayOfMonth);
      return { year: day.getFullYear(), month: day.getMonth() + 1, day: dayOfMonth };
    },
  },
);
