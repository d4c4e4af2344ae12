import { contentWords, stemOf, wordsOf } from "../../text/words.ts";

/**
 * The text filter of a list: an FTS5 expression that requires every word and treats the last as a prefix, or the literal
 * text for a query of stop words or punctuation alone. Both are null for an empty query.
 */
export function textCondition(query: string): { expression: string | null; literal: string | null } {
  if (query.trim() === "") return { expression: null, literal: null };
  const words = contentWords(query);
  const last = words.at(-1);
  if (last === undefined) return { expression: null, literal: query.trim() };
  const isPrefix = wordsOf(query).at(-1) === last && !/\s$/u.test(query);
  const terms = words.slice(0, isPrefix ? -1 : undefined).map((word) => `"${stemOf(word)}"`);
  if (isPrefix) terms.push(`("${stemOf(last)}" OR "${last}"*)`);
  return { expression: terms.join(" AND "), literal: null };
}
