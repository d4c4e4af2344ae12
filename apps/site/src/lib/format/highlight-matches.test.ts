import fc from "fast-check";
import { expect, it } from "vitest";
import { highlightMatches } from "./highlight-matches.ts";

it("marks every matching word, ignoring case", () => {
  expect(highlightMatches("The garage code is in the Blue notebook.", "blue GARAGE?")).toEqual([
    { text: "The ", isMatch: false },
    { text: "garage", isMatch: true },
    { text: " code is in the ", isMatch: false },
    { text: "Blue", isMatch: true },
    { text: " notebook.", isMatch: false },
  ]);
});

it("shows the part of a long text that contains the words", () => {
  const pieces = highlightMatches(`${"word ".repeat(300)}needle ${"word ".repeat(300)}`, "needle");
  expect(pieces.some(({ text, isMatch }) => isMatch && text === "needle")).toBe(true);
  expect(pieces[0]?.text.startsWith("… ")).toBe(true);
});

it("never changes the text, whatever the query", () => {
  const lettersOf = (text: string) => text.replace(/[^\p{L}]/gu, "");
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 100 }),
      fc.string({ unit: "grapheme", maxLength: 20 }),
      (text, query) => {
        const shown = highlightMatches(text, query)
          .map((piece) => piece.text)
          .join("");
        // The letters of a fence's first line name a language; all others are words.
        fc.pre(!/^\s*(?:```|~~~)/mu.test(text));
        expect(lettersOf(text)).toContain(lettersOf(shown));
      },
    ),
  );
});

it("shows the words of Markdown without markup", () => {
  const shown = (text: string) =>
    highlightMatches(text, "")
      .map((piece) => piece.text)
      .join("");
  expect(
    shown(
      "## Plan\n\n- **call** the _plumber_\n- [x] read `notes/a.md`\n> see [the page](https://x.example/a)",
    ),
  ).toBe("Plan call the plumber read notes/a.md see the page");
  expect(shown("```ts\nconst one = 1;\n```")).toBe("const one = 1;");
});

it("keeps text that only looks like Markdown", () => {
  for (const text of [
    "2 * 3 * 4 = 24",
    "snake_case_name",
    "#tag and #other",
    "a - b",
    "5 > 3",
    "__init__.py",
    "*.ts and *.js",
  ])
    expect(highlightMatches(text, "")).toEqual([{ text, isMatch: false }]);
});

it("shows the cells of a table, and keeps other bars", () => {
  const table = "Answered: | memory | when |\n| --- | :---: |\n| the code | today |";
  expect(highlightMatches(table, "")).toEqual([
    { text: "Answered: memory · when · the code · today", isMatch: false },
  ]);
  expect(highlightMatches("ls | wc -l", "")).toEqual([{ text: "ls | wc -l", isMatch: false }]);
});
