import { oneOf } from "../../text/patterns.ts";
import type { ParsingResult, Refiner } from "chrono-node/en";
import { PART_HOURS } from "../../text/recurrence.ts";
import { correctSpelling, isTypo } from "../tokens/spelling.ts";

/** Text in which misspelt words for days are corrected. */
interface CorrectedText {
  text: string;
  /** The offset in the original of an offset at the edge of a word of `text`. */
  original(offset: number): number;
}

const SHORT_WEEKDAYS = ["sunday", "monday", "friday"];
const WEEKDAYS = [...SHORT_WEEKDAYS, "tuesday", "wednesday", "thursday", "saturday", "weekday"];
/** Words whose misspellings are read as well. */
const DATE_WORDS = [
  ...WEEKDAYS,
  "today",
  "tomorrow",
  "yesterday",
  "morning",
  "afternoon",
  "evening",
  "tonight",
  "weekend",
  "month",
];
/**
 * Words near another day that are not typos of it: "tuesday" is two letters away from "thursday", "fridays" recur, and
 * the rest are names and things.
 */
const NO_TYPOS = new Set([
  ...DATE_WORDS.flatMap((word) => [word, `${word}s`]),
  ..."frida mondal sundae sundar sundry money mouth".split(" "),
]);
/** Short forms that the date library does not know. */
const SHORT_DAYS: Readonly<Record<string, string>> = { tues: "tuesday", weds: "wednesday" };
/** Shorter words are near too many others. */
const MIN_LENGTH = 5;
/** A whole word, which no apostrophe or hyphen continues. */
const WORD = /(?<![\p{L}\p{N}'’@#/._-])\p{L}{4,12}(?![\p{L}\p{N}'’@/_-]|\.\p{L})/gu;
/** Words that a day follows and not a name; another day with "and" is one, too. */
const INTRODUCES_DAY =
  /(?:^|[\s,;(])(?:(?:on|by|before|until|till|next|this|last|since|due|coming|every|each|every (?:other|second))\s+|\p{L}+days?(?:\s*,\s*|\s*,?\s+(?:and|or)\s+)(?:on\s+)?)$/iu;
/** As many characters around a word say whether a day may stand there. */
const LOOKS_BACK = 24;
const BEGINS = /^[\s"“(]*$/u;

const same = (word: string): string => word;
const singular = (word: string): string => word.replace(/s$/u, "");

const RECURS_WORDS = oneOf(
  String.raw`\p{L}{1,8}d[ae]ys?|tuesdy|day|week|weekday|month|year|hour|morning|afternoon|evening|night`,
);
/** What follows "every": a day, or another unit of time. */
const RECURS = new RegExp(String.raw`^\s+(?:other\s+|second\s+)?${RECURS_WORDS}(?!\p{L})`, "iu");

function correctedWord(word: string, before: string, after: string): string | undefined {
  const plain = word.toLowerCase();
  if (isNearEvery(plain) && RECURS.test(after)) return "every";
  const meant = wordMeant(plain);
  if (meant === undefined || meant === SHORT_DAYS[plain]) return meant;
  const isPlaced = BEGINS.test(before) || INTRODUCES_DAY.test(before);
  // A capital inside the text starts a name, and a short weekday is one letter away from names: "call sundar at 5".
  const isSwapped = [...plain].toSorted().join("") === [...meant].toSorted().join("");
  const mayBeName = /^\p{Lu}\p{Ll}/u.test(word) || (SHORT_WEEKDAYS.includes(singular(meant)) && !isSwapped);
  return mayBeName && !isPlaced ? undefined : meant;
}

const isNearEvery = (plain: string): boolean => plain !== "ever" && isTypo(plain, "every");

/** The word for a day that another word abbreviates or misspells. */
function wordMeant(plain: string): string | undefined {
  if (SHORT_DAYS[plain] !== undefined) return SHORT_DAYS[plain];
  const isNone = plain.length < MIN_LENGTH || NO_TYPOS.has(plain) || NO_TYPOS.has(singular(plain));
  return isNone ? undefined : meantBy(plain);
}

/** Limit of the cache; a request is read in several ways, and its words are looked at each time. */
const MAX_KNOWN = 2_000;
const known = new Map<string, string | undefined>();

/** The word for a day of which another word is a typing error. */
function meantBy(plain: string): string | undefined {
  if (known.has(plain)) return known.get(plain);
  const recurring = plain.endsWith("s") ? correctSpelling(singular(plain), WEEKDAYS, same) : undefined;
  const meant = recurring === undefined ? correctSpelling(plain, DATE_WORDS, same) : `${recurring}s`;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(plain, meant);
  return meant;
}

/** False for a text in which no word is corrected, wherever the text begins. */
export const mayBeCorrected = (text: string): boolean =>
  [...text.matchAll(WORD)].some(([word]) => {
    const plain = word.toLowerCase();
    return isNearEvery(plain) || wordMeant(plain) !== undefined;
  });

/** Corrects misspelled words for days and their parts: "tomorow", "on wendesday". Names stay unchanged. */
export function correctDateWords(text: string): CorrectedText {
  const changes: { end: number; by: number }[] = [];
  let shift = 0;
  let before = "";
  let done = 0;
  const corrected = text.replaceAll(WORD, (word, index: number) => {
    before = `${before}${text.slice(done, index)}`.slice(-LOOKS_BACK);
    const meant = correctedWord(
      word,
      before,
      text.slice(index + word.length, index + word.length + LOOKS_BACK),
    );
    before += meant ?? word;
    done = index + word.length;
    if (meant === undefined) return word;
    shift += meant.length - word.length;
    changes.push({ end: index + word.length + shift, by: shift });
    return meant;
  });
  return {
    text: corrected,
    original: (offset) => offset - (changes.findLast(({ end }) => end <= offset)?.by ?? 0),
  };
}

const WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?";
const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|march|april|june|july|august|sept(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const DAY = String.raw`(?:${WEEKDAY}|today|tonight|tomorrow|${MONTH}|next (?:week|month|year)|the weekend|christmas|easter)`;
const HOUR = "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)";
const TIME = String.raw`(?:\d{1,2}[:.]\d{2}|\d{1,2}\s?[ap]m|(?:half|quarter)[ -](?:past|to)[ -]\p{L}+|half ${HOUR}|(?:\d{1,2}|${HOUR}) o['’]?clock|at (?:${HOUR}|\d{1,2}))`;
const PREPOSITION = "(?:(?:on|by|before|until|till|at|due|from|after|around|deadline):? )";

const ANY = new RegExp(
  String.raw`(?<![\p{L}\p{N}])${PREPOSITION}?(?:${DAY}|${TIME}|noon|midnight|deadline)(?![\p{L}\p{N}])`,
  "iu",
);
/** Beside a date, only words that name another moment: "the Monday meeting" is a thing. */
const MOMENT = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${PREPOSITION}${DAY}|${TIME}|deadline$)(?![\p{L}\p{N}])`,
  "iu",
);

/**
 * The words of a title that name a day or a time, which nothing was set from; undefined if there are none. `hasDate`
 * for a title next to a date, in which a day may be part of a name.
 */
export function timeWordsIn(title: string, { hasDate }: { hasDate: boolean }): string | undefined {
  return (hasDate ? MOMENT : ANY).exec(title)?.[0];
}

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
  `^\\s*,?\\s*(?:(?:in|during) (?:the )?|(?:at|around|about|by|before) )?${PART}(?![\\p{L}'’-])`,
  "iu",
);
/** "in the evening" and "at night" name a time; "the evening" alone names a thing. */
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

/** "At 5 to 7" is five minutes before seven, and no period. */
const MINUTES_TO = /(?:^|\s)(?:at|by|until|till|around|about)\s(?:5|10|20|25)\s+to\s+(?:1[0-2]|[1-9])$/iu;

/**
 * Removes what the library would merge wrongly: a period in place of a time on the clock, and a part of the day in front of a day,
 * which names a thing ("the press night on 11 December") or the hour of that day ("in the evening on Friday").
 */
export const BEFORE_MERGING: Refiner = {
  refine({ text, reference }, results) {
    const now = reference.getDateWithAdjustedTimezone();
    return results.filter((result) => {
      if (result.end && MINUTES_TO.test(result.text)) return false;
      if (!ONLY_PART.test(result.text) || /^this /iu.test(result.text)) return true;
      const end = result.index + result.text.length;
      const day = results.find(
        ({ index }) => index > end && /^,?\s+(?:on\s+)?(?:the\s+)?$/iu.test(text.slice(end, index)),
      );
      if (day === undefined || day.start.isCertain("hour")) return true;
      const words = NAMES_TIME.exec(text.slice(0, result.index))?.[0];
      if (words === undefined) return false;
      day.text = text.slice(result.index - words.length, day.index + day.text.length);
      day.index = result.index - words.length;
      setHour(day, result.text.toLowerCase(), now);
      return false;
    });
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

const ORDINALS: readonly string[] =
  `first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
  sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth
  twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first`.split(/\s+/u);
/** Source of a pattern for the ordinals of the days of a month: "twenty-first", also with a blank. */
export const ORDINAL_DAY = ORDINALS.toReversed()
  .map((word) => word.replace("-", "[ -]"))
  .join("|");
/** The day of a month that an ordinal names: 21 for "twenty-first". */
export const dayOfOrdinal = (word: string): number =>
  ORDINALS.indexOf(word.toLowerCase().replace(" ", "-")) + 1;
