import { NUMBERS_TO_TWELVE } from "./number-words.ts";

/** A time of day as people say it: "half past nine", "a quarter to seven", "twenty past ten", "nine thirty". */

const HOURS = NUMBERS_TO_TWELVE.slice(1).join("|");
const HOUR = String.raw`(?:${HOURS}|1[0-2]|0?[1-9]|noon|midnight)(?![\d:.]\d|\p{L})`;
/** The hour in "half nine" and "half 8". */
const HALF_OF = String.raw`(?:${HOURS}|1[0-2]|[1-9])(?![\d:.]\d|\p{L}|\d)`;
const MINUTES: Readonly<Record<string, number>> = {
  five: 5,
  ten: 10,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
};
const COUNT = String.raw`(?:twenty[ -]?five|five|ten|twenty|\d{1,2})`;
/** "Ten to nine" is a range of hours as well, unless a word for a time comes before it. */
const AMOUNT = String.raw`(?:half|(?:an?\s+)?quarter|${COUNT}\s+min(?:ute)?s?|${COUNT})`;
const BEFORE = "to|before|till|of";
const AFTER = "past|after";

/** "p.m." after a time, which says which half of the day it is in. */
const MERIDIEM = String.raw`\s*[ap]\.?m\b\.?`;
const MINUTES_AFTER_HOUR = String.raw`(?:(?:oh|o)[ -]five|ten|fifteen|(?:twenty|thirty|forty|fifty)(?:[ -]five)?)`;

/** The pattern of such a time, without flags; a part of larger patterns that ignore case and read Unicode. */
export const CLOCK_WORDS = [
  String.raw`(?:half|(?:an?\s+)?quarter|${COUNT}\s+min(?:ute)?s?|${COUNT})\s+(?:${AFTER})\s+${HOUR}(?:${MERIDIEM})?`,
  String.raw`(?:(?:an?\s+)?quarter|${COUNT}\s+min(?:ute)?s?)\s+(?:${BEFORE})\s+${HOUR}(?:${MERIDIEM})?`,
  String.raw`\b(?:${HOURS})(?:[ -]${MINUTES_AFTER_HOUR})?${MERIDIEM}`,
  String.raw`(?<=\b(?:at|by|until|till|around|about)\s)${COUNT}\s+to\s+${HOUR}`,
  String.raw`(?<=\b(?:at|by|until|till|around|about)\s)(?:${HOURS})[ -]${MINUTES_AFTER_HOUR}\b`,
  String.raw`(?<=\b(?:at|by|until|till|around|about)\s)half\s+${HALF_OF}`,
].join("|");

/** "Half nine" is 8:30 in many languages and 9:30 in British English. */
export const HALF_HOUR = new RegExp(String.raw`\bhalf\s+${HALF_OF}`, "iu");

const RELATED = new RegExp(String.raw`^(${AMOUNT})\s+(${AFTER}|${BEFORE})\s+(.+)$`, "iu");
const HALF = new RegExp(String.raw`^half\s+(${HOURS}|\d{1,2})$`, "iu");

/** A time in words. `isExact` if "a.m." or "p.m." says which half of the day it is in. */
interface ClockReading {
  hour: number;
  minute: number;
  isExact: boolean;
}

/**
 * The time that these words name; undefined for other words. It is on a clock of twelve hours, with hours from 0 to 12, unless it is
 * exact. "Half nine" is read as 9:30.
 */
export function readClockWords(text: string): ClockReading | undefined {
  const words = text.trim().toLowerCase();
  const [meridiem] = MERIDIEM_LAST.exec(words) ?? [];
  if (meridiem === undefined) {
    const clock = twelveHourClock(words);
    return clock && { ...clock, isExact: false };
  }
  const named = words.slice(0, -meridiem.length).trim();
  const clock = twelveHourClock(named) ?? { hour: hourOf(named), minute: 0 };
  if (clock.hour === undefined) return undefined;
  return { hour: (clock.hour % 12) + (meridiem.includes("p") ? 12 : 0), minute: clock.minute, isExact: true };
}

const MERIDIEM_LAST = new RegExp(`${MERIDIEM}$`, "u");

function twelveHourClock(words: string): { hour: number; minute: number } | undefined {
  const half = HALF.exec(words);
  if (half) return { hour: hourOf(half[1] ?? "") ?? 0, minute: 30 };
  const related = RELATED.exec(words);
  if (related) {
    const [, amount = "", relation = "", named = ""] = related;
    const hour = hourOf(named);
    const minutes = minutesOf(amount);
    if (hour === undefined || minutes === undefined || minutes < 1 || minutes > 59) return undefined;
    if (/^(?:past|after)$/u.test(relation)) return { hour, minute: minutes };
    return { hour: hour <= 1 ? (hour + 11) % 24 : hour - 1, minute: 60 - minutes };
  }
  const [named = "", ...minutes] = words.split(/[\s-]+/u);
  const hour = hourOf(named);
  const minute = minutes.reduce((sum, word) => sum + (MINUTES[word] ?? 0), 0);
  return hour === undefined || minutes.length === 0 || minute === 0 ? undefined : { hour, minute };
}

function hourOf(word: string): number | undefined {
  if (word === "noon") return 12;
  if (word === "midnight") return 0;
  const hour = /^\d+$/u.test(word) ? Number(word) : NUMBERS_TO_TWELVE.indexOf(word);
  return hour >= 1 && hour <= 12 ? hour : undefined;
}

function minutesOf(amount: string): number | undefined {
  if (amount === "half") return 30;
  if (amount.endsWith("quarter")) return 15;
  const count = amount.replace(/\s+min(?:ute)?s?$/u, "");
  return /^\d+$/u.test(count)
    ? Number(count)
    : count.split(/[\s-]+/u).reduce((sum, word) => sum + (MINUTES[word] ?? 0), 0);
}
