import type { ParsingResult, Refiner } from "chrono-node/en";
import { PART_HOURS } from "../../text/recurrence.ts";

/** The hour of each word for a part of a day; the person means no exact time. */
const HOURS: Readonly<Record<string, number>> = {
  ...PART_HOURS,
  tonight: PART_HOURS["night"] ?? 21,
  noon: 12,
  midday: 12,
  lunchtime: 12,
  "lunch time": 12,
};
const PART = "(morning|afternoon|evening|night|noon|midday|lunchtime|lunch time)";
const NOON = /^(?:noon|midday|lunch ?time)$/u;
const ENDS_IN_PART = new RegExp(`\\b${PART}$|\\b(tonight)$`, "iu");
const ONLY_PART = new RegExp(`^(?:this )?${PART}$`, "iu");
/** "…, in the evening", "… evening" after a day or a time. */
const PART_AFTER = new RegExp(
  `^\\s*,?\\s*(?:(?:in|during) the |(?:at|around|about|by|before) )?${PART}(?![\\p{L}'’-])`,
  "iu",
);
/** "in the evening" and "at night" name a time; "the evening" alone names what is spoken of. */
const NAMES_TIME = /\b(?:(?:in|by|during) the|at) $/iu;
const FIRST_THING = /\bfirst thing (?:on )?$/iu;

/** Adds the usual hour of its part to a day: "tomorrow evening", "at 9 on friday evening". */
export const PARTS_OF_DAY: Refiner = {
  refine({ text, reference }, results) {
    const now = reference.getDateWithAdjustedTimezone();
    const refined: ParsingResult[] = [];
    for (const result of results) {
      const before = refined.at(-1);
      if (before && result.index < before.index + before.text.length) continue;
      const named = partOf(result, text);
      if (named === "none") continue;
      if (named !== undefined) setHour(result, named, now);
      refined.push(result);
    }
    return refined;
  },
};

/**
 * The part of the day that a result names, whose words the result then contains. Undefined for a day without one, and
 * "none" for a part that is not a time by itself: "the evening news".
 */
function partOf(result: ParsingResult, text: string): string | undefined {
  const start = text.slice(Math.max(0, result.index - 40), result.index);
  if (ONLY_PART.test(result.text)) {
    if (/^this /iu.test(result.text)) return result.text.slice("this ".length).toLowerCase();
    const words = NAMES_TIME.exec(start)?.[0];
    if (words === undefined) return /^(?:noon|midday)$/iu.test(result.text) ? undefined : "none";
    if (/\bthe $/iu.test(words)) extendLeft(result, words, text);
    return result.text.split(" ").at(-1)?.toLowerCase();
  }
  const first = FIRST_THING.exec(start);
  if (first) extendLeft(result, first[0], text);
  const after = PART_AFTER.exec(text.slice(result.index + result.text.length));
  if (after) result.text = text.slice(result.index, result.index + result.text.length + after[0].length);
  const within = ENDS_IN_PART.exec(result.text);
  const part = after?.[1] ?? within?.[1] ?? within?.[2] ?? (first ? "morning" : undefined);
  return part?.toLowerCase();
}

function extendLeft(result: ParsingResult, words: string, text: string): void {
  const end = result.index + result.text.length;
  result.index -= words.length;
  result.text = text.slice(result.index, end);
}

function setHour(result: ParsingResult, part: string, now: Date): void {
  const { start } = result;
  const usual = HOURS[part];
  if (usual === undefined) return;
  const isToday = /^(?:this |tonight)/iu.test(result.text);
  if (isToday) setDay(result, now, 0);
  const stated = start.isCertain("hour") ? start.get("hour") : null;
  const hour = stated === null || NOON.test(part) ? usual : statedHour(stated, part);
  const hasPassed = hour < now.getHours() || (hour === now.getHours() && now.getMinutes() > 0);
  // The day is the one on which its part ends.
  if (isToday && hasPassed) return;
  const hasNoDay = !start.isCertain("day") && !start.isCertain("weekday") && !isToday;
  if (hasNoDay) setDay(result, now, hasPassed ? 1 : 0);
  if (start.isCertain("weekday") && start.get("weekday") === now.getDay() && !/\bnext\b/iu.test(result.text))
    setDay(result, now, hasPassed ? 7 : 0);
  start.assign("hour", hour);
  start.assign("minute", stated === null ? 0 : (start.get("minute") ?? 0));
  start.assign("meridiem", hour < 12 ? 0 : 1);
}

/** "9 in the evening" is 21:00, "5 in the morning" 5:00, "2 at night" 2:00. */
function statedHour(hour: number, part: string): number {
  if (part === "morning") return hour > 12 ? hour - 12 : hour;
  const isAfterMidnight = part === "night" && hour < 6;
  return hour < 12 && !isAfterMidnight ? hour + 12 : hour;
}

function setDay({ start }: ParsingResult, now: Date, later: number): void {
  const day = new Date(now);
  day.setDate(day.getDate() + later);
  start.imply("year", day.getFullYear());
  start.imply("month", day.getMonth() + 1);
  start.imply("day", day.getDate());
}
