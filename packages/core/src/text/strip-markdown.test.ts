import { expect, it } from "vitest";
import { stripJoinedMarkdown, stripMarkdown, titleFromRequest } from "./strip-markdown.ts";

it("shows a table as its cells side by side", () => {
  const table = [
    "| task | due |",
    "| --- | :---: |",
    "| Oil the \\| gate | |",
    "| Buy **milk** | 2026-11-28 |",
  ];
  expect(stripMarkdown(table.join("\n"))).toBe("task · due\nOil the | gate\nBuy milk · 2026-11-28");
});

it("removes the marks of headings, quotations, boxes, code and links", () => {
  const text = "# Prices\n\n> Rope: *5 €*\n- [x] `tar`\n- [chart](https://example.org/a)\n```sh\nls\n```";
  expect(stripMarkdown(text)).toBe("Prices\n\nRope: 5 €\n- tar\n- chart\nls");
});

it("keeps what only looks like Markdown", () => {
  for (const text of [
    "2 * 3 * 4",
    "notes/__init__.py",
    "__init__.py is new",
    "call_the_plumber",
    "a _ b _ c",
    "#5 of the list",
    "a - b",
    "[1] first",
    "---",
  ])
    expect(stripMarkdown(text)).toBe(text);
});

it("removes emphasis in underscores around words", () => {
  expect(stripMarkdown("_long_ walks, __very__ long (_see_ `my_notes_old`)")).toBe(
    "long walks, very long (see my_notes_old)",
  );
});

it("shows escaped marks as what they are, and keeps what is between them", () => {
  expect(stripMarkdown("\\*\\*Olga\\*\\* likes \\`tea\\` and \\_long\\_ walks")).toBe(
    "**Olga** likes `tea` and _long_ walks",
  );
});

it("removes marks from lines that were joined", () => {
  expect(stripJoinedMarkdown("# Week 48 ## Monday **call** Bob ```sh ls ```")).toBe(
    "Week 48 Monday call Bob ls",
  );
  expect(stripJoinedMarkdown("| memory | type | | --- | --- | | the key | fact |")).toBe(
    "memory · type · the key · fact",
  );
  expect(stripJoinedMarkdown("either a | b, or #5 - d")).toBe("either a | b, or #5 - d");
});

it.each([" ", "|", "- ", "| "])("reads 200,000 characters that repeat %j once", (piece) => {
  const text = `${piece.repeat(200_000 / piece.length)}x`;
  expect(stripMarkdown(text)).toMatch(/x$/u);
});

it.each([
  ["in inbox/lease.md: who is the landlord?", "who is the landlord?"],
  ['in "inbox/my lease.md" and inbox/fees.csv: who has not paid', "who has not paid"],
  ["in inbox/lease.md: ", "in inbox/lease.md:"],
  ["read inbox/lease.md", "read inbox/lease.md"],
])("titles a request by its words and not by its attached files: “%s”", (goal, title) => {
  expect(titleFromRequest(goal)).toBe(title);
});
