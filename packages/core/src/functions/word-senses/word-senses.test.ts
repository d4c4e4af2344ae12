import { expect, it } from "vitest";
import { commonKind, isKindOf, sensesOf } from "./word-senses.ts";

it("finds a noun in the singular and in the plural, and no unknown one", () => {
  expect(sensesOf("kingfisher")).toEqual(sensesOf("kingfishers"));
  expect(sensesOf("berries")).toEqual(sensesOf("berry"));
  expect(sensesOf("qqqq")).toBeUndefined();
  expect(sensesOf("")).toBeUndefined();
});

it("recognizes whether a noun names a kind of another", () => {
  expect(isKindOf("naproxen", "medicine")).toBe(true);
  expect(isKindOf("flight", "person")).toBe(false);
  expect(isKindOf("qqqq", "person")).toBeUndefined();
});

it("measures how specific the closest common kind of two nouns is", () => {
  expect(commonKind("hoopoe", "kingfisher")).toBeGreaterThan(0.6);
  expect(commonKind("film", "kingfisher")).toBeLessThan(0.2);
  expect(commonKind("qqqq", "kingfisher")).toBeUndefined();
});
