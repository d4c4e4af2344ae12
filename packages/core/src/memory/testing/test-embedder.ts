import { ModelUnavailableError } from "../../errors/service-errors.ts";
import type { Embedder, EmbedderChoice } from "../../vectors/embedder.ts";
import { normalizeVector } from "../../vectors/vector-math.ts";
import { contentWords, stemOf } from "../../text/words.ts";

export interface TestEmbedder extends Embedder {
  /** While true, it cannot be reached. */
  away: boolean;
  /** Refuses batches that contain this text. */
  poison?: string;
  /** The number of texts that it was asked for. */
  asked: number;
  /** The queries that it was asked for, without passages. */
  queries: string[];
  /** While set, it answers only when this resolves. */
  gate?: Promise<void>;
}

/** A small embedder for tests: each number counts one stem. */
export function createTestEmbedder({ id = "test-1", dimensions = 256 } = {}): TestEmbedder {
  const embedder: TestEmbedder = {
    id,
    dimensions,
    away: false,
    asked: 0,
    queries: [],
    async embed(texts, signal, use) {
      signal?.throwIfAborted();
      embedder.asked += texts.length;
      if (use === "query") embedder.queries.push(...texts);
      if (embedder.gate) await untilAborted(embedder.gate, signal);
      if (embedder.away) throw new ModelUnavailableError("The embedder is away.");
      const { poison } = embedder;
      if (poison !== undefined && texts.some((text) => text.includes(poison)))
        throw new Error("cannot embed this");
      return texts.map((text) => {
        const vector = new Float32Array(dimensions);
        for (const word of contentWords(text)) {
          const place = placeOf(stemOf(word), dimensions);
          vector[place] = (vector[place] ?? 0) + 1;
        }
        return normalizeVector(vector);
      });
    },
  };
  return embedder;
}

function placeOf(stem: string, dimensions: number): number {
  let sum = 7;
  for (const character of stem) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return sum % dimensions;
}

/** A choice that a test makes. */
export interface TestChoice extends EmbedderChoice {
  choose(embedder: Embedder | null | undefined): void;
}

export function createTestChoice(first?: Embedder | null): TestChoice {
  const listeners = new Set<() => void>();
  let current = first;
  return {
    current: () => current,
    known: Promise.resolve(),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    choose(embedder) {
      current = embedder;
      for (const listener of listeners) listener();
    },
  };
}

async function untilAborted(gate: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  await Promise.race([gate, aborted.promise]);
  signal?.removeEventListener("abort", abort);
}
