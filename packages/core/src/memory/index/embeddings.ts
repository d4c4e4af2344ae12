import type { Embedder, EmbedderChoice, EmbedderFacts } from "../../vectors/embedder.ts";
import type { EntryFilter } from "../../vectors/entry-facts.ts";
import type { StoredVectors } from "../../vectors/stored-vectors.ts";
import type { VectorMatch } from "../../vectors/vector-index.ts";
import { createEmbeddingQueue, type EmbeddingQueue, type EmbeddingQueueOptions } from "./embedding-queue.ts";
import { type VectorClient, vectorIndexOf } from "./index-client.ts";

/**
 * Semantic search and its embedding queues. The built-in embedder embeds every memory, so search always works. The
 * chosen embedder, if any, answers once it has embedded every memory; while it is unreachable, the built-in one answers.
 */
export interface Embeddings {
  readonly search: MeaningSearch;
  /** Processes texts that may be pending. */
  schedule(): void;
  /** Resolves when `status` is known. Never rejects. */
  ready(): Promise<void>;
  /** The target embedder with its progress, and the id of the embedder that answers searches now. */
  status(): { embedder: Embedder; isComplete: boolean; isWorking: boolean; searchedWith: string };
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface EmbeddingsOptions {
  client: VectorClient;
  builtIn: Embedder;
  choice: EmbedderChoice | undefined;
  /** The vectors that processes share. Those of the built-in embedder are computed faster than loaded. */
  stored?: StoredVectors | undefined;
  /** The plural noun for messages: "memories". */
  subject?: string;
  /** Resolves when no work that is more urgent than embedding is pending. */
  whenIdle?: (() => Promise<void>) | undefined;
  onWarning: (message: string, cause?: unknown) => void;
}

interface EmbedderState {
  embedder: Embedder;
  queue: EmbeddingQueue;
  queries: QueryEmbedding;
}

export function openEmbeddings(options: EmbeddingsOptions): Embeddings {
  const { client, builtIn, choice, subject = "memories", whenIdle, onWarning } = options;
  const common = { client, subject, whenIdle, onWarning };
  let closing = false;
  /** Pending `close` calls of replaced embedders. */
  const closings: Promise<void>[] = [];
  const { stored } = options;
  const builtInState = createState(
    builtIn,
    () => undefined,
    stored?.storesBuiltIn === true ? { save: stored.save } : undefined,
  );
  let chosen: EmbedderState | undefined;

  function createState(
    embedder: Embedder,
    onComplete: () => void,
    from?: EmbeddingQueueOptions["stored"],
  ): EmbedderState {
    return {
      embedder,
      queue: createEmbeddingQueue({ ...common, embedder, stored: from, onComplete }),
      queries: createQueryEmbedding({ embedder, onWarning }),
    };
  }

  function closeState({ queue, queries }: EmbedderState): void {
    queries.close();
    closings.push(queue.close());
  }

  /** Deletes the vectors of replaced models. */
  function deleteOtherVectors(embedder: Embedder): void {
    client.call("keepEmbedders", [builtIn.id, embedder.id]).catch((error: unknown) => {
      if (!closing) onWarning("The vectors of an earlier embedder could not be removed.", error);
    });
  }

  function switchEmbedder(): void {
    const current = choice?.current();
    if (current === undefined || closing) return;
    if (chosen && chosen.embedder.id === current?.id && chosen.embedder.dimensions === current.dimensions) {
      chosen.queue.retry();
      return;
    }
    if (chosen) closeState(chosen);
    chosen = current ? createState(current, () => deleteOtherVectors(current), stored) : undefined;
    chosen?.queue.schedule();
  }

  async function ready(): Promise<void> {
    await choice?.known;
    await chosen?.queue.firstCheck;
  }

  async function embedQuery(query: string, signal?: AbortSignal): Promise<EmbeddedQuery | undefined> {
    await ready();
    return await embedWith(
      chosen?.queue.isComplete() ? [chosen, builtInState] : [builtInState],
      query,
      signal,
    );
  }

  async function embedQueryFor(
    embedders: ReadonlySet<string>,
    query: string,
    signal?: AbortSignal,
  ): Promise<EmbeddedQuery | undefined> {
    await choice?.known;
    const states = chosen ? [chosen, builtInState] : [builtInState];
    return await embedWith(
      states.filter(({ embedder }) => embedders.has(embedder.id)),
      query,
      signal,
    );
  }

  const unsubscribe = choice?.onChange(switchEmbedder);
  switchEmbedder();

  return {
    search: {
      async nearest(query, options, signal) {
        const embedded = await embedQuery(query, signal);
        if (!embedded) return { embedder: builtIn.id, matches: [] };
        const { embedder, vector } = embedded;
        return {
          embedder: embedder.id,
          matches: await vectorIndexOf(client, embedder).nearest(vector, options),
        };
      },
      embedQuery,
      embedQueryFor,
    },
    ready,
    schedule() {
      builtInState.queue.schedule();
      chosen?.queue.schedule();
    },
    status() {
      const { embedder, queue } = chosen ?? builtInState;
      const isComplete = queue.isComplete();
      const searchedWith = isComplete ? embedder.id : builtIn.id;
      return { embedder, isComplete, isWorking: queue.isWorking(), searchedWith };
    },
    async idle() {
      await choice?.known;
      await Promise.all([builtInState.queue.idle(), chosen?.queue.idle()]);
    },
    async close() {
      closing = true;
      unsubscribe?.();
      for (const each of chosen ? [builtInState, chosen] : [builtInState]) closeState(each);
      await Promise.all(closings);
    },
  };
}

/** Embeds a request with the first of some embedders that is reachable. */
async function embedWith(
  states: readonly EmbedderState[],
  query: string,
  signal?: AbortSignal,
): Promise<EmbeddedQuery | undefined> {
  for (const { embedder, queries } of states) {
    const vector = await queries.of(query, signal);
    if (vector) return { embedder: { id: embedder.id, dimensions: embedder.dimensions }, vector };
  }
  return undefined;
}

/** A request's vector, and the embedder that computed it. */
export interface EmbeddedQuery {
  embedder: EmbedderFacts;
  vector: Float32Array;
}

/** Finds memories whose meaning is near that of a request. */
export interface MeaningSearch {
  /** Embeds a request. Undefined while no embedder is reachable. Rejects with the signal's reason. */
  embedQuery(query: string, signal?: AbortSignal): Promise<EmbeddedQuery | undefined>;
  /** Like `embedQuery`, for a search in the vectors of these embedders; the chosen one comes first. */
  embedQueryFor(
    embedders: ReadonlySet<string>,
    query: string,
    signal?: AbortSignal,
  ): Promise<EmbeddedQuery | undefined>;
  /**
   * Returns at most `limit` matches, nearest first, and the id of the embedder that computed the similarities. Returns no
   * matches while no embedder is reachable. Rejects with the signal's reason or the index's errors.
   */
  nearest(
    query: string,
    options: { limit: number; filter: EntryFilter },
    signal?: AbortSignal,
  ): Promise<{ embedder: string; matches: VectorMatch[] }>;
}

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
