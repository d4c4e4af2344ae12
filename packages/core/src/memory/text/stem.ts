import { stemmer } from "stemmer";

/** How many stems are remembered: texts repeat their words. */
const REMEMBERED = 16_384;
const stems = new Map<string, string>();

/** The word without its English ending (Porter 1980); any other word as it is. Expects what `wordsOf` gives. */
export function stemOf(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const stem = /^[a-z]{3,}$/.test(word) ? stemmer(word) : word;
  if (stems.size >= REMEMBERED) stems.clear();
  stems.set(word, stem);
  return stem;
}
