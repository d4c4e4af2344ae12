import type { Embedder } from "../../vectors/embedder.ts";

/** How long a request waits for its vector, in milliseconds. */
const TIMEOUT_MS = 800;
/** How long an embedding may take in total, so that a model that loads slowly is ready for the next request. */
const MAX_EMBED_MS = 30_000;
/** The number of cached requests: all searches of one request share its vector. */
const CACHE_SIZE = 32;

/** Embeds requests. */
export interface QueryEmbedding {
  /** Resolves to undefined if the embedder fails or takes too long. Rejects only with the signal's reason. */
  of(query: string, signal?: AbortSignal): Promise<Float32Array | undefined>;
  close(): void;
}

export interface QueryEmbeddingOptions {
  embedder: Embedder;
  onWarning: (message: string, cause?: unknown) => void;
  /** Milliseconds; for tests. */
  timeoutMs?: number;
}

export function createQueryEmbedding(options: QueryEmbeddingOptions): QueryEmbedding {
  const { embedder, onWarning, timeoutMs = TIMEOUT_MS } = options;
  /** The controllers that abort each call of the embedder. */
  const running = new Set<AbortController>();
  let isClosed = false;
  const recent = new Map<string, Promise<Float32Array | undefined>>();
  /** Calls that timed out and still run. The embedder gets no new request until they end. */
  let lateCalls = 0;

  function embed(query: string): Promise<Float32Array | undefined> {
    // Not `AbortSignal.any`, which takes as long as the built-in embedder.
    const call = new AbortController();
    if (isClosed) call.abort();
    running.add(call);
    const timer = setTimeout(() => call.abort(), MAX_EMBED_MS).unref();
    const embedding = embedder
      .embed([query], call.signal, "query")
      .then(
        ([vector]) => vector,
        (error: unknown) => {
          recent.delete(query);
          if (!isClosed) onWarning("A request could not be embedded.", error);
          return undefined;
        },
      )
      .finally(() => {
        clearTimeout(timer);
        running.delete(call);
      });
    recent.set(query, embedding);
    const [oldest] = recent.keys();
    if (recent.size > CACHE_SIZE && oldest !== undefined) recent.delete(oldest);
    return embedding;
  }

  return {
    async of(query, signal) {
      signal?.throwIfAborted();
      const known = recent.get(query);
      if (!known && lateCalls > 0) return undefined;
      const embedding = known ?? embed(query);
      const waited = Promise.withResolvers<"late">();
      const timer = setTimeout(() => waited.resolve("late"), timeoutMs);
      const abort = (): void => waited.reject(signal?.reason);
      signal?.addEventListener("abort", abort, { once: true });
      try {
        const vector = await Promise.race([embedding, waited.promise]);
        if (vector !== "late") return vector;
        lateCalls += 1;
        void embedding.finally(() => {
          lateCalls -= 1;
        });
        onWarning(`The embedder ${embedder.id} is slow; a request continued without it.`);
        return undefined;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      }
    },
    close() {
      isClosed = true;
      for (const call of running) call.abort();
    },
  };
}
