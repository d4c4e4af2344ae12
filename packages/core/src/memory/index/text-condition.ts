import { contentWords, stemOf, wordsOf } from "../../text/words.ts";

/**
 * What a list is filtered by: an FTS5 expression in which every word must be there and the last may go on, or, for a
 * query of stop words or marks alone, the text as it stands. Both null for an empty query.
 */
export function textCondition(query: string): { expression: string | null; literal: string | null } {
  if (query.trim() === "") return { expression: null, literal: null };
  const words = contentWords(query);
  const last = words.at(-1);
  if (last === undefined) return { expression: null, literal: query.trim() };
  const isBegun = wordsOf(query).at(-1) === last && !/\s$/u.test(query);
  const terms = words.slice(0, isBegun ? -1 : undefined).map((word) => `"${stemOf(word)}"`);
  if (isBegun) terms.push(`("${stemOf(last)}" OR "${last}"*)`);
  return { expression: terms.join(" AND "), literal: null };
}
