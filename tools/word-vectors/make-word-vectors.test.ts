import { meanWordVector } from "@metahuman/models/embedder/built-in-embedder";
import { expect, it } from "vitest";
import { makeWordVectors } from "./make-word-vectors.ts";

it("scales each vector to bytes, commonest word first, and leaves marks and numbers out", () => {
  const vector = (seed: number): number[] =>
    Array.from({ length: 102 }, (_, index) => Math.sin(seed * 7 + index * (seed + 1)));
  const words = ["the", ",", "1998", "cat", "dog", "tree"];
  const { words: kept, bytes } = makeWordVectors({
    words,
    vectors: Object.fromEntries(words.map((word, index) => [word, vector(index)])),
  });
  expect(kept).toEqual(["the", "cat", "dog", "tree"]);
  expect(bytes).toHaveLength(4 * 100);
  expect(Math.max(...bytes.subarray(0, 100).map(Math.abs))).toBe(127);
});

it("writes vectors in which related words are similar", () => {
  const similarity = (one: string, other: string): number => {
    const vector = meanWordVector(other);
    return meanWordVector(one).reduce((sum, value, index) => sum + value * (vector[index] ?? 0), 0);
  };
  expect(similarity("physician", "doctor")).toBeGreaterThan(0.6);
  expect(similarity("physician", "bicycle")).toBeLessThan(0.2);
  expect(similarity("qqqq", "doctor")).toBe(0);
});
