import type { Embedder } from "../../vectors/embedder.ts";

/** How long a request waits for its own vector, in milliseconds: then it is answered without. */
const PATIENCE_MS = 800;
/** How long the embedder may go on with it, so that a model that has to be loaded first is there for the next request. */
const LONGEST_MS = 30_000;
/** Requests whose vectors are kept: all searches of one request share its vector. */
const KEPT = 32;

/** The vectors of requests. */
export interface QueryEmbedding {
  /** Undefined when the embedder fails or takes too long; rejects with nothing but the signal's reason. */
  of(query: string, signal?: AbortSignal): Promise<Float32Array | undefined>;
  close(): void;
}

export interface QueryEmbeddingOptions {
  embedder: Embedder;
  onWarning: (message: string, cause?: unknown) => void;
  /** Milliseconds; for tests. */
  patienceMs?: number;
}

export function createQueryEmbedding(options: QueryEmbeddingOptions): QueryEmbedding {
  const { embedder, onWarning, patienceMs = PATIENCE_MS } = options;
  const closed = new AbortController();
  const recent = new Map<string, Promise<Float32Array | undefined>>();
  /** Calls that somebody stopped waiting for: while there are any, the embedder is not asked again. */
  let overdue = 0;

  function ask(query: string): Promise<Float32Array | undefined> {
    const limit = AbortSignal.any([closed.signal, AbortSignal.timeout(LONGEST_MS)]);
    const asked = embedder.embed([query], limit, "query").then(
      ([vector]) => vector,
      (error: unknown) => {
        recent.delete(query);
        if (!closed.signal.aborted) onWarning("A request could not be embedded.", error);
        return undefined;
      },
    );
    recent.set(query, asked);
    const [oldest] = recent.keys();
    if (recent.size > KEPT && oldest !== undefined) recent.delete(oldest);
    return asked;
  }

  return {
    async of(query, signal) {
      signal?.throwIfAborted();
      const known = recent.get(query);
      if (!known && overdue > 0) return undefined;
      const asked = known ?? ask(query);
      const waited = Promise.withResolvers<"late">();
      const timer = setTimeout(() => waited.resolve("late"), patienceMs);
      const abort = (): void => waited.reject(signal?.reason);
      signal?.addEventListener("abort", abort, { once: true });
      try {
        const vector = await Promise.race([asked, waited.promise]);
        if (vector !== "late") return vector;
        overdue += 1;
        void asked.finally(() => {
          overdue -= 1;
        });
        onWarning(`The embedder ${embedder.id} is slow: a request went on without it.`);
        return undefined;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      }
    },
    close: () => closed.abort(),
  };
}
