import { formatCount } from "@metahuman/core/text/format";
import type { View } from "@metahuman/core/language/grammar/phrase";
import { z } from "zod";
import { escapeInline } from "../markdown.ts";
import { figureOf, figuresOfGroups } from "./table-figures.ts";
import { pathOf, renderRows } from "./table-rows.ts";
import { amountIn, isTotal, NO, readTable, type Table, UnanswerableError, YES } from "./tables.ts";

// A question about a table that is already read word by word: which rows, and what of them.

/** Rows whose cell in the column has one of the values, or none of them. */
const ValueCondition = z.strictObject({
  column: z.string(),
  is: z.array(z.string()).min(1),
  isNegated: z.boolean().optional(),
});
/** Rows whose cell in the column says yes, or no. */
const MarkCondition = z.strictObject({ column: z.string(), mark: z.enum(["yes", "no"]) });
/** Rows whose amount in the column compares with another. */
const AmountCondition = z.strictObject({
  column: z.string(),
  compare: z.enum(["over", "under", "least", "most"]),
  amount: z.number(),
});

export const TableCondition = z.union([ValueCondition, MarkCondition, AmountCondition]);
export type TableCondition = z.infer<typeof TableCondition>;

/**
 * What is asked of the rows that meet all conditions: the rows, how many they are, their share of all rows in percent, a figure of
 * `column`, or (`all`) whether all rows meet the last condition. With `group`, the sums of `column`, or the numbers of rows, for each
 * value of that column; with a superlative, the value with the highest or the lowest.
 */
export const TableQuery = z.strictObject({
  where: z.array(TableCondition),
  figure: z.enum(["rows", "count", "share", "sum", "average", "highest", "lowest", "all"]),
  column: z.string().optional(),
  group: z.string().optional(),
});
export type TableQuery = z.infer<typeof TableQuery>;

/** The view that answers a `TableQuery`, given as JSON in its value `query`. */
export const QUERY_VIEW = "query";

const isSame = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase();

/** The index of a column by its name. Throws `UnanswerableError` if the table has no such column. */
function indexOf({ columns }: Table, name: string, path: string): number {
  const index = columns.indexOf(name);
  if (index < 0) throw new UnanswerableError(`${path} has no column “${escapeInline(name)}”.`);
  return index;
}

function meetsCondition(row: readonly string[], condition: TableCondition, index: number): boolean {
  const cell = (row[index] ?? "").trim();
  if ("is" in condition)
    return condition.is.some((value) => isSame(value, cell)) !== (condition.isNegated === true);
  if ("mark" in condition) return (condition.mark === "yes" ? YES : NO).test(cell);
  const value = (amountIn(cell) ?? amountIn(cell, true))?.value.toNumber();
  if (value === undefined) return false;
  switch (condition.compare) {
    case "over":
      return value > condition.amount;
    case "under":
      return value < condition.amount;
    case "least":
      return value >= condition.amount;
    case "most":
      return value <= condition.amount;
    default:
      return condition.compare satisfies never;
  }
}

/** The rows that meet all conditions, without rows of totals. Throws `UnanswerableError` for a column that is not there. */
export function rowsMeeting(table: Table, where: readonly TableCondition[], path: string): Table["rows"] {
  const conditions = where.map((condition) => ({
    condition,
    index: indexOf(table, condition.column, path),
  }));
  return table.rows.filter(
    (row) =>
      !isTotal(row) && conditions.every(({ condition, index }) => meetsCondition(row, condition, index)),
  );
}

/** A condition in words, for the end of a sentence: `for “Oslo”`, `where paid is no`. */
function inWords(condition: TableCondition): string {
  const column = escapeInline(condition.column);
  if ("is" in condition && condition.is.includes(""))
    return `where ${column} is ${condition.isNegated === true ? "not " : ""}empty`;
  if ("is" in condition)
    return `${condition.isNegated === true ? "without" : "for"} ${condition.is.map((value) => `“${escapeInline(value)}”`).join(" or ")}`;
  if ("mark" in condition) return `where ${column} is ${condition.mark}`;
  const words = { over: "over", under: "under", least: "at least", most: "at most" };
  return `where ${column} is ${words[condition.compare]} ${String(condition.amount)}`;
}

const noteOf = (where: readonly TableCondition[]): string =>
  where.map((condition) => `, ${inWords(condition)}`).join("");

/** The `TableQuery` in the values of a view. Throws if there is none. */
const queryIn = (values: Readonly<Record<string, string>>): TableQuery =>
  TableQuery.parse(JSON.parse(values[QUERY_VIEW] ?? "{}"));

/** The rows that a `TableQuery` chooses. */
export function rowsQueried(
  outputs: Record<string, unknown>,
  values: Readonly<Record<string, string>>,
): { table: Table; rows: Table["rows"] } {
  const table = readTable(outputs);
  return { table, rows: rowsMeeting(table, queryIn(values).where, pathOf(outputs)) };
}

/** Answers a `TableQuery`. */
export const answerQuery: View = (outputs, values, region) => {
  const table = readTable(outputs);
  const path = pathOf(outputs);
  const { where, figure, column: name, group: by } = queryIn(values);
  const rows = rowsMeeting(table, where, path);
  const note = noteOf(where);
  const all = table.rows.filter((row) => !isTotal(row));
  const column = name === undefined ? undefined : indexOf(table, name, path);
  if (by !== undefined) {
    const isExtreme = figure === "highest" || figure === "lowest";
    const group = indexOf(table, by, path);
    return figuresOfGroups(
      { ...table, rows },
      { path, column, group, isAverage: figure === "average", ...(isExtreme && { only: figure }) },
      region,
    );
  }
  switch (figure) {
    case "rows": {
      if (rows.length === 0) return `No row of ${path} matches${note}.`;
      const [row, ...others] = rows;
      if (column === undefined || row === undefined || others.length > 0)
        return renderRows(table, rows, column);
      const cell = row[column] ?? "";
      const shown = cell === "" ? "empty" : `“${escapeInline(cell)}”`;
      return `${escapeInline(name ?? "")} is ${shown} in ${path}:\n\n${renderRows(table, rows, column)}`;
    }
    case "count":
      return where.length === 0
        ? `${path} has ${formatCount(all.length, "entry")}.`
        : `${String(rows.length)} of ${formatCount(all.length, "row")} in ${path}${note}.`;
    case "share": {
      if (all.length === 0) return `${path} has no rows.`;
      const percent = Math.round((rows.length / all.length) * 1000) / 10;
      return `${String(percent)} %: ${String(rows.length)} of ${formatCount(all.length, "row")} in ${path}${note}.`;
    }
    case "all": {
      const among = rowsMeeting(table, where.slice(0, -1), path);
      const missing = among.filter((row) => !rows.includes(row));
      const asking = where.at(-1);
      const asked = noteOf(where.slice(-1)).replace(/^, (?:where )?/u, "");
      const [only, ...more] = among;
      if (only !== undefined && more.length === 0 && asking !== undefined) {
        const cell = only[indexOf(table, asking.column, path)] ?? "";
        const shown = cell === "" ? "empty" : `“${escapeInline(cell)}”`;
        return `${missing.length === 0 ? "Yes" : "No"}. In ${path}, ${escapeInline(asking.column)} is ${shown} for ${escapeInline(only.find((one) => one !== "") ?? "")}.`;
      }
      if (among.length === 0) return `No row of ${path} matches${noteOf(where.slice(0, -1))}.`;
      if (missing.length === 0) return `Yes, in ${path} ${asked} for all ${String(among.length)} rows.`;
      return `No. In ${path}, it is not so that ${asked} here:\n\n${renderRows(table, missing)}`;
    }
    case "sum":
    case "average":
    case "highest":
    case "lowest":
      if (column === undefined) throw new UnanswerableError(`Name the column of ${path}.`);
      return figureOf(figure, { table, column, filtered: { rows, note }, path }, region);
    default:
      return figure satisfies never;
  }
};
