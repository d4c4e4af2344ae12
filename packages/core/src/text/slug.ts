import { STOP_WORDS } from "./words.ts";

const LONGEST_SLUG = 48;
/** Enough to hold a slug's words, whatever stands between them. */
const LOOKED_AT = 400;

/**
 * A few words of a text for a file name: lower-case Latin letters and digits joined by hyphens, at most 48 characters.
 * `fallback` when the text has none, as in other scripts.
 */
export function slugOf(text: string, fallback: string): string {
  const words =
    text
      .slice(0, LOOKED_AT)
      .normalize("NFKD")
      .replace(/\p{M}/gu, "")
      .replace(/['’ʼ]/gu, "")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  let slug = "";
  for (const word of telling.length > 0 ? telling : words) {
    const longer = slug === "" ? word.slice(0, LONGEST_SLUG) : `${slug}-${word}`;
    if (longer.length > LONGEST_SLUG) break;
    slug = longer;
  }
  return slug === "" ? fallback : slug;
}
