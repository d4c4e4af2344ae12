import { contentWords, stemOf, searchTerms } from "../../text/words.ts";

/** The conditions for a text: every stem, and a word with the stem or the start of `prefix`. */
export interface TextCondition {
  stems: readonly string[];
  prefix?: { stem: string; start: string } | undefined;
}

/**
 * The text filter of a list: a condition that requires every word and treats the last as a prefix, or the literal text
 * for a query of stop words or punctuation alone. Both are null for an empty query.
 */
export function textCondition(query: string): { words: TextCondition | null; literal: string | null } {
  if (query.trim() === "") return { words: null, literal: null };
  const words = contentWords(query);
  const last = words.at(-1);
  if (last === undefined) return { words: null, literal: query.trim() };
  const isPrefix = searchTerms(query).at(-1) === last && !/\s$/u.test(query);
  const stems = words.slice(0, isPrefix ? -1 : undefined).map(stemOf);
  return {
    words: { stems, ...(isPrefix && { prefix: { stem: stemOf(last), start: last } }) },
    literal: null,
  };
}
