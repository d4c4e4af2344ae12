import type { EntryFacts, EntryFilter } from "../../vectors/entry-facts.ts";

export interface SearchEntry {
  id: string;
  facts: EntryFacts;
  text: string;
}

export interface SearchMatch {
  id: string;
  /** BM25, unbounded: how much what both have in common says. */
  score: number;
  /** The share of the query's words that the entry has, 0–1, rare words counting more. */
  coverage: number;
  /** The query's words that were found, as they are compared. */
  matched: string[];
}

/**
 * - `exact`: words count when they are the same but for their endings
 * - `loose`: also words that begin with a query word, and words a slip of the pen away from it
 */
export type SearchManner = "exact" | "loose";

/**
 * Finds entries by the words they share with a query. Queries are plain text: nothing in them is an operator. Every
 * implementation runs `search-index.suite.ts`.
 */
export interface SearchIndex {
  /** Adds entries, or replaces those of the same id; all or nothing. Findable when it returns. */
  put(entries: readonly SearchEntry[]): Promise<void>;
  /** Ids that are not there are passed over. */
  remove(ids: readonly string[]): Promise<void>;
  /** At most `limit`, best first; none for a query without a content word. */
  search(
    query: string,
    options: { limit: number; filter?: EntryFilter; manner?: SearchManner },
  ): Promise<SearchMatch[]>;
  count(): Promise<number>;
}
