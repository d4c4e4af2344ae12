import { type IndexThread, IDLE_TIMEOUT_MS } from "../../worker/index-thread.ts";
import {
  createWorkerClient,
  type WorkerClient,
  type WorkerClientOptions,
} from "../../worker/worker-client.ts";
import type { IndexCalls, IndexSettings, VectorCalls } from "./protocol.ts";
import type { EmbedderFacts } from "../../vectors/embedder.ts";
import type { VectorIndex } from "../../vectors/vector-index.ts";
import type { SearchIndex } from "./search-index.ts";

/** The client of the memory index. */
export type IndexClient = WorkerClient<IndexCalls>;

export interface IndexClientOptions extends Pick<
  WorkerClientOptions,
  "onWarning" | "onRestart" | "idleTimeoutMs"
> {
  thread: IndexThread;
  settings: IndexSettings;
}

export function createIndexClient({ thread, settings, ...options }: IndexClientOptions): IndexClient {
  return createWorkerClient<IndexCalls>({
    title: "the memory index",
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    connect: (events) => thread.connect({ kind: "memory", settings }, events),
    ...options,
  });
}

/** `SearchIndex` over the index worker. */
export function searchIndexOf(client: IndexClient): SearchIndex {
  return {
    put: (entries) => client.call("putEntries", entries),
    remove: (ids) => client.call("removeEntries", ids),
    search: (query, { limit, filter = {}, mode = "exact" }) =>
      client.call("search", { query, limit, filter, mode }),
    count: () => client.call("countEntries", null),
  };
}

/** The client of any index worker that stores vectors. */
export type VectorClient = Pick<WorkerClient<VectorCalls>, "call">;

/** `VectorIndex` of one embedder over the index worker. */
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
