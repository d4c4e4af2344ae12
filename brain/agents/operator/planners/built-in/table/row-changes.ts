import { oneOf } from "@metahuman/core/text/patterns";
import { verbStem } from "@metahuman/core/language/tokens/irregular-verbs";
import { FUNCTION_WORDS, stem } from "@metahuman/core/language/tokens/words";
import { numberInWords } from "@metahuman/core/text/number-words";
import { amountIn, NO, YES } from "@metahuman/skills/fs-read/tables";
import { rowsNamed } from "@metahuman/skills/table-edit/row-words";
import { formatDayLikeCells } from "./days.ts";
import {
  ADD_VERBS,
  DECREASE_VERBS,
  INCREASE_VERBS,
  REMOVE_VERBS,
  SET_VERBS,
  SORT_VERBS,
  STATED_BEFORE,
  STATES_TOTAL,
  type TableChange,
  type TableChanges,
} from "./table-message.ts";
import { NewRows } from "./new-rows.ts";
import { COUNT_COLUMN, fitsColumn, MONEY_COLUMN, type SpanOf } from "./words.ts";
import { columnsOfKind } from "./table-text.ts";
import { anyOf, CHANGE_VERBS, IS_DENIED, PERSON, THING } from "../word-lists.ts";

// Reads changes of existing rows: corrections, removals, marks ("Pekka has paid") and new values of cells. Each method reads one kind
// of change and returns undefined for a message of another kind.

const EVERYONE = /\b(?:everyone|everybody|all\s+(?:of\s+them|the\s+others|members|rows))\b/iu;
/** "Reset all to no" */
const ALL_ROWS = /^(?:re)?(?:set|mark|change|put|make)\s+(?:them\s+)?(?:all|everything)\b/iu;
const THEM = /\b(?:them|they|those|these|both)\b/iu;
const CORRECTION =
  /^(?<now>\S[^?]{0,60}?)[,;]?\s+(?:and\s+|but\s+)?not\s+(?:(?:an?|the)\s+)?(?<old>\S{1,20})$/iu;
/** "Not muffins but waffles" */
const NOT_BUT = /^not\s+(?<old>[^\s,]{1,20})(?:,?\s+but\s+|,\s+)(?<now>\S[^?]{0,40})$/iu;
const STATES_CHANGE_WORDS = oneOf(
  "is|are|was|were|has|have|had|goes|went|moved|moves|changed|switched|lives|belongs|now|takes|took|to",
  "borrowed|sings|plays|got",
);
const STATES_CHANGE = new RegExp(String.raw`\b${STATES_CHANGE_WORDS}\b|['’]s\b`, "iu");
/** "Villette got lost, delete it": an order for the row that the words next to it name. */
const REMOVES_IT = new RegExp(
  [
    String.raw`[,.;]\s*(?:(?:so|and|please|pls)\s+)*`,
    String.raw`(?:delete|remove|drop|erase|(?:take|cross|scratch|strike|kick)(?=\s+(?:it|him|her|them|that)\s+(?:off|out|from\s+the\s)))\s+`,
    String.raw`(?:it|him|her|them|that|both)(?:\s+(?:off|out|from\s+the\s+(?:list|table)))?\s*[.!]*$`,
  ].join(""),
  "iu",
);
/** A column of prices, which a number of pieces does not change. */
const PRICE_COLUMN = /\b(?:fee|price|cost|dues|charge|rent|wage|pay|salary|euros?|money)\b/iu;
/** A column of money or of pieces. */
const AMOUNT_COLUMN = /\b(?:amount|total|sum)\b/iu;
const MAX_ROWS = 60;
/** How many unknown words a message may have if its other words are clear. */
const MAX_UNKNOWN = 1;
/** Words of a name before the values of its row. */
const MAX_NAME = 2;
/** Words that tell why a row goes: "got lost", "is worn out". */
const MAX_REASON = 2;

/** "1B goes to Patel", "2B is now let to Ortiz" */
const GIVEN_TO =
  /^(?:the\s+)?(?<row>\S.{0,40}?)\s+(?:goes|went|belongs|is\s+(?:now\s+)?(?:let|rented(?:\s+out)?|given|assigned|promised|sold)|was\s+(?:let|rented(?:\s+out)?|given|assigned|sold))\s+to\s+(?<value>\S.{0,60})$/iu;
/** "Patel takes 1B", "Ortiz moved into 2B" */
const TAKES =
  /^(?<value>\p{Lu}\S*(?:\s\p{Lu}\S*){0,2})\s+(?:takes|took|gets|got|has\s+taken|moved\s+into|moves\s+into|rents)\s+(?:the\s+)?(?<row>\S.{0,40})$/u;

/** "Change her voice to soprano" */
const SETS_TO = new RegExp(
  String.raw`^(?:${CHANGE_VERBS}|put|switch|swap)\s+(?<what>\S.*?)\s+(?:to|into|as)\s+(?<value>[^,;?]{1,60}?)(?:,\s+(?:that|it|he|she|they|we|i)\b[^?]*)?[\s.!]*$`,
  "iu",
);
/** "The early one is Pete": another value that the table has. */
const IS_VALUE = /^(?<what>\S.*?)\s+(?:is|are|goes\s+to)\s+(?:the\s+)?(?<value>[^,;?]{1,60}?)[\s.!]*$/iu;
/** "Melnyk moved, the street is now Zelena 55" */
const IS_NOW = /^(?<what>\S.*?)\s+(?:is|are)\s+(?:now|from\s+now\s+on)\s+(?<value>[^,;?]{1,60}?)[\s.!]*$/iu;
const REFERS = anyOf(PERSON, THING, "their");

/** True for the same words, and for the same number however it is written: "80" and "80.0". */
function isSameValue(cell: string, other: string): boolean {
  const [amount, otherAmount] = [amountIn(cell), amountIn(other)];
  return (
    cell.trim().toLowerCase() === other.trim().toLowerCase() ||
    (amount !== undefined && otherAmount !== undefined && amount.value.equals(otherAmount.value))
  );
}

const RISES =
  /\b(?:up|more|r(?:ise|ises|isen|ose|aised?)|gr(?:ow|ew|own)|increased?|gained|climbed|higher)\b/iu;
const FALLS =
  /\b(?:down|less|fewer|f(?:all|alls|allen|ell)|dropp?(?:ed)?|lost|lowered?|reduced?|decreased?)\b/iu;

/** A message that may change rows of a table. */
export class RowChanges extends NewRows {
  /** "No, 40 not 25", "Pilar paid 30 not 25": the value that was wrong, in the row that is named or was changed last. */
  readCorrection(): TableChanges | undefined {
    const { now, old } = (CORRECTION.exec(this.text) ?? NOT_BUT.exec(this.text))?.groups ?? {};
    if (now === undefined || old === undefined) return undefined;
    const { rows: named } = this.findRows();
    const { table } = this.index;
    const lastRow = this.findLastRow();
    const cellsWithOld = (rows: readonly number[]): { row: number; column: number }[] =>
      rows.flatMap((row) =>
        (table.rows[row] ?? []).flatMap((cell, column) => (isSameValue(cell, old) ? [{ row, column }] : [])),
      );
    const ownRows = named.filter((row) => cellsWithOld([row]).length > 0);
    const [cell, ...others] = cellsWithOld(
      ownRows.length > 0 ? ownRows : lastRow === undefined ? [] : [lastRow],
    );
    // "18 hours not 16": the new amount, and not its unit.
    const end = this.text.lastIndexOf(now) + now.length;
    const amount = this.spansOf("amount")
      .filter(({ from }) => (this.words[from]?.end ?? 0) <= end)
      .at(-1);
    const value = /\d/u.test(old) ? amount?.text : now.trim().split(/\s+/u).at(-1);
    if (cell === undefined || others.length > 0 || value === undefined) return undefined;
    return [this.createCellChange(cell.row, cell.column, value)];
  }

  /** "Sort the rota by weekday" */
  readSorting(): TableChanges | undefined {
    if (!this.beginsWithVerb(SORT_VERBS)) return undefined;
    const [column] = [...this.spansOf("column"), ...this.spansOf("mark")].toReversed();
    const isDescending = /\b(?:descending|highest|largest|newest|latest|reverse|biggest|most)\b/iu.test(
      this.text,
    );
    if (column === undefined) return undefined;
    return [
      { action: "sort", column: this.columnName(column.column), ...(isDescending && { descending: true }) },
    ];
  }

  /** "Remove Ola's last one", "take Jukka and Timo off" */
  readRemoval(): TableChanges | undefined {
    const removalOrder = REMOVES_IT.exec(this.text);
    if (removalOrder !== null && this.spansOf("cell").length > 0 && !this.#isSubject(removalOrder.index))
      // No row has these words, so the call fails and its answer names the rows.
      return [{ action: "remove", row: this.text.slice(0, removalOrder.index) }];
    if ((!this.beginsWithVerb(REMOVE_VERBS) && removalOrder === null) || this.spansOf("amount").length > 0)
      return undefined;
    const { rows, values } = this.findRows();
    const unknown =
      removalOrder === null
        ? this.findUnknownWords().filter(({ text }) => !REMOVE_VERBS.has(verbStem(text)))
        : [];
    // "Bed 1": the column of the cell that is named.
    const columns = this.spansOf("column").filter(
      ({ column }) => !this.spansOf("cell").some((cell) => cell.column === column),
    );
    if (rows.length === 0 || values.length > 0 || unknown.length > 0 || columns.length > 0) return undefined;
    const last = /\b(?:last|latest|newest)\b/iu.test(this.text) ? rows.slice(-1) : undefined;
    const named = this.spansOf("cell").length;
    const rowsToRemove = last ?? (rows.length <= named ? rows : undefined);
    return rowsToRemove?.map((row) => ({ action: "remove", row: this.rowLabel(row) }));
  }

  /** "Villette got lost, delete it": true if the statement before `end` is about the row that it names, and tells little else. */
  #isSubject(end: number): boolean {
    const first = this.spansOf("cell")[0]?.from ?? 0;
    const unknown = this.words.flatMap((word, place) =>
      word.end > end ||
      this.isKnown(place) ||
      FUNCTION_WORDS.has(word.text) ||
      this.index.names.has(stem(word.text))
        ? []
        : [place],
    );
    return unknown.length <= MAX_REASON && unknown.every((place) => place > first);
  }

  /** "Winifred too", "and Jukka as well": the last change of a cell, for other rows. */
  readRepetition(isJoined: boolean): TableChanges | undefined {
    const { lastChange: last } = this.context;
    const { rows, values } = this.findRows();
    const isOnlyRows = this.spans.every(({ kind }) => kind === "cell") && values.length === 0;
    const named = this.spansOf("cell").length;
    const words = this.words.filter((_, place) => !this.isKnown(place));
    const isBare = words.every(({ text }) =>
      /^(?:and|too|also|as|well|now|has|have|did|the|same|for|with|likewise|ditto)$/u.test(text),
    );
    if (!isJoined || !isOnlyRows || !isBare || rows.length === 0 || rows.length > named) return undefined;
    if (last?.["action"] !== "set" || typeof last["column"] !== "string") return undefined;
    const column = this.index.table.columns.indexOf(last["column"]);
    return column < 0
      ? undefined
      : rows.map((row) => this.createCellChange(row, column, String(last["value"])));
  }

  /** "Hamid paid yesterday", "Timo and Jukka have paid as well", "everyone has paid": yes or no in a column. */
  readMarks(): TableChanges | undefined {
    const marks = this.spansOf("mark").filter(
      ({ column }, place, all) => all.findIndex((other) => other.column === column) === place,
    );
    const [statedMark, ...otherMarks] = this.spansOf("yes-no");
    // "Dieter yes and Carla no"
    if (otherMarks.some(({ mark: other }) => other !== statedMark?.mark)) return undefined;
    const [mark = this.#findOnlyMark(statedMark), ...others] = marks;
    if (mark === undefined || others.length > 0 || this.spansOf("amount").length > 0) return undefined;
    // "Noah said yes to the cake" is about something else than the column.
    const isUnnamed = marks.length === 0;
    if ((this.beginsWithVerb(ADD_VERBS) || isUnnamed) && this.findUnknownWords().length > 0) return undefined;
    const isNo =
      (statedMark === undefined ? mark.mark === "no" : statedMark.mark === "no") !==
      IS_DENIED.test(this.text);
    const { table } = this.index;
    const { named, values } = this.#findMarkedRows();
    const isAll = (EVERYONE.test(this.text) || ALL_ROWS.test(this.text)) && named.length === 0;
    const isOfShownRows = THEM.test(this.text) && named.length === 0;
    const lastRow =
      /\b(?:he|she|it)\b/iu.test(this.text) && named.length === 0 ? this.findLastRow() : undefined;
    const rows = isAll
      ? [...table.rows.keys()].filter((row) =>
          (isNo ? YES : NO).test((table.rows[row]?.[mark.column] ?? "").trim()),
        )
      : isOfShownRows
        ? this.context.shownRows
        : lastRow === undefined
          ? named
          : [lastRow];
    const isOne =
      this.spansOf("cell").every(({ rows: cellRows }) => cellRows.length === 1) || rows.length === 1;
    if (
      rows.length === 0 ||
      rows.length > MAX_ROWS ||
      values.length > 0 ||
      this.findUnknownWords().length > MAX_UNKNOWN
    )
      return undefined;
    if (!isAll && !isOfShownRows && !isOne) return undefined;
    return rows.map((row) => this.createCellChange(row, mark.column, isNo ? "no" : "yes"));
  }

  /** "Set Noah to yes": the only column of yes and no, which nothing names. */
  #findOnlyMark(value: SpanOf<"yes-no"> | undefined): Pick<SpanOf<"mark">, "column" | "mark"> | undefined {
    const [column, ...others] = columnsOfKind(this.index, "mark");
    return value === undefined || column === undefined || others.length > 0
      ? undefined
      : { column, mark: value.mark };
  }

  /** The rows that words name for a mark: "Ed and the kona" are two, although one is a customer and the other a bike. */
  #findMarkedRows(): { named: readonly number[]; values: readonly unknown[] } {
    const { rows, values } = this.findRows({ onDay: false });
    const cells = this.spansOf("cell");
    if (values.length === 0 || !cells.every((cell) => cell.rows.length === 1)) return { named: rows, values };
    return { named: [...new Set(cells.flatMap((cell) => cell.rows))], values: [] };
  }

  /** "Change her voice to soprano": another value of the column that is named, in the row that is named or was mentioned before. */
  readCellChange(): TableChanges | undefined {
    const setOrder = SETS_TO.exec(this.text);
    const { what, value } = (setOrder ?? IS_NOW.exec(this.text))?.groups ?? this.#readKnownValue() ?? {};
    if (what === undefined || value === undefined) return undefined;
    const isBefore = ({ to }: { to: number }): boolean =>
      (this.words[to - 1]?.end ?? 0) <= this.text.indexOf(what) + what.length;
    const [named, ...others] = this.spansOf("column").filter(isBefore);
    const isKnown = this.#isCell(value);
    const column =
      named?.column ?? (isKnown && /^(?:it|that)$/iu.test(what) ? this.context.askedColumn : undefined);
    const cells = this.spansOf("cell").filter(isBefore);
    // "The hall is now closed" gives nothing another name.
    const renaming =
      column === undefined && setOrder !== null ? this.#readOtherText(cells, what, value) : undefined;
    if (renaming !== undefined) return renaming;
    if (column === undefined || others.length > 0 || !fitsColumn(value, this.index.kinds[column] ?? "text"))
      return undefined;
    const rows =
      cells.length > 0 ? this.findRowsOfAll(cells) : REFERS.test(what) ? (this.findMeantRow() ?? []) : [];
    const unknown = this.findUnknownWords().filter(({ end }) => end <= this.text.indexOf(what) + what.length);
    const [row, ...more] = rows;
    return row === undefined || more.length > 0 || unknown.length > 0
      ? undefined
      : [this.createCellChange(row, column, value)];
  }

  /** True for the text of a cell as a whole. */
  #isCell = (value: string): boolean =>
    this.spansOf("cell").some(
      ({ isWhole, values }) => isWhole && values.some((cellValue) => isSameValue(cellValue, value)),
    );

  /** "Wednesday's early is Pete": a value that another row has, in a named column. */
  #readKnownValue(): { what?: string; value?: string } | undefined {
    const groups = IS_DENIED.test(this.text) ? undefined : IS_VALUE.exec(this.text)?.groups;
    return groups !== undefined && this.#isCell(groups["value"] ?? "") ? groups : undefined;
  }

  /** "Change licences to royalties": another text in the only cell that is named as a whole. */
  #readOtherText(
    [cell, ...others]: readonly SpanOf<"cell">[],
    what: string,
    value: string,
  ): TableChanges | undefined {
    const isCell = cell?.isWhole === true && others.length === 0 && cell.rows.length === 1;
    const [row] = cell?.rows ?? [];
    const isText =
      amountIn(value) === undefined && numberInWords(value) === undefined && !/^(?:yes|no)$/iu.test(value);
    const isNew = !this.spansOf("cell").some((other) => other !== cell);
    const plain = what.replace(/^(?:the|my|our)\s+/iu, "");
    return isCell && isText && isNew && row !== undefined && isSameValue(cell.values[0] ?? "", plain)
      ? [this.createCellChange(row, cell.column, value)]
      : undefined;
  }

  /** "The 27th was 10 hours", "black tea costs 3 now", "Dagny sings soprano from now on": other values of one row. */
  readValues(): TableChanges | undefined {
    const { rows, values } = this.findRows({ onDay: this.spansOf("amount").length > 0 });
    const [row, ...others] = rows;
    if (row === undefined || others.length > 0 || this.beginsWithVerb(ADD_VERBS) || IS_DENIED.test(this.text))
      return undefined;
    if (this.#isAboutUnknownName()) return undefined;
    if (this.findUnknownWords().length > (this.spansOf("column").length > 0 ? MAX_UNKNOWN : 0))
      return undefined;
    const amounts = this.spansOf("amount");
    // The order of several numbers does not show their columns.
    if (amounts.filter((amount) => !this.hasEvidentColumn(amount)).length > 1) return undefined;
    // "Ed and Sunita have paid" gives no row another name.
    if (values.length > 0 && this.spansOf("mark").length > 0) return undefined;
    const set: TableChange[] = [];
    for (const amount of amounts) {
      const column = this.findColumn(amount, set);
      const value = column === undefined ? undefined : this.#computeAmount(row, column, amount);
      if (column === undefined || value === undefined) return undefined;
      set.push(this.createCellChange(row, column, value));
    }
    if (values.length > 0 && (!STATES_CHANGE.test(this.text) || values.length > 1)) return undefined;
    for (const { column, values: cells } of values) {
      const [cell, ...otherCells] = cells;
      if (cell === undefined || otherCells.length > 0) return undefined;
      set.push(this.createCellChange(row, column, cell));
    }
    const [day] = this.spansOf("day");
    const isEmptyDay = day !== undefined && (this.index.table.rows[row]?.[day.column] ?? "") === "";
    if (day !== undefined && isEmptyDay && values.length > 0)
      set.push(this.createCellChange(row, day.column, formatDayLikeCells(this.index, day.column, day.day)));
    return set.length === 0 ? undefined : set;
  }

  /** "Pilar, Bergen, 25" is about Pilar, although no row has that name. */
  #isAboutUnknownName(): boolean {
    const first = this.words.filter(({ clause }) => clause === 0);
    const isKnown = this.spans.some(({ from }) => from < first.length);
    return !isKnown && first.some(({ written }) => /^\p{Lu}/u.test(written)) && first.length <= MAX_NAME;
  }

  /** The new value of an amount: as stated, or the old one plus or minus the pieces that came or went. Undefined if it may be either. */
  #computeAmount(row: number, column: number, amount: SpanOf<"amount">): string | undefined {
    const { from, to, text, value } = amount;
    const hasVerb = (family: ReadonlySet<string>): boolean =>
      [...this.stems].some((verb) => family.has(verb));
    const statedValue = text.replace(/[€$£]/gu, "");
    const oldValue = Number(this.index.table.rows[row]?.[column] ?? "");
    // "20 more boxes" are added to the existing ones, whatever the name of the column.
    const next = this.words[to]?.text ?? "";
    if (/^(?:more|extra|additional|fewer|less)$/u.test(next)) {
      const sum = /^(?:fewer|less)$/u.test(next) ? oldValue - value : oldValue + value;
      return Number.isFinite(sum) && sum >= 0 ? String(sum) : undefined;
    }
    // "Weight rose by 3", "went down by 3": how much more or less, where the words tell which.
    if (this.words[from - 1]?.text === "by") {
      const [isMore, isLess] = [RISES.test(this.text), FALLS.test(this.text)];
      if (isMore === isLess || !Number.isFinite(oldValue)) return undefined;
      return String(Number((isMore ? oldValue + value : oldValue - value).toPrecision(15)));
    }
    const isChange = (hasVerb(DECREASE_VERBS) || hasVerb(INCREASE_VERBS)) && !this.beginsWithVerb(SET_VERBS);
    // "Sold 3 veils": pieces of the row, and no price of them.
    const isOfRow = isChange && this.#countsRow(row, amount);
    if (isOfRow && PRICE_COLUMN.test(this.columnName(column))) return undefined;
    const isCounted =
      (isOfRow && AMOUNT_COLUMN.test(this.columnName(column))) ||
      COUNT_COLUMN.test(this.columnName(column)) ||
      this.findAdjacentColumn(amount) === column;
    // "We sold 3 pens" says nothing certain about the boxes, "bought pens for 3" gives a price.
    const isUnclear = isChange && !isCounted && !MONEY_COLUMN.test(this.columnName(column));
    if (isUnclear && !STATES_TOTAL.test(this.text)) return undefined;
    if (!isChange || !isCounted || STATES_TOTAL.test(this.text)) return statedValue;
    const isStated = STATED_BEFORE.test(this.text.slice(0, this.words[from]?.start ?? 0));
    if (isStated || (hasVerb(DECREASE_VERBS) && hasVerb(INCREASE_VERBS)) || !Number.isFinite(oldValue))
      return undefined;
    const newValue = hasVerb(DECREASE_VERBS) ? oldValue - value : oldValue + value;
    return newValue < 0 ? undefined : String(newValue);
  }

  /** True if the name of the row follows the amount directly, without a currency. */
  #countsRow(row: number, { to, text }: SpanOf<"amount">): boolean {
    if (/[€$£]/u.test(text)) return false;
    return this.spansOf("cell").some(({ from, rows }) => from === to && rows.length === 1 && rows[0] === row);
  }

  /** "1B goes to Patel", "Ortiz moved into 2B": a value for the only empty cell of a row. */
  readRecipient(): TableChanges | undefined {
    const { row: named, value } = (GIVEN_TO.exec(this.text) ?? TAKES.exec(this.text))?.groups ?? {};
    const { table } = this.index;
    const [row, ...others] = named === undefined ? [] : rowsNamed(table, named);
    if (row === undefined || others.length > 0 || value === undefined) return undefined;
    const empty = [...table.columns.keys()].filter((column) => (table.rows[row]?.[column] ?? "") === "");
    const [column] = empty;
    return column === undefined || empty.length > 1 ? undefined : [this.createCellChange(row, column, value)];
  }
}
