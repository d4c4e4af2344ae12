import { describe, expect, it } from "vitest";
import { citedParts, citedSteps, keepCitations } from "./citation.ts";

describe("citations", () => {
  it("are separated from the text around them", () => {
    expect(citedParts("Milk [1] and bread [2, 3].")).toEqual([
      { text: "Milk " },
      { steps: [1] },
      { text: " and bread " },
      { steps: [2, 3] },
      { text: "." },
    ]);
    expect(citedParts("[1]")).toEqual([{ steps: [1] }]);
    expect(citedParts("")).toEqual([]);
  });

  it("do not include links, years or words", () => {
    for (const text of ["see [1](https://a.example)", "in [2026]", "[x] done", "a[]"])
      expect(citedSteps(text)).toEqual([]);
  });

  it("of unknown steps are removed", () => {
    const steps = new Set([1, 3]);
    expect(keepCitations("Milk [1], bread [2] and salt [2, 3].", steps)).toBe(
      "Milk [1], bread and salt [3].",
    );
    expect(keepCitations("All is well [1, 3].", steps)).toBe("All is well [1, 3].");
  });
});
