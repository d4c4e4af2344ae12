import { describe, expect, it } from "vitest";
import { contextOfPaths, extractEntities, projectOf } from "./entities.ts";

describe("extractEntities", () => {
  it.each([
    ["I met Anna Berg in Lisbon.", ["Anna Berg", "Lisbon"]],
    ["Anna Berg lent me the drill.", ["Anna Berg"]],
    ["My dentist is Dr. Berg, near the Rua Augusta.", ["Berg", "Rua Augusta"]],
    ["We saw Ludwig van Beethoven's house in Bonn", ["Ludwig van Beethoven", "Bonn"]],
    ["The bins go out on Tuesday", []],
    ["The trip to New York is in May.", ["New York"]],
  ])("finds people and places: %s", (text, names) => {
    expect(extractEntities(text)).toEqual(names);
  });

  it("recognizes a name at the beginning of a sentence if it also occurs inside one", () => {
    expect(extractEntities("Marta called. Tell Marta about it. Nobody else did.")).toEqual(["Marta"]);
  });

  it("finds files and folders, but no addresses of the web or of mail", () => {
    expect(
      extractEntities(
        "copy out/garden/plan.md to notes.txt, see https://example.com/a.html or a.b@example.com",
      ),
    ).toEqual(["out/garden/plan.md", "notes.txt"]);
  });

  it("finds dates in one form", () => {
    expect(extractEntities("from 2026-11-20 to 3 December 2026, again on january 5th, 2027")).toEqual([
      "2026-11-20",
      "2026-12-03",
      "2027-01-05",
    ]);
  });

  it("reads no date that does not exist", () => {
    expect(extractEntities("on 31 November 2026 or 2026-13-01")).toEqual([]);
  });

  it("finds amounts with their unit or currency", () => {
    expect(extractEntities("it costs €40 or 45.50 USD, weighs 3 kg and is 20% off; take 5")).toEqual([
      "40 €",
      "45.50 USD",
      "3 kg",
      "20 %",
    ]);
  });

  it("finds no names in a text that capitalizes everything", () => {
    expect(extractEntities("HOW TO BAKE BREAD AT HOME TODAY")).toEqual([]);
    expect(extractEntities("The Ten Best Ways To Bake Your Own Bread")).toEqual([]);
  });

  it("returns each entity once, at most 24, and accepts any text", () => {
    expect(extractEntities("ask Bob, then ask Bob and BOB")).toEqual(["Bob"]);
    const many = Array.from({ length: 60 }, (_, index) => `notes-${index}.md`).join(" ");
    expect(extractEntities(many)).toHaveLength(24);
    expect(extractEntities("")).toEqual([]);
    expect(extractEntities("🙂 \u{d800} 漢字 напомни Анне купить хлеб")).toEqual(["Анне"]);
  });

  it("returns only what a record may contain", () => {
    const [long] = extractEntities(`read ${"deep/".repeat(80)}file.md`);
    expect(long).toBeUndefined();
  });
});

describe("projectOf", () => {
  it.each([
    ["out/garden/plan.md", "garden"],
    ["garden/beds/plan.md", "garden"],
    ["./inbox/tax/2026.csv", "tax"],
    ["out/plan.md", undefined],
    ["plan.md", undefined],
    ["out/garden/", "garden"],
    ["out", undefined],
  ])("is the first folder of %s below the workspace's roots", (path, project) => {
    expect(projectOf(path)).toBe(project);
  });
});

describe("contextOfPaths", () => {
  it("names the first file in one form, and the first project", () => {
    expect(contextOfPaths(["garden", "./plan.md", "out/garden/beds.md"])).toEqual({
      file: "out/plan.md",
      project: "garden",
    });
    expect(contextOfPaths(["notes"])).toEqual({});
  });
});
