import { oneLine } from "./format.ts";
import { stripInlineMarkdown } from "./strip-inline-markdown.ts";

/** A line that only separates: a fence of code, or the line below the header of a table. */
const SEPARATOR = /^(?:`{3,}.*|~{3,}.*|\|?(?:\s*:?-{3,}:?\s*\|)+(?:\s*:?-{3,}:?)?)$/u;
const ROW = /^\s*\|(.*)\|\s*$/u;
/** The marks before a heading, a quotation or an item with a box; an item of a list keeps its mark. */
const MARKS = /^(\s*)(?:#{1,6}\s+|>\s?|([-*+]\s+)\[[ xX]\]\s+)/u;

/**
 * Returns the words of a Markdown text where Markdown is not rendered: without marks of headings, quotations, code,
 * emphasis and links. The cells of a row stand side by side. Underscores that are part of a name stay.
 */
export function stripMarkdown(markdown: string): string {
  return markdown
    .split("\n")
    .filter((line) => !SEPARATOR.test(line.trim()))
    .map((line) => stripInlineMarkdown(plainBlock(line)))
    .join("\n");
}

/**
 * Returns the words of a Markdown text whose lines may have been joined by spaces, as in a title; a table becomes its cells,
 * side by side.
 */
export function stripJoinedMarkdown(text: string): string {
  const joined = text.replaceAll(/(?<=\s)#{2,6}\s+/gu, "").replaceAll(/`{3,}(?:[a-z]+\s)?/gu, "");
  return stripMarkdown(withoutTables(joined)).trim();
}

/** A text on one line; a Markdown table becomes its cells. */
function withoutTables(text: string): string {
  if (!/\|\s*:?-{3,}/u.test(text)) return text;
  return text
    .replaceAll(/\|[\s|:-]*-{3,}[\s|:-]*\|?/gu, "|")
    .replaceAll(/\s*\|\s*/gu, " · ")
    .replaceAll(/(?: · )+/gu, " · ")
    .replaceAll(/^ · | · $/gu, "")
    .trim();
}

function plainBlock(line: string): string {
  const cells = ROW.exec(line)?.[1];
  if (cells === undefined) return line.replace(MARKS, "$1$2");
  return cells
    .split(/(?<!\\)\|/u)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "")
    .join(" · ");
}

/** The length of a title, in characters. */
const MAX_TITLE = 80;

const UPLOAD = String.raw`(?:"inbox/[^"\n]+"|inbox/[^\s":]+)`;
/** What the page writes before the words of a request with attached files: "in inbox/fees.csv: ". */
const ATTACHED = new RegExp(String.raw`^in ${UPLOAD}(?: and ${UPLOAD})*:\s+(?=\S)`, "u");

/** A title made from the first request: one line without attached files and marks of Markdown, cut at a word. */
export function titleFromRequest(goal: string): string {
  const line = oneLine(stripJoinedMarkdown(goal.replace(ATTACHED, "")));
  if (line === "") return "New conversation";
  const characters = Array.from(line);
  if (characters.length <= MAX_TITLE) return line;
  const cut = characters.slice(0, MAX_TITLE - 1).join("");
  const space = cut.lastIndexOf(" ");
  return `${space > MAX_TITLE / 2 ? cut.slice(0, space) : cut}…`;
}
