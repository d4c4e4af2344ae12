import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffTexts, type Piece } from "./diff-texts.ts";

const marked = (pieces: readonly Piece[] | undefined): string | undefined =>
  pieces?.map(({ text, changed }) => (changed ? `[${text}]` : text)).join("");

/** Rows as text, with what changed in brackets. */
const drawn = (before: string, after: string) =>
  diffTexts(before, after).map((row) => {
    switch (row.kind) {
      case "kept":
        return row.text;
      case "gap":
        return `… ${row.lines.length}`;
      case "changed":
        return [marked(row.before), marked(row.after)];
      default:
        return row satisfies never;
    }
  });

describe("comparing two texts", () => {
  it("ignores a missing newline at the end", () => {
    expect(drawn("call the plumber", "call the plumber\n")).toEqual(["call the plumber"]);
    expect(drawn("call the plumber", "call the plumber\npay the bank\n")).toEqual([
      "call the plumber",
      [undefined, "[pay the bank]"],
    ]);
  });

  it("shows the words that changed within a line", () => {
    expect(drawn("call the plumber\n", "call the plumber, then the bank\n")).toEqual([
      ["call the plumber", "call the plumber[, then the bank]"],
    ]);
    expect(drawn("write it to out/", "write it to notes/")).toEqual([
      ["write it to [out]/", "write it to [notes]/"],
    ]);
    expect(drawn("then write the list", "then add to the list")).toEqual([
      ["then [write] the list", "then [add to ]the list"],
    ]);
  });

  it("shows dissimilar lines as a whole", () => {
    expect(drawn("One line.", "Along the old folds.")).toEqual([["[One line.]", "[Along the old folds.]"]]);
  });

  it("shows only added lines for a new text, only removed ones for an emptied text, nothing for an equal one", () => {
    expect(drawn("", "a\nb\n")).toEqual([
      [undefined, "[a]"],
      [undefined, "[b]"],
    ]);
    expect(drawn("a\n", "")).toEqual([["[a]", undefined]]);
    expect(drawn("", "")).toEqual([]);
  });

  it("aligns lines with their original, wherever a line was inserted", () => {
    expect(
      drawn("read the list\nsay how long it is", "open the door\nread the whole list\nsay how long it was"),
    ).toEqual([
      [undefined, "[open the door]"],
      ["read the list", "read the [whole ]list"],
      ["say how long it [is]", "say how long it [was]"],
    ]);
  });

  it("collapses lines far from any change", () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    expect(drawn(lines.join("\n"), lines.with(10, "changed").join("\n"))).toEqual([
      "… 8",
      "line 8",
      "line 9",
      ["[line 10]", "[changed]"],
      "line 11",
      "line 12",
      "… 7",
    ]);
  });

  it("contains every line of both texts, in order", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c d", "c e", ""), { maxLength: 30 })
      .map((lines) => lines.map((line) => `${line}\n`).join(""));
    const sideOf = (before: string, after: string, side: "before" | "after") =>
      diffTexts(before, after)
        .flatMap((row) => {
          if (row.kind === "gap") return row.lines.map((line) => line.text);
          if (row.kind === "kept") return [row.text];
          const pieces = row[side];
          return pieces ? [pieces.map((piece) => piece.text).join("")] : [];
        })
        .map((line) => `${line}\n`)
        .join("");
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(sideOf(before, after, "before")).toBe(before);
        expect(sideOf(before, after, "after")).toBe(after);
      }),
    );
  });
});
