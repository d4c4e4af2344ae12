import fc from "fast-check";
import { expect, it } from "vitest";
import { highlightMatches } from "./highlight-matches.ts";

it("marks every word that was looked for, in any case", () => {
  expect(highlightMatches("The garage code is in the Blue notebook.", "blue GARAGE?")).toEqual([
    { text: "The ", hit: false },
    { text: "garage", hit: true },
    { text: " code is in the ", hit: false },
    { text: "Blue", hit: true },
    { text: " notebook.", hit: false },
  ]);
});

it("shows the part of a long text in which the words occur", () => {
  const pieces = highlightMatches(`${"word ".repeat(300)}needle ${"word ".repeat(300)}`, "needle");
  expect(pieces.some(({ text, hit }) => hit && text === "needle")).toBe(true);
  expect(pieces[0]?.text.startsWith("… ")).toBe(true);
});

it("never changes the words, whatever the text and the query", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 100 }),
      fc.string({ unit: "grapheme", maxLength: 20 }),
      (text, query) => {
        const shown = highlightMatches(text, query)
          .map((piece) => piece.text)
          .join("");
        expect(text.replace(/\s+/g, " ").trim().includes(shown.replace(/^… /, ""))).toBe(true);
      },
    ),
  );
});

it("shows the cells of a table, and leaves other bars alone", () => {
  const table = "Answered: | memory | when |\n| --- | :---: |\n| the code | today |";
  expect(highlightMatches(table, "")).toEqual([
    { text: "Answered: memory · when · the code · today", hit: false },
  ]);
  expect(highlightMatches("ls | wc -l", "")).toEqual([{ text: "ls | wc -l", hit: false }]);
});
