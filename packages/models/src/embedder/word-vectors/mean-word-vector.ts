import { contentWords } from "@metahuman/core/text/words";
import { normalizeVector } from "@metahuman/core/vectors/vector-math";
import { readFileSync } from "node:fs";

/** The number of values in a word's vector. */
export const WORD_DIMENSIONS = 100;

/** Words with this probability in a text count half (smooth inverse frequency, Arora et al. 2017). */
const HALVED_AT = 1e-4;
/** By Zipf's law, a word's probability is about 1 / (rank + offset), before it is divided by the sum over all words. */
const ZIPF_OFFSET = 10;

interface WordVectors {
  /** The rank of each word; the commonest word has rank 0. */
  ranks: ReadonlyMap<string, number>;
  vectors: Int8Array;
  /** The sum of 1 / (rank + offset) over all words. */
  zipfSum: number;
}

let loaded: WordVectors | undefined;

/** The mean of the vectors of a text's English words, in which rare words count more; 0 without a known word. */
export function meanWordVector(text: string): Float32Array {
  loaded ??= load();
  const { ranks, vectors, zipfSum } = loaded;
  const mean = new Float32Array(WORD_DIMENSIONS);
  for (const word of contentWords(text)) {
    const rank = ranks.get(word);
    if (rank === undefined) continue;
    const vector = vectors.subarray(rank * WORD_DIMENSIONS, (rank + 1) * WORD_DIMENSIONS);
    const probability = 1 / ((rank + ZIPF_OFFSET) * zipfSum);
    const weight = HALVED_AT / (HALVED_AT + probability) / lengthOf(vector);
    for (let index = 0; index < WORD_DIMENSIONS; index += 1)
      mean[index] = (mean[index] ?? 0) + weight * (vector[index] ?? 0);
  }
  return normalizeVector(mean);
}

/** Takes about 20 ms, once. */
function load(): WordVectors {
  const words = readFileSync(new URL("./words.txt", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  const bytes = readFileSync(new URL("./vectors.bin", import.meta.url));
  return {
    ranks: new Map(words.map((word, rank) => [word, rank])),
    vectors: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    zipfSum: words.reduce((sum, _, rank) => sum + 1 / (rank + ZIPF_OFFSET), 0),
  };
}

function lengthOf(vector: Int8Array): number {
  let sumOfSquares = 0;
  for (const value of vector) sumOfSquares += value * value;
  return Math.sqrt(sumOfSquares);
}
