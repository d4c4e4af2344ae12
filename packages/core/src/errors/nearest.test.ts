import { describe, expect, it } from "vitest";
import { nearest } from "./nearest.ts";

describe("nearest", () => {
  it("finds what a slip of the pen meant, best first", () => {
    expect(nearest("sandwhich.txt", ["notes.md", "sandwich.txt", "sandwiches.txt"])).toEqual([
      "sandwich.txt",
      "sandwiches.txt",
    ]);
  });

  it("takes letters in the wrong order for one slip", () => {
    expect(nearest("doen", ["todo", "done", "blocked"])).toEqual(["done"]);
  });

  it("does not mind letter case", () => {
    expect(nearest("PATH", ["path"])).toEqual(["path"]);
  });

  it("counts a candidate that holds the word, from three letters on", () => {
    expect(nearest("milk", ["buy some milk and bread today"])).toHaveLength(1);
    expect(nearest("mi", ["buy some milk and bread today"])).toHaveLength(0);
  });

  it("offers nothing when nothing is near", () => {
    expect(nearest("garage", ["milk", "plumber"])).toEqual([]);
    expect(nearest("", ["milk"])).toEqual([]);
  });

  it("keeps to its limit, also over texts of any length", () => {
    expect(
      nearest(
        "a".repeat(50_000),
        Array.from({ length: 50 }, (_, at) => "a".repeat(50_000 - at)),
        2,
      ),
    ).toHaveLength(2);
  });
});
