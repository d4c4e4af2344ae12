import type { EntryFacts, EntryFilter } from "../../vectors/entry-facts.ts";

export interface SearchEntry {
  id: string;
  facts: EntryFacts;
  text: string;
  /** `indexedWords` of the text, if they are known. */
  words?: readonly string[];
}

export interface SearchMatch {
  id: string;
  /** The BM25 score, unbounded. */
  score: number;
  /** The share of the query's words in the entry, 0–1, weighted by rarity. */
  coverage: number;
  /** The stems of the query's words that were found. */
  matched: string[];
}

/**
 * - `exact`: matches words with the same stem
 * - `loose`: also matches words that start with a query word, and words one typo away
 */
export type SearchMode = "exact" | "loose";

/**
 * Keyword search. Queries are plain text without operators. Every implementation runs `search-index.suite.ts`.
 */
export interface SearchIndex {
  /** Adds entries or replaces those of the same id, atomically. Search finds them when it resolves. */
  put(entries: readonly SearchEntry[]): Promise<void>;
  /** Ignores unknown ids. */
  remove(ids: readonly string[]): Promise<void>;
  /** Returns at most `limit` matches, best first; none for a query without a content word. */
  search(
    query: string,
    options: { limit: number; filter?: EntryFilter; mode?: SearchMode },
  ): Promise<SearchMatch[]>;
  count(): Promise<number>;
}
