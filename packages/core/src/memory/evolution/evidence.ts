import { contentWords, stemOf } from "../../text/words.ts";

/** The number of distinctive words that count in a long memory, because an answer never repeats all of it. */
const MAX_DISTINCT_WORDS = 12;
/** The share of distinctive words that counts as a use of the memory. */
const MIN_SHARE = 0.5;
/** Paths, numbers, dates and addresses, which do not recur by chance. */
const LITERAL =
  /(?<![\p{L}\p{N}_.-])[\p{L}\p{N}_.-]*(?:\/[\p{L}\p{N}_.-]+)+|\d[\d.,:-]{2,}\d|(?<![^\s@])[^\s@]+@[^\s@]+\.[^\s@]+/gu;

/**
 * Whether a text uses a memory: it repeats a path or number of the memory that the request does not contain, or half of
 * the words that occur in the memory but not in the request.
 */
export function usesMemory(memory: string, text: string, request: string): boolean {
  const requestText = request.toLowerCase();
  const outputText = text.toLowerCase();
  const literals = [...memory.toLowerCase().matchAll(LITERAL)].map(([literal]) =>
    literal.replace(/[.,:]+$/, ""),
  );
  if (literals.some((literal) => !requestText.includes(literal) && outputText.includes(literal))) return true;

  const requestStems = stemsOf(request);
  const distinctive = [...stemsOf(memory)].filter((stem) => !requestStems.has(stem));
  const present = stemsOf(text);
  const shared = distinctive.filter((stem) => present.has(stem)).length;
  return shared >= 2 && shared >= MIN_SHARE * Math.min(distinctive.length, MAX_DISTINCT_WORDS);
}

function stemsOf(text: string): Set<string> {
  return new Set(contentWords(text).map(stemOf));
}
