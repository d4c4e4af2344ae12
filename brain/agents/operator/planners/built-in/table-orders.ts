import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { stem } from "@metahuman/core/language/tokens/words";
import { numberInWords } from "@metahuman/core/text/number-words";
import { escapeRegExp, plainWords } from "@metahuman/core/text/words";
import { amountIn, columnNamed, NO, type Table, YES } from "@metahuman/skills/fs-read/tables";
import { rowLabel, rowsNamed } from "@metahuman/skills/table-edit/row-words";
import type { PlanState } from "../../planner.ts";
import { interpretAlone } from "./interpret-request.ts";
import { type Continued, PRONOUN, type ShortOrder } from "./short-orders.ts";
import { nameStems, nameMentioned, type SubjectOf } from "./subjects.ts";

type TableSubject = SubjectOf<"table">;

/** What a short order changes or asks of a table of the conversation; undefined if it means no part of it. */
export function changeOfTable(
  order: ShortOrder,
  subject: TableSubject,
  state: PlanState,
): Continued | undefined {
  const { verb, what, value = "" } = order;
  switch (verb) {
    case "count":
      return isOfRows(what, subject) && (subject.isChanged || what !== "")
        ? { request: `how many entries are in ${subject.path}` }
        : undefined;
    case "add":
      return addition(order, subject, state);
    case "remove": {
      const row = order.isKnown === true ? undefined : rowMeant(order, subject);
      return row === undefined ? undefined : edit(subject, [{ action: "remove", row }], state);
    }
    case "set":
      return setCell(order, subject, state);
    case "replace": {
      const index = subject.table.rows.findIndex((row) => row.some((cell) => isSame(cell, what)));
      const cells = subject.table.rows[index] ?? [];
      const column = subject.table.columns[cells.findIndex((cell) => isSame(cell, what))];
      return column === undefined
        ? undefined
        : edit(subject, [{ action: "set", row: cells[0] ?? what, column, value }], state);
    }
    case "done":
    case "note":
      return statement(order, subject, state);
    case "show":
    case "where":
    case "when":
    case "undo":
    case "copy":
    case "move":
    case "rename":
      return undefined;
    default:
      return verb satisfies never;
  }
}

export const isSame = (one: string, other: string): boolean =>
  one.trim().toLowerCase() === other.trim().toLowerCase();

function edit(
  { path }: TableSubject,
  edits: readonly Record<string, unknown>[],
  state: PlanState,
): Continued | undefined {
  return state.skills.some(({ id }) => id === "table_edit")
    ? {
        calls: edits.map((one) => callOf("table_edit", fromRequest({ path, ...one }), state.request)),
      }
    : undefined;
}

const ANY_ROW = /^(?:things?|items?|entries|rows?|lines?|people|persons?|records?|)$/iu;

/** True for words that mean the rows of a table: in general, as its first column, or as its file is called. */
function isOfRows(what: string, { table, path }: TableSubject): boolean {
  if (ANY_ROW.test(what)) return true;
  const names = plainWords(`${table.columns[0] ?? ""} ${path.slice(path.lastIndexOf("/") + 1)}`).map(stem);
  return names.includes(stem(what.toLowerCase()));
}

const firstCells = ({ rows }: Table): string[] =>
  rows.map(([first = ""]) => first).filter((cell) => cell !== "");

const REASON = /\s+(?:because|since|as|i|he|she|they|we|it|its|shes|hes)(?:['’]\p{L}+)?\s.*$/iu;

/** The row that an order means: by words for it alone, by a statement beside it, or the row of the request before. */
function rowMeant({ what, context }: ShortOrder, { table, row }: TableSubject): string | undefined {
  if (PRONOUN.test(what))
    return (context === undefined ? undefined : nameMentioned(context, firstCells(table))) ?? row;
  for (const words of [what, what.replace(REASON, "")]) {
    const [only, ...others] = rowsNamed(table, words);
    if (only !== undefined && others.length === 0) return rowLabel(table, only);
  }
  return undefined;
}

const OWNER = /^(?:his|her|its|their)\s+(?<column>\S.*)$/iu;
const OF = /^(?:the\s+)?(?<column>\S.*?)\s+(?:of|for)\s+(?<row>\S.*)$/iu;

/** The row and, if the words name one, the column: "her voice", "Eila's fee", "Heluna tuesday", "the software amount". */
function cellMeant(order: ShortOrder, subject: TableSubject): { row: string; column?: string } | undefined {
  const { table } = subject;
  const { what } = order;
  const columnOf = (words: string): string | undefined => {
    const index = columnNamed(table, words);
    return index === undefined ? undefined : table.columns[index];
  };
  const owned = OWNER.exec(what)?.groups?.["column"];
  if (owned !== undefined) {
    const [row, column] = [rowMeant({ ...order, what: "" }, subject), columnOf(owned)];
    return row === undefined || column === undefined ? undefined : { row, column };
  }
  const whole = rowMeant(order, subject);
  if (whole !== undefined) return { row: whole };
  // "And the rent to 700" after another cell of the row.
  const alone = columnOf(what);
  const isWhole = alone !== undefined && nameStems(what).every((word) => nameStems(alone).includes(word));
  if (isWhole && subject.row !== undefined && subject.age === 0) return { row: subject.row, column: alone };
  const of = OF.exec(what)?.groups;
  const words = what.replace(/^the\s+/iu, "").split(/\s+/u);
  const splits: (readonly [string, string])[] = [
    ...(of === undefined ? [] : [[of["row"] ?? "", of["column"] ?? ""] as const]),
    ...words.slice(1).flatMap((_, index): (readonly [string, string])[] => {
      const [before, after] = [words.slice(0, index + 1).join(" "), words.slice(index + 1).join(" ")];
      return [
        [before.replace(/['’]s$/u, ""), after],
        [after, before],
      ];
    }),
  ];
  for (const [rowWords, columnWords] of splits) {
    const column = columnOf(columnWords);
    const row = column === undefined ? undefined : rowMeant({ verb: "set", what: rowWords }, subject);
    if (row !== undefined && column !== undefined) return { row, column };
  }
  return undefined;
}

const isMark = (cell: string): boolean => YES.test(cell.trim()) || NO.test(cell.trim());

/** "38 and he has paid" is no value, but one and another statement. */
const STATES_MORE = /\band\s+(?:he|she|it|they|we|i)\s+(?:has|have|had|is|are|was|were|did|does)\b/iu;

/** The column that a value belongs to: one that has it, the one of the request before, or the only one with such values. */
function columnFor({ table, column: current }: TableSubject, value: string): string | undefined {
  const columns = [...table.columns.keys()].slice(1);
  const cellsOf = (index: number): string[] =>
    table.rows.map((row) => row[index] ?? "").filter((cell) => cell !== "");
  const only = (fits: (cells: readonly string[]) => boolean): string | undefined => {
    const found = columns.filter((index) => cellsOf(index).length > 0 && fits(cellsOf(index)));
    return found.length === 1 ? table.columns[found[0] ?? 0] : undefined;
  };
  const isAmount = amountIn(value) !== undefined || numberInWords(value) !== undefined;
  const fitsKind = (cells: readonly string[]): boolean =>
    isAmount
      ? cells.every((cell) => amountIn(cell) !== undefined)
      : isMark(value)
        ? cells.every(isMark)
        : cells.some((cell) => isSame(cell, value));
  const index = current === undefined ? -1 : table.columns.indexOf(current);
  if (index > 0 && fitsKind(cellsOf(index))) return current;
  return only(fitsKind) ?? only((cells) => cells.some((cell) => isSame(cell, value)));
}

const TO_DAY = /^(?:to\s+)/iu;

function setCell(order: ShortOrder, subject: TableSubject, state: PlanState): Continued | undefined {
  const value = (order.value ?? "").replace(TO_DAY, "");
  const all = EVERY_ROW.test(order.what) && isMark(value) ? markEveryRow(value, subject, state) : undefined;
  if (all !== undefined) return all;
  const cell = cellMeant(order, subject);
  const column = cell?.column ?? columnFor(subject, value);
  if (cell === undefined || column === undefined || value === "" || STATES_MORE.test(value)) return undefined;
  return edit(subject, [{ action: "set", row: cell.row, column, value }], state);
}

const EVERY_ROW =
  /^(?:all(?:\s+of\s+(?:them|those|these))?|everything|everyone|everybody|them\s+all|each|every\s+(?:row|one))$/iu;
/** More rows are no short order. */
const MAX_ROWS = 50;

/** "Reset all to no": the same mark in the only column of marks. */
function markEveryRow(value: string, subject: TableSubject, state: PlanState): Continued | undefined {
  const { columns, rows } = subject.table;
  const [index, ...others] = [...columns.keys()].filter(
    (column) => column > 0 && rows.every((row) => isMark(row[column] ?? "")),
  );
  if (index === undefined || others.length > 0 || rows.length > MAX_ROWS) return undefined;
  const changed = rows.flatMap((row, at) => (isSame(row[index] ?? "", value) ? [] : [at]));
  const column = columns[index] ?? "";
  const edits = changed.map((at) => ({ action: "set", row: rowLabel(subject.table, at), column, value }));
  return edits.length === 0 ? undefined : edit(subject, edits, state);
}

/** "Arthur has paid, put that in", "her number is 555, enter it": what a statement beside the order says of a row. */
function statement(
  { what, context = what, verb }: ShortOrder,
  subject: TableSubject,
  state: PlanState,
): Continued | undefined {
  const { named, value } = IS.exec(context)?.groups ?? {};
  if (verb === "note" && named !== undefined && value !== undefined) {
    const set = setCell({ verb: "set", what: named, value }, subject, state);
    if (set !== undefined) return set;
  }
  if (verb === "done" && !/\bpaid\b/iu.test(state.request)) return undefined;
  const stated = verb === "done" ? `${rowMeant({ verb, what }, subject) ?? ""} has paid` : context;
  const request = `${stated}, update ${subject.path}`;
  const reading = interpretAlone({ ...state, request });
  return stated.startsWith(" ") || reading.kind !== "plan" || reading.readOnly ? undefined : { request };
}

const IS = /^(?<named>\S.*?)\s+(?:is|are)\s+(?:now\s+)?(?<value>\S.*)$/iu;

/** Other places and things, to which no row belongs. */
const ELSEWHERE = /\b(?:to|into|onto|as|task|reminder|file|folder|note)\b|\?/iu;

/** "It 2.40" refers to a row that there is. */
const REFERS = /^(?:it|that|this|them|those|these|him|her)\b/iu;

/** "And only the paid ones" asks about some of the rows. */
const CHOOSES = /^(?:only|just|not|no|without|except|but|what|which|who|how)\b/iu;

/** New rows: "Olli, 40, yes", "orange juice 2.80", "ella yes" and "Ann 10 and Bo 20". */
function addition(order: ShortOrder, subject: TableSubject, state: PlanState): Continued | undefined {
  const what = order.what.replace(/^["“](.*)["”]$/u, "$1");
  if (PRONOUN.test(what) || REFERS.test(what) || ELSEWHERE.test(what) || CHOOSES.test(what)) return undefined;
  const parts = what.split(/\s*;\s*|\s+and\s+/iu);
  const rows = parts.length > 1 && parts.every((part) => hasCells(part, subject)) ? parts : [what];
  // A bare name may be anything; with a value for another column it is a row.
  if (order.isBare === true && !rows.every((row) => hasCells(row, subject))) return undefined;
  const edits = rows.map((words) => ({ action: "add", values: cellsIn(withoutJoint(words), subject) }));
  return edit(subject, edits, state);
}

/** "Walter with fee 10": the words between a name and its values. */
const withoutJoint = (values: string): string => values.replace(/\s+(?:with|for|at|costs?)\s+(?=\S)/iu, " ");

/**
 * The values of a row in words: those behind the names of columns, "bed 4 temp 36.5"; or a name with the values at its end that only
 * one column has, "ella yes". Words with commas, and those that are neither, stay as they are.
 */
function cellsIn(words: string, subject: TableSubject): string | Record<string, string> {
  const { columns } = subject.table;
  if (words.includes(",")) return words;
  const places = columns
    .map((name) => ({
      name,
      at: new RegExp(String.raw`(?<![\p{L}\p{N}])${escapeRegExp(name)}(?=\s)`, "iu").exec(words)?.index,
    }))
    .flatMap(({ name, at }) => (at === undefined ? [] : [{ name, at }]))
    .toSorted((one, other) => one.at - other.at);
  if (places.length > 1 && places[0]?.at === 0)
    return Object.fromEntries(
      places.map(({ name, at }, index) => [
        name,
        words.slice(at + name.length, places[index + 1]?.at).trim(),
      ]),
    );
  const parts = words.split(/\s+/u);
  const values: Record<string, string> = {};
  while (parts.length > 1) {
    const value = parts.at(-1) ?? "";
    const column = columnFor({ ...subject, column: "" }, value);
    if (column === undefined || Object.hasOwn(values, column)) break;
    values[column] = value;
    parts.pop();
  }
  const [first = ""] = columns;
  return Object.keys(values).length === 0 ? words : { [first]: parts.join(" "), ...values };
}

/** True if words have a value besides a name: an amount, a mark, a value of another column, or several parts. */
function hasCells(words: string, subject: TableSubject): boolean {
  const parts = words.split(/\s*,\s*|\s+/u);
  return (
    words.includes(",") ||
    parts.slice(1).some((part) => isMark(part) || amountIn(part) !== undefined) ||
    parts.slice(1).some((part) => columnFor(subject, part) !== undefined)
  );
}
