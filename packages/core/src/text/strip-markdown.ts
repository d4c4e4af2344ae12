/** A line that only separates: a fence of code, or the line below the header of a table. */
const SEPARATOR = /^\s*(?:`{3,}.*|~{3,}.*|\|?(?:\s*:?-{3,}:?\s*\|)+(?:\s*:?-{3,}:?\s*)?)\s*$/u;
const ROW = /^\s*\|(.*)\|\s*$/u;
/** The marks before a heading, a quotation or an item with a box; an item of a list keeps its mark. */
const MARKS = /^(\s*)(?:#{1,6}\s+|>\s?|([-*+]\s+)\[[ xX]\]\s+)/u;

/**
 * Returns the words of a Markdown text where Markdown is not rendered: without marks of headings, quotations, code,
 * emphasis in asterisks and links. The cells of a row stand side by side. Underscores stay: they are part of names.
 */
export function stripMarkdown(markdown: string): string {
  return markdown
    .split("\n")
    .filter((line) => !SEPARATOR.test(line))
    .map((line) => plainInline(plainBlock(line)))
    .join("\n");
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

function plainInline(line: string): string {
  return line
    .replaceAll(/!?\[([^\][]+)\]\((?:[^()\s]+)\)/gu, "$1")
    .replaceAll(/(\*{1,3})(?=[^\s*])([^*]*[^\s*])\1/gu, "$2")
    .replaceAll(/`([^`]+)`/gu, "$1")
    .replaceAll(/\\([\\`*_[\]<>|#])/gu, "$1");
}
