import { correct } from "../tokens/spelling.ts";

/** Text in which misspelt words for days are corrected. */
export interface CorrectedText {
  text: string;
  /** The offset in the original of an offset at the edge of a word of `text`. */
  original(offset: number): number;
}

const SHORT_WEEKDAYS = ["sunday", "monday", "friday"];
/** Words whose misspellings are read as well. */
const DATE_WORDS = [
  ...SHORT_WEEKDAYS,
  "tuesday",
  "wednesday",
  "thursday",
  "saturday",
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
/** A whole word, which no apostrophe or hyphen continues. */
const WORD = /(?<![\p{L}\p{N}'’@#/._-])\p{L}{5,12}(?![\p{L}\p{N}'’@/_-]|\.\p{L})/gu;
/** Words before a day, not before a name. */
const INTRODUCES_DAY = /(?:^|[\s,;(])(?:on|by|before|until|till|next|this|last|since|due|coming)\s+$/iu;
const BEGINS = /^[\s"“(]*$/u;

function correctedWord(word: string, before: string): string | undefined {
  const plain = word.toLowerCase();
  if (NO_TYPOS.has(plain)) return undefined;
  const meant = correct(plain, DATE_WORDS, (one) => one);
  if (meant === undefined) return undefined;
  const isPlaced = BEGINS.test(before) || INTRODUCES_DAY.test(before);
  // A capital inside the text starts a name, and a short weekday is one letter away from names: "call sundar at 5".
  const isSwapped = [...plain].toSorted().join("") === [...meant].toSorted().join("");
  const mayBeName = /^\p{Lu}\p{Ll}/u.test(word) || (SHORT_WEEKDAYS.includes(meant) && !isSwapped);
  return mayBeName && !isPlaced ? undefined : meant;
}

/** Corrects misspelled words for days and their parts: "tomorow", "on wendesday". Names stay unchanged. */
export function correctDateWords(text: string): CorrectedText {
  const changes: { end: number; by: number }[] = [];
  let shift = 0;
  const corrected = text.replaceAll(WORD, (word, at: number) => {
    const meant = correctedWord(word, text.slice(Math.max(0, at - 20), at));
    if (meant === undefined) return word;
    shift += meant.length - word.length;
    changes.push({ end: at + word.length + shift, by: shift });
    return meant;
  });
  return {
    text: corrected,
    original: (offset) => offset - (changes.findLast(({ end }) => end <= offset)?.by ?? 0),
  };
}
