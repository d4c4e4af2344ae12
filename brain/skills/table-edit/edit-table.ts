import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { formatCount } from "@metahuman/core/text/format";
import { isRecord } from "@metahuman/core/text/is-record";
import { amountIn, columnNamed, columnNames, delimiterIn, isTotal, type Table } from "../fs-read/tables.ts";
import { isMarkdown, markdownCell, markdownRows } from "../support/markdown-table.ts";
import { joinNames } from "../support/phrasing.ts";
import { csvCell, csvRows, type CsvRow } from "./csv-text.ts";
import { amountColumns, inDigits, rowFromRecord, rowFromWords, formatLikeColumn } from "./new-row.ts";
import { comparison } from "./compare-cells.ts";
import { type ColumnEdit, editColumn } from "./edit-columns.ts";
import { rowLabel, rowsLike, rowsNamed, splitRowAndColumn } from "./row-words.ts";

export interface TableEdit {
  action: "set" | "set_all" | "add" | "remove" | "sort" | ColumnEdit["action"];
  row?: string | undefined;
  column?: string | undefined;
  value?: string | undefined;
  values?: string | Readonly<Record<string, string | number>> | undefined;
  /** To sort: from the highest value to the lowest. */
  descending?: boolean | undefined;
}

export interface EditedTable {
  text: string;
  /** The label of the changed row; for a new or removed row, its cells; for several rows, how many they are. */
  row: string;
  column?: string;
  before?: string;
  after?: string;
  /** The cells of a new row that are not empty, by column. */
  cells?: Record<string, string>;
  /** True if the table has a row of totals, which is not recalculated. */
  hasTotal: boolean;
}

interface CsvTable extends Table {
  delimiter: string;
  isMarkdown: boolean;
  /** The rows in the text, with the header. */
  placed: readonly CsvRow[];
  /** The index of the first row among `placed`: 1 with a header. */
  first: number;
}

/** The maximum number of rows that a question offers. */
const MAX_CHOICES = 8;

/** Edits the text of a CSV file, or the one table of a Markdown file, and leaves everything else as it is. Throws `InvalidArgsError`. */
export function editTable(text: string, edit: TableEdit, path: string, today?: string): EditedTable {
  const table = tableIn(text, path);
  switch (edit.action) {
    case "set":
      return isRecord(edit.values) && Object.keys(edit.values).length > 0
        ? setCells(text, table, edit, { path, today })
        : setCell(text, table, edit, { path, today });
    case "set_all":
      return setColumn(text, table, edit, { path, today });
    case "add":
      return addRow(text, table, edit, today);
    case "remove":
      return removeRow(text, table, edit, path);
    case "sort":
      return sortRows(text, table, edit, path);
    case "add_column":
    case "rename_column":
    case "remove_column": {
      const { action, value } = edit;
      const edited = editColumn(text, table, { action, column: edit.column, value }, path);
      const filled = action === "add_column" ? fillColumn(edited.text, edit, path) : undefined;
      return {
        ...edited,
        ...filled,
        row: "",
        hasTotal: false,
        ...(value !== undefined && { after: value }),
      };
    }
    default:
      return edit.action satisfies never;
  }
}

/** The columns and the labels of the rows of a table. Throws `InvalidArgsError` as `editTable` does. */
export function namesInTable(text: string, path: string): { columns: readonly string[]; rows: string[] } {
  const table = tableIn(text, path);
  return { columns: table.columns, rows: table.rows.map((_, index) => rowLabel(table, index)) };
}

function tableIn(text: string, path: string): CsvTable {
  const inMarkdown = isMarkdown(path);
  const delimiter = inMarkdown ? "|" : delimiterIn(text);
  const placed = inMarkdown ? markdownRows(text) : csvRows(text, delimiter);
  if (placed === undefined)
    throw new InvalidArgsError(`${path} has no table, or several.`, {
      suggestions: ["Change other text with fs_edit."],
    });
  const [top] = placed;
  if (top === undefined)
    throw new InvalidArgsError(`${path} is empty, so it has no columns.`, {
      suggestions: ["Write its first line first: the names of the columns."],
    });
  const isHeader = inMarkdown || top.cells.every(({ value }) => amountIn(value) === undefined);
  const columns = top.cells.map(({ value }, index) => (isHeader ? value : `column ${String(index + 1)}`));
  const wrong = placed.find(({ cells }) => cells.length > columns.length);
  if (wrong !== undefined)
    throw new InvalidArgsError(
      `${path} has a row with more cells than columns: “${text.slice(wrong.from, wrong.to).trim()}”.`,
    );
  const first = isHeader ? 1 : 0;
  const rows = placed.slice(first).map(({ cells }) => cells.map(({ value }) => value));
  return { columns, rows, delimiter, isMarkdown: inMarkdown, placed, first };
}

/** A value as a cell of the table. */
const cellText = (
  { delimiter, isMarkdown: inMarkdown }: CsvTable,
  value: string,
  isQuoted: boolean,
): string => (inMarkdown ? markdownCell(value) : csvCell(value, delimiter, isQuoted));

/** The one row that the words mean. The error of several rows offers them as choices. */
function oneRow(table: CsvTable, words: string, path: string): number {
  const found = rowsNamed(table, words);
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const near = only === undefined ? rowsLike(table, words) : found;
  const choices = near.slice(0, MAX_CHOICES).map((index) => rowLabel(table, index));
  if (choices.length > 0)
    throw new InvalidArgsError(
      only === undefined
        ? `No row of ${path} has “${words}”. Similar: ${joinNames(choices)}.`
        : `${String(found.length)} rows of ${path} have “${words}”: ${joinNames(choices, found.length)}.`,
      { context: { path, choices: { argument: "row", values: choices } } },
    );
  const labels = table.rows.flatMap((row, index) => (isTotal(row) ? [] : [rowLabel(table, index)]));
  throw new InvalidArgsError(
    labels.length === 0
      ? `${path} has no rows.`
      : `No row of ${path} has “${words}”. Its rows are ${joinNames(labels)}.`,
    { context: { path } },
  );
}

function setCell(
  text: string,
  table: CsvTable,
  edit: TableEdit,
  { path, today }: { path: string; today: string | undefined },
): EditedTable {
  const { row: words = "", value = "" } = edit;
  const { row, column } = cellNamed(table, words, edit, path);
  const after = formatLikeColumn(table, column, dayLike(table, column, value.trim(), today));
  return {
    ...withCell(text, table, { row, column }, after),
    row: rowLabel(table, row),
    column: table.columns[column] ?? "",
    after,
    hasTotal: hasTotal(table),
  };
}

/** Sets several cells of one row. */
function setCells(
  text: string,
  table: CsvTable,
  { row: words = "", column: one, value, values = {} }: TableEdit,
  { path, today }: { path: string; today: string | undefined },
): EditedTable {
  const row = oneRow(table, words, path);
  const given = [
    ...(one !== undefined && value !== undefined ? [[one, value]] : []),
    ...Object.entries(values),
  ];
  const cells = given.map(([name = "", cell = ""]) => {
    const column = columnOf(table, name, path);
    const after = formatLikeColumn(table, column, dayLike(table, column, String(cell).trim(), today));
    return { column, name: table.columns[column] ?? "", before: table.rows[row]?.[column] ?? "", after };
  });
  const changing = cells.filter(({ before, after }) => before !== after);
  const [only, ...others] = changing.length > 0 ? changing : cells;
  return {
    text: changing.reduce(
      (written, { column, after }) => withCell(written, tableIn(written, path), { row, column }, after).text,
      text,
    ),
    row: rowLabel(table, row),
    ...(only !== undefined && others.length === 0
      ? { column: only.name, before: only.before, after: only.after }
      : {
          cells: Object.fromEntries(
            (changing.length > 0 ? changing : cells).map(({ name, after }) => [name, after]),
          ),
        }),
    hasTotal: hasTotal(table),
  };
}

/** Fills the last column, which is new: with one value in all rows but totals, or with the values of the named rows. */
function fillColumn(
  text: string,
  { value, values }: TableEdit,
  path: string,
): { text: string; cells?: Record<string, string> } {
  const table = tableIn(text, path);
  const column = table.columns.length - 1;
  const named = isRecord(values)
    ? Object.entries(values).map(
        ([words, cell]) => [oneRow(table, words, path), String(cell).trim()] as const,
      )
    : [];
  const all = [...table.rows.keys()].filter((row) => !isTotal(table.rows[row] ?? []));
  const filling = new Map([
    ...(value === undefined ? [] : all.map((row) => [row, value.trim()] as const)),
    ...named,
  ]);
  const rows = [...filling].toSorted(([one], [other]) => other - one);
  return {
    text: rows.reduce((written, [row, cell]) => withCell(written, table, { row, column }, cell).text, text),
    ...(named.length > 0 && {
      cells: Object.fromEntries(named.map(([row, cell]) => [rowLabel(table, row), cell])),
    }),
  };
}

/** The text with this value in one cell, and the value that was there. */
function withCell(
  text: string,
  table: CsvTable,
  { row, column }: { row: number; column: number },
  after: string,
): { text: string; before: string } {
  const placed = table.placed[row + table.first];
  const cell = placed?.cells[column];
  if (cell?.value === after) return { text, before: after };
  const end = placed?.cells.at(-1)?.to ?? text.length;
  const padded = (position: number): string => (table.isMarkdown && text[position] === "|" ? " " : "");
  const plain = cellText(table, after, cell?.isQuoted ?? false);
  const written = cell?.value === "" ? `${padded(cell.from - 1)}${plain}${padded(cell.to)}` : plain;
  // A short row has no cell in its last columns.
  const separator = table.isMarkdown ? " | " : table.delimiter;
  const missing = separator.repeat(Math.max(0, column - (placed?.cells.length ?? 0) + 1));
  return cell === undefined
    ? { text: `${text.slice(0, end)}${missing}${written}${text.slice(end)}`, before: "" }
    : { text: `${text.slice(0, cell.from)}${written}${text.slice(cell.to)}`, before: cell.value };
}

/** One value in a column of all rows, without a row of totals. */
function setColumn(
  text: string,
  table: CsvTable,
  { column: words = "", value = "" }: TableEdit,
  { path, today }: { path: string; today: string | undefined },
): EditedTable {
  const column = columnOf(table, words, path);
  const after = formatLikeColumn(table, column, dayLike(table, column, value.trim(), today));
  const rows = [...table.rows.keys()].filter((row) => !isTotal(table.rows[row] ?? []));
  const changing = rows.filter((row) => (table.rows[row]?.[column] ?? "") !== after);
  return {
    // From the last row on, so that the places of the others stay.
    text: changing.reduceRight((written, row) => withCell(written, table, { row, column }, after).text, text),
    row: `${String(changing.length)} of ${formatCount(rows.length, "row")}`,
    column: table.columns[column] ?? "",
    after,
    hasTotal: hasTotal(table),
  };
}

/** The index of a column by its name. Throws `InvalidArgsError` with the names there are. */
function columnOf(table: CsvTable, words: string, path: string): number {
  const column = columnNamed(table, words);
  if (column === undefined)
    throw new InvalidArgsError(`${path} has no column “${words}”. Its columns are ${columnNames(table)}.`);
  return column;
}

const DAYS_FROM_TODAY: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/u;

/** The date that "today" is, in a column whose other cells are dates; other words unchanged. */
function dayLike({ rows }: CsvTable, column: number, words: string, today: string | undefined): string {
  const offset = DAYS_FROM_TODAY[words.toLowerCase()];
  const cells = rows.map((row) => row[column] ?? "").filter((cell) => cell !== "");
  if (today === undefined || offset === undefined || cells.length === 0) return words;
  if (!cells.every((cell) => ISO_DAY.test(cell))) return words;
  return new Date(Date.parse(`${today}T00:00:00Z`) + offset * 86_400_000).toISOString().slice(0, 10);
}

/** The cell in a named column; without one, the words name the column, too, or are the whole cell. */
function cellNamed(
  table: CsvTable,
  words: string,
  { column: columnWords, value = "" }: TableEdit,
  path: string,
): { row: number; column: number } {
  if (columnWords !== undefined) {
    const column = columnOf(table, columnWords, path);
    return { row: oneRow(table, words, path), column };
  }
  const split = splitRowAndColumn(table, words);
  const named = split && oneRow(table, split.row, path);
  // "Job 204" names a row by its column and its cell, and the new value belongs elsewhere.
  const isRowItself =
    split !== undefined &&
    named !== undefined &&
    (table.rows[named]?.[split.column] ?? "").toLowerCase() === split.row.trim().toLowerCase();
  if (split !== undefined && named !== undefined && !isRowItself) return { row: named, column: split.column };
  const valued = isRowItself ? columnWithValue(table, value) : undefined;
  if (named !== undefined && valued !== undefined) return { row: named, column: valued };
  const row = named ?? oneRow(table, words, path);
  // "Change food to 350" gives the row its amount; it does not replace its name.
  const [amount, ...amounts] =
    amountIn(inDigits(value)) !== undefined && amountIn(words) === undefined ? amountColumns(table) : [];
  if (amount !== undefined && amounts.length === 0) return { row, column: amount };
  const column = (table.rows[row] ?? []).findIndex((cell) => cell.toLowerCase() === words.toLowerCase());
  if (column >= 0 && amounts.length === 0) return { row, column };
  throw new InvalidArgsError(
    `It is not clear which column of “${rowLabel(table, row)}” is meant. The columns of ${path} are ${columnNames(table)}.`,
  );
}

/** The one column in which rows have this value. */
function columnWithValue({ columns, rows }: Table, value: string): number | undefined {
  const wanted = value.trim().toLowerCase();
  const found = [...columns.keys()].filter((column) =>
    rows.some((row) => (row[column] ?? "").trim().toLowerCase() === wanted),
  );
  return found.length === 1 ? found[0] : undefined;
}

const hasTotal = ({ rows }: Table): boolean => rows.some(isTotal);

function addRow(
  text: string,
  table: CsvTable,
  { row: name, values = "" }: TableEdit,
  today: string | undefined,
): EditedTable {
  const given =
    typeof values === "string"
      ? cellsFromText(table, values)
      : withName(table, rowFromRecord(table, values), name);
  const cells = given.map((cell, column) => dayLike(table, column, cell, today));
  const { placed, first, columns } = table;
  const bodies = placed.slice(first);
  const written = cells.map((cell, column) => {
    const others = bodies.flatMap((row) => row.cells.slice(column, column + 1));
    return cellText(table, cell, others.length > 0 && others.every(({ isQuoted }) => isQuoted));
  });
  const line = rowText(text, table, written);
  const total = bodies.find((row) => isTotal(row.cells.map(({ value }) => value)));
  const at = total?.from ?? placed.at(-1)?.to ?? text.length;
  const lineBreak = /\r\n|\n|\r/u.exec(text)?.[0] ?? "\n";
  const before = text.slice(0, at);
  const starts = before === "" || /[\r\n]$/u.test(before) ? "" : lineBreak;
  const ends = starts === "" || total !== undefined ? lineBreak : "";
  const filled = columns.flatMap((name, column) =>
    (cells[column] ?? "") === "" ? [] : [[name, cells[column] ?? ""] as const],
  );
  return {
    text: `${before}${starts}${line}${ends}${text.slice(at)}`,
    row: cells.filter((cell) => cell !== "").join(", "),
    cells: Object.fromEntries(filled),
    hasTotal: total !== undefined,
  };
}

/** The cells with the name of the row, which a record of the other cells may leave out, in the first column. */
function withName({ columns }: Table, cells: readonly string[], name: string | undefined): string[] {
  const [first = "", ...others] = cells;
  if (name === undefined || first !== "" || cells.some((cell) => cell.toLowerCase() === name.toLowerCase()))
    return [...cells];
  return columns.length === 0 ? [] : [name.trim(), ...others];
}

/** The line of a new row, with spaces between the cells where the first row has them. */
function rowText(
  text: string,
  { delimiter, isMarkdown: inMarkdown, placed }: CsvTable,
  written: string[],
): string {
  if (inMarkdown) return `| ${written.join(" | ")} |`;
  const top = placed[0]?.cells ?? [];
  const hasSpaces =
    top.length > 1 && top.slice(1).every(({ from }) => text[from - 1] === " " && delimiter !== " ");
  return written.join(`${delimiter}${hasSpaces ? " " : ""}`);
}

/** The cells of a row as CSV text ("Mia,2,vegan") as they are, if it has one for each column; else of a row in words. */
function cellsFromText(table: CsvTable, values: string): string[] {
  const text = values.trim();
  const [row, ...others] = csvRows(text, table.delimiter);
  const cells = row?.cells ?? [];
  const isCsv = cells.slice(1).every(({ from }) => text[from - 1] !== " ");
  if (others.length === 0 && cells.length === table.columns.length && isCsv)
    return cells.map(({ value }) => value);
  return rowFromWords(table, text);
}

function removeRow(text: string, table: CsvTable, { row: words = "" }: TableEdit, path: string): EditedTable {
  const index = oneRow(table, words, path);
  const placed = table.placed[index + table.first];
  const [from, to] = [placed?.from ?? 0, placed?.to ?? 0];
  const isLast = to === text.length && !/[\r\n]$/u.test(text);
  const start = isLast ? text.slice(0, from).replace(/(?:\r\n|\n|\r)$/u, "").length : from;
  return {
    text: `${text.slice(0, start)}${text.slice(to)}`,
    row: (table.rows[index] ?? []).filter((cell) => cell !== "").join(", "),
    hasTotal: hasTotal(table),
  };
}

/** The rows in the order of a column, without a row of totals, which stays where it is. Rows without a value come last. */
function sortRows(
  text: string,
  table: CsvTable,
  { column: words = "", descending = false }: TableEdit,
  path: string,
): EditedTable {
  const column = columnOf(table, words, path);
  const name = table.columns[column] ?? "";
  const placed = table.placed
    .slice(table.first)
    .filter(({ cells }) => !isTotal(cells.map(({ value }) => value)));
  const valueOf = (row: CsvRow): string => row.cells[column]?.value.trim() ?? "";
  const compare = comparison(
    placed.map(valueOf).filter((value) => value !== ""),
    `${name} in ${path}`,
  );
  const filled = placed
    .filter((row) => valueOf(row) !== "")
    .toSorted((one, other) => (descending ? -1 : 1) * compare(valueOf(one), valueOf(other)));
  const sorted = [...filled, ...placed.filter((row) => valueOf(row) === "")];
  let written = "";
  let end = 0;
  for (const [index, { from, to }] of placed.entries()) {
    const row = sorted[index];
    const lineBreak = /[\r\n]*$/u.exec(text.slice(from, to))?.[0] ?? "";
    const line = row === undefined ? "" : text.slice(row.from, row.to).replace(/[\r\n]+$/u, "");
    written += `${text.slice(end, from)}${line}${lineBreak}`;
    end = to;
  }
  return {
    text: `${written}${text.slice(end)}`,
    row: formatCount(placed.length, "row"),
    column: name,
    hasTotal: false,
  };
}
