import { clip } from "../markdown.ts";

const numbers = new Intl.NumberFormat("en");
const PREVIEW = 160;
const NAMED = 8;

/** "1 byte", "12,345 bytes"; `plural` for nouns that take more than an s. */
export function count(amount: number, noun: string, plural = `${noun}s`): string {
  return `${numbers.format(amount)} ${amount === 1 ? noun : plural}`;
}

/** A file's size in a sentence. */
export function size(bytes: number): string {
  return bytes === 0 ? "empty" : count(bytes, "byte");
}

/** Characters that hide or reorder what stands beside them; the two joiners are part of words and emoji. */
const HIDDEN = /(?![\u200C\u200D])[\p{Cc}\p{Cf}]/gu;

/** One line of a text, clipped, for a sentence; what cannot be seen shows as a replacement character. */
export function glimpse(text: string): string {
  return clip(text.replace(/\s+/gu, " ").trim().replace(HIDDEN, "\uFFFD"), PREVIEW);
}

/** "a, b, c and 12 more". */
export function named(names: readonly string[], total = names.length): string {
  const shown = names.slice(0, NAMED).map(glimpse);
  const rest = total - shown.length;
  return rest > 0 ? `${shown.join(", ")} and ${numbers.format(rest)} more` : shown.join(", ");
}

/** Ends a sentence that may already have its mark. */
export function sentence(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}
