import type { Embedder } from "../vectors/embedder.ts";
import type { IndexClient } from "./index/index-client.ts";
import type { EmbeddedText, PendingText } from "./index/protocol.ts";

const BATCH = 32;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** Embeds in the background what waits for it. What waits is kept in the index: nothing is forgotten by a restart. */
export interface EmbeddingQueue {
  /** Something may be waiting. */
  wake(): void;
  /** Resolves when nothing waits any more, or the embedder cannot be reached. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface EmbeddingQueueOptions {
  client: IndexClient;
  embedder: Embedder;
  onWarning: (message: string, cause?: unknown) => void;
}

export function createEmbeddingQueue({ client, embedder, onWarning }: EmbeddingQueueOptions): EmbeddingQueue {
  const closed = new AbortController();
  let working: Promise<void> | undefined;
  let pause = FIRST_PAUSE_MS;
  let again = false;
  let timer: NodeJS.Timeout | undefined;

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
      await embedSome([text]).then(
        (embedded) => done.push(...embedded),
        () => refused.push(text.id),
      );
      closed.signal.throwIfAborted();
    }
    if (done.length === 0) return false;
    await client.call("embedded", done);
    await client.call("postpone", refused);
    return true;
  }

  async function embedAll(): Promise<void> {
    for (;;) {
      closed.signal.throwIfAborted();
      const texts = await client.call("pending", { limit: BATCH });
      if (texts.length === 0) return;
      try {
        await client.call("embedded", await embedSome(texts));
      } catch (error) {
        closed.signal.throwIfAborted();
        if (texts.length === 1 || !(await embedEach(texts))) throw error;
      }
      pause = FIRST_PAUSE_MS;
    }
  }

  function start(): void {
    clearTimeout(timer);
    again = false;
    working = embedAll()
      .catch((error: unknown) => {
        if (closed.signal.aborted) return;
        onWarning("Some memories wait to be embedded: they are found by their words only.", error);
        timer = setTimeout(start, pause).unref();
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      })
      .finally(() => {
        working = undefined;
        // Something came between the last look and now.
        if (again && !closed.signal.aborted) start();
      });
  }

  return {
    wake() {
      if (closed.signal.aborted) return;
      if (working) again = true;
      else start();
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
