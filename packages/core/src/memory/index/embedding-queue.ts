import { ModelUnavailableError } from "../../errors/service-errors.ts";
import type { Embedder } from "../../vectors/embedder.ts";
import type { StoredVectors } from "../../vectors/stored-vectors.ts";
import type { VectorClient } from "./index-client.ts";
import type { EmbeddedText, PendingText } from "./protocol.ts";

/** The number of texts that are embedded at once; a model takes seconds for more. */
const BATCH_SIZE = 32;
const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 5 * 60_000;

/**
 * Embeds pending texts in the background with one embedder. The index stores the queue, so a restart loses nothing.
 * While the embedder is unreachable, retries back off exponentially.
 */
export interface EmbeddingQueue {
  /** Processes texts that may be pending. */
  schedule(): void;
  /** Retries now and resets the backoff. */
  retry(): void;
  /** Resolves when the queue has been read once. Never rejects. */
  readonly firstCheck: Promise<void>;
  /** Whether every memory has been embedded once. A new pending memory does not change it. */
  isComplete(): boolean;
  /** False if the queue is empty or the embedder is unreachable. */
  isWorking(): boolean;
  /** Resolves when the queue is empty or the embedder is unreachable. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

export interface EmbeddingQueueOptions {
  client: VectorClient;
  embedder: Embedder;
  /** Called once, when every text is embedded. */
  onComplete?: () => void;
  /** A store of vectors that processes share. Without `load`, this process computes all of its vectors. */
  stored?: (Pick<StoredVectors, "save"> & Partial<Pick<StoredVectors, "load">>) | undefined;
  /** The plural noun for messages: "memories". */
  subject?: string;
  /** Resolves when no more urgent work is pending. */
  whenIdle?: (() => Promise<void>) | undefined;
  onWarning: (message: string, cause?: unknown) => void;
}

export function createEmbeddingQueue(options: EmbeddingQueueOptions): EmbeddingQueue {
  const { client, embedder, onComplete, subject = "memories", whenIdle, onWarning } = options;
  const facts = { id: embedder.id, dimensions: embedder.dimensions };
  const closed = new AbortController();
  let working: Promise<void> | undefined;
  let retryMs = MIN_RETRY_MS;
  let runAgain = false;
  /** `retry` was called during an attempt, which may still fail because it began before that. */
  let retryAsked = false;
  /** The last attempt failed. */
  let hasFailed = false;
  let timer: NodeJS.Timeout | undefined;
  let wasComplete = false;
  const firstCheck = Promise.withResolvers<undefined>();

  const embedBatch = (texts: readonly PendingText[]) => embedTexts(texts, options, closed.signal);

  /** Embeds one text at a time, so that a text the embedder refuses blocks no other. Returns false if it refuses all. */
  async function embedEach(texts: readonly PendingText[]): Promise<boolean> {
    const done: EmbeddedText[] = [];
    const refused: string[] = [];
    for (const text of texts) {
      try {
        done.push(...(await embedBatch([text])));
      } catch (error) {
        closed.signal.throwIfAborted();
        if (error instanceof ModelUnavailableError) throw error;
        refused.push(text.id);
      }
    }
    await client.call("embedded", { embedder: facts, texts: done });
    await client.call("postpone", { embedder: facts, ids: refused });
    return done.length > 0;
  }

  async function fetchPending(): Promise<PendingText[]> {
    const limit = embedder.batchSize ?? BATCH_SIZE;
    const { texts, isComplete } = await client.call("pending", { embedder: facts, limit });
    if (isComplete && !wasComplete) onComplete?.();
    wasComplete = isComplete;
    firstCheck.resolve(undefined);
    return texts;
  }

  async function embedAll(): Promise<void> {
    for (;;) {
      await whenIdle?.();
      closed.signal.throwIfAborted();
      const texts = await fetchPending();
      if (texts.length === 0) return;
      try {
        await client.call("embedded", { embedder: facts, texts: await embedBatch(texts) });
      } catch (error) {
        closed.signal.throwIfAborted();
        if (error instanceof ModelUnavailableError || !(await embedEach(texts))) throw error;
      }
      retryMs = MIN_RETRY_MS;
      hasFailed = false;
    }
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    runAgain = false;
    retryAsked = false;
    working = embedAll()
      .catch((error: unknown) => {
        if (closed.signal.aborted) return;
        onWarning(`Some ${subject} are not embedded yet; only keyword search finds them.`, error);
        hasFailed = true;
        if (retryAsked) return;
        timer = setTimeout(start, retryMs).unref();
        retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
      })
      .finally(() => {
        working = undefined;
        firstCheck.resolve(undefined);
        // A text was added after the last read of the queue, or the embedder came back meanwhile.
        if ((runAgain || retryAsked) && !timer && !closed.signal.aborted) start();
      });
  }

  return {
    firstCheck: firstCheck.promise,
    isComplete: () => wasComplete,
    isWorking: () => working !== undefined && !hasFailed,
    schedule() {
      if (closed.signal.aborted || timer) return;
      if (working) runAgain = true;
      else start();
    },
    retry() {
      retryMs = MIN_RETRY_MS;
      if (working) retryAsked = true;
      else if (timer && !closed.signal.aborted) start();
    },
    async idle() {
      while (working) await working;
    },
    async close() {
      closed.abort();
      clearTimeout(timer);
      await working;
    },
  };
}

/**
 * Returns the vectors of texts: stored ones, and computed ones, which it stores. Leaves out texts for which the embedder
 * returns none.
 */
async function embedTexts(
  texts: readonly PendingText[],
  { embedder, stored, onWarning }: EmbeddingQueueOptions,
  signal: AbortSignal,
): Promise<EmbeddedText[]> {
  const facts = { id: embedder.id, dimensions: embedder.dimensions };
  const known = await stored?.load?.(facts, texts).catch((error: unknown) => {
    // The embedder computes them instead.
    onWarning("Vectors of other processes could not be loaded.", error);
    return undefined;
  });
  const missing = texts.filter(({ id }) => !known?.has(id));
  const computed =
    missing.length === 0
      ? []
      : await embedder.embed(
          missing.map(({ text }) => text),
          signal,
        );
  const embedded = missing.flatMap((text, index) => {
    const vector = computed[index];
    return vector ? [{ ...text, vector }] : [];
  });
  if (embedded.length > 0)
    await stored?.save(facts, embedded).catch((error: unknown) => {
      onWarning("Vectors could not be stored for other processes.", error);
    });
  const vectors = new Map([...(known ?? []), ...embedded.map(({ id, vector }) => [id, vector] as const)]);
  return texts.flatMap(({ id, hash }) => {
    const vector = vectors.get(id);
    return vector ? [{ id, hash, vector }] : [];
  });
}
