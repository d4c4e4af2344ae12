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

/** The whole number below a million that words name, such as "seven hundred" or "twenty-five"; undefined for other words. */
export function numberInWords(text: string): number | undefined {
  const words = text.trim().toLowerCase().replaceAll("-", " ").split(/\s+/u);
  let [total, part] = [0, 0];
  for (const [index, word] of words.entries()) {
    const tens = TENS.indexOf(word);
    const small = word === "a" && words.length > 1 && index === 0 ? 1 : smallNumber(word);
    if (word === "hundred" && part > 0 && part < 100) part *= 100;
    else if (word === "thousand" && part > 0) [total, part] = [total + part * 1000, 0];
    else if (small !== undefined && (part === 0 || part % 100 === 0 || (part % 10 === 0 && small < 10)))
      part += small;
    else if (tens >= 0 && part % 100 === 0) part += (tens + 2) * 10;
    else if (word !== "and" || index === 0 || index === words.length - 1) return undefined;
  }
  return total + part;
}
