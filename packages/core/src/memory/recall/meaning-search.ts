import type { EntryFilter } from "../../vectors/entry-facts.ts";
import type { VectorMatch } from "../../vectors/vector-index.ts";

/** Finds memories whose meaning is near to that of a request. */
export interface MeaningSearch {
  /**
   * At most `limit`, nearest first, with the embedder whose similarities these are: how they are to be read depends on
   * it. No matches while no embedder can be reached. Rejects with the signal's reason, or with the index's errors.
   */
  nearest(
    query: string,
    options: { limit: number; filter: EntryFilter },
    signal?: AbortSignal,
  ): Promise<{ embedder: string; matches: VectorMatch[] }>;
}
