import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatBytes,
  capitalize,
  escapedLine,
  firstLine,
  formatCount,
  oneLine,
  pluralOf,
  truncate,
  uncapitalize,
} from "./format.ts";

describe("escapedLine", () => {
  it("keeps a text on one line, with its line breaks and spaces", () => {
    expect(escapedLine("- a\n  - b\r\n\tc")).toBe("- a\\n  - b\\n\\tc");
  });
});

describe("truncate", () => {
  it("keeps a text that is short enough", () => {
    expect(truncate("exactly ten", 11)).toBe("exactly ten");
    expect(truncate("", 0)).toBe("");
  });

  it("counts the ellipsis and drops the space before it", () => {
    expect(truncate("water the rose", 7)).toBe("water…");
    expect(truncate("abcdef", 4)).toBe("abc…");
  });

  it("does not split a character that consists of several code points", () => {
    expect(truncate("👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀", 16)).toBe("👩🏽‍🚀👩🏽‍🚀…");
    expect(truncate("👩🏽‍🚀👩🏽‍🚀👩🏽‍🚀", 14)).toBe("👩🏽‍🚀…");
  });

  it("returns well-formed text within the limit", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 120 }),
        fc.integer({ min: 1, max: 80 }),
        (text, length) => {
          const cut = truncate(text, length);
          expect(cut.length).toBeLessThanOrEqual(length);
          if (text.length > length) expect(cut.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});

it("joins the lines of a text", () => {
  expect(oneLine("  two\n\t lines\u2028more ")).toBe("two lines more");
});

it("finds the first line that is not blank", () => {
  expect(firstLine("\n  one line \nand more")).toBe("one line");
  expect(firstLine(" \n ")).toBe("");
});

it("changes the case of the first character only", () => {
  expect(capitalize("élan Vital")).toBe("Élan Vital");
  expect(uncapitalize("Read a File")).toBe("read a File");
  expect(capitalize("")).toBe("");
});

it("forms plurals", () => {
  expect(["task", "memory", "day", "byte"].map(pluralOf)).toEqual(["tasks", "memories", "days", "bytes"]);
});

it("writes a number with its noun", () => {
  expect([formatCount(1, "byte"), formatCount(12_345, "byte"), formatCount(2, "entry")]).toEqual([
    "1 byte",
    "12,345 bytes",
    "2 entries",
  ]);
  expect(formatCount(2, "match", "matches")).toBe("2 matches");
});

it.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1_234, "1.2 kB"],
  [999_600, "1.0 MB"],
  [64_000_000, "64 MB"],
])("formats %s bytes as %s", (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words);
});
