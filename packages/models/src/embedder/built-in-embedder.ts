import type { Embedder } from "@metahuman/core/vectors/embedder";
import { normalised } from "@metahuman/core/vectors/vector-math";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { addFeatures } from "./features.ts";

/** Changes whenever the vector of a text changes. */
const VERSION = 1;
const BUILT_IN_DIMENSIONS = 512;

/** The rest of a longer text adds little to its topic and costs time. */
const MAX_TEXT_LENGTH = 8_000;

/** The maximum time before the embedder yields to the event loop, in milliseconds. */
const SLICE_MS = 4;

/**
 * Embeds without a model: hashes words and character n-grams with a sign into 512 numbers (feature hashing,
 * Weinberger et al. 2009). Texts are similar if they share words, word forms, spellings or word pairs. It knows
 * no synonyms. Deterministic on every machine.
 */
export function createBuiltInEmbedder(): Embedder {
  return {
    id: `built-in-${VERSION}`,
    dimensions: BUILT_IN_DIMENSIONS,
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      let sliceStart = performance.now();
      for (const text of texts) {
        signal?.throwIfAborted();
        vectors.push(embedText(text));
        if (performance.now() - sliceStart < SLICE_MS) continue;
        await yieldToEventLoop();
        sliceStart = performance.now();
      }
      return vectors;
    },
  };
}

function embedText(text: string): Float32Array {
  const vector = new Float32Array(BUILT_IN_DIMENSIONS);
  addFeatures(text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH) : text, vector);
  return normalised(vector);
}
