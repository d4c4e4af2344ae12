import { readFileSync } from "node:fs";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { contentWords, stemOf } from "@metahuman/core/text/words";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import { normalizeVector } from "@metahuman/core/vectors/vector-math";

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
  vector.set(scaleVector(normalizeVector(hashed), Math.sqrt(1 - MEANING_SHARE)));
  vector.set(scaleVector(meanWordVector(read), Math.sqrt(MEANING_SHARE)), HASHED_DIMENSIONS);
  return normalizeVector(vector);
}

function scaleVector(vector: Float32Array, factor: number): Float32Array {
  return vector.map((value) => value * factor);
}

// Feature weights, tuned on labelled retrieval data (mean over several seeds).
const STEM = 1;
/** Divided among all n-grams of a word. */
const NGRAMS = 1.2;
const BIGRAM = 0.2;
const WEAK = 0.5;
const NGRAM_LENGTHS = [3, 4] as const;

/** How many components each feature adds to. Two features rarely share all of them. */
const HASHES_PER_FEATURE = 4;

// Separate seeds make the word "abc" and the n-gram "abc" two features.
const STEM_SEED = 0x9e3779b1;
const NGRAM_SEED = 0x85ebca77;
const BIGRAM_SEED = 0xc2b2ae3d;

/** Adds the features of a text to `vector`. Its length is a power of two. A repeated feature counts by its square root. */
function addFeatures(text: string, vector: Float32Array): void {
  const weights = new Map<number, number>();
  const add = (feature: number, weight: number): void =>
    void weights.set(feature, (weights.get(feature) ?? 0) + weight);

  let previous: number | undefined;
  for (const word of contentWords(text)) {
    const stem = stemOf(word);
    const strength = WEAK_STEMS.has(stem) ? WEAK : 1;
    const feature = hash(stem, 0, stem.length, STEM_SEED);
    add(feature, STEM * strength);
    if (previous !== undefined) add(mix(previous ^ Math.imul(feature, BIGRAM_SEED)), BIGRAM);
    addNgrams(word, NGRAMS * strength, add);
    previous = feature;
  }
  for (const [feature, weight] of weights) addHashed(feature, Math.sqrt(weight), vector);
}

/** Adds every n-gram of three or four characters, word borders included: `cat` → `^ca`, `cat`, `at$`, `^cat`, `cat$`. */
function addNgrams(word: string, strength: number, add: (feature: number, weight: number) => void): void {
  const bordered = `^${word}$`;
  const count = NGRAM_LENGTHS.reduce((sum, length) => sum + Math.max(0, bordered.length - length + 1), 0);
  const weight = strength / Math.sqrt(count);
  for (const length of NGRAM_LENGTHS) {
    for (let start = 0; start + length <= bordered.length; start += 1) {
      add(hash(bordered, start, start + length, NGRAM_SEED), weight);
    }
  }
}

/** The low bits of the hash choose a component and the highest bit the sign, so that collisions cancel out on average. */
function addHashed(feature: number, weight: number, vector: Float32Array): void {
  let bits = feature;
  for (let round = 0; round < HASHES_PER_FEATURE; round += 1) {
    const index = bits & (vector.length - 1);
    vector[index] = (vector[index] ?? 0) + (bits >>> 31 === 1 ? -weight : weight);
    bits = mix(bits + 0x9e3779b9);
  }
}

/** FNV-1a over UTF-16 code units with the finalizer of MurmurHash3; unsigned, 32 bits. */
function hash(text: string, start: number, end: number, seed: number): number {
  let value = seed ^ 0x811c9dc5;
  for (let index = start; index < end; index += 1)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return mix(value);
}

function mix(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Stems of common request words. They count half because they rarely distinguish two texts. */
const WEAK_STEMS: ReadonlySet<string> = new Set(
  (
    "get set find make give use need want know tell show list let see look say ask help like write create check take go put " +
    "thing way new one two first last provide include specify contain return given call valid request require example name " +
    "type kind data information value number text string option format default parameter function user optional"
  )
    .split(" ")
    .map(stemOf),
);

/** The number of values in a word's vector. */
const WORD_DIMENSIONS = 100;

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
  const words = readFileSync(new URL("./word-vectors/words.txt", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  const bytes = readFileSync(new URL("./word-vectors/vectors.bin", import.meta.url));
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
