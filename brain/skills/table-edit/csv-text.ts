import { InvalidArgsError } from "@metahuman/core/errors/request-errors";

/** One cell of a CSV text, with its place: character offsets, with its quotation marks and without the spaces around it. */
export interface CsvCell {
  value: string;
  from: number;
  to: number;
  isQuoted: boolean;
}

/** One row of a CSV text. `to` is after its line break. */
export interface CsvRow {
  cells: CsvCell[];
  from: number;
  to: number;
}

/**
 * The rows of a CSV text (RFC 4180) with the place of each cell, without empty lines. Throws `InvalidArgsError` if a quotation
 * mark is never closed.
 */
export function csvRows(text: string, delimiter: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  while (at < text.length) {
    const from = at;
    const cells: CsvCell[] = [];
    for (;;) {
      const cell = cellAt(text, at, delimiter);
      cells.push(cell.cell);
      at = cell.end;
      if (text[at] !== delimiter) break;
      at += 1;
    }
    at += /^(?:\r\n|\n|\r)/u.exec(text.slice(at, at + 2))?.[0].length ?? 0;
    if (cells.length > 1 || cells[0]?.value !== "") rows.push({ cells, from, to: at });
  }
  return rows;
}

/** The cell that begins at an offset; `end` is the offset of the delimiter or line break after it. */
function cellAt(text: string, start: number, delimiter: string): { cell: CsvCell; end: number } {
  let from = start;
  while (text[from] === " ") from += 1;
  if (text[from] === '"') {
    let close = from + 1;
    while (close < text.length && (text[close] !== '"' || text[close + 1] === '"'))
      close += text[close] === '"' ? 2 : 1;
    let end = close + 1;
    while (text[end] === " ") end += 1;
    if (close >= text.length || (end < text.length && !isEnd(text[end], delimiter)))
      throw new InvalidArgsError(
        `This file is not a table: a quotation mark is not closed in “${text.slice(from, from + 40)}”.`,
      );
    const value = text.slice(from + 1, close).replaceAll('""', '"');
    return { cell: { value, from, to: close + 1, isQuoted: true }, end };
  }
  let end = from;
  while (end < text.length && !isEnd(text[end], delimiter)) end += 1;
  const value = text.slice(from, end).trimEnd();
  return { cell: { value, from, to: from + value.length, isQuoted: false }, end };
}

const isEnd = (character: string | undefined, delimiter: string): boolean =>
  character === delimiter || character === "\n" || character === "\r";

/** A value as a cell, in quotation marks if it needs them or its neighbours have them. */
export function csvCell(value: string, delimiter: string, isQuoted = false): string {
  const needsQuotes = isQuoted || value.includes(delimiter) || /["\r\n]|^\s|\s$/u.test(value);
  return needsQuotes ? `"${value.replaceAll('"', '""')}"` : value;
}
