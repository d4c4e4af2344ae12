import { formatCount } from "@metahuman/core/text/format";
import { normalize } from "@metahuman/core/language/tokens/words";
import type { Unanswered, View } from "@metahuman/core/language/grammar/phrase";
import { escapeInline } from "../markdown.ts";
import { rowsWhere } from "./table-conditions.ts";
import { type RowChoice, rowChoices } from "./table-choices.ts";
import { figureViews } from "./table-figures.ts";
import { answerQuery, QUERY_VIEW } from "./table-query.ts";
import { pathOf, renderRows } from "./table-rows.ts";
import {
  columnNames,
  isTotal,
  markNamed,
  NO,
  selectRows,
  type Table,
  tryReadTable,
  UnanswerableError,
  YES,
} from "./tables.ts";

/** A number to compare with, which is not a value of a cell. */
const COMPARES = /\b(?:than|over|under|above|below|at least|at most|up to)\s+[$€£]?\d/iu;

function tryRowsWhere(table: Table, path: string, words: string): Table["rows"] | undefined {
  try {
    return rowsWhere(table, path, words);
  } catch (error) {
    if (error instanceof UnanswerableError) return undefined;
    throw error;
  }
}

const rowsFound = (table: Table, path: string, rows: Table["rows"]): string =>
  rows.length === 0 ? `No row of ${path} matches.` : renderRows(table, rows);

/**
 * Answers a question about a column, a value or both: "price of ink". Undefined if the outputs are not a table or have
 * neither; the reason if a part of the question means nothing in the table.
 */
export function cellsAbout(outputs: Record<string, unknown>, words: string): ReturnType<View> {
  const table = tryReadTable(outputs);
  if (table === undefined) return undefined;
  const path = pathOf(outputs);
  const chosen = COMPARES.test(words) ? tryRowsWhere(table, path, words) : undefined;
  if (COMPARES.test(words))
    return chosen === undefined ? cannotAnswer(outputs, words) : rowsFound(table, path, chosen);
  const { rows, value, column, unexplained } = selectRows(table, path, words);
  if (value !== undefined && (column === undefined || unexplained.length > 0))
    return `${formatCount(rows.length, "row")} of ${path} ${rows.length === 1 ? "has" : "have"} “${escapeInline(value)}”:\n\n${renderRows(table, rows)}`;
  if (column === undefined) return undefined;
  if (unexplained.length > 0) return cannotAnswer(outputs, words);
  const marked = markedRows(table, column);
  if (value !== undefined && (marked || rows.length > 1)) {
    const chosen = marked ? rows.filter((row) => marked.includes(row)) : rows;
    const which = marked
      ? ` with “${escapeInline(value)}” is marked “${escapeInline(table.columns[column] ?? "")}”`
      : "";
    if (chosen.length === 0) return `No row of ${path}${which}.`;
    return renderRows(table, chosen, column);
  }
  return marked
    ? `${formatCount(marked.length, "row")} of ${path} ${marked.length === 1 ? "is" : "are"} marked “${escapeInline(table.columns[column] ?? "")}”:\n\n${renderRows(table, marked)}`
    : rows.map((row) => `- ${escapeInline(row[column] ?? "")}`).join("\n");
}

/** Says that a table does not answer a question; undefined for another file. */
export function cannotAnswer(outputs: Record<string, unknown>, words: string): Unanswered | undefined {
  const table = tryReadTable(outputs);
  return (
    table && {
      unanswered: `I can't tell “${escapeInline(words)}” from ${pathOf(outputs)}. Its columns are ${columnNames(table)}.`,
    }
  );
}

/** Negations turn a question around, so that "yes" would be read in two ways. */
const NEGATED = /\b(?:not|never|no|nor)\b|n[’']t\b/iu;
/** Words that say when, which no cell does. */
const SO_FAR = /\b(?:yet|already|still|so far|now|ever)\b/giu;

/**
 * Answers a question about one cell, "Gerda paid": the value of that column in that row. Undefined if the outputs are
 * not a table.
 */
export function answerFromCell(outputs: Record<string, unknown>, words: string): ReturnType<View> {
  const table = tryReadTable(outputs);
  if (table === undefined) return undefined;
  const path = pathOf(outputs);
  const asked = words.replace(NEGATED, " ").replaceAll(SO_FAR, " ");
  const { rows, value, unexplained, ...selected } = selectRows(table, path, asked);
  // "Gerda paid her fee" names two columns; the one of yes and no answers it.
  const column = selected.column ?? markNamed(table, asked);
  const [row, ...others] = rows;
  if (value === undefined || column === undefined || row === undefined || unexplained.length > 0)
    return cannotAnswer(outputs, words);
  if (others.length > 0) return cellsAbout(outputs, value);
  const cell = (row[column] ?? "").trim();
  const says = YES.test(cell) ? "Yes. " : NO.test(cell) ? "No. " : "";
  const shown = cell === "" ? "empty" : `“${escapeInline(cell)}”`;
  return `${NEGATED.test(words) ? "" : says}In ${path}, ${escapeInline(table.columns[column] ?? "")} is ${shown} for ${escapeInline(value)}.`;
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
    return {
      unanswered: `I can't tell which of the ${formatCount(rows.length, "entry")} of ${path} are “${escapeInline(what)}”. Its columns are ${columnNames(table)}.`,
    };
  if (selected.value !== undefined)
    return `${String(selected.rows.length)} of ${formatCount(rows.length, "row")} in ${path} ${selected.rows.length === 1 ? "has" : "have"} “${escapeInline(selected.value)}”.`;
  return `${path} has ${formatCount(rows.length, "entry")}${totals}.`;
};

/** The rows that a column of yes and no marks; undefined for any other column. */
function markedRows({ rows }: Table, column: number): Table["rows"] | undefined {
  const marked = rows.filter((row) => YES.test((row[column] ?? "").trim()));
  const isMark =
    marked.length > 0 && rows.every((row) => marked.includes(row) || NO.test((row[column] ?? "").trim()));
  return isMark && rows.some((row) => /\D/u.test(row[column] ?? "")) ? marked : undefined;
}

/** Gives the message of an `UnanswerableError` as the reason. */
const withReason =
  (view: View): View =>
  (...args) => {
    try {
      return view(...args);
    } catch (error) {
      if (error instanceof UnanswerableError) return { unanswered: error.message };
      throw error;
    }
  };

/** The rows that a choice gives. */
const showing =
  (choose: RowChoice): View =>
  (...asked) => {
    const { table, rows, column } = choose(...asked);
    return rows.length === 0 ? `No row of ${pathOf(asked[0])} matches.` : renderRows(table, rows, column);
  };

/** How many rows a choice gives. */
const counting =
  (choose: RowChoice): View =>
  (...asked) => {
    const { table, rows } = choose(...asked);
    const all = table.rows.filter((row) => !isTotal(row)).length;
    return `${String(rows.length)} of ${formatCount(all, "row")} in ${pathOf(asked[0])}.`;
  };

const views: Readonly<Record<string, View>> = {
  ...figureViews,
  ...Object.fromEntries(
    Object.entries(rowChoices).flatMap(([name, choose]) => [
      [`rows-${name}`, showing(choose)],
      [`count-${name}`, counting(choose)],
    ]),
  ),
  entries,
  [QUERY_VIEW]: answerQuery,
};

/** Answers to questions about the rows of a table. */
export const tableViews: Readonly<Record<string, View>> = Object.fromEntries(
  Object.entries(views).map(([name, view]) => [name, withReason(view)]),
);
