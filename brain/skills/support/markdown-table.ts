import type { CsvCell, CsvRow } from "../table-edit/csv-text.ts";

/** The line of dashes under the names of the columns: `| --- | ---: |`. */
const RULE = /^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?\s*)?$/u;
const isRow = (line: string): boolean => line.includes("|");
const isFence = (line: string): boolean => /^\s*(?:```|~~~)/u.test(line);

/** True for a file whose tables are written with `|`. */
export const isMarkdown = (path: string): boolean => /\.(?:md|markdown)$/iu.test(path);

/**
 * The rows of the only table in a Markdown text (GitHub Flavored Markdown), the names of the columns first, with the place of each
 * cell. The first row ends after the line of dashes. Undefined if the text has no table or several.
 */
export function markdownRows(text: string): CsvRow[] | undefined {
  const tables = tablesIn(linesOf(text));
  const [only, ...others] = tables;
  return only === undefined || others.length > 0 ? undefined : only;
}

/** A value as a cell: on one line, with its `|` escaped. */
export const markdownCell = (value: string): string =>
  value.replaceAll(/\s*[\r\n]+\s*/gu, " ").replaceAll("|", String.raw`\|`);

interface Line {
  text: string;
  from: number;
  /** After its line break. */
  to: number;
}

function linesOf(text: string): Line[] {
  return [...text.matchAll(/[^\r\n]*(?:\r\n|\n|\r|$)/gu)].flatMap(({ 0: line, index }) =>
    line === "" ? [] : [{ text: line.replace(/[\r\n]+$/u, ""), from: index, to: index + line.length }],
  );
}

function tablesIn(lines: readonly Line[]): CsvRow[][] {
  const tables: CsvRow[][] = [];
  let isCode = false;
  for (let index = 0; index < lines.length; index++) {
    const [line, rule] = [lines[index], lines[index + 1]];
    if (line !== undefined && isFence(line.text)) isCode = !isCode;
    if (isCode || line === undefined || rule === undefined || !isRow(line.text) || !RULE.test(rule.text))
      continue;
    const rows: CsvRow[] = [{ cells: cellsOf(line), from: line.from, to: rule.to }];
    for (index += 2; index < lines.length; index++) {
      const next = lines[index];
      if (next === undefined || !isRow(next.text)) break;
      rows.push({ cells: cellsOf(next), from: next.from, to: next.to });
    }
    tables.push(rows);
  }
  return tables;
}

/** The cells between the `|` of a line. */
function cellsOf({ text, from }: Line): CsvCell[] {
  const inner = text.replace(/(?<!\\)\|\s*$/u, "");
  const start = /^\s*\|?/u.exec(inner)?.[0].length ?? 0;
  const cells: CsvCell[] = [];
  let at = start;
  for (const part of inner.slice(start).split(/(?<!\\)\|/u)) {
    const value = part.trim();
    const begin =
      from + at + (value === "" ? Math.min(1, part.length) : part.length - part.trimStart().length);
    cells.push({
      value: value.replaceAll(String.raw`\|`, "|"),
      from: begin,
      to: begin + value.length,
      isQuoted: false,
    });
    at += part.length + 1;
  }
  return cells;
}
