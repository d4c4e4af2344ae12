import type { EntryFacts, EntryFilter } from "./entry-facts.ts";

export interface VectorEntry {
  id: string;
  facts: EntryFacts;
  /** Of length 1, with as many numbers as the index has dimensions. */
  vector: Float32Array;
}

export interface VectorMatch {
  id: string;
  /** The cosine, −1 to 1; implementations that compress may be off by 0.02. */
  similarity: number;
}

/**
 * Finds the entries whose vectors are nearest. Promises to find at least 99 % of what an exact search finds among the
 * first ten. A vector of another size is refused with `InvalidArgsError`. Every implementation runs
 * `vector-index.suite.ts`.
 */
export interface VectorIndex {
  readonly dimensions: number;
  /** Adds entries, or replaces those of the same id; all or nothing. */
  put(entries: readonly VectorEntry[]): Promise<void>;
  /** Ids that are not there are passed over. */
  remove(ids: readonly string[]): Promise<void>;
  /** At most `limit`, nearest first. */
  nearest(vector: Float32Array, options: { limit: number; filter?: EntryFilter }): Promise<VectorMatch[]>;
  count(): Promise<number>;
}
