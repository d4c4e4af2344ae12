import { contentWords, stemOf } from "../../text/words.ts";

/** Of a long memory, so many telling words count at most: nobody repeats all of it. */
const MOST_TELLING = 12;
/** Share of the telling words that shows that a text was made with the memory in mind. */
const ENOUGH = 0.5;
/** Paths, numbers, dates, addresses: what nobody says by chance. */
const LITERAL = /[\p{L}\p{N}_.-]*(?:\/[\p{L}\p{N}_.-]+)+|\d[\d.,:-]{2,}\d|\S+@\S+\.\S+/gu;

/**
 * Whether a text shows that a memory was made use of: it has something of the memory that was not in the request, a
 * path or number as it stands, or half of the words that tell the memory from the request.
 */
export function showsUse(memory: string, text: string, request: string): boolean {
  const said = request.toLowerCase();
  const used = text.toLowerCase();
  const literals = [...memory.toLowerCase().matchAll(LITERAL)].map(([literal]) =>
    literal.replace(/[.,:]+$/, ""),
  );
  if (literals.some((literal) => !said.includes(literal) && used.includes(literal))) return true;

  const asked = stemsOf(request);
  const telling = [...stemsOf(memory)].filter((stem) => !asked.has(stem));
  const present = stemsOf(text);
  const shared = telling.filter((stem) => present.has(stem)).length;
  return shared >= 2 && shared >= ENOUGH * Math.min(telling.length, MOST_TELLING);
}

function stemsOf(text: string): Set<string> {
  return new Set(contentWords(text).map(stemOf));
}
