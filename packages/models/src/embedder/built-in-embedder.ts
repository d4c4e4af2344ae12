import type { Embedder } from "@metahuman/core/vectors/embedder";
import { normalised } from "@metahuman/core/vectors/vector-math";
import { setImmediate as nextTurn } from "node:timers/promises";
import { addFeatures } from "./features.ts";

/** Changes whenever the same text would get another vector. */
const VERSION = 1;
const BUILT_IN_DIMENSIONS = 512;

/** What follows says little about what a text is about, and would take its time from others. */
const LONGEST_TEXT = 8_000;

/** How long one batch may keep the event loop, in milliseconds. */
const SLICE_MS = 4;

/**
 * The embedder that needs no model: words and parts of words, hashed with a sign into 512 numbers (feature hashing,
 * Weinberger et al. 2009). Texts are near when they share words, word forms, spellings or neighbouring words; it knows
 * nothing of synonyms. Deterministic on every machine.
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
        await nextTurn();
        sliceStart = performance.now();
      }
      return vectors;
    },
  };
}

function embedText(text: string): Float32Array {
  const vector = new Float32Array(BUILT_IN_DIMENSIONS);
  addFeatures(text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text, vector);
  return normalised(vector);
}
