import type { Decimal } from "decimal.js";
import { formatCount } from "@metahuman/core/text/format";
import { withoutTrailing } from "@metahuman/core/text/words";
import { normalize } from "@metahuman/core/language/tokens/words";
import type { Region } from "@metahuman/core/contract/region";
import type { View } from "@metahuman/core/language/grammar/phrase";
import { inline } from "../markdown.ts";
import { rowsWhere } from "./table-conditions.ts";
import { figureViews } from "./table-figures.ts";
import { filterRows, isDecimalComma, pathOf, renderRows } from "./table-rows.ts";
import {
  amountIn,
  amountsIn,
  columnNamed,
  columnNames,
  isTotal,
  markNamed,
  NO,
  noColumn,
  numbersOf,
  readTable,
  selectRows,
  type Table,
  tryReadTable,
  UnanswerableError,
  YES,
} from "./tables.ts";

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
        `Ask for one value at a time: “${inline(amount)}” is in no row of ${path}.`,
      );
    return { table, rows, column };
  }
  const column = numbersOf(table, path, columnPhrase);
  const amounts = amountsIn(table, column, path, isDecimalComma(region));
  const unit = amounts.find((one) => one.unit !== "")?.unit ?? "";
  const [currency = "", scale = ""] = /^([$€£¥]?)\s*(k|thousand|million|billion)$/u
    .exec(limit.unit)
    ?.slice(1) ?? [limit.unit];
  const factor = scale !== "" && limit.unit !== unit ? (SCALES[scale] ?? 1) : 1;
  const asked = factor === 1 ? limit.unit : currency;
  if (asked !== "" && unit !== "" && asked !== unit)
    throw new UnanswerableError(
      `${inline(table.columns[column] ?? "")} in ${path} is in ${inline(unit)}, not in ${inline(asked)}.`,
    );
  const value = limit.value.times(factor);
  return {
    table,
    rows: amounts.filter((one) => COMPARED[comparison](one.value, value)).map(({ row }) => row),
    column,
  };
}

const filter =
  (comparison: Comparison): View =>
  (outputs, values, region) => {
    const found = rowsThat(comparison, outputs, values, region);
    if (found.rows.length === 0) return `No row of ${pathOf(outputs)} matches.`;
    return renderRows(found.table, found.rows, found.column);
  };

const countThat =
  (comparison: Comparison): View =>
  (outputs, values, region) => {
    const found = rowsThat(comparison, outputs, values, region);
    return `${String(found.rows.length)} of ${formatCount(found.table.rows.length, "row")} in ${pathOf(outputs)}.`;
  };

/**
 * Answers a question about a column, a value or both: "price of ink". Undefined if the outputs are not a table or have
 * neither; a sentence if a part of the question means nothing in the table.
 */
export function cellsAbout(outputs: Record<string, unknown>, words: string): string | undefined {
  const table = tryReadTable(outputs);
  if (table === undefined) return undefined;
  const path = pathOf(outputs);
  const { rows, value, column, unexplained } = selectRows(table, path, words);
  if (value !== undefined && (column === undefined || unexplained.length > 0))
    return `${formatCount(rows.length, "row")} of ${path} ${rows.length === 1 ? "has" : "have"} “${inline(value)}”:\n\n${renderRows(table, rows)}`;
  if (column === undefined) return undefined;
  if (unexplained.length > 0)
    return `I can't tell “${inline(words)}” from ${path}. Its columns are ${columnNames(table)}.`;
  const marked = markedRows(table, column);
  if (value !== undefined && (marked || rows.length > 1)) {
    const chosen = marked ? rows.filter((row) => marked.includes(row)) : rows;
    const which = marked ? ` with “${inline(value)}” is marked “${inline(table.columns[column] ?? "")}”` : "";
    if (chosen.length === 0) return `No row of ${path}${which}.`;
    return renderRows(table, chosen, column);
  }
  return marked
    ? `${formatCount(marked.length, "row")} of ${path} ${marked.length === 1 ? "is" : "are"} marked “${inline(table.columns[column] ?? "")}”:\n\n${renderRows(table, marked)}`
    : rows.map((row) => `- ${inline(row[column] ?? "")}`).join("\n");
}

/** Negations turn a question around, so that "yes" would be read in two ways. */
const NEGATED = /\b(?:not|never|no|nor)\b|n[’']t\b/iu;
/** Words that say when, which no cell does. */
const SO_FAR = /\b(?:yet|already|still|so far|now|ever)\b/giu;

/**
 * Answers a question about one cell, "Gerda paid": the value of that column in that row. Undefined if the outputs are
 * not a table.
 */
export function cellAsked(outputs: Record<string, unknown>, words: string): string | undefined {
  const table = tryReadTable(outputs);
  if (table === undefined) return undefined;
  const path = pathOf(outputs);
  const asked = words.replace(NEGATED, " ").replaceAll(SO_FAR, " ");
  const { rows, value, unexplained, ...selected } = selectRows(table, path, asked);
  // "Gerda paid her fee" names two columns; the one of yes and no answers it.
  const column = selected.column ?? markNamed(table, asked);
  const [row, ...others] = rows;
  if (value === undefined || column === undefined || row === undefined || unexplained.length > 0)
    return `I can't tell “${inline(words)}” from ${path}. Its columns are ${columnNames(table)}.`;
  if (others.length > 0) return cellsAbout(outputs, value);
  const cell = (row[column] ?? "").trim();
  const says = YES.test(cell) ? "Yes. " : NO.test(cell) ? "No. " : "";
  const shown = cell === "" ? "empty" : `“${inline(cell)}”`;
  return `${NEGATED.test(words) ? "" : says}In ${path}, ${inline(table.columns[column] ?? "")} is ${shown} for ${inline(value)}.`;
}

/** How many entries a table has; undefined for another file. */
const entries: View = (outputs, { what = "" }) => {
  const path = pathOf(outputs);
  const table = tryReadTable(outputs);
  if (table === undefined) return undefined;
  const rows = table.rows.filter((row) => !isTotal(row));
  const totals = rows.length < table.rows.length ? ", without its row of totals" : "";
  const selected = selectRows(table, path, what);
  // The last word may name the rows: "how many books". A word before it chooses some of them.
  const [chosen] = selected.unexplained.filter((word) => !normalize(what).endsWith(word));
  if (chosen !== undefined)
    return `I can't tell which of the ${formatCount(rows.length, "entry")} of ${path} are “${inline(what)}”. Its columns are ${columnNames(table)}.`;
  if (selected.value !== undefined)
    return `${String(selected.rows.length)} of ${formatCount(rows.length, "row")} in ${path} ${selected.rows.length === 1 ? "has" : "have"} “${inline(selected.value)}”.`;
  return `${path} has ${formatCount(rows.length, "entry")}${totals}.`;
};

/** The rows without a value, or with nothing in a column: "expenses without food", "rows without a category". */
const rowsWithout: View = (outputs, { without = "" }) => {
  const table = readTable(outputs);
  const path = pathOf(outputs);
  const empty = columnNamed(table, without);
  const counted =
    empty !== undefined && selectRows(table, path, without).value === undefined
      ? { rows: table.rows.filter((row) => (row[empty] ?? "") === "" && !isTotal(row)) }
      : filterRows(table, path, { exclude: without });
  return counted.rows.length === 0 ? `No row of ${path} matches.` : renderRows(table, counted.rows);
};

/** The rows whose cell in the column says no or nothing, or those that lack a value: "who has not paid". */
const rowsNot: View = (outputs, { what = "", without = "" }) => {
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
      `I can't tell which rows of ${path} are “${inline(what)}”. Its columns are ${columnNames(table)}.`,
    );
  const { rows } = filterRows(table, path, {
    include: named.value ?? "",
    exclude: value === undefined ? "" : words,
  });
  const found =
    value === undefined && column !== undefined
      ? rows.filter((row) => NO.test((row[column] ?? "").trim()))
      : rows;
  return found.length === 0 ? `No row of ${path} matches.` : renderRows(table, found);
};

/** The rows that a column of yes and no marks; undefined for any other column. */
function markedRows({ rows }: Table, column: number): Table["rows"] | undefined {
  const marked = rows.filter((row) => YES.test((row[column] ?? "").trim()));
  const isMark =
    marked.length > 0 && rows.every((row) => marked.includes(row) || NO.test((row[column] ?? "").trim()));
  return isMark && rows.some((row) => /\D/u.test(row[column] ?? "")) ? marked : undefined;
}

/** Answers with the message of an `UnanswerableError`. */
const withReason =
  (view: View): View =>
  (...args) => {
    try {
      return view(...args);
    } catch (error) {
      if (error instanceof UnanswerableError) return error.message;
      throw error;
    }
  };

/** The rows that a condition in words chooses, or how many. */
const rowsOf =
  (isCount: boolean): View =>
  (outputs, { about = "" }) => {
    const table = readTable(outputs);
    const path = pathOf(outputs);
    const rows = rowsWhere(table, path, about);
    const all = table.rows.filter((row) => !isTotal(row)).length;
    if (isCount) return `${String(rows.length)} of ${formatCount(all, "row")} in ${path}.`;
    return rows.length === 0 ? `No row of ${path} matches.` : renderRows(table, rows);
  };

const views: Readonly<Record<string, View>> = {
  "rows-where": rowsOf(false),
  "count-where": rowsOf(true),
  ...figureViews,
  ...Object.fromEntries(
    (["over", "under", "least", "most", "equal"] as const).flatMap((comparison) => [
      [`rows-${comparison}`, filter(comparison)],
      [`count-${comparison}`, countThat(comparison)],
    ]),
  ),
  "rows-without": rowsWithout,
  "rows-not": rowsNot,
  entries,
};

/** Answers to questions about the rows of a table. */
export const tableViews: Readonly<Record<string, View>> = Object.fromEntries(
  Object.entries(views).map(([name, view]) => [name, withReason(view)]),
);
