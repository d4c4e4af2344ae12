import type { Decimal } from "decimal.js";
import type { Region } from "@metahuman/core/contract/region";
import type { SkillGrammar } from "@metahuman/core/language/grammar/phrase";
import { normalize } from "@metahuman/core/language/tokens/words";
import { withoutTrailing } from "@metahuman/core/text/words";
import { escapeInline } from "../markdown.ts";
import { textField } from "../outputs.ts";
import { isMarkdown, markdownCell } from "../support/markdown-table.ts";
import { rowsWhere } from "./table-conditions.ts";
import { QUERY_VIEW, rowsQueried } from "./table-query.ts";
import { filterRows, isDecimalComma, pathOf } from "./table-rows.ts";
import {
  amountIn,
  amountsIn,
  columnNamed,
  columnNames,
  isTotal,
  NO,
  noColumn,
  numbersOf,
  readTable,
  selectRows,
  type Table,
  UnanswerableError,
} from "./tables.ts";

/** Chooses rows of the table in the outputs of a read. Throws `UnanswerableError` if it cannot. */
export type RowChoice = (
  outputs: Record<string, unknown>,
  values: Readonly<Record<string, string>>,
  region: Region,
) => { table: Table; rows: Table["rows"]; column?: number };

/** How the cells of a column compare with a value. */
export type Comparison = "over" | "under" | "least" | "most" | "equal";

const COMPARED: Readonly<Record<Comparison, (one: Decimal, other: Decimal) => boolean>> = {
  over: (one, other) => one.gt(other),
  under: (one, other) => one.lt(other),
  least: (one, other) => one.gte(other),
  most: (one, other) => one.lte(other),
  equal: (one, other) => one.eq(other),
};

/** Words that multiply a number, unless the cells have them, too. */
const SCALES: Readonly<Record<string, number>> = { k: 1e3, thousand: 1e3, million: 1e6, billion: 1e9 };

/** The rows that meet a condition on one column. Throws `UnanswerableError` if it cannot be checked. */
function rowsThat(
  comparison: Comparison,
  outputs: Record<string, unknown>,
  { column: columnPhrase = "", amount: amountWords = "" }: Readonly<Record<string, string>>,
  region: Region,
): { table: Table; rows: Table["rows"]; column: number } {
  const table = readTable(outputs, true);
  const amount = withoutTrailing(amountWords, /[\s.,;:!?]/u);
  const limit = amountIn(amount);
  const path = pathOf(outputs);
  if (limit === undefined) {
    const column = columnNamed(table, columnPhrase);
    if (column === undefined) throw noColumn(table, path, columnPhrase);
    const cellText = normalize(amount);
    const rows = table.rows.filter((row) => normalize(row[column] ?? "") === cellText);
    if (rows.length === 0 && /^not\b|\b(?:or|and)\b/iu.test(amount))
      throw new UnanswerableError(
        `Ask for one value at a time: “${escapeInline(amount)}” is in no row of ${path}.`,
      );
    return { table, rows, column };
  }
  // "More than 6 bottles": what is counted is a column.
  const counted = columnPhrase === "" ? columnNamed(table, limit.unit) : undefined;
  const column = counted ?? numbersOf(table, path, columnPhrase);
  const amounts = amountsIn(table, column, path, isDecimalComma(region));
  const unit = amounts.find((one) => one.unit !== "")?.unit ?? "";
  const [currency = "", scale = ""] = /^([$€£¥]?)\s*(k|thousand|million|billion)$/u
    .exec(limit.unit)
    ?.slice(1) ?? [limit.unit];
  const factor = scale !== "" && limit.unit !== unit ? (SCALES[scale] ?? 1) : 1;
  const asked = counted !== undefined ? "" : factor === 1 ? limit.unit : currency;
  if (asked !== "" && unit !== "" && asked !== unit)
    throw new UnanswerableError(
      `${escapeInline(table.columns[column] ?? "")} in ${path} is in ${escapeInline(unit)}, not in ${escapeInline(asked)}.`,
    );
  const value = limit.value.times(factor);
  return {
    table,
    rows: amounts.filter((one) => COMPARED[comparison](one.value, value)).map(({ row }) => row),
    column,
  };
}

/** The rows without a value, or with nothing in a column: "expenses without food", "rows without a category". */
const rowsWithout: RowChoice = (outputs, { without = "" }) => {
  const table = readTable(outputs);
  const path = pathOf(outputs);
  const empty = columnNamed(table, without);
  const counted =
    empty !== undefined && selectRows(table, path, without).value === undefined
      ? { rows: table.rows.filter((row) => (row[empty] ?? "") === "" && !isTotal(row)) }
      : filterRows(table, path, { exclude: without });
  return { table, rows: counted.rows };
};

/** The rows whose cell in the column says no or nothing, or those that lack a value: "who has not paid". */
const rowsNot: RowChoice = (outputs, { what = "", without = "" }) => {
  const table = readTable(outputs);
  const path = pathOf(outputs);
  const words = withoutTrailing(without, /[\s.,;:!?]/u).replace(/\s+yet$/iu, "");
  const { value, column, unexplained } = selectRows(table, path, words);
  if (value === undefined && (column === undefined || unexplained.length > 0))
    throw noColumn(table, path, words);
  const named = selectRows(table, path, what);
  // The last word may name the rows: "which members". A word before it chooses some of them.
  if (named.unexplained.some((word) => !normalize(what).endsWith(word)))
    throw new UnanswerableError(
      `I can't tell which rows of ${path} are “${escapeInline(what)}”. Its columns are ${columnNames(table)}.`,
    );
  const { rows } = filterRows(table, path, {
    include: named.value ?? "",
    exclude: value === undefined ? "" : words,
  });
  const found =
    value === undefined && column !== undefined
      ? rows.filter((row) => NO.test((row[column] ?? "").trim()))
      : rows;
  return { table, rows: found };
};

/** The rows that a condition in words chooses. */
const rowsIn: RowChoice = (outputs, { about = "" }) => {
  const table = readTable(outputs);
  return { table, rows: rowsWhere(table, pathOf(outputs), about) };
};

const comparing =
  (comparison: Comparison): RowChoice =>
  (outputs, values, region) =>
    rowsThat(comparison, outputs, values, region);

/** The ways to choose rows, by the names of their views without "rows-" or "count-". */
export const rowChoices: Readonly<Record<string, RowChoice>> = {
  where: rowsIn,
  over: comparing("over"),
  under: comparing("under"),
  least: comparing("least"),
  most: comparing("most"),
  equal: comparing("equal"),
  without: rowsWithout,
  not: rowsNot,
};

/** The rows with a value that the words have: "the rows for Lund". */
const rowsWithValue: RowChoice = (outputs, { about = "" }) => {
  const table = readTable(outputs);
  const { rows, value } = selectRows(table, pathOf(outputs), about);
  if (value === undefined) throw new UnanswerableError("No rows were shown.");
  return { table, rows };
};

/** The outputs of a read with only the rows that a view shows. Undefined if it shows none, or no rows. */
export const narrowRows: NonNullable<SkillGrammar["narrow"]> = (outputs, { name, values }, region) => {
  const choose: RowChoice | undefined =
    name === "about"
      ? rowsWithValue
      : name === QUERY_VIEW
        ? rowsQueried
        : rowChoices[name.replace(/^(?:rows|count)-/u, "")];
  if (choose === undefined) return undefined;
  try {
    const { table, rows } = choose(outputs, values, region);
    const content = textOf(textField(outputs, "path"), table, rows);
    return rows.length === 0 ? undefined : { ...outputs, content };
  } catch (error) {
    if (error instanceof UnanswerableError) return undefined;
    throw error;
  }
};

/** The text of a file with these rows, in the format of its ending. */
function textOf(path: string, { columns, hasSemicolons = false }: Table, rows: Table["rows"]): string {
  if (isMarkdown(path)) {
    const line = (cells: readonly string[]): string => `| ${cells.map(markdownCell).join(" | ")} |`;
    return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n");
  }
  if (/\.json$/iu.test(path))
    return JSON.stringify(
      rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row[index] ?? ""]))),
    );
  const cell = (value: string): string => `"${value.replaceAll('"', '""')}"`;
  return [columns, ...rows].map((row) => row.map(cell).join(hasSemicolons ? ";" : ",")).join("\n");
}
