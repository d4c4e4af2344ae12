import { formatDue, formatMoment } from "@metahuman/core/language/dates/clock";
import { readClockWords } from "@metahuman/core/text/clock-words";
import { NUMBERS_TO_TWELVE } from "@metahuman/core/text/number-words";
import type { PlanState } from "../../../planner.ts";

// Rewrites phrases about tasks and reminders in the words that other readers know: "it is not 11, it is 12" as "at 12", "take the
// dentist out" as "delete the dentist". Also completes days and times: "the 20th" of a task that is due in January.

/** "Not done yet", "isn't finished" */
const NOT_DONE =
  /(?:\b(?:is|are|was|were)\s+)?(?:\bnot|\b(?:is|are|was|were)n['’]?t|\bain['’]?t)\s+(?:yet|(?:really\s+|quite\s+)?(?:done|finished|completed|ready)(?:\s+yet|\s+after\s+all)?)\b/iu;
/** "I shan't need that reminder any more", "no need of it", "it can go". */
const NOT_NEEDED = new RegExp(
  [
    String.raw`\b(?:(?:do|did|wo|sha|would)n['’]?t|(?:do|did|will|shall|would|need)\s+(?:not|no\s+longer)|no\s+longer)\s+(?:need|want|require)(?:\s+to\s+be\s+reminded(?:\s+(?:of|about))?)?\b`,
    String.raw`\b(?:there['’]?s\s+|there\s+is\s+)?no\s+(?:more\s+)?need\s+(?:of|for|to\s+keep)\b`,
    String.raw`\b(?:is|are)\s?(?:n['’]t|\s?not|\s+no\s+longer)\s+(?:needed|required)\b`,
    String.raw`(?<=\b(?:it|that|this|one|task|reminder)\s)(?:can|may|could|should)\s+go(?=[\s.!]*$|\s+(?:now|then|please))`,
  ].join("|"),
  "iu",
);
/** "Move the dentist reminder to 11": a reminder has a time. */
const REMINDER_TO_HOUR = /^(?<words>.*\b(?:reminder|alarm)\s+(?:to|at|for))\s+(?<hour>\d{1,2})(?=[\s.!]*$)/iu;

const HALF_HOUR = /\bhalf\s+(?:an\s+)?hour\b/iu;
/** "It is not 11, it is 12" */
const NOT_OLD_TIME =
  /\b(?:it['’]?s\s+|(?:it\s+)?is\s+)?not\s+(?:at\s+|on\s+)?[\p{L}\d:.]+(?:\s?[ap]m)?\s*[,;.]?\s*(?:but\s+)?(?:it['’]?s|(?:it\s+)?is)\s+(?=(?:at\s+|on\s+)?\d)/iu;
/** "Make it 430", "make 7 30" */
const DIGITS_OF_TIME =
  /\b(?<words>make(?:\s+(?:it|that))?|to|at)\s+(?<hour>\d{1,2})\s?(?<minutes>[0-5]\d)(?=[\s.!]*$)/iu;
/** "Make it seven thirty" */
const TIME_IN_WORDS = new RegExp(
  String.raw`\b(?<words>make\s+(?:it|that)|to|at|for)\s+(?<time>(?:${NUMBERS_TO_TWELVE.slice(1).join("|")})[\s-](?:ten|fifteen|(?:twenty|thirty|forty|fifty)(?:[\s-]five)?))(?=(?:\s+(?:please|instead|then|now))?[\s.!]*$)`,
  "iu",
);
/** "Priya wants 6 instead": a number alone is not a time. */
const WANTED_HOUR =
  /(?:\s+(?:wants|prefers|said|says)\s+|^|,\s+)(?<hour>\d{1,2})(?=\s+(?:instead|rather)[\s.!]*$)/iu;
const ONLY_HOUR = /^\W*(?:no[,\s]+)?(?<hour>\d{1,2})[\s.!]*$/iu;
/** "1 pm, after church" */
const AFTER_SOMETHING = /,\s+(?:right\s+|just\s+)?(?:after|before)\s+\p{L}+[\s.!]*$/iu;
const ANY_MORE = /\s+(?:any\s?more|any\s+longer|after\s+all)\b/iu;

/** True for "not done yet" and "isn't finished". */
export const isNotDone = (text: string): boolean => NOT_DONE.test(text);

/** An order in the usual words: "it is not 11, it is 12" and "take the dentist out" as "at 12" and "delete the dentist". */
export function rewriteTaskPhrases(order: string): string {
  const needed = NOT_NEEDED.test(order) ? order.replace(ANY_MORE, "") : order;
  const contrasted = NOT_OLD_TIME.test(needed)
    ? needed.replace(NOT_OLD_TIME, "").replace(ONLY_HOUR, "at $<hour>")
    : needed;
  return contrasted
    .replace(HALF_HOUR, "30 minutes")
    .replace(TIME_IN_WORDS, (all, words: string, time: string) => {
      const clock = readClockWords(time);
      return clock === undefined ? all : `${words} ${clock.hour}:${String(clock.minute).padStart(2, "0")}`;
    })
    .replace(DIGITS_OF_TIME, "$<words> $<hour>:$<minutes>")
    .replace(WANTED_HOUR, " at $<hour>")
    .replace(AFTER_SOMETHING, "")
    .replace(REMINDER_TO_HOUR, "$<words> $<hour> o'clock")
    .replace(NOT_NEEDED, "delete")
    .replace(NOT_DONE, "reopen");
}

/** The words for a day or a time. */
export interface DateWords {
  text: string;
  /** The words name a time and no day. */
  isTime: boolean;
}

const DAY_OF_MONTH =
  /^(?:(?:to|by|on|until|till|for)\s+)?(?:the\s+)?(?<day>\d{1,2})(?:st|nd|rd|th)(?<time>\s+at\s+\S.*)?$/iu;

/** "The 20th" for a task that is due in January is the 20th of January. */
export function rewriteDayInMonth(
  value: DateWords,
  taskDue: string | undefined,
  { requestedAt, timeZone }: PlanState,
): DateWords {
  const { day, time = "" } = DAY_OF_MONTH.exec(value.text.trim())?.groups ?? {};
  if (day === undefined || taskDue === undefined) return value;
  const due = formatDue(taskDue, { timeZone });
  const today = formatMoment(requestedAt.toISOString(), { timeZone });
  const moved = `${due.slice(0, YEAR_AND_MONTH)}-${day.padStart(2, "0")}`;
  const isDay = new Date(`${moved}T00:00:00Z`).toISOString().startsWith(moved);
  return due.slice(0, YEAR_AND_MONTH) > today && isDay ? { text: `${moved}${time}`, isTime: false } : value;
}

/** The characters of "2026-11". */
const YEAR_AND_MONTH = 7;

/** A later value corrects an earlier one, and keeps the day or the time that it does not name. */
export function correctDate(before: DateWords, after: DateWords): DateWords {
  // "Tuesday, 2 December" is one day; a question if the two are different days.
  if (WEEKDAY.test(before.text) && !after.isTime && !/day\b/iu.test(after.text))
    return { text: `${before.text}, ${after.text}`, isTime: false };
  if (before.isTime === after.isTime || !after.isTime) return after;
  const day = before.text.replace(TIME, " ").trim();
  return { text: `${day} at ${after.text.replace(/^at\s+/iu, "")}`, isTime: false };
}

const WEEKDAY = /^(?:(?:by|on|until|till|for)\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day$/iu;
const TIME =
  /\b(?:at\s+)?(?:\d{1,2}[:.]\d{2}(?:\s?[ap]m)?|\d{1,2}\s?[ap]m|(?<=at\s)\d{1,2}|noon|midnight)\b/giu;

/** "4:30" for a task that is due at 16:00 is half past four in the afternoon. */
export function rewriteInAfternoon(
  value: DateWords,
  due: string | undefined,
  { timeZone }: PlanState,
): DateWords {
  const isAfternoon =
    due?.includes("T") === true && (formatMoment(due, { timeZone }).split(" ")[1] ?? "") >= "12";
  return isAfternoon && HOUR_AND_MINUTES.test(value.text) ? { ...value, text: `${value.text} pm` } : value;
}

const HOUR_AND_MINUTES = /^(?:at\s+)?(?:[1-9]|1[01])[:.][0-5]\d$/iu;
