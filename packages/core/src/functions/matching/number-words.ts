import { kindsOfVerb } from "./families.ts";
import { SMALL_NUMBERS, TENS } from "../../text/number-words.ts";

/** A number in words within a text. */
export interface NumberInWords {
  /** The first word, and the one after the last. */
  from: number;
  to: number;
  value: number;
}

const POWERS: ReadonlyMap<string, number> = new Map([
  ["hundred", 100],
  ["thousand", 1_000],
]);

/** Words for 0 to 19 and for the tens. */
const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...SMALL_NUMBERS.map((word, value): [string, number] => [word, value]),
  ...TENS.map((word, index): [string, number] => [word, (index + 2) * 10]),
  ["fourty", 40],
]);

const tensOf = (word: string): number | undefined => {
  const value = NUMBER_WORDS.get(word);
  return value !== undefined && value >= 20 ? value : undefined;
};
const onesOf = (word: string): number | undefined => {
  const value = NUMBER_WORDS.get(word);
  return value !== undefined && value > 0 && value < 10 ? value : undefined;
};

/** The number of one word: "nineteen", "twenty-eight". It may be a count of things, too. */
export function numberOfWord(word: string): number | undefined {
  const known = NUMBER_WORDS.get(word);
  if (known !== undefined) return known;
  if (!word.includes("-")) return undefined;
  const [first = "", second = "", ...more] = word.split("-");
  const [tens, ones] = [tensOf(first), onesOf(second)];
  return more.length === 0 && tens !== undefined && ones !== undefined ? tens + ones : undefined;
}

/** "The upper one", "that one", "open one": no number. */
export const isPronounOne = (words: readonly string[], at: number): boolean =>
  words[at] === "one" &&
  ([at - 1, at - 2].some((near) => /^(?:the|this|that|which|another|each|every)$/u.test(words[near] ?? "")) ||
    (/^(?:[.!?]|please|pls)?$/u.test(words[at + 1] ?? "") && kindsOfVerb(words[at - 1] ?? "").size > 0));

/**
 * Numbers in the form in which people dictate them: "forty five", "nine hundred and forty", "seventy one point five",
 * "two and a half". A single word below twenty is not a number, because it counts things.
 */
export function numbersInWords(words: readonly string[]): NumberInWords[] {
  const found: NumberInWords[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const number = numberAt(words, index);
    if (number === undefined) continue;
    const [only] = words.slice(number.from, number.to);
    if (number.to - number.from === 1 && NUMBER_WORDS.has(only ?? "") && number.value < 20) continue;
    found.push(number);
    index = number.to - 1;
  }
  return found;
}

function numberAt(words: readonly string[], from: number): NumberInWords | undefined {
  const isArticle = /^an?$/u.test(words[from] ?? "");
  if (isArticle && !POWERS.has(words[from + 1] ?? "")) return undefined;
  let [total, group, at] = [0, isArticle ? 1 : 0, isArticle ? from + 1 : from];
  for (;;) {
    const power = POWERS.get(words[at] ?? "");
    if (power !== undefined && group > 0) {
      if (power === 100) group *= power;
      else [total, group] = [total + group * power, 0];
      at += 1;
      continue;
    }
    const isAfterPower = POWERS.has(words[at - 1] ?? "") && at > from;
    const next = isAfterPower && words[at] === "and" ? at + 1 : at;
    const small = numberBelowHundredAt(words, next);
    if (small === undefined || (at > from && !isAfterPower)) break;
    group += small.value;
    at = small.to;
  }
  if (at === from || (isArticle && at === from + 1)) return undefined;
  const value = total + group;
  const fraction = fractionAt(words, at);
  return { from, to: fraction?.to ?? at, value: value + (fraction?.value ?? 0) };
}

/** A number below one hundred: "forty", "forty five", "forty-five", "twelve". */
function numberBelowHundredAt(
  words: readonly string[],
  index: number,
): { value: number; to: number } | undefined {
  const first = numberOfWord(words[index] ?? "");
  if (first === undefined) return undefined;
  const ones = tensOf(words[index] ?? "") === undefined ? undefined : onesOf(words[index + 1] ?? "");
  return ones === undefined ? { value: first, to: index + 1 } : { value: first + ones, to: index + 2 };
}

/** "Point five", "and a half". */
function fractionAt(words: readonly string[], index: number): { value: number; to: number } | undefined {
  if (words[index] === "and" && words[index + 1] === "a" && words[index + 2] === "half")
    return { value: 0.5, to: index + 3 };
  if (words[index] !== "point") return undefined;
  let to = index + 1;
  let digits = "";
  for (let digit = SMALL_NUMBERS.slice(0, 10).indexOf(words[to] ?? ""); digit >= 0;) {
    digits += String(digit);
    to += 1;
    digit = SMALL_NUMBERS.slice(0, 10).indexOf(words[to] ?? "");
  }
  return digits === "" ? undefined : { value: Number(`0.${digits}`), to };
}
