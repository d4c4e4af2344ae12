import type { EmbedderFacts } from "../../vectors/embedder.ts";
import type { VectorIndex } from "../../vectors/vector-index.ts";
import type { WorkerClient } from "../../worker/worker-client.ts";
import type { IndexClient } from "./index-client.ts";
import type { VectorCalls } from "./protocol.ts";
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

/** Any index worker that keeps vectors. */
export type VectorClient = Pick<WorkerClient<VectorCalls>, "call">;

/** One embedder's vectors in the index worker. */
export function vectorIndexOf(client: VectorClient, { id, dimensions }: EmbedderFacts): VectorIndex {
  const embedder = { id, dimensions };
  return {
    dimensions,
    put: (entries) => client.call("putVectors", { embedder, entries }),
    remove: (ids) => client.call("removeVectors", { embedder, ids }),
    nearest: (vector, { limit, filter = {} }) => client.call("nearest", { embedder, vector, limit, filter }),
    count: () => client.call("countVectors", { embedder }),
  };
}
