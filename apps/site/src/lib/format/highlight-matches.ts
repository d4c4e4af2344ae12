import { oneLine } from "@metahuman/core/text/format";

/** A piece of text, and whether it is one of the words looked for. */
export interface Piece {
  text: string;
  isMatch: boolean;
}

const LENGTH = 240;

/**
 * Returns the part of `text` around the first word of `query` in it, split into pieces with every matching word marked. Case
 * does not matter.
 */
export function highlightMatches(text: string, query: string): Piece[] {
  const words = query.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1);
  const flat = plainLine(text);
  if (words.length === 0) return [{ text: flat.slice(0, LENGTH), isMatch: false }];
  const pattern = new RegExp(
    words
      .map(escaped)
      .sort((one, other) => other.length - one.length)
      .join("|"),
    "giu",
  );
  const first = flat.search(pattern);
  const from = first > LENGTH / 2 ? flat.lastIndexOf(" ", first - LENGTH / 4) + 1 : 0;
  const part = (from > 0 ? "… " : "") + flat.slice(from, from + LENGTH);
  const pieces: Piece[] = [];
  let position = 0;
  for (const match of part.matchAll(pattern)) {
    if (match.index > position) pieces.push({ text: part.slice(position, match.index), isMatch: false });
    pieces.push({ text: match[0], isMatch: true });
    position = match.index + match[0].length;
  }
  if (position < part.length) pieces.push({ text: part.slice(position), isMatch: false });
  return pieces;
}

/** A text on one line without Markdown; for a table, its cells. */
function plainLine(text: string): string {
  const flat = oneLine(withoutMarks(text));
  const cells = flat.replaceAll(/\|(?: ?:?-{3,}:? ?\|)+/g, "|");
  if (cells === flat) return flat;
  return cells.replaceAll(/ ?\|(?: ?\|)* ?/g, " · ").replace(/(^|: )· | ·\s*$/g, "$1");
}

/**
 * Leaves the words of headings, lists, quotes, fences, emphasis, code and links. Only pairs that enclose words count as
 * marks, so that `2 * 3 * 4`, `snake_case_name` and `#tag` stay as they are.
 */
function withoutMarks(text: string): string {
  return text
    .replaceAll(/^[ \t]*(?:```|~~~).*$/gmu, "")
    .replaceAll(/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/gmu, "")
    .replaceAll(/!?\[([^\][\n]{1,200})\]\([^()\s]{1,500}\)/gu, "$1")
    .replaceAll(/(?<![\p{L}\p{N}`])`([^`\n]{1,200})`(?![\p{L}\p{N}`])/gu, "$1")
    .replaceAll(/(?<![\p{L}\p{N}*])(\*{1,3})(?=[^\s*])([^*\n]{1,400})(?<=\S)\1(?![\p{L}\p{N}*])/gu, "$2")
    .replaceAll(
      /(?<![\p{L}\p{N}_])(_{1,2})(?=[^\s_])([^_\n]{1,400})(?<=\S)\1(?![\p{L}\p{N}_]|\.\p{L})/gu,
      "$2",
    )
    .replaceAll(/~~(?=\S)([^~\n]{1,400})(?<=\S)~~/gu, "$1");
}

function escaped(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
