import type { VectorIndex } from "../../vectors/vector-index.ts";
import type { IndexClient } from "./index-client.ts";
import type { SearchIndex } from "./search-index.ts";

/** The keyword half of the index worker. */
export function searchIndexOf(client: IndexClient): SearchIndex {
  return {
    put: (entries) => client.call("putEntries", entries),
    remove: (ids) => client.call("removeEntries", ids),
    search: (query, { limit, filter = {}, manner = "exact" }) =>
      client.call("search", { query, limit, filter, manner }),
    count: () => client.call("countEntries", null),
  };
}

/** The vector half of the index worker. */
export function vectorIndexOf(client: IndexClient, dimensions: number): VectorIndex {
  return {
    dimensions,
    put: (entries) => client.call("putVectors", entries),
    remove: (ids) => client.call("removeVectors", ids),
    nearest: (vector, { limit, filter = {} }) => client.call("nearest", { vector, limit, filter }),
    count: () => client.call("countVectors", null),
  };
}
