import { isListItem, withoutListMark } from "@metahuman/core/text/list-marks";
import { CsvError, parse } from "csv-parse/sync";
import { formatCount } from "@metahuman/core/text/format";
import { isRecord } from "@metahuman/core/text/is-record";
import { withoutTrailing } from "@metahuman/core/text/words";
import { FUNCTION_WORDS, normalize, stem } from "@metahuman/core/language/tokens/words";
import type { View } from "@metahuman/core/language/grammar/phrase";
import { inline, table as markdownTable } from "../markdown.ts";
import { textField } from "../outputs.ts";

/** Rows of cells under named columns. */
export interface Table {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** How many rows an answer shows. */
const MOST_ROWS = 50;

const cellOf = (value: unknown): string =>
  typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value);

/** The table in a CSV file, or in a JSON file that is a list, has one list, or has only numbers. */
function tableIn(path: string, content: string): Table | undefined {
  if (/\.json$/iu.test(path)) return jsonTable(content);
  return /\.(?:csv|tsv)$/iu.test(path) ? csvTable(content) : undefined;
}

/** The delimiter that the first line has most of. */
function delimiterIn(content: string): string {
  const first = content.slice(0, content.search(/[\r\n]|$/u));
  const count = (delimiter: string): number => first.split(delimiter).length;
  return [";", "\t"].find((delimiter) => count(delimiter) > count(",")) ?? ",";
}

function csvTable(content: string): Table | undefined {
  try {
    const [columns, ...rows]: string[][] = parse(content, {
      delimiter: delimiterIn(content),
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    });
    return columns && { columns, rows };
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

function jsonTable(content: string): Table | undefined {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const lists = isRecord(value) ? Object.values(value).filter(Array.isArray) : [];
  const list: readonly unknown[] | undefined = Array.isArray(value)
    ? value
    : lists.length === 1
      ? lists[0]
      : undefined;
  if (list !== undefined) {
    const records = list.filter(isRecord);
    if (records.length < list.length) return { columns: ["value"], rows: list.map((one) => [cellOf(one)]) };
    const columns = [...new Set(records.flatMap((one) => Object.keys(one)))];
    return { columns, rows: records.map((one) => columns.map((column) => cellOf(one[column]))) };
  }
  if (!isRecord(value)) return undefined;
  const entries = Object.entries(value);
  return entries.length > 1 && entries.every(([, one]) => typeof one === "number")
    ? { columns: ["name", "value"], rows: entries.map(([name, one]) => [name, cellOf(one)]) }
    : undefined;
}

/** Lines of a text that each hold one number: `rent 850`. */
function linesWithNumbers(content: string): Table | undefined {
  const lines = content.split(/\r?\n/u).filter((line) => line.trim() !== "");
  const rows = lines.flatMap((line) => {
    const numbers = withoutListMark(line).match(/[-−]?\d[\d.,]*/gu) ?? [];
    return numbers.length === 1 ? [[line.trim(), numbers[0]]] : numbers.length === 0 ? [] : [undefined];
  });
  const complete = rows.filter((row) => row !== undefined);
  return complete.length === rows.length && rows.length > 0
    ? { columns: ["line", "number"], rows: complete }
    : undefined;
}

/** The number that a cell is, also with a currency, a unit, or commas; undefined for any other text. */
function numberIn(cell: string): number | undefined {
  const bare = cell
    .trim()
    .replace(/^(?:[$€£¥]|[A-Z]{3}\s)\s*|\s*(?:[$€£¥%]|\s\p{L}{1,8}|[A-Z]{3})$/gu, "")
    .replace("−", "-");
  if (/^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/u.test(bare)) return Number(bare.replaceAll(",", ""));
  if (/^[-+]?\d+,\d{1,2}$/u.test(bare)) return Number(bare.replace(",", "."));
  return /^[-+]?\d+(?:\.\d+)?$/u.test(bare) ? Number(bare) : undefined;
}

const stemsOf = (words: string): string[] =>
  (normalize(words.replaceAll("_", " ")).match(/[\p{L}\p{N}]+/gu) ?? [])
    .filter((word) => !FUNCTION_WORDS.has(word))
    .map(stem);

/** Words that stand for whatever numbers there are. */
const ANY_NUMBERS = new Set(
  "number amount figure value price cost sum total entry line row all".split(" ").map(stem),
);

/** The column whose name has the words, if there is exactly one. */
function columnNamed({ columns }: Table, words: string): number | undefined {
  const asked = stemsOf(words);
  if (asked.length === 0) return undefined;
  const named = columns.map(stemsOf);
  const whole = named.flatMap((name, index) => (name.join(" ") === asked.join(" ") ? [index] : []));
  const partly = named.flatMap((name, index) =>
    name.length > 0 && (asked.every((one) => name.includes(one)) || name.every((one) => asked.includes(one)))
      ? [index]
      : [],
  );
  return whole.length === 1 ? whole[0] : partly.length === 1 ? partly[0] : undefined;
}

/** The column with numbers that is meant, or a sentence that says why there is none. */
function numbersOf(table: Table, path: string, words: string): number | string {
  const named = columnNamed(table, words);
  if (named !== undefined) return named;
  const isAny = stemsOf(words).every((one) => ANY_NUMBERS.has(one));
  const numeric = table.columns.flatMap((_, index) =>
    table.rows.length > 0 &&
    table.rows.every((row) => (row[index] ?? "") === "" || numberIn(row[index] ?? "") !== undefined)
      ? [index]
      : [],
  );
  const [only] = numeric;
  if (isAny && numeric.length === 1 && only !== undefined) return only;
  const columns = table.columns.map(inline).join(", ");
  return isAny
    ? `${path} has ${formatCount(numeric.length, "column")} of numbers. Name one of its columns: ${columns}.`
    : `${path} has no column “${inline(words)}”. Its columns are ${columns}.`;
}

const rounded = (value: number): string => String(Number(value.toPrecision(15)));
const shortened = (value: number): string => String(Math.round(value * 100) / 100);

/** The table in the outputs of a read, or a sentence that says why it cannot be used. */
function readTable(outputs: Record<string, unknown>, allowsText = false): Table | string {
  const [path, content] = [textField(outputs, "path"), textField(outputs, "content")];
  if (outputs.truncated === true || outputs.from !== undefined)
    return `${path} is too long: only its beginning was read.`;
  const table = tableIn(path, content) ?? (allowsText ? linesWithNumbers(content) : undefined);
  if (table !== undefined) return table;
  return allowsText
    ? `${path} is neither a table nor a list with one number in each line.`
    : `${path} is not a table: a CSV file, or a JSON file with a list.`;
}

const shownRows = ({ columns }: Table, rows: Table["rows"]): string => {
  const more = rows.length > MOST_ROWS ? `\n\n${formatCount(rows.length - MOST_ROWS, "more row")}.` : "";
  return `${markdownTable(columns.map(inline), rows.slice(0, MOST_ROWS))}${more}`;
};

/** What is asked of a column of numbers. */
export type Figure = "sum" | "average" | "highest" | "lowest";

const figure =
  (asked: Figure): View =>
  (outputs, { column: words = "" }) => {
    const table = readTable(outputs, true);
    if (typeof table === "string") return table;
    const path = textField(outputs, "path");
    const column = numbersOf(table, path, words);
    if (typeof column === "string") return column;
    const cells = table.rows.flatMap((row) => {
      const cell = row[column] ?? "";
      return cell === "" ? [] : [{ row, cell, value: numberIn(cell) }];
    });
    const wrong = cells.find(({ value }) => value === undefined);
    const name = inline(table.columns[column] ?? "");
    if (wrong) return `${name} in ${path} is not a number everywhere: “${inline(wrong.cell)}”.`;
    const values = cells.map(({ value }) => value ?? 0);
    if (values.length === 0) return `${path} has no numbers under ${name}.`;
    const sum = values.reduce((total, value) => total + value, 0);
    if (asked === "sum") return `The sum of ${name} in ${path} is ${rounded(sum)}.`;
    if (asked === "average") return `The average of ${name} in ${path} is ${shortened(sum / values.length)}.`;
    const extreme = asked === "highest" ? Math.max(...values) : Math.min(...values);
    const where = cells.filter(({ value }) => value === extreme).map(({ row }) => row);
    return `The ${asked} ${name} in ${path} is ${rounded(extreme)}:\n\n${shownRows(table, where)}`;
  };

/** How the cells of a column compare with a value. */
export type Comparison = "over" | "under" | "least" | "most" | "equal";

const COMPARED: Readonly<Record<Comparison, (one: number, other: number) => boolean>> = {
  over: (one, other) => one > other,
  under: (one, other) => one < other,
  least: (one, other) => one >= other,
  most: (one, other) => one <= other,
  equal: (one, other) => one === other,
};

/** The rows that meet a condition on one column, or a sentence that says why it cannot be checked. */
function rowsThat(
  comparison: Comparison,
  outputs: Record<string, unknown>,
  { column: words = "", amount: said = "" }: Readonly<Record<string, string>>,
): { table: Table; rows: Table["rows"] } | string {
  const table = readTable(outputs, true);
  if (typeof table === "string") return table;
  const amount = withoutTrailing(said, /[\s.,;:!?]/u);
  const limit = numberIn(amount);
  const path = textField(outputs, "path");
  if (limit === undefined) {
    const column = columnNamed(table, words);
    if (column === undefined)
      return `${path} has no column “${inline(words)}”. Its columns are ${table.columns.map(inline).join(", ")}.`;
    const wanted = normalize(amount);
    return { table, rows: table.rows.filter((row) => normalize(row[column] ?? "") === wanted) };
  }
  const column = numbersOf(table, path, words);
  if (typeof column === "string") return column;
  const rows = table.rows.filter((row) => {
    const value = numberIn(row[column] ?? "");
    return value !== undefined && COMPARED[comparison](value, limit);
  });
  return { table, rows };
}

const filter =
  (comparison: Comparison): View =>
  (outputs, values) => {
    const found = rowsThat(comparison, outputs, values);
    if (typeof found === "string") return found;
    if (found.rows.length === 0) return `No row of ${textField(outputs, "path")} fits.`;
    return shownRows(found.table, found.rows);
  };

const countThat =
  (comparison: Comparison): View =>
  (outputs, values) => {
    const found = rowsThat(comparison, outputs, values);
    if (typeof found === "string") return found;
    return `${formatCount(found.rows.length, "row")} of ${textField(outputs, "path")}: of ${String(found.table.rows.length)} in all.`;
  };

/** The values under the column that the words name; undefined if the outputs hold no such column. */
export function columnOf(outputs: Record<string, unknown>, words: string): string | undefined {
  const table = readTable(outputs);
  if (typeof table === "string") return undefined;
  const column = columnNamed(table, words);
  if (column === undefined) return undefined;
  return table.rows.map((row) => `- ${inline(row[column] ?? "")}`).join("\n");
}

/** How many entries a table or a list has; undefined for a file that is neither. */
const entries: View = (outputs) => {
  const path = textField(outputs, "path");
  const table = readTable(outputs);
  if (typeof table !== "string") return `${path} has ${formatCount(table.rows.length, "entry")}.`;
  if (outputs.truncated === true || outputs.from !== undefined) return undefined;
  const items = textField(outputs, "content").split(/\r?\n/u).filter(isListItem);
  return items.length > 0 ? `${path} has ${formatCount(items.length, "item")}.` : undefined;
};

/** Answers to questions about the rows of a table. */
export const tableViews: Readonly<Record<string, View>> = {
  sum: figure("sum"),
  average: figure("average"),
  highest: figure("highest"),
  lowest: figure("lowest"),
  ...Object.fromEntries(
    (["over", "under", "least", "most", "equal"] as const).flatMap((comparison) => [
      [`rows-${comparison}`, filter(comparison)],
      [`count-${comparison}`, countThat(comparison)],
    ]),
  ),
  entries,
};
