import type { EntryFacts, EntryFilter } from "./entry-facts.ts";

export interface VectorEntry {
  id: string;
  facts: EntryFacts;
  /** A vector of length 1 with the dimensions of the index. */
  vector: Float32Array;
}

export interface VectorMatch {
  id: string;
  /** The cosine, −1 to 1; a compressing implementation may deviate by 0.02. */
  similarity: number;
}

/**
 * Finds the entries with the nearest vectors, with a recall of at least 99 % among the first ten. Throws
 * `InvalidArgsError` for a vector of another dimension. Every implementation runs `vector-index.suite.ts`.
 */
export interface VectorIndex {
  readonly dimensions: number;
  /** Adds entries or replaces those of the same id, atomically. */
  put(entries: readonly VectorEntry[]): Promise<void>;
  /** Ignores unknown ids. */
  remove(ids: readonly string[]): Promise<void>;
  /** Returns at most `limit` matches, nearest first. */
  nearest(vector: Float32Array, options: { limit: number; filter?: EntryFilter }): Promise<VectorMatch[]>;
  count(): Promise<number>;
}
