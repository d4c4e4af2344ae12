import { contentWords } from "./words.ts";

/** Beyond these, a word counts once: a book must not outweigh a sentence, and is still found by any word in it. */
const COUNTED_WORDS = 4_000;

/** The words an entry is found by. */
export function indexedWords(text: string): string[] {
  const words = contentWords(text);
  if (words.length <= COUNTED_WORDS) return words;
  const counted = words.slice(0, COUNTED_WORDS);
  const known = new Set(counted);
  const others = new Set(words.slice(COUNTED_WORDS).filter((word) => !known.has(word)));
  return [...counted, ...others];
}
