import { Decimal } from "decimal.js";
import { formatCount } from "@metahuman/core/text/format";
import type { Region } from "@metahuman/core/contract/region";
import type { View } from "@metahuman/core/language/grammar/phrase";
import { escapeInline, table as markdownTable } from "../markdown.ts";
import { rowsWhere } from "./table-conditions.ts";
import { type FilteredRows, filterRows, isDecimalComma, MAX_ROWS, pathOf, renderRows } from "./table-rows.ts";
import {
  type Amount,
  amountsIn,
  columnAbout,
  columnNames,
  columnOfPeople,
  columnToGroupBy,
  isTotal,
  noColumn,
  numbersOf,
  readTable,
  selectRows,
  type Table,
  UnanswerableError,
} from "./tables.ts";

/** Enough digits for sums of the longest amounts. */
const Exact = Decimal.clone({ precision: 60, toExpNeg: -40, toExpPos: 60 });

/** Rounds to two decimals, as for money; a number below 1 to three significant digits. */
const roundFigure = (value: Decimal): string =>
  (value.abs().lt(1) ? value.toSignificantDigits(3) : value.toDecimalPlaces(2)).toString();

/** What is computed from a column of numbers. */
export type Aggregate = "sum" | "average" | "highest" | "lowest";

const aggregate =
  (kind: Aggregate): View =>
  (outputs, { column: columnPhrase = "", which: include = "", also = "", without: exclude = "" }, region) => {
    const table = readTable(outputs, true);
    const path = pathOf(outputs);
    const named = selectRows(table, path, columnPhrase);
    // "Average of Otto" names no column.
    const column = named.column ?? numbersOf(table, path, named.value === undefined ? columnPhrase : "");
    const chosen =
      named.unexplained.length === 0
        ? table
        : { ...table, rows: rowsInWords(table, path, columnPhrase, named.unexplained) };
    const filtered = filterRows(chosen, path, { include: named.value ?? include, also, exclude });
    const note =
      chosen === table
        ? filtered.note
        : `, for “${escapeInline(named.unexplained.join(" "))}”${filtered.note}`;
    return figureOf(kind, { table, column, filtered: { ...filtered, note }, path }, region);
  };

/** The rows that the words next to a column choose: "the unpaid fees". Throws `UnanswerableError` if they choose none. */
function rowsInWords(
  table: Table,
  path: string,
  columnPhrase: string,
  words: readonly string[],
): Table["rows"] {
  try {
    return rowsWhere(table, path, words.join(" "));
  } catch (error) {
    if (error instanceof UnanswerableError) throw noColumn(table, path, columnPhrase);
    throw error;
  }
}

/** Formats a sum with the decimals that its cells share: 200.50 + 60.50 = 261.00. */
function formatSum(value: Decimal, amounts: readonly Amount[]): string {
  const decimals = new Set(amounts.map((one) => one.decimals));
  const [only = 0] = decimals;
  return decimals.size === 1 ? value.toFixed(Math.max(only, value.decimalPlaces())) : value.toString();
}

/** The sums of a column for each value of another one, the largest first; as `text` the averages, if they are asked for. */
function sumsOfGroups(
  table: Table,
  path: string,
  { column, group, isAverage = false }: { column: number; group: number; isAverage?: boolean },
  region: Region,
): { name: string; sum: Decimal; text: string }[] {
  const rows = table.rows.filter((row) => !isTotal(row));
  const amounts = amountsIn({ ...table, rows }, column, path, isDecimalComma(region));
  const groups = Map.groupBy(amounts, ({ row }) => row[group] ?? "");
  const sums = [...groups].map(([name, members]) => {
    const sum = members.reduce((total, { value }) => total.plus(value), new Exact(0));
    const text = isAverage ? roundFigure(sum.div(members.length)) : formatSum(sum, members);
    return { name: name === "" ? "(none)" : name, sum, text };
  });
  return sums.toSorted((one, other) => other.sum.cmp(one.sum));
}

const figuresBy =
  (isAverage: boolean): View =>
  (outputs, { column: columnPhrase = "", by = "" }, region) => {
    const table = readTable(outputs);
    const path = pathOf(outputs);
    const group = columnToGroupBy(table, by);
    if (group === undefined) throw noColumn(table, path, by);
    const column = numbersOf(table, path, columnPhrase);
    const sums = sumsOfGroups(table, path, { column, group, isAverage }, region);
    return markdownTable(
      [escapeInline(table.columns[group] ?? ""), escapeInline(table.columns[column] ?? "")],
      sums.slice(0, MAX_ROWS).map(({ name, text }) => [name, text]),
    );
  };

/** Who has the highest or the lowest sum: "who spent the most?" */
const extremeSum =
  (kind: "highest" | "lowest"): View =>
  (outputs, _values, region) => {
    const table = readTable(outputs);
    const path = pathOf(outputs);
    const group = columnOfPeople(table);
    if (group === undefined)
      throw new UnanswerableError(
        `${path} has no column that says who. Ask for the sums by one of its columns: ${columnNames(table)}.`,
      );
    const column = numbersOf(table, path, "");
    const sums = sumsOfGroups(table, path, { column, group }, region);
    const extreme = kind === "highest" ? sums.at(0) : sums.at(-1);
    if (extreme === undefined)
      return `${path} has no numbers under ${escapeInline(table.columns[column] ?? "")}.`;
    const names = sums.filter(({ sum }) => sum.eq(extreme.sum)).map(({ name }) => escapeInline(name));
    const has = names.length === 1 ? "has" : "have";
    return `${listInWords(names)} ${has} the ${kind} sum of ${escapeInline(table.columns[column] ?? "")} in ${path}: ${extreme.text}.`;
  };

/**
 * The sums or averages of `column` for each value of `group`, or without a column how many rows have it, the largest first. `only`:
 * the values with the highest or the lowest. Throws `UnanswerableError` if the column has no numbers.
 */
export function figuresOfGroups(
  table: Table,
  {
    path,
    column,
    group,
    isAverage,
    only,
  }: {
    path: string;
    column: number | undefined;
    group: number;
    isAverage: boolean;
    only?: "highest" | "lowest";
  },
  region: Region,
): string {
  const counted = (): { name: string; sum: Decimal; text: string }[] =>
    [...Map.groupBy(table.rows, (row) => row[group] ?? "")]
      .map(([name, { length }]) => ({ name: name || "(none)", sum: new Exact(length), text: String(length) }))
      .toSorted((one, other) => other.sum.cmp(one.sum));
  const sums =
    column === undefined ? counted() : sumsOfGroups(table, path, { column, group, isAverage }, region);
  const extreme = only === "lowest" ? sums.at(-1) : sums.at(0);
  if (extreme === undefined) return `${path} has no such rows.`;
  const figure = column === undefined ? "rows" : escapeInline(table.columns[column] ?? "");
  if (only === undefined)
    return markdownTable(
      [escapeInline(table.columns[group] ?? ""), figure],
      sums.slice(0, MAX_ROWS).map(({ name, text }) => [name, text]),
    );
  const names = sums.filter(({ sum }) => sum.eq(extreme.sum)).map(({ name }) => escapeInline(name));
  const has = names.length === 1 ? "has" : "have";
  return `${listInWords(names)} ${has} the ${only} sum of ${figure} in ${path}: ${extreme.text}.`;
}

/** Which value of a column the most rows have: "which client has the most invoices?" */
const mostRows =
  (kind: "most" | "fewest"): View =>
  (outputs, { by = "" }) => {
    const table = readTable(outputs);
    const path = pathOf(outputs);
    const group = columnToGroupBy(table, by);
    if (group === undefined) throw noColumn(table, path, by);
    const groups = Map.groupBy(
      table.rows.filter((row) => !isTotal(row)),
      (row) => row[group] ?? "",
    );
    const counts = [...groups].map(([name, { length }]) => ({ name: name === "" ? "(none)" : name, length }));
    const lengths = counts.map(({ length }) => length);
    const extreme = kind === "most" ? Math.max(...lengths) : Math.min(...lengths);
    const names = counts.filter(({ length }) => length === extreme).map(({ name }) => escapeInline(name));
    if (names.length === 0) return `${path} has no rows.`;
    const has = names.length === 1 ? "has" : "have";
    return `${listInWords(names)} ${has} the ${kind} rows in ${path}: ${String(extreme)}.`;
  };

const names = new Intl.ListFormat("en", { type: "conjunction" });
const listInWords = (items: readonly string[]): string => names.format(items);

/** The sentence that answers for an aggregate; the rows with an extreme follow it. */
export function figureOf(
  kind: Aggregate,
  { table, column, filtered, path }: { table: Table; column: number; filtered: FilteredRows; path: string },
  region: Region,
): string {
  const amounts = amountsIn({ ...table, rows: filtered.rows }, column, path, isDecimalComma(region));
  const name = escapeInline(table.columns[column] ?? "");
  const values = amounts.map(({ value }) => value);
  const [first, ...others] = values;
  if (first === undefined) return `${path} has no numbers under ${name}${filtered.note}.`;
  const missing = filtered.rows.length - values.length;
  const note =
    missing > 0
      ? `${filtered.note}; ${String(missing)} of ${formatCount(filtered.rows.length, "row")} ${missing === 1 ? "has" : "have"} none`
      : filtered.note;
  const sum = Exact.sum(first, ...others);
  if (kind === "sum") return `The sum of ${name} in ${path} is ${formatSum(sum, amounts)}${note}.`;
  if (kind === "average")
    return `The average of ${name} in ${path} is ${roundFigure(sum.div(values.length))}${note}.`;
  const extreme = kind === "highest" ? Exact.max(first, ...others) : Exact.min(first, ...others);
  const where = amounts.filter(({ value }) => value.eq(extreme)).map(({ row }) => row);
  return `The ${kind} ${name} in ${path} is ${extreme.toString()}${note}:\n\n${renderRows(table, where, column)}`;
}

/** Superlatives that mean one kind of column, with words of its name. */
export const SUPERLATIVES = {
  cheapest: ["lowest", "price cost amount fee rent charge total"],
  dearest: ["highest", "price cost amount fee rent charge total"],
  youngest: ["lowest", "age"],
  oldest: ["highest", "age"],
  shortest: ["lowest", "length duration distance minutes hours km height"],
  longest: ["highest", "length duration distance minutes hours km"],
} as const satisfies Record<string, readonly [Aggregate, string]>;

export type Superlative = keyof typeof SUPERLATIVES;

const superlative =
  (asked: Superlative): View =>
  (outputs, _values, region) => {
    const table = readTable(outputs, true);
    const path = pathOf(outputs);
    const [kind, names] = SUPERLATIVES[asked];
    const column = columnAbout(table, names.split(" "));
    if (column === undefined)
      throw new UnanswerableError(
        `${path} does not show which is the ${asked}. Ask for the ${kind} of one of its columns: ${columnNames(table)}.`,
      );
    return figureOf(kind, { table, column, filtered: filterRows(table, path, {}), path }, region);
  };

/** Answers with a figure: a sum, an average, an extreme, or whose is the highest. */
export const figureViews: Readonly<Record<string, View>> = {
  sum: aggregate("sum"),
  "sum-by": figuresBy(false),
  "average-by": figuresBy(true),
  "who-most": extremeSum("highest"),
  "who-least": extremeSum("lowest"),
  "most-rows": mostRows("most"),
  "fewest-rows": mostRows("fewest"),
  average: aggregate("average"),
  highest: aggregate("highest"),
  lowest: aggregate("lowest"),
  ...Object.fromEntries(
    (["cheapest", "dearest", "youngest", "oldest", "shortest", "longest"] as const).map((asked) => [
      asked,
      superlative(asked),
    ]),
  ),
};
