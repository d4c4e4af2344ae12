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
  /** True if semicolons separate the cells, as where decimals have commas. */
  hasSemicolons?: boolean;
}

/** How many rows an answer shows. */
const MOST_ROWS = 50;

const cellOf = (value: unknown): string =>
  typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value);

/** The table in a CSV file, or in a JSON file that is a list, has one list, or has only numbers. */
function tableIn(path: string, content: string): Table | string | undefined {
  if (/\.json$/iu.test(path)) return jsonTable(content);
  return /\.(?:csv|tsv)$/iu.test(path) ? csvTable(path, content) : undefined;
}

/** The delimiter that the first line has most of. */
function delimiterIn(content: string): string {
  const first = content.slice(0, content.search(/[\r\n]|$/u));
  const count = (delimiter: string): number => first.split(delimiter).length;
  return [";", "\t"].find((delimiter) => count(delimiter) > count(",")) ?? ",";
}

/** A sentence instead of a table if a row has more cells than there are columns: then nobody knows what is where. */
function csvTable(path: string, content: string): Table | string | undefined {
  try {
    const delimiter = delimiterIn(content);
    const records: string[][] = parse(content, {
      delimiter,
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    });
    const [first] = records;
    if (first === undefined) return undefined;
    const isHeader = first.every((cell) => amountIn(cell) === undefined);
    const columns = isHeader ? first : first.map((_, index) => `column ${String(index + 1)}`);
    const rows = isHeader ? records.slice(1) : records;
    const ragged = rows.find((row) => row.length > columns.length);
    if (ragged === undefined) return { columns, rows, hasSemicolons: delimiter === ";" };
    const counts = `${formatCount(ragged.length, "cell")} under ${formatCount(columns.length, "column")}`;
    return `${path} has a row with ${counts}: “${inline(ragged.join(delimiter))}”.`;
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

/** A number that is no part of a word: not the 5 of "A-5". */
const SEPARATE_NUMBER = /(?<![\p{L}\p{N}-])[-−]?\d[\d.,]*/gu;

/** Lines of a text that each hold one number: `rent 850`. */
function linesWithNumbers(content: string): Table | undefined {
  const lines = content.split(/\r?\n/u).filter((line) => line.trim() !== "");
  const rows = lines.flatMap((line) => {
    const numbers = line.startsWith("#") ? [] : (withoutListMark(line).match(SEPARATE_NUMBER) ?? []);
    return numbers.length === 1 ? [[line.trim(), numbers[0]]] : numbers.length === 0 ? [] : [undefined];
  });
  const complete = rows.filter((row) => row !== undefined);
  return complete.length === rows.length && rows.length > 0
    ? { columns: ["line", "number"], rows: complete }
    : undefined;
}

interface Amount {
  value: number;
  /** What stands beside the number: a currency, a measure, "million"; lower-case. */
  unit: string;
}

const AMOUNT = /^([$€£¥]|[A-Z]{3}(?=\s))?\s*([-+−]?\d[\d.,]*)\s*([$€£¥%]|\p{L}{1,12})?$/u;

/** The amount that a cell is; undefined for any other text, and for a number that cannot be told exactly. */
function amountIn(cell: string, hasDecimalCommas = false): Amount | undefined {
  const [, before = "", digits = "", after = ""] = AMOUNT.exec(cell.trim()) ?? [];
  const plain = hasDecimalCommas
    ? /^[-+−]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/u.test(digits)
      ? digits.replaceAll(".", "").replace(",", ".")
      : undefined
    : /^[-+−]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/u.test(digits)
      ? digits.replaceAll(",", "")
      : /^[-+−]?\d+(?:\.\d+|,\d{1,2})?$/u.test(digits)
        ? digits.replace(",", ".")
        : undefined;
  const value = Number(plain?.replace("−", "-"));
  const isExact = plain !== undefined && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return isExact ? { value, unit: `${before} ${after}`.trim().toLowerCase() } : undefined;
}

const isAmount = (cell: string): boolean =>
  amountIn(cell) !== undefined || amountIn(cell, true) !== undefined;

/** The amounts of a column, or a sentence that says which cell is none, or that their units differ. */
function amountsIn(
  { columns, rows, hasSemicolons = false }: Table,
  column: number,
  path: string,
): { row: readonly string[]; value: number; unit: string }[] | string {
  const cells = rows.map((row) => row[column] ?? "");
  const hasDecimalCommas =
    cells.some((cell) => /\.\d{3},|\b0,\d/u.test(cell)) ||
    (hasSemicolons &&
      cells.some((cell) => cell.includes(",")) &&
      !cells.some((cell) => /,\d{3}\./u.test(cell)));
  const name = inline(columns[column] ?? "");
  const found = rows.flatMap((row, at) => {
    const cell = cells[at] ?? "";
    return cell === "" ? [] : [{ row, cell, amount: amountIn(cell, hasDecimalCommas) }];
  });
  const wrong = found.find(({ amount }) => amount === undefined);
  if (wrong) return `${name} in ${path} is not a number everywhere: “${inline(wrong.cell)}”.`;
  const amounts = found.flatMap(({ row, amount }) => (amount ? [{ row, ...amount }] : []));
  // A number without a currency is taken for one in it; a number without "%" is another thing.
  const units = new Set(amounts.map(({ unit }) => unit));
  if (!units.has("%")) units.delete("");
  const [unit = "", another] = units;
  const cellIn = (wanted: string): string =>
    inline(found.find(({ amount }) => amount?.unit === wanted)?.cell ?? "");
  return another !== undefined
    ? `${name} in ${path} has amounts of different units: “${cellIn(unit)}” and “${cellIn(another)}”.`
    : amounts;
}

/** A row that sums up the others. */
const isTotal = (row: readonly string[]): boolean =>
  row.some((cell) => /^(?:grand |sub-?)?(?:total|sum)s?:?$/iu.test(cell.trim()));

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
    table.rows.every((row) => (row[index] ?? "") === "" || isAmount(row[index] ?? ""))
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
  const found = tableIn(path, content) ?? (allowsText ? linesWithNumbers(content) : undefined);
  if (found !== undefined) return found;
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
    const counted = { ...table, rows: table.rows.filter((row) => !isTotal(row)) };
    const amounts = amountsIn(counted, column, path);
    if (typeof amounts === "string") return amounts;
    const name = inline(table.columns[column] ?? "");
    const values = amounts.map(({ value }) => value);
    if (values.length === 0) return `${path} has no numbers under ${name}.`;
    const sum = values.reduce((total, value) => total + value, 0);
    const without = counted.rows.length < table.rows.length ? ", without its row of totals" : "";
    if (asked === "sum") return `The sum of ${name} in ${path} is ${rounded(sum)}${without}.`;
    if (asked === "average")
      return `The average of ${name} in ${path} is ${shortened(sum / values.length)}${without}.`;
    const extreme = asked === "highest" ? Math.max(...values) : Math.min(...values);
    const where = amounts.filter(({ value }) => value === extreme).map(({ row }) => row);
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
  const limit = amountIn(amount);
  const path = textField(outputs, "path");
  if (limit === undefined) {
    const column = columnNamed(table, words);
    if (column === undefined)
      return `${path} has no column “${inline(words)}”. Its columns are ${table.columns.map(inline).join(", ")}.`;
    const wanted = normalize(amount);
    const rows = table.rows.filter((row) => normalize(row[column] ?? "") === wanted);
    return rows.length === 0 && /^not\b|\b(?:or|and)\b/iu.test(amount)
      ? `Ask for one value at a time: “${inline(amount)}” stands in no row of ${path}.`
      : { table, rows };
  }
  const column = numbersOf(table, path, words);
  if (typeof column === "string") return column;
  const amounts = amountsIn(table, column, path);
  if (typeof amounts === "string") return amounts;
  const unit = amounts.find((one) => one.unit !== "")?.unit ?? "";
  if (limit.unit !== "" && unit !== "" && limit.unit !== unit)
    return `${inline(table.columns[column] ?? "")} in ${path} is in ${inline(unit)}, not in ${inline(limit.unit)}.`;
  if (limit.unit.includes("illion") && unit === "") return `Give the amount in digits: “${inline(amount)}”.`;
  return {
    table,
    rows: amounts.filter(({ value }) => COMPARED[comparison](value, limit.value)).map(({ row }) => row),
  };
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
