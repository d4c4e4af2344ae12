import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { columnNamed, columnNames, type Table } from "../fs-read/tables.ts";
import { markdownCell } from "../support/markdown-table.ts";
import { csvCell, type CsvRow } from "./csv-text.ts";

/** A table with the places of its rows in the text, the names of the columns first. */
interface PlacedTable extends Table {
  delimiter: string;
  isMarkdown: boolean;
  placed: readonly CsvRow[];
  /** The index of the first row among `placed`: 0 for a table without names of columns. */
  first: number;
}

export interface ColumnEdit {
  action: "add_column" | "rename_column" | "remove_column";
  column?: string | undefined;
  value?: string | undefined;
}

/**
 * Adds an empty column at the end, renames or removes one, and leaves everything else of the text as it is. Throws
 * `InvalidArgsError` for a name that is missing, taken, or ambiguous.
 */
export function editColumn(
  text: string,
  table: PlacedTable,
  { action, column: words = "", value: newName = "" }: ColumnEdit,
  path: string,
): { text: string; column: string } {
  if (table.first === 0)
    throw new InvalidArgsError(
      `The first line of ${path} does not name its columns, so none can be changed.`,
    );
  const name = action === "add_column" ? words.trim() : newName.trim();
  const isTaken = table.columns.some((column) => column.trim().toLowerCase() === name.toLowerCase());
  if (action !== "remove_column" && isTaken)
    throw new InvalidArgsError(
      `${path} has a column “${name}” already. Its columns are ${columnNames(table)}.`,
    );
  if (action === "add_column") return { text: withColumn(text, table, name), column: name };
  const at = columnNamed(table, words);
  if (at === undefined)
    throw new InvalidArgsError(`${path} has no column “${words}”. Its columns are ${columnNames(table)}.`);
  const column = table.columns[at] ?? "";
  if (action === "remove_column") {
    if (table.columns.length === 1)
      throw new InvalidArgsError(`“${column}” is the only column of ${path}. Delete the file instead.`);
    return { text: withoutColumn(text, table, at), column };
  }
  const cell = table.placed[0]?.cells[at];
  if (cell === undefined) return { text, column };
  const written = table.isMarkdown ? markdownCell(name) : csvCell(name, table.delimiter, cell.isQuoted);
  return { text: `${text.slice(0, cell.from)}${written}${text.slice(cell.to)}`, column };
}

/** Applies `change` to the line of each row; the line of dashes under the names of a Markdown table counts as a row. */
function changedLines(
  text: string,
  { placed }: PlacedTable,
  change: (line: string, row: CsvRow) => string,
): string {
  let written = "";
  let end = 0;
  for (const row of placed) {
    written += text.slice(end, row.from) + change(text.slice(row.from, row.to), row);
    end = row.to;
  }
  return written + text.slice(end);
}

function withColumn(text: string, table: PlacedTable, name: string): string {
  const { delimiter, columns, isMarkdown, placed } = table;
  return changedLines(text, table, (line, row) => {
    const isHeader = row === placed[0];
    if (isMarkdown) {
      const [first = "", ...rest] = line.split(/(?<=\n)/u);
      const added = [
        withCell(first, isHeader ? markdownCell(name) : ""),
        ...rest.map((rule) => withCell(rule, "---")),
      ];
      return added.join("");
    }
    const end = row.cells.at(-1)?.to ?? row.from;
    const missing = delimiter.repeat(columns.length - row.cells.length + 1);
    const cell = isHeader
      ? csvCell(
          name,
          delimiter,
          row.cells.every(({ isQuoted }) => isQuoted),
        )
      : "";
    return `${text.slice(row.from, end)}${missing}${cell}${text.slice(end, row.to)}`;
  });
}

/** A line of a Markdown table with one more cell. */
function withCell(line: string, cell: string): string {
  const [ending = ""] = /\s*$/u.exec(line) ?? [];
  const row = line.slice(0, line.length - ending.length);
  const isClosed = /(?<!\\)\|$/u.test(row);
  return isClosed ? `${row} ${cell} |${ending}` : `${row} | ${cell}${ending}`;
}

function withoutColumn(text: string, table: PlacedTable, at: number): string {
  return changedLines(text, table, (line, row) => {
    if (table.isMarkdown)
      return line
        .split(/(?<=\n)/u)
        .map((part) => withoutCell(part, at))
        .join("");
    const cell = row.cells[at];
    if (cell === undefined) return line;
    const next = row.cells[at + 1];
    const before = row.cells[at - 1];
    const [from, to] = next !== undefined ? [cell.from, next.from] : [before?.to ?? cell.from, cell.to];
    return text.slice(row.from, from) + text.slice(to, row.to);
  });
}

/** A line of a Markdown table without the cell at an index. */
function withoutCell(line: string, at: number): string {
  const [ending = ""] = /\s*$/u.exec(line) ?? [];
  const [lead = ""] = /^\s*\|?/u.exec(line) ?? [];
  const cells = line.slice(lead.length, line.length - ending.length).split(/(?<!\\)\|/u);
  const kept = cells.filter((_, index) => index !== at);
  return `${lead}${kept.join("|")}${ending}`;
}
