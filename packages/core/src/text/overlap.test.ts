import { expect, it } from "vitest";
import { diceCoefficient, jaccardIndex } from "./overlap.ts";

const some = new Set(["a", "b", "c"]);
const none = new Set<string>();

it("measures the overlap of two sets", () => {
  const other = new Set(["b", "c", "d", "e"]);
  expect(jaccardIndex(some, other)).toBeCloseTo(2 / 5);
  expect(diceCoefficient(some, other)).toBeCloseTo(4 / 7);
});

it("is 1 for equal sets and 0 for empty ones", () => {
  expect([jaccardIndex(some, some), diceCoefficient(some, some)]).toEqual([1, 1]);
  expect([jaccardIndex(some, none), diceCoefficient(some, none)]).toEqual([0, 0]);
  expect([jaccardIndex(none, none), diceCoefficient(none, none)]).toEqual([0, 0]);
});
