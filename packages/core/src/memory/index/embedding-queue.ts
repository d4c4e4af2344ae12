import { ModelUnavailableError } from "../../errors/service-errors.ts";
import type { Embedder } from "../../vectors/embedder.ts";
import type { VectorClient } from "./index-client.ts";
import type { EmbeddedText, PendingText } from "./protocol.ts";

const BATCH = 32;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/**
 * Embeds in the background what waits for one embedder. What waits is kept in the index: nothing is forgotten by a
 * restart. While the embedder cannot be reached it is tried ever more seldom.
 */
export interface EmbeddingQueue {
  /** Something may be waiting. */
  wake(): void;
  /** The embedder may be back: it is tried now, however long it was to be left alone. */
  retry(): void;
  /** Resolves when it is known how things stand; never rejects. */
  readonly looked: Promise<void>;
  /** Whether every memory has been embedded once; a new one that waits does not change it. */
  isComplete(): boolean;
  /** False when nothing waits, and while the embedder cannot be reached. */
  isWorking(): boolean;
  /** Resolves when nothing waits any more, or the embedder cannot be reached. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface EmbeddingQueueOptions {
  client: VectorClient;
  embedder: Embedder;
  /** Told once, when everything has been embedded. */
  onComplete?: () => void;
  /** What waits, in the plural: "memories". */
  subject?: string;
  onWarning: (message: string, cause?: unknown) => void;
}

export function createEmbeddingQueue(options: EmbeddingQueueOptions): EmbeddingQueue {
  const { client, embedder, onComplete, subject = "memories", onWarning } = options;
  const facts = { id: embedder.id, dimensions: embedder.dimensions };
  const closed = new AbortController();
  let working: Promise<void> | undefined;
  let pause = FIRST_PAUSE_MS;
  let again = false;
  let timer: NodeJS.Timeout | undefined;
  let complete = false;
  const looked = Promise.withResolvers<undefined>();

  async function embedSome(texts: readonly PendingText[]): Promise<EmbeddedText[]> {
    const vectors = await embedder.embed(
      texts.map(({ text }) => text),
      closed.signal,
    );
    return texts.flatMap(({ id, hash }, at) => {
      const vector = vectors[at];
      return vector ? [{ id, hash, vector }] : [];
    });
  }

  /** One by one, so that a text the embedder cannot take keeps no other waiting. False when it took none. */
  async function embedEach(texts: readonly PendingText[]): Promise<boolean> {
    const done: EmbeddedText[] = [];
    const refused: string[] = [];
    for (const text of texts) {
      try {
        done.push(...(await embedSome([text])));
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

  async function look(): Promise<PendingText[]> {
    const { texts, isComplete } = await client.call("pending", { embedder: facts, limit: BATCH });
    if (isComplete && !complete) onComplete?.();
    complete = isComplete;
    looked.resolve(undefined);
    return texts;
  }

  async function embedAll(): Promise<void> {
    for (;;) {
      closed.signal.throwIfAborted();
      const texts = await look();
      if (texts.length === 0) return;
      try {
        await client.call("embedded", { embedder: facts, texts: await embedSome(texts) });
      } catch (error) {
        closed.signal.throwIfAborted();
        if (error instanceof ModelUnavailableError || !(await embedEach(texts))) throw error;
      }
      pause = FIRST_PAUSE_MS;
    }
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    again = false;
    working = embedAll()
      .catch((error: unknown) => {
        if (closed.signal.aborted) return;
        onWarning(`Some ${subject} wait to be embedded: they are found by their words only.`, error);
        timer = setTimeout(start, pause).unref();
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      })
      .finally(() => {
        working = undefined;
        looked.resolve(undefined);
        // Something came between the last look and now.
        if (again && !timer && !closed.signal.aborted) start();
      });
  }

  return {
    looked: looked.promise,
    isComplete: () => complete,
    isWorking: () => working !== undefined,
    wake() {
      if (closed.signal.aborted || timer) return;
      if (working) again = true;
      else start();
    },
    retry() {
      pause = FIRST_PAUSE_MS;
      if (timer && !closed.signal.aborted) start();
    },
    async settled() {
      while (working) await working;
    },
    async close() {
      closed.abort();
      clearTimeout(timer);
      await working;
    },
  };
}
