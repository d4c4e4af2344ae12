import { correctSpelling, isTypo } from "../tokens/spelling.ts";

/** Text in which misspelt words for days are corrected. */
export interface CorrectedText {
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
  ..."frida mondal sundae sundar sundry".split(" "),
]);
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

/** What follows "every": a day, or another unit of time. */
const RECURS =
  /^\s+(?:other\s+|second\s+)?(?:\p{L}{1,8}d[ae]ys?|tuesdy|day|week|weekday|month|year|hour|morning|afternoon|evening|night)(?!\p{L})/iu;

function correctedWord(word: string, before: string, after: string): string | undefined {
  const plain = word.toLowerCase();
  if (plain !== "ever" && isTypo(plain, "every") && RECURS.test(after)) return "every";
  if (plain.length < MIN_LENGTH) return undefined;
  if (NO_TYPOS.has(plain) || NO_TYPOS.has(singular(plain))) return undefined;
  const recurring = plain.endsWith("s") ? correctSpelling(singular(plain), WEEKDAYS, same) : undefined;
  const meant = recurring === undefined ? correctSpelling(plain, DATE_WORDS, same) : `${recurring}s`;
  if (meant === undefined) return undefined;
  const isPlaced = BEGINS.test(before) || INTRODUCES_DAY.test(before);
  // A capital inside the text starts a name, and a short weekday is one letter away from names: "call sundar at 5".
  const isSwapped = [...plain].toSorted().join("") === [...meant].toSorted().join("");
  const mayBeName = /^\p{Lu}\p{Ll}/u.test(word) || (SHORT_WEEKDAYS.includes(singular(meant)) && !isSwapped);
  return mayBeName && !isPlaced ? undefined : meant;
}

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
 * for a title beside a date, in which a day may be part of a name.
 */
export function timeWordsIn(title: string, { hasDate }: { hasDate: boolean }): string | undefined {
  return (hasDate ? MOMENT : ANY).exec(title)?.[0];
}
