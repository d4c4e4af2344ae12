import { describe, expect, it } from "vitest";
import { citedParts, citedSteps, inBrackets, keepCitations } from "./citation.ts";

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

  it("in parentheses are written in brackets, where no other meaning is likely", () => {
    const steps = new Set([1, 2, 3]);
    expect(inBrackets("It is in out/a.md (2). Sums: 12 (1) (3)", steps)).toBe(
      "It is in out/a.md [2]. Sums: 12 (1) (3)",
    );
    expect(inBrackets("Brandt is missing there. (2)", steps)).toBe("Brandt is missing there. [2]");
    expect(inBrackets("I wrote it (1)(2).", steps)).toBe("I wrote it [1][2].");
    for (const text of ["You have open tasks (3).", "See page (4).", "f(2)", "(1) First", "Room 12 (2)"])
      expect(inBrackets(text, steps)).toBe(text);
  });

  it("of unknown steps are removed", () => {
    const steps = new Set([1, 3]);
    expect(keepCitations("Milk [1], bread [2] and salt [2, 3].", steps)).toBe(
      "Milk [1], bread and salt [3].",
    );
    expect(keepCitations("All is well [1, 3].", steps)).toBe("All is well [1, 3].");
  });
});
