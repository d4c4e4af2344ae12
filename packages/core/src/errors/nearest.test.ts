import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.ts";

describe("nearest", () => {
  it("finds the candidates for a typo, best first", () => {
    expect(nearest("sandwhich.txt", ["notes.md", "sandwich.txt", "sandwiches.txt"])).toEqual([
      "sandwich.txt",
      "sandwiches.txt",
    ]);
  });

  it("counts transposed letters as one edit", () => {
    expect(nearest("doen", ["todo", "done", "blocked"])).toEqual(["done"]);
  });

  it("ignores letter case", () => {
    expect(nearest("PATH", ["path"])).toEqual(["path"]);
  });

  it("matches a candidate that contains the word, from three letters", () => {
    expect(nearest("milk", ["buy some milk and bread today"])).toHaveLength(1);
    expect(nearest("mi", ["buy some milk and bread today"])).toHaveLength(0);
  });

  it("returns nothing if no candidate is similar", () => {
    expect(nearest("garage", ["milk", "plumber"])).toEqual([]);
    expect(nearest("", ["milk"])).toEqual([]);
  });

  it("respects its limit, for texts of any length", () => {
    expect(
      nearest(
        "a".repeat(50_000),
        Array.from({ length: 50 }, (_, index) => "a".repeat(50_000 - index)),
        2,
      ),
    ).toHaveLength(2);
  });
});
