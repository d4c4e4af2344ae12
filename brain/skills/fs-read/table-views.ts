import { Decimal } from "decimal.js";
import { formatCount } from "@metahuman/core/text/format";
import { isRecord } from "@metahuman/core/text/is-record";
import { isListItem } from "@metahuman/core/text/list-marks";
import { withoutTrailing } from "@metahuman/core/text/words";
import { normalize } from "@metahuman/core/language/tokens/words";
import type { Region } from "@metahuman/core/contract/region";
import type { View } from "@metahuman/core/language/grammar/phrase";
import { inline, table as markdownTable } from "../markdown.ts";
import { textField } from "../outputs.ts";
import { parseExactJson } from "../support/exact-json.ts";
import { rowsWhere } from "./table-conditions.ts";
import {
  type Amount,
  amountIn,
  amountsIn,
  columnAbout,
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
  YES,
} from "./tables.ts";

/** The most rows and columns that an answer shows. */
const MAX_ROWS = 50;
const MAX_COLUMNS = 12;

/** Enough digits for sums of the longest amounts. */
const Exact = Decimal.clone({ precision: 60, toExpNeg: -40, toExpPos: 60 });

/** Rounds to two decimals, as for money; a number below 1 to three significant digits. */
const shortened = (value: Decimal): string =>
  (value.abs().lt(1) ? value.toSignificantDigits(3) : value.toDecimalPlaces(2)).toString();

const pathOf = (outputs: Record<string, unknown>): string => inline(textField(outputs, "path"));

/** The rows as a Markdown table: the first columns, and the one that is asked about. */
function renderRows({ columns }: Table, rows: Table["rows"], about?: number): string {
  const first = columns.slice(0, MAX_COLUMNS).map((_, index) => index);
  const indexes = about === undefined || about < MAX_COLUMNS ? first : [...first, about];
  const more = [
    ...(rows.length > MAX_ROWS ? [formatCount(rows.length - MAX_ROWS, "more row")] : []),
    ...(columns.length > indexes.length ? [formatCount(columns.length - indexes.length, "more column")] : []),
  ];
  const cells = rows.slice(0, MAX_ROWS).map((row) => indexes.map((index) => row[index] ?? ""));
  return [
    markdownTable(
      indexes.map((index) => inline(columns[index] ?? "")),
      cells,
    ),
    ...(more.length > 0 ? [`${more.join(" and ")}.`] : []),
  ].join("\n\n");
}

const isDecimalComma = ({ locale }: Region): boolean =>
  new Intl.NumberFormat(locale)
    .formatToParts(1.5)
    .some(({ type, value }) => type === "decimal" && value === ",");

/** What is computed from a column of numbers. */
export type Aggregate = "sum" | "average" | "highest" | "lowest";

/** Rows with a note that says which they are, for the end of a sentence. */
interface FilteredRows {
  rows: Table["rows"];
  note: string;
}

/** The rows that match `include` and do not match `exclude`, without rows of totals. Empty words match nothing. */
function filterRows(
  table: Table,
  path: string,
  { include = "", also = "", exclude = "" }: { include?: string; also?: string; exclude?: string },
): FilteredRows {
  const rows = table.rows.filter((row) => !isTotal(row));
  const notes = rows.length < table.rows.length ? [", without its row of totals"] : [];
  let counted = rows;
  for (const [phrase, keeps] of [
    [include, true],
    [also, true],
    [exclude, false],
  ] as const) {
    const words = withoutTrailing(phrase, /[\s.,;:!?]/u);
    if (words === "") continue;
    const selected = selectRows(table, path, words);
    if (selected.value === undefined || selected.unexplained.length > 0)
      throw new UnanswerableError(`No row of ${path} has “${inline(words)}”.`);
    const chosen = new Set(selected.rows);
    counted = counted.filter((row) => chosen.has(row) === keeps);
    const shown = selected.isPart === true ? selected.value : words;
    notes.push(keeps ? `, for “${inline(shown)}”` : `, without “${inline(shown)}”`);
  }
  return { rows: counted, note: notes.join("") };
}

const aggregate =
  (kind: Aggregate): View =>
  (outputs, { column: columnPhrase = "", which: include = "", also = "", without: exclude = "" }, region) => {
    const table = readTable(outputs, true);
    const path = pathOf(outputs);
    const named = selectRows(table, path, columnPhrase);
    const column = named.column ?? numbersOf(table, path, columnPhrase);
    if (named.unexplained.length > 0) throw noColumn(table, path, columnPhrase);
    const filtered = filterRows(table, path, { include: named.value ?? include, also, exclude });
    return describeAggregate(kind, { table, column, filtered, path }, region);
  };

/** Formats a sum with the decimals that its cells share: 200.50 + 60.50 = 261.00. */
function formatSum(value: Decimal, amounts: readonly Amount[]): string {
  const decimals = new Set(amounts.map((one) => one.decimals));
  const [only = 0] = decimals;
  return decimals.size === 1 ? value.toFixed(Math.max(only, value.decimalPlaces())) : value.toString();
}

/** The sums of a column for each value of another one, the largest first. */
const sumsBy: View = (outputs, { column: columnPhrase = "", by = "" }, region) => {
  const table = readTable(outputs);
  const path = pathOf(outputs);
  const group = columnNamed(table, by);
  if (group === undefined) throw noColumn(table, path, by);
  const column = numbersOf(table, path, columnPhrase);
  const rows = table.rows.filter((row) => !isTotal(row));
  const amounts = amountsIn({ ...table, rows }, column, path, isDecimalComma(region));
  const groups = Map.groupBy(amounts, ({ row }) => row[group] ?? "");
  const sums = [...groups].map(([name, members]) => {
    const sum = members.reduce((total, { value }) => total.plus(value), new Exact(0));
    return { name: name === "" ? "(none)" : name, sum, text: formatSum(sum, members) };
  });
  const ordered = sums.toSorted((one, other) => other.sum.cmp(one.sum)).slice(0, MAX_ROWS);
  return markdownTable(
    [inline(table.columns[group] ?? ""), inline(table.columns[column] ?? "")],
    ordered.map(({ name, text }) => [name, text]),
  );
};

/** The sentence that answers for an aggregate; the rows with an extreme follow it. */
function describeAggregate(
  kind: Aggregate,
  { table, column, filtered, path }: { table: Table; column: number; filtered: FilteredRows; path: string },
  region: Region,
): string {
  const amounts = amountsIn({ ...table, rows: filtered.rows }, column, path, isDecimalComma(region));
  const name = inline(table.columns[column] ?? "");
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
    return `The average of ${name} in ${path} is ${shortened(sum.div(values.length))}${note}.`;
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
    return describeAggregate(kind, { table, column, filtered: filterRows(table, path, {}), path }, region);
  };

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
  const { rows, value, column, unexplained } = selectRows(
    table,
    path,
    words.replace(NEGATED, " ").replaceAll(SO_FAR, " "),
  );
  const [row, ...others] = rows;
  if (value === undefined || column === undefined || row === undefined || unexplained.length > 0)
    return `I can't tell “${inline(words)}” from ${path}. Its columns are ${columnNames(table)}.`;
  if (others.length > 0) return cellsAbout(outputs, value);
  const cell = (row[column] ?? "").trim();
  const says = YES.test(cell) ? "Yes. " : NO.test(cell) ? "No. " : "";
  const shown = cell === "" ? "empty" : `“${inline(cell)}”`;
  return `${NEGATED.test(words) ? "" : says}In ${path}, ${inline(table.columns[column] ?? "")} is ${shown} for ${inline(value)}.`;
}

/** How many entries a table or a list has; undefined for a file that is neither. */
const entries: View = (outputs, { what = "" }) => {
  const path = pathOf(outputs);
  const table = tryReadTable(outputs);
  if (table !== undefined) {
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
  }
  if (outputs.truncated === true || outputs.from !== undefined) return undefined;
  const document = /\.json$/iu.test(textField(outputs, "path"))
    ? parseExactJson(textField(outputs, "content"))
    : undefined;
  if (isRecord(document))
    return `${path} has ${formatCount(Object.keys(document).length, "key")} at its top.`;
  const items = textField(outputs, "content").split(/\r?\n/u).filter(isListItem);
  return items.length > 0 ? `${path} has ${formatCount(items.length, "item")}.` : undefined;
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

/** The table in the outputs of a read; undefined if there is none or only a part of it was read. */
function tryReadTable(outputs: Record<string, unknown>): Table | undefined {
  try {
    return readTable(outputs);
  } catch (error) {
    if (error instanceof UnanswerableError) return undefined;
    throw error;
  }
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
  sum: aggregate("sum"),
  "sum-by": sumsBy,
  average: aggregate("average"),
  highest: aggregate("highest"),
  lowest: aggregate("lowest"),
  ...Object.fromEntries(
    (["cheapest", "dearest", "youngest", "oldest", "shortest", "longest"] as const).map((asked) => [
      asked,
      superlative(asked),
    ]),
  ),
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
