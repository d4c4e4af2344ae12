import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { repeatedLines, sortedLines } from "./order-lines.ts";

const sorted = (text: string): string => sortedLines(text.split("\n"), "out/a.md").lines.join("\n");

describe("the lines of a list, sorted", () => {
  it.each([
    ["plain lines, below their name", "Guests:\nPekka\nanna\nOla\n", "Guests:\nanna\nOla\nPekka\n"],
    ["numbers by their value", "item 10\nitem 9", "item 9\nitem 10"],
    [
      "each list of Markdown by itself, without headings and text",
      "# Trip\nTake along:\n- tent\n- axe\n\n## Food\n- [x] rice\n- [ ] oil\n",
      "# Trip\nTake along:\n- axe\n- tent\n\n## Food\n- [ ] oil\n- [x] rice\n",
    ],
    ["items with what is below them", "- b\n  - of b\n- a\n  of a", "- a\n  of a\n- b\n  - of b"],
    ["items behind the numbers, which stay", "1. tea\n2. milk", "1. milk\n2. tea"],
  ])("has %s", (_, text, expected) => {
    expect(sorted(text)).toBe(expected);
  });

  it("is not changed if there is nothing to sort", () => {
    expect(() => sorted("# Trip\n\nanna\n")).toThrow("out/a.md has no list of several lines to sort.");
    expect(() => sorted("- a\n- B\n")).toThrow("are in alphabetical order already");
  });

  it("has the same lines as before", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("", "# x", "- b", "- a", "  - c", "d", "  e", "2. f")),
        (lines) => {
          let result: readonly string[] = lines;
          try {
            result = sortedLines(lines, "out/a.md").lines;
          } catch (error) {
            expect(String(error)).toMatch(/no list of several lines|already/u);
          }
          const bare = (all: readonly string[]): string[] =>
            all.map((line) => line.replace(/^\d+\. /u, "")).toSorted();
          expect(bare(result)).toEqual(bare(lines));
        },
      ),
    );
  });
});

describe("repeated lines", () => {
  it("are the same words in whatever case, with or without a list mark", () => {
    const found = repeatedLines(["Names:", "- Anna", "- Ola", "- anna", "", "- Anna"]);
    expect([...found.values()]).toEqual([{ text: "Anna", at: [1, 3, 5] }]);
  });
});
