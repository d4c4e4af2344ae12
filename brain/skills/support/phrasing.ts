import { escapedLine, oneLine, truncate } from "@metahuman/core/text/format";

const numbers = new Intl.NumberFormat("en");
const PREVIEW = 160;
const NAMED = 8;

/** What a sentence adds to the path of a file: " (empty)", or nothing. */
export const emptyNote = (bytes: number): string => (bytes === 0 ? " (empty)" : "");

/** Invisible and reordering characters; the two joiners are part of words and emoji. */
const HIDDEN = /(?![\u200C\u200D])[\p{Cc}\p{Cf}]/gu;

/** Returns a text on one line, clipped; invisible characters become replacement characters. */
export function linePreview(text: string, length = PREVIEW): string {
  return truncate(oneLine(text).replace(HIDDEN, "\uFFFD"), length);
}

/** As much of a changed text as a sentence repeats, in characters: the next call may have to name it exactly. */
const EXACT = 400;

/** Returns a text on one line with its line breaks as `\\n`, clipped; other invisible characters become replacement characters. */
export function exactPreview(text: string): string {
  return truncate(escapedLine(text).replace(HIDDEN, "\uFFFD"), EXACT);
}

/** Returns "a, b, c and 12 more". */
export function joinNames(names: readonly string[], total = names.length): string {
  const listed = names.slice(0, NAMED).map((name) => linePreview(name));
  const rest = total - listed.length;
  return rest > 0 ? `${listed.join(", ")} and ${numbers.format(rest)} more` : listed.join(", ");
}

/** Ends a sentence with a full stop unless it has a final mark. */
export function endSentence(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}
