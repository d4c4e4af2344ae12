import { STOP_WORDS, withoutAccents } from "./words.ts";

const MAX_SLUG_LENGTH = 48;
/** The number of characters to read. */
const MAX_READ_LENGTH = 400;

/**
 * The first words of a text as a slug for file names: lower-case Latin letters and digits joined by hyphens, at most 48
 * characters. Returns `fallback` if the text has none, for example in other scripts.
 */
export function shortSlug(text: string, fallback: string): string {
  const words =
    withoutAccents(text.slice(0, MAX_READ_LENGTH))
      .replace(/['’ʼ]/gu, "")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const content = words.filter((word) => !STOP_WORDS.has(word));
  let slug = "";
  for (const word of content.length > 0 ? content : words) {
    const longer = slug === "" ? word.slice(0, MAX_SLUG_LENGTH) : `${slug}-${word}`;
    if (longer.length > MAX_SLUG_LENGTH) break;
    slug = longer;
  }
  return slug === "" ? fallback : slug;
}

/**
 * A text as a file name: lower case, with hyphens for characters other than letters and digits. Keeps
 * letters of every script.
 */
export function slugify(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
}
