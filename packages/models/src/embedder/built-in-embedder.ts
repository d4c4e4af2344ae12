import type { Embedder } from "@metahuman/core/vectors/embedder";
import { normalized } from "@metahuman/core/vectors/vector-math";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { addFeatures } from "./features.ts";
import { meanWordVector, WORD_DIMENSIONS } from "./word-vectors/mean-word-vector.ts";

/** Changes whenever the vector of a text changes. */
const VERSION = 2;
const HASHED_DIMENSIONS = 512;
/** The share of the words' meaning in a similarity; the rest is their spelling. Tuned on labelled retrieval data. */
const MEANING_SHARE = 0.4;

/** The rest of a longer text adds little to its topic and costs time. */
const MAX_TEXT_LENGTH = 8_000;

/** A batch takes some 30 ms, in slices; the fewer, the fewer messages to the thread of the index. */
const BATCH_SIZE = 256;

/** The maximum time before the embedder yields to the event loop, in milliseconds. */
const SLICE_MS = 4;

/**
 * Embeds without a model. The first 512 numbers hash words and character n-grams with a sign (feature hashing, Weinberger
 * et al. 2009): texts are similar if they share words, word forms, spellings or word pairs. The other 100 are the mean of
 * the vectors of the text's English words: texts are similar if their words are used in similar contexts. Deterministic
 * on every machine.
 */
export function createBuiltInEmbedder(): Embedder {
  return {
    id: `built-in-${VERSION}`,
    dimensions: HASHED_DIMENSIONS + WORD_DIMENSIONS,
    batchSize: BATCH_SIZE,
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
  const read = text.length > MAX_TEXT_LENGTH ? text.slice(0, MAX_TEXT_LENGTH) : text;
  const hashed = new Float32Array(HASHED_DIMENSIONS);
  addFeatures(read, hashed);
  const vector = new Float32Array(HASHED_DIMENSIONS + WORD_DIMENSIONS);
  vector.set(scaled(normalized(hashed), Math.sqrt(1 - MEANING_SHARE)));
  vector.set(scaled(meanWordVector(read), Math.sqrt(MEANING_SHARE)), HASHED_DIMENSIONS);
  return normalized(vector);
}

function scaled(vector: Float32Array, factor: number): Float32Array {
  return vector.map((value) => value * factor);
}
