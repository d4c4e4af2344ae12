import type { Embedder, EmbedderChoice } from "../../vectors/embedder.ts";
import type { VectorIndex, VectorMatch } from "../../vectors/vector-index.ts";
import { createEmbeddingQueue, type EmbeddingQueue } from "./embedding-queue.ts";
import { type VectorClient, vectorIndexOf } from "./index-client.ts";
import { createQueryEmbedding, type QueryEmbedding } from "../recall/query-embedding.ts";
import type { EntryFilter } from "../../vectors/entry-facts.ts";

/**
 * The search by meaning, and what keeps it going. The built-in embedder sees every memory, so that there is always one
 * that answers; the chosen one, if any, takes over when it has seen every memory once, and hands back for as long as it
 * cannot be reached. Nothing waits for an embedding but the queue.
 */
export interface Embeddings {
  readonly search: MeaningSearch;
  /** Something may be waiting. */
  wake(): void;
  /** Resolves when it is known which embedder is wanted and how far it is. Never rejects. */
  known(): Promise<void>;
  /** The embedder that all memories are to have vectors of, and the one that answers now. */
  wanted(): { embedder: Embedder; isComplete: boolean; isWorking: boolean; searchedWith: string };
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface EmbeddingsOptions {
  client: VectorClient;
  builtIn: Embedder;
  choice: EmbedderChoice | undefined;
  /** What is embedded, in the plural: "memories". */
  subject?: string;
  onWarning: (message: string, cause?: unknown) => void;
}

interface Part {
  embedder: Embedder;
  vectors: VectorIndex;
  queue: EmbeddingQueue;
  queries: QueryEmbedding;
}

export function openEmbeddings(options: EmbeddingsOptions): Embeddings {
  const { client, builtIn, choice, subject = "memories", onWarning } = options;
  let closing = false;
  /** Closings of embedders that were replaced. */
  const leaving: Promise<void>[] = [];
  const own = part(builtIn, () => undefined);
  let chosen: Part | undefined;

  function part(embedder: Embedder, onComplete: () => void): Part {
    return {
      embedder,
      vectors: vectorIndexOf(client, embedder),
      queue: createEmbeddingQueue({ client, embedder, subject, onComplete, onWarning }),
      queries: createQueryEmbedding({ embedder, onWarning }),
    };
  }

  function dismiss({ queue, queries }: Part): void {
    queries.close();
    leaving.push(queue.close());
  }

  /** Nobody needs the vectors of a model that another has taken the place of. */
  function dropOthers(embedder: Embedder): void {
    client.call("keepEmbedders", [builtIn.id, embedder.id]).catch((error: unknown) => {
      if (!closing) onWarning("The vectors of an earlier embedder could not be removed.", error);
    });
  }

  function follow(): void {
    const current = choice?.current();
    if (current === undefined || closing) return;
    if (chosen && chosen.embedder.id === current?.id && chosen.embedder.dimensions === current.dimensions) {
      chosen.queue.retry();
      return;
    }
    if (chosen) dismiss(chosen);
    chosen = current ? part(current, () => dropOthers(current)) : undefined;
    chosen?.queue.wake();
  }

  async function known(): Promise<void> {
    await choice?.known;
    await chosen?.queue.looked;
  }

  const unfollow = choice?.onChange(follow);
  follow();

  return {
    search: {
      async nearest(query, options, signal) {
        await known();
        for (const { embedder, vectors, queries } of chosen?.queue.isComplete() ? [chosen, own] : [own]) {
          const vector = await queries.of(query, signal);
          if (vector) return { embedder: embedder.id, matches: await vectors.nearest(vector, options) };
        }
        return { embedder: builtIn.id, matches: [] };
      },
    },
    known,
    wake() {
      own.queue.wake();
      chosen?.queue.wake();
    },
    wanted() {
      const { embedder, queue } = chosen ?? own;
      const isComplete = queue.isComplete();
      const searchedWith = isComplete ? embedder.id : builtIn.id;
      return { embedder, isComplete, isWorking: queue.isWorking(), searchedWith };
    },
    async settled() {
      await choice?.known;
      await Promise.all([own.queue.settled(), chosen?.queue.settled()]);
    },
    async close() {
      closing = true;
      unfollow?.();
      for (const each of chosen ? [own, chosen] : [own]) dismiss(each);
      await Promise.all(leaving);
    },
  };
}

/** Finds memories whose meaning is near to that of a request. */
export interface MeaningSearch {
  /**
   * At most `limit`, nearest first, with the embedder whose similarities these are: how they are to be read depends on
   * it. No matches while no embedder can be reached. Rejects with the signal's reason, or with the index's errors.
   */
  nearest(
    query: string,
    options: { limit: number; filter: EntryFilter },
    signal?: AbortSignal,
  ): Promise<{ embedder: string; matches: VectorMatch[] }>;
}
