import { ModelUnavailableError } from "../../errors/model-unavailable-error.ts";
import type { Embedder } from "../../vectors/embedder.ts";
import { normalised } from "../../vectors/vector-math.ts";
import { stemOf } from "../text/stem.ts";
import { contentWords } from "../text/words.ts";

export interface TestEmbedder extends Embedder {
  /** While true, it cannot be reached. */
  away: boolean;
  /** Refuses batches that hold this text. */
  poison?: string;
  /** How many texts it was asked for. */
  asked: number;
}

/** A small real embedder: one number per stem, counted. */
export function createTestEmbedder({ id = "test-1", dimensions = 256 } = {}): TestEmbedder {
  const embedder: TestEmbedder = {
    id,
    dimensions,
    away: false,
    asked: 0,
    async embed(texts, signal) {
      signal?.throwIfAborted();
      embedder.asked += texts.length;
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
        return normalised(vector);
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
