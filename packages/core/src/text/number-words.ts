/** English words for the numbers from 0 to 19; the index is the number. */
export const SMALL_NUMBERS: readonly string[] =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(
    " ",
  );

/** English words for 20, 30 … 90. */
export const TENS: readonly string[] = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");

/** English words for the numbers from 0 to 12, as in times and small counts. */
export const NUMBERS_TO_TWELVE: readonly string[] = SMALL_NUMBERS.slice(0, 13);

/** The number that a word names, from 0 to 19; undefined for other words. */
export function smallNumber(word: string): number | undefined {
  const number = SMALL_NUMBERS.indexOf(word.toLowerCase());
  return number < 0 ? undefined : number;
}
