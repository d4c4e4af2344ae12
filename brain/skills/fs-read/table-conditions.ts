import { SHORT_MONTHS } from "@metahuman/core/contract/calendar-names";
import { oneOf } from "@metahuman/core/text/patterns";
import { verbStem } from "@metahuman/core/language/tokens/irregular-verbs";
import { FUNCTION_WORDS } from "@metahuman/core/language/tokens/words";
import { plainWords, withoutTrailing } from "@metahuman/core/text/words";
import { escapeInline } from "../markdown.ts";
import {
  amountIn,
  columnNamed,
  columnNames,
  isTotal,
  markNamed,
  NO,
  selectRows,
  type Table,
  UnanswerableError,
  YES,
} from "./tables.ts";

const MONTH_WORDS = [
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?",
  "oct(?:ober)?|nov(?:ember)?|dec(?:ember)?",
].join("|");
const MONTH = new RegExp(String.raw`\b(${MONTH_WORDS})\b(?:\s+(\d{4}))?`, "iu");
const IN_YEAR = /\b(?:in|from|of|during|for)\s+((?:19|20)\d{2})\b/iu;
/** "haven't", "hasnt", and the "nt" of it alone; not the end of "Kent". */
const CONTRACTED = /\b(?:has|have|had|did|does|do|is|are|was|were)?n[’']?t\b/giu;
const NEGATED = /\b(?:not|never|no|nor|without)\b/iu;
/** Who owes has not paid: words that say of a column of this name that it is not so. */
const OPPOSITES: readonly (readonly [RegExp, string])[] = [
  [
    /\b(?:owe|owes|owed|owing|outstanding|in arrears)\b(?:\s+(?:me|us)\b)?(?:\s+(?:money|anything|something)\b)?/giu,
    "paid",
  ],
];

/** The condition in the words of the table, if it has none of its own: "not paid" for "owe", "paid" for "do not owe". */
function inWordsOf(table: Table, condition: string): string {
  return OPPOSITES.reduce((words, [pattern, opposite]) => {
    const found = words.match(pattern) ?? [];
    const isOwn = found.some((word) => selectRows(table, "", word).unexplained.length === 0);
    if (found.length === 0 || isOwn || columnNamed(table, opposite) === undefined) return words;
    const plain = words.replaceAll(CONTRACTED, " not ");
    return NEGATED.test(plain)
      ? plain.replace(NEGATED, " ").replaceAll(pattern, ` ${opposite} `)
      : plain.replaceAll(pattern, ` not ${opposite} `);
  }, condition);
}
const COMPARED: readonly (readonly [RegExp, (one: number, other: number) => boolean])[] = [
  [/\b(?:since|from|at least|no (?:less|earlier) than)\s+(?=[$€£]?\d)/iu, (one, other) => one >= other],
  [
    /\b(?:after|over|above|later than|(?:more|greater|higher|older) than)\s+(?=[$€£]?\d)/iu,
    (one, other) => one > other,
  ],
  [
    /\b(?:before|under|below|earlier than|(?:less|fewer|lower|younger|cheaper) than)\s+(?=[$€£]?\d)/iu,
    (one, other) => one < other,
  ],
  [/\b(?:until|up to|at most|no (?:more|later) than)\s+(?=[$€£]?\d)/iu, (one, other) => one <= other],
];
const IDLE_WORDS = oneOf(
  "row|rows|entry|entries|record|item|people|person|those|yet|already|still|so|far|currently|all|only",
  "live|lives|living|come|comes|belong|based|marked|listed|there",
);
/** Words that choose no rows. */
const IDLE = new RegExp(String.raw`^${IDLE_WORDS}$`, "iu");

/** The day in a cell: `2026-05-03`, `3.5.2026`, `3/5/2026`. */
function dayIn(cell: string): { year: number; month: number } | undefined {
  const [, year, month] = /^(\d{4})-(\d{2})(?:-\d{2})?/u.exec(cell.trim()) ?? [];
  if (year !== undefined) return { year: Number(year), month: Number(month) };
  const [, monthOfDay, yearOfDay] = /^\d{1,2}\.(\d{1,2})\.(\d{4})$/u.exec(cell.trim()) ?? [];
  return yearOfDay === undefined ? undefined : { year: Number(yearOfDay), month: Number(monthOfDay) };
}

const columnOf = (table: Table, fits: (cell: string) => boolean): number | undefined => {
  const found = table.columns.flatMap((_, column) => {
    const cells = table.rows.map((row) => row[column] ?? "").filter((cell) => cell !== "");
    return cells.length > 0 && cells.every(fits) ? [column] : [];
  });
  return found.length === 1 ? found[0] : undefined;
};

/**
 * The rows that words choose: a value ("in Bergen"), a mark ("have paid", "not active"), a comparison ("joined after 2020", "over
 * 100"), a month or a year ("from may"). Throws `UnanswerableError` if a word means nothing in the table.
 */
export function rowsWhere(table: Table, path: string, asked: string): Table["rows"] {
  const condition = inWordsOf(table, asked);
  let rows = table.rows.filter((row) => !isTotal(row));
  let words = withoutTrailing(condition, /[\s.,;:!?]/u);
  const keep = (fits: (row: readonly string[]) => boolean): void => {
    rows = rows.filter(fits);
  };
  const month = MONTH.exec(words);
  const dates = columnOf(table, (cell) => dayIn(cell) !== undefined);
  if (month !== null && dates !== undefined && isMonth(words, month)) {
    const number = SHORT_MONTHS.indexOf((month[1] ?? "").slice(0, 3).toLowerCase()) + 1;
    keep((row) => {
      const day = dayIn(row[dates] ?? "");
      return day?.month === number && (month[2] === undefined || day.year === Number(month[2]));
    });
    words = words.replace(month[0], " ");
  }
  const year = IN_YEAR.exec(words)?.[1];
  if (year !== undefined && dates !== undefined) {
    keep((row) => dayIn(row[dates] ?? "")?.year === Number(year));
    words = words.replace(year, " ");
  }
  for (const [pattern, compare] of COMPARED) {
    const found = pattern.exec(words);
    const amount = found && /^\S+/u.exec(words.slice(found.index + found[0].length))?.[0];
    const limit = amount ? amountIn(amount)?.value.toNumber() : undefined;
    if (found === null || typeof amount !== "string" || limit === undefined) continue;
    const before = words.slice(0, found.index);
    const behind = /^\s*\p{L}+/u.exec(words.slice(found.index + found[0].length + amount.length))?.[0] ?? "";
    const column =
      columnNamed(table, before) ??
      columnNamed(table, behind) ??
      columnOf(table, (cell) => amountIn(cell) !== undefined);
    if (column === undefined)
      throw new UnanswerableError(
        `Name the column that is compared. The columns of ${path} are ${columnNames(table)}.`,
      );
    keep((row) => {
      const value = amountIn(row[column] ?? "")?.value.toNumber() ?? dayIn(row[column] ?? "")?.year;
      return value !== undefined && compare(value, limit);
    });
    const name = new Set(plainWords(table.columns[column] ?? "").map(verbStem));
    words = `${before} ${words.slice(found.index + found[0].length + amount.length)}`.replaceAll(
      /[\p{L}]+/gu,
      (word) => (name.has(verbStem(word.toLowerCase())) ? " " : word),
    );
  }
  const empty = emptyCells(table, words);
  if (empty !== undefined) return rows.filter((row) => (row[empty] ?? "") === "");
  const isColumn = (word: string): boolean =>
    table.columns.some((name) => name.trim().toLowerCase() === word);
  const rest = plainWords(words.replaceAll(CONTRACTED, " not ")).filter(
    (word) => isColumn(word) || (!FUNCTION_WORDS.has(word) && !IDLE.test(word)),
  );
  if (rest.length === 0) return rows;
  const meant = rest.map((word) => withoutPrefix(table, word) ?? word);
  const isPrefixed = meant.some((word, at) => word !== rest[at]);
  return rowsByValue({ ...table, rows }, path, {
    words: meant.join(" "),
    isNegated: NEGATED.test(condition.replaceAll(CONTRACTED, " not ")) !== isPrefixed,
  });
}

const EMPTY = /\b(?:empty|vacant|blank|unoccupied|unlet|unassigned)\b/iu;

/** The only column with empty cells, if the words ask for rows that are empty and no cell says so itself. */
function emptyCells({ columns, rows }: Table, words: string): number | undefined {
  if (!EMPTY.test(words) || NEGATED.test(words) || rows.some((row) => row.some((cell) => EMPTY.test(cell))))
    return undefined;
  const found = [...columns.keys()].filter((column) => rows.some((row) => (row[column] ?? "") === ""));
  return found.length === 1 ? found[0] : undefined;
}

const NEGATING_PREFIX = /^(?:un|in|im|non)-?(?=\p{L}{3})/u;

/**
 * "paid" for "unpaid", where a column of that name says yes and no, or has that value beside others; undefined for a word that
 * the table has itself, and for any other word.
 */
function withoutPrefix(table: Table, word: string): string | undefined {
  const rest = word.replace(NEGATING_PREFIX, "");
  if (rest === word) return undefined;
  const isCell = (value: string): boolean =>
    table.rows.some((row) => row.some((cell) => cell.trim().toLowerCase() === value));
  if (isCell(word) || columnNamed(table, word) !== undefined) return undefined;
  const column = columnNamed(table, rest);
  const marks = column === undefined ? [] : table.rows.map((row) => (row[column] ?? "").trim());
  const isMark = marks.length > 0 && marks.every((cell) => YES.test(cell) || NO.test(cell));
  return isMark || isCell(rest) ? rest : undefined;
}

/** "May" is a month, and "may" a verb only before another one. */
const isMonth = (words: string, { 0: found, index }: RegExpExecArray): boolean =>
  found.toLowerCase() !== "may" ||
  /\b(?:in|from|of|during|for)\s+$/iu.test(words.slice(0, index)) ||
  /^may$/iu.test(words.trim());

/** The rows with a value, or whose cell in a column says yes; those without it if the words are negated. */
function rowsByValue(
  table: Table,
  path: string,
  { words, isNegated }: { words: string; isNegated: boolean },
): Table["rows"] {
  const { rows, value, unexplained, ...selected } = selectRows(table, path, words);
  // "Paid their fee" names two columns and means the one of yes and no.
  const column = selected.column ?? markNamed(table, words);
  if (value !== undefined && unexplained.length === 0) {
    const chosen = new Set(rows);
    return isNegated ? table.rows.filter((row) => !chosen.has(row)) : rows;
  }
  const marks = table.rows.map((row) => (row[column ?? 0] ?? "").trim());
  const isMarks = column !== undefined && marks.every((cell) => YES.test(cell) || NO.test(cell));
  if (value === undefined && unexplained.length === 0 && isMarks)
    return table.rows.filter((row) => (isNegated ? NO : YES).test((row[column] ?? "").trim()));
  throw new UnanswerableError(
    `I can't tell which rows of ${path} are “${escapeInline(words)}”. Its columns are ${columnNames(table)}.`,
  );
}
