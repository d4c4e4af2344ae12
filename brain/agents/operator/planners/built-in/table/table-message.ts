import { verbStem, verbStemSet } from "@metahuman/core/language/tokens/irregular-verbs";
import { FUNCTION_WORDS, stem, wordSet } from "@metahuman/core/language/tokens/words";
import { unitNamed } from "@metahuman/skills/calculate/units";
import { rowLabel } from "@metahuman/skills/table-edit/row-words";
import {
  COUNT_COLUMN,
  MONEY_COLUMN,
  type Span,
  type SpanOf,
  type TableIndex,
  type TableWords,
  type Word,
} from "./words.ts";
import { TableText } from "./table-text.ts";

// The words of a message about a table, with the rows that they name and the columns that their values belong to. RowChanges and NewRows
// build on it.

/** Arguments of one call of table_edit, without the path. */
export type TableChange = Record<string, unknown>;

export type TableChanges = readonly TableChange[];

export interface ChangeContext {
  /** `YYYY-MM-DD` */
  today: string;
  /** The last change of the table in this conversation. */
  lastChange?: TableChange;
  /** The column that the last question was about, for "Joe pays 320 now". */
  askedColumn?: number;
  /** The rows that the last question showed, for "mark them as paid". */
  shownRows: readonly number[];
}

export const ADD_VERBS = verbStemSet(
  "add insert enter include join append new register sign enrol record log note also another",
);
export const REMOVE_VERBS = verbStemSet("remove delete drop scratch cross strike kick erase take");
export const SORT_VERBS = verbStemSet("sort order arrange alphabetise alphabetize");
export const SET_VERBS = verbStemSet(
  "change set reset make update correct move put raise lower increase reduce mark tick amend fix note enter give switch swap lend assign",
);
/** Verbs that say how many pieces went, and how many came. */
export const DECREASE_VERBS = verbStemSet("sell use lose eat drink give break open");
export const INCREASE_VERBS = verbStemSet("arrive buy receive deliver come bake");
/** Words that state how many pieces there are now: "came to 44", "12 are left". */
export const STATES_TOTAL =
  /\b(?:now|left|remain(?:s|ing)?|altogether|in\s+total|in\s+all|the\s+total|(?:to|at)\s+(?:about\s+|only\s+)?[€$£]?\d+)\b/iu;
/** Words right before an amount that state the total, not a difference. */
export const STATED_BEFORE =
  /(?:\b(?:is|are|was|were|be|has|have|had|got)|['’](?:s|re|ve))\s+(?:only\s+|just\s+|about\s+|exactly\s+)?$/iu;
/** Words that may be left out of a statement. */
const IDLE = wordSet(
  "too also both all well now already just finally today yesterday again back instead then yes yeah ok okay sorry actually please thanks hooray great good news last night week " +
    "this morning afternoon evening still yet only really from euro euros pound pounds quid dollars kr hour hours piece pieces each costs cost price got get gets has have had is was were are be been " +
    "gone going risen rose fallen fell grown grew dropped climbed did do does done work works worked sing sings singing play plays playing live lives living move moves moved takes took take goes went comes came come join joined joins new club group team us " +
    "row line entry record one ones member person people number same day next column table list sheet off out up down in on at to of for with by owes pays paying says said " +
    "his her hers its their he she it they him them everyone everybody borrowed borrows borrow lent me wrong meant mean should be left remaining remain altogether fact ended end up turned",
);
/** "The last one was 110" */
const LAST_ROW = /\bthe\s+(?:last|latest|newest)(?:\s+(?:one|row|entry))?\b/iu;
const PRONOUN = /\b(?:it|him|her|he|she)\b/iu;
/** "Down to 19" */
const ONLY_VALUE = /^(?:up|down|back|only)\s+(?:to|at)\s/iu;
/** "Make it 220", "it was 85" */
const REFERS = /\b(?:make|change|set|put)\s+(?:it|that)\b|\b(?:it|that)(?:['’]s|\s+is|\s+was|\s+should)\b/iu;
const MONEY_BEFORE = /\b(?:costs?|price|paid|pays|at|for|owes)\s+$/iu;

/** The words of one message with what they are in a table. */
export class TableMessage extends TableText {
  readonly context: ChangeContext & { sameDay: string | undefined };
  readonly stems: ReadonlySet<string>;

  constructor(text: string, tableWords: TableWords, index: TableIndex, context: TableMessage["context"]) {
    super(text, tableWords, index);
    this.context = context;
    this.stems = new Set(this.words.map((word) => verbStem(word.text)));
  }

  beginsWithVerb(family: ReadonlySet<string>): boolean {
    return family.has(verbStem(this.words[0]?.text ?? ""));
  }

  rowLabel(row: number): string {
    return rowLabel(this.index.table, row);
  }

  /** The words that mean nothing in the table, without those of a clause that only comments. */
  findUnknownWords(): readonly Word[] {
    const evidentClauses = new Set(this.spans.map(({ from }) => this.words[from]?.clause));
    return this.words.filter(
      ({ text, clause }, place) =>
        evidentClauses.has(clause) &&
        !this.isKnown(place) &&
        !FUNCTION_WORDS.has(text) &&
        !IDLE.has(text) &&
        !IDLE.has(stem(text)) &&
        !this.index.names.has(stem(text)) &&
        !SET_VERBS.has(verbStem(text)) &&
        !this.#isUnit(place) &&
        !/^(?:get|make)$/u.test(verbStem(text)) &&
        !DECREASE_VERBS.has(verbStem(text)) &&
        !INCREASE_VERBS.has(verbStem(text)) &&
        !/^\w+n't$/u.test(text),
    );
  }

  /** "405 kilos" */
  #isUnit(place: number): boolean {
    return (
      this.spansOf("amount").some(({ to }) => to === place) &&
      unitNamed(this.words[place]?.text ?? "") !== undefined
    );
  }

  /** Finds the rows that the cells and days of the message have in common. `values`: cells of other rows, which may be new values. */
  findRows({ onDay: isDated = true }: { onDay?: boolean } = {}): {
    rows: readonly number[];
    values: readonly SpanOf<"cell">[];
  } {
    const cells = this.spansOf("cell").toSorted((one, other) => one.column - other.column);
    const byColumn = [...Map.groupBy(cells, ({ column }) => column).values()];
    let rows: readonly number[] | undefined;
    const values: SpanOf<"cell">[] = [];
    for (const spans of byColumn) {
      const named = new Set(spans.flatMap((span) => span.rows));
      const rowsOfBoth: number[] = rows === undefined ? [...named] : rows.filter((row) => named.has(row));
      if (rows !== undefined && rowsOfBoth.length === 0) values.push(...spans);
      else rows = rowsOfBoth;
    }
    if (rows === undefined && LAST_ROW.test(this.text)) rows = [this.index.table.rows.length - 1];
    if (rows === undefined && (PRONOUN.test(this.text) || ONLY_VALUE.test(this.text)))
      rows = this.findMeantRow();
    const [day] = this.spansOf("day");
    const days = this.context.sameDay ?? undefined;
    const onDay = day?.rows ?? (days === undefined ? undefined : this.findRowsOnDay(days));
    if (onDay !== undefined && (rows === undefined || rows.length > 1 || isDated))
      rows = (rows ?? [...this.index.table.rows.keys()]).filter(
        (row) => onDay.includes(row) || (rows?.length === 1 && !this.hasDay(row)),
      );
    return { rows: rows ?? [], values };
  }

  /** The rows that all these cells name. */
  findRowsOfAll(cells: readonly SpanOf<"cell">[]): readonly number[] {
    return [...this.index.table.rows.keys()].filter((row) => cells.every(({ rows }) => rows.includes(row)));
  }

  hasDay(row: number): boolean {
    return (this.index.table.rows[row]?.[this.index.kinds.indexOf("day")] ?? "") !== "";
  }

  findRowsOnDay(day: string): number[] {
    const column = this.index.kinds.indexOf("day");
    return [...this.index.table.rows.keys()].filter((row) => this.index.table.rows[row]?.[column] === day);
  }

  createCellChange(row: number, column: number, value: string): TableChange {
    return { action: "set", row: this.rowLabel(row), column: this.columnName(column), value };
  }

  /** The row that was changed or added last. */
  findLastRow(): number | undefined {
    const { lastChange: last } = this.context;
    const { table } = this.index;
    if (last === undefined) return undefined;
    if (last["action"] === "add") return table.rows.length - 1;
    const row = [...table.rows.keys()].find((candidate) => rowLabel(table, candidate) === last["row"]);
    return (
      row ?? [...table.rows.keys()].find((candidate) => table.rows[candidate]?.includes(String(last["row"])))
    );
  }

  /** The row that "it" or "him" means: the one that was changed last, or the only one that was shown. */
  findMeantRow(): readonly number[] | undefined {
    const { shownRows } = this.context;
    const row = shownRows.length === 1 ? shownRows[0] : this.findLastRow();
    return row === undefined ? undefined : [row];
  }

  /** True if words next to the amount determine its column: the name of one, a word for money, or a time of day. */
  hasEvidentColumn(amount: SpanOf<"amount">): boolean {
    return amount.isTime === true || this.#isMoney(amount) || this.findAdjacentColumn(amount) !== undefined;
  }

  #isMoney({ from, to, text }: SpanOf<"amount">): boolean {
    const [start, end] = [this.words[from]?.start ?? 0, this.words[to - 1]?.end ?? 0];
    return (
      /[€$£]/u.test(text) ||
      MONEY_BEFORE.test(this.text.slice(Math.max(0, start - 12), start)) ||
      /^\s*(?:euros?|pounds?|quid|dollars?|each|apiece)\b/iu.test(this.text.slice(end, end + 10))
    );
  }

  /** The column of numbers that is named right after an amount, else right before it. */
  findAdjacentColumn({ from, to }: SpanOf<"amount">): number | undefined {
    const named = this.spansOf("column").filter(({ column }) => this.index.kinds[column] === "amount");
    const isNear = (span: Span): boolean => this.words[span.from]?.clause === this.words[from]?.clause;
    // In "2 hours 80 quid", the hours are those of the 2.
    const isTaken = (span: Span): boolean => this.spansOf("amount").some((other) => other.to === span.from);
    return (
      named.find((span) => span.from === to && isNear(span)) ??
      named.find((span) => from >= span.to && from - span.to <= 1 && isNear(span) && !isTaken(span))
    )?.column;
  }

  /** The column of an amount: named next to it, the only one of numbers, the one of money or pieces, or the one whose cells are written so. */
  findColumn(amount: SpanOf<"amount">, takenColumns: TableChanges): number | undefined {
    const { kinds, table } = this.index;
    const freeColumns = this.findFreeColumns(amount, takenColumns);
    const adjacentColumn = this.findAdjacentColumn(amount);
    if (adjacentColumn !== undefined)
      return freeColumns.includes(adjacentColumn) ? adjacentColumn : undefined;
    const named = this.spansOf("column").find(({ column }) => freeColumns.includes(column));
    if (named !== undefined && this.spansOf("amount").length === 1) return named.column;
    const isOnly = kinds.filter((kind) => kind === (amount.isTime === true ? "time" : "amount")).length === 1;
    if (freeColumns.length === 0 || isOnly) return freeColumns[0];
    const likelyColumn = this.context.askedColumn ?? this.#findLastColumn();
    const askedColumn = freeColumns.find((column) => column === likelyColumn);
    // "Make it 220" means the value that was asked for or changed before.
    if (askedColumn !== undefined && REFERS.test(this.text)) return askedColumn;
    const isMoney = this.#isMoney(amount);
    const [pieces, ...morePieces] = freeColumns.filter((column) =>
      COUNT_COLUMN.test(this.columnName(column)),
    );
    const isOfPieces = [...this.stems].some((verb) => DECREASE_VERBS.has(verb) || INCREASE_VERBS.has(verb));
    if (isOfPieces && !isMoney && morePieces.length === 0 && pieces !== undefined) return pieces;
    const moneyColumns = freeColumns.filter(
      (column) => MONEY_COLUMN.test(this.columnName(column)) === isMoney,
    );
    if (isMoney) return moneyColumns.length === 1 ? moneyColumns[0] : askedColumn;
    const hasDecimals = /\d[.,]\d/u.test(amount.text);
    const written = freeColumns.filter((column) => {
      const cells = table.rows.map((row) => row[column] ?? "").filter((cell) => /[1-9]/u.test(cell));
      return cells.length > 0 && cells.every((cell) => /\d[.,]\d/u.test(cell) === hasDecimals);
    });
    return written.length === 1 ? written[0] : moneyColumns.length === 1 ? moneyColumns[0] : askedColumn;
  }

  /** The column that was changed last. */
  #findLastColumn(): number | undefined {
    const name = this.context.lastChange?.["column"];
    return typeof name === "string" ? this.index.table.columns.indexOf(name) : undefined;
  }

  /** The columns for an amount or a time that are not taken. */
  findFreeColumns({ isTime }: SpanOf<"amount">, takenColumns: TableChanges): number[] {
    const { kinds, table } = this.index;
    return kinds.flatMap((kind, column) =>
      kind === (isTime === true ? "time" : "amount") &&
      !takenColumns.some((change) => change["column"] === table.columns[column])
        ? [column]
        : [],
    );
  }
}
