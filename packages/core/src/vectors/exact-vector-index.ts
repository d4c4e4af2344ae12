import { checkDimensions, dot } from "./vector-math.ts";
import { matchesFilter } from "./entry-facts.ts";
import type { VectorEntry, VectorIndex } from "./vector-index.ts";

/** Compares with every vector in memory: the reference for the other implementations, sufficient for small sets. */
export function createExactVectorIndex(dimensions: number): VectorIndex {
  const entries = new Map<string, VectorEntry>();
  return {
    dimensions,
    async put(added) {
      for (const { vector } of added) checkDimensions(vector, dimensions);
      for (const entry of added) entries.set(entry.id, { ...entry, vector: entry.vector.slice() });
    },
    async remove(ids) {
      for (const id of ids) entries.delete(id);
    },
    async nearest(vector, { limit, filter = {} }) {
      checkDimensions(vector, dimensions);
      return [...entries.values()]
        .filter(({ facts }) => matchesFilter(filter, facts))
        .map(({ id, vector: other }) => ({ id, similarity: dot(vector, other) }))
        .sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1))
        .slice(0, limit);
    },
    count: async () => entries.size,
  };
}
