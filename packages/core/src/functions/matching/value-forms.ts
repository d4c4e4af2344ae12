import type { Unit } from "./request-units.ts";

const LETTERS_AND_DIGITS = /^(?=[^\s]*\p{L})(?=[^\s]*\d)[\p{L}\d]+(?:[-/._][\p{L}\d]+)*$/u;
/** "5km", "9am", "3rd": a number with its unit. */
const MEASURED =
  /^\d+(?:[.,]\d+)?(?:st|nd|rd|th|am|pm|h|hrs?|min(?:s|utes)?|sec|s|km|kg|mg|g|ml|cl|dl|l|cm|mm|m|mi|ft|lbs?|oz|k|x|°?c|°?f|%)$/iu;
const MAX_LETTERS_OF_CODE = 6;

/** Letters and digits in one word, such as "RX4471", "N-2207" and "4b": a name, not a word of a language. */
export function isCode(text: string): boolean {
  return (
    LETTERS_AND_DIGITS.test(text) &&
    !MEASURED.test(text) &&
    text.split(/[^\p{L}]+/u).every((letters) => letters.length <= MAX_LETTERS_OF_CODE)
  );
}

/**
 * A unit that is a code, as written. "2C" is a code if earlier values have this form ("3B"), and a temperature
 * elsewhere.
 */
export function isCodeAt(text: string, unit: Unit | undefined, earlier: readonly string[] = []): boolean {
  if (unit?.kind !== "word") return false;
  const written = text.slice(unit.start, unit.end);
  return (
    isCode(written) ||
    (/\d/u.test(written) && earlier.some((one) => isCode(one) && formOf(one) === formOf(written)))
  );
}

const formOf = (code: string): string =>
  code
    .toLowerCase()
    .replaceAll(/\p{L}+/gu, "a")
    .replaceAll(/\d+/gu, "0");

/** One word with a digit or a mark in it: "2.4.0", "0042", "gate-7". */
export const isIdentifier = (value: string): boolean => /^(?=\S*[\d._/-])\S*[\p{L}\p{N}]$/u.test(value);

/** "12 Hill Street": a number with words after it. */
export const beginsWithNumber = (value: string): boolean => /^\d+\s+\p{L}/u.test(value);
