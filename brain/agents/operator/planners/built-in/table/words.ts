import { isPastForm, verbStem, verbStemSet } from "@metahuman/core/language/tokens/irregular-verbs";
import { isTypo } from "@metahuman/core/language/tokens/spelling";
import { FUNCTION_WORDS, stem } from "@metahuman/core/language/tokens/words";
import { numberInWords } from "@metahuman/core/text/number-words";
import { plainWords } from "@metahuman/core/text/words";
import { amountIn, columnNamed, isMark, type Table } from "@metahuman/skills/fs-read/tables";
import { cellWords } from "@metahuman/skills/table-edit/row-words";
import { type DatedTable, parseDayCell, findDays } from "./days.ts";

// Looks up the words of a message in a table. Each word is a part of a cell, the name of a column, a value of a yes-or-no column (a
// mark), an amount, a day, or unknown.

/** What the cells of a column are. `key`: different whole numbers that name the rows; `number`: long numbers that nobody adds up. */
export type ColumnKind = "mark" | "day" | "time" | "amount" | "key" | "number" | "text" | "empty";

/** A table with what its columns are and which words its cells have. */
export interface TableIndex extends DatedTable {
  path: string;
  kinds: readonly ColumnKind[];
  /** The cells with each word, by their stems; of each cell the column and its rows. */
  cells: ReadonlyMap<string, readonly CellWords[]>;
  /** Words of the columns and of the file. */
  names: ReadonlySet<string>;
}

interface CellWords {
  column: number;
  value: string;
  words: readonly string[];
  rows: readonly number[];
}

/** A part of a message, from word `from` to before word `to`. */
export type Span = { from: number; to: number } & (
  | { kind: "cell"; column: number; rows: readonly number[]; values: readonly string[]; isWhole: boolean }
  | { kind: "column"; column: number }
  /** A word for the value of a yes-or-no column: "paid", "unpaid". */
  | { kind: "mark"; column: number; mark: "yes" | "no" }
  /** `isTime`: a time of day, whose value is not a number. */
  | { kind: "amount"; text: string; value: number; isTime?: boolean }
  | { kind: "day"; day: string; rows: readonly number[]; column: number }
  | { kind: "yes-no"; mark: "yes" | "no" }
);
export type SpanOf<Kind extends Span["kind"]> = Extract<Span, { kind: Kind }>;

export interface Word {
  /** Lower-case, without a possessive ending. */
  text: string;
  /** As written. */
  written: string;
  start: number;
  end: number;
  /** The clause that the word is in, counted from 0. */
  clause: number;
}

export interface TableWords {
  words: readonly Word[];
  spans: readonly Span[];
}

/** Names of yes-or-no columns, with words for yes and for no in them. */
const MARK_FAMILIES: readonly {
  names: ReadonlySet<string>;
  yes: ReadonlySet<string>;
  no: ReadonlySet<string>;
}[] = [
  [
    "pay paid settle payment fee fees dues",
    "pay settle paid payment transfer",
    "owe owing owes unpaid outstanding due overdue",
  ],
  ["return returned back", "return back brought bring", "out borrowed overdue unreturned"],
  [
    "do done finish complete completed ready finished",
    "do done finish complete ready finished",
    "undone unfinished",
  ],
  ["come coming attend attending rsvp present here", "come coming attend attending present", "absent"],
  ["host hosted", "host hosted hosting", ""],
  ["deliver delivered ship shipped sent send", "deliver ship send sent arrive", "undelivered"],
  ["sign signed", "sign signed", "unsigned"],
].map(([names = "", yes = "", no = ""]) => ({
  names: verbStemSet(names),
  yes: verbStemSet(yes),
  no: verbStemSet(no),
}));
/** Words for no in any column of yes and no, in a question. */
const UNDONE = verbStemSet("left missing open outstanding remaining pending");

/** True for a word that is a value of some yes-or-no column: "paid", "returned". */
export const isMarkWord = (word: string): boolean =>
  MARK_FAMILIES.some(({ yes, no }) => yes.has(verbStem(word)) || no.has(verbStem(word)));

const MIN_CODE_LENGTH = 8;
const MIN_LONG_DIGITS = 6;
const CODE = /^\d{1,3}\s?\p{Lu}$/u;
const TIME = /^\d{1,2}:\d{2}$/u;

function columnKindOf({ columns, rows }: Table, column: number): ColumnKind {
  const cells = rows.map((row) => (row[column] ?? "").trim());
  const filled = cells.filter((cell) => cell !== "");
  if (filled.length === 0) return rows.length === 0 ? columnKindByName(columns[column] ?? "") : "empty";
  // A column that only has "ok" may say anything else as well.
  if (cells.every(isMark) && filled.some((cell) => !/^(?:\d+|ok)$/iu.test(cell))) return "mark";
  if (filled.every((cell) => TIME.test(cell))) return "time";
  if (filled.every((cell) => parseDayCell(cell) !== undefined)) return "day";
  // "350000" is a price, "0301555014" and "070 111" are numbers of phones.
  const isLong = filled.every((cell) => /^[+\d][\d ()/-]{5,}$/u.test(cell));
  const isCode = filled.some((cell) => /^[+0]|[ ()/-]/u.test(cell) || cell.length >= MIN_CODE_LENGTH);
  if (isLong && isCode && !MONEY_COLUMN.test(columns[column] ?? "")) return "number";
  // "1A", "2B" name rows, and are not amounts with a unit.
  if (column === 0 && filled.every((cell) => CODE.test(cell)) && new Set(filled).size === filled.length)
    return "text";
  if (!filled.every((cell) => amountIn(cell) !== undefined || amountIn(cell, true) !== undefined))
    return "text";
  const isKey =
    /^(?:number|no|nr|id|code|invoice|room|bed|table|flat|job|order)$/iu.test(
      (columns[column] ?? "").trim(),
    ) ||
    (column === 0 && columns.length > 2);
  return isKey && new Set(filled).size === filled.length && filled.every((cell) => /^\d+$/u.test(cell))
    ? "key"
    : "amount";
}

/** What the cells of a column will be by its name, as long as the table has no rows. */
function columnKindByName(name: string): ColumnKind {
  const plain = name.replaceAll("_", " ");
  if (/^(?:date|day|when)$/iu.test(plain)) return "day";
  if (/^(?:time|start|end|from|until|at)$/iu.test(plain)) return "time";
  const isMoneyOrCount = MONEY_COLUMN.test(plain) || (COUNT_COLUMN.test(plain) && !/^number$/iu.test(plain));
  const isMeasure = TIME_COLUMN.test(plain) || SUPERLATIVE_COLUMNS.some(([, column]) => column.test(plain));
  if (isMoneyOrCount || isMeasure) return "amount";
  const names = plainWords(plain).map(verbStem);
  const isMarked = MARK_FAMILIES.some((family) => names.some((nameStem) => family.yes.has(nameStem)));
  return isMarked ? "mark" : "empty";
}

/** The index of a table. */
export function indexTable(table: Table, path: string): TableIndex {
  const kinds = table.columns.map((_, column) => columnKindOf(table, column));
  const cells = new Map<string, CellWords[]>();
  for (const [column, kind] of kinds.entries()) {
    if (kind !== "text" && kind !== "key" && kind !== "number") continue;
    const rowsOf = Map.groupBy(table.rows.keys(), (row) => (table.rows[row]?.[column] ?? "").trim());
    for (const [value, rows] of rowsOf) {
      const words = cellWords(value);
      for (const word of new Set(words.map(lookupKey)))
        cells.set(word, [...(cells.get(word) ?? []), { column, value, words, rows: [...rows] }]);
    }
  }
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\.\p{L}+$/u, "");
  const names = new Set(
    [...plainWords(name.replaceAll("_", " ")), ...plainWords(table.columns.join(" "))].map(stem),
  );
  return { table, path, kinds, cells, names };
}

const WORD = /[€$£]?[\p{L}\p{N}][\p{L}\p{N}'’€$£%.,:@_/-]*/gu;

/** The words of a message; a word keeps no mark at its end. */
function splitMessage(text: string): Word[] {
  let clause = 0;
  let last = 0;
  return [...text.matchAll(WORD)].map((match) => {
    const written = match[0].replace(/[.,:'’/_-]+$/u, "");
    const start = match.index;
    if (/[.,;:!?]|\s[-–—]\s/u.test(text.slice(last, start))) clause += 1;
    last = start + written.length;
    const lower = written.toLowerCase().replaceAll("’", "'");
    return { text: lower.replace(/'s?$/u, ""), written, start, end: last, clause };
  });
}

const MAX_VALUE_WORDS = 4;

/** True for a value that is written as those of a column of this kind. */
export function fitsColumn(value: string, kind: ColumnKind): boolean {
  if (value === "" || value.split(/\s+/u).length > MAX_VALUE_WORDS) return false;
  switch (kind) {
    case "time":
      return /^\d{1,2}:\d{2}$/u.test(value);
    case "day":
      return parseDayCell(value) !== undefined;
    case "mark":
      return isMark(value);
    case "amount":
      // "80 quid" tells by its unit where it belongs.
      return /^[€$£]?\d[\d.,]*[€$£]?$/u.test(value);
    case "key":
    case "number":
      return /^[+\d][\d ()/-]*$/u.test(value);
    case "text":
    case "empty":
      return true;
    default:
      return kind satisfies never;
  }
}

/** The longest cell, in words, that a message is compared with. */
const MAX_CELL_WORDS = 5;

/** What the words of a message are in a table. */
export function findSpans(text: string, index: TableIndex, today: string): TableWords {
  const words = splitMessage(text);
  const spans: Span[] = [];
  const days = new Map(findDays(words, index, today).map((day) => [day.from, day]));
  for (let at = 0; at < words.length;) {
    const number = countWordsOfLongNumber(words, at, text);
    if (number > 0) {
      at += number;
      continue;
    }
    const day = days.get(at);
    const dayColumn = index.kinds.indexOf("day");
    const span: Span | undefined =
      day !== undefined && dayColumn >= 0
        ? { ...day, kind: "day", column: dayColumn, rows: findRowsOfDay(index, dayColumn, day.day) }
        : readSpanAt(words, at, index);
    if (span !== undefined) spans.push(span);
    // A day that no column holds only tells when.
    at = span?.to ?? day?.to ?? at + 1;
  }
  return { words, spans };
}

/** How many words from here are one number that nobody adds up, as of a phone: "07700 900555", "+47 22 33 44 55". */
function countWordsOfLongNumber(words: readonly Word[], at: number, text: string): number {
  let [to, digits] = [at, 0];
  for (; /^\d+$/u.test(words[to]?.written ?? ""); to++) {
    const gap = to === at ? "" : text.slice(words[to - 1]?.end ?? 0, words[to]?.start ?? 0);
    if (/[^\s()-]/u.test(gap)) break;
    digits += words[to]?.written.length ?? 0;
  }
  const isPlain = to - at === 1 && !/^0\d/u.test(words[at]?.written ?? "");
  return digits >= MIN_LONG_DIGITS && !isPlain ? to - at : 0;
}

const findRowsOfDay = ({ table }: TableIndex, column: number, day: string): number[] =>
  [...table.rows.keys()].filter((row) => parseDayCell(table.rows[row]?.[column] ?? "") === day);

function readSpanAt(words: readonly Word[], at: number, index: TableIndex): Span | undefined {
  const word = words[at];
  if (word === undefined) return undefined;
  const key = readKeyAt(words, at, index) ?? readCodeAt(words, at, index);
  if (key !== undefined) return key;
  if (TIME.test(word.written) && index.kinds.includes("time"))
    return { kind: "amount", from: at, to: at + 1, text: word.written, value: Number.NaN, isTime: true };
  const amount = readAmount(word);
  if (amount !== undefined) return { kind: "amount", from: at, to: at + 1, ...amount };
  // "Up to no good"
  const isOfNoun = words[at + 1]?.clause === word.clause && /^\p{L}/u.test(words[at + 1]?.text ?? "");
  if ((word.text === "yes" || (word.text === "no" && !isOfNoun)) && at > 0)
    return { kind: "yes-no", from: at, to: at + 1, mark: word.text === "yes" ? "yes" : "no" };
  const cell = readCellAt(words, at, index);
  if (cell?.isWhole === true && cell.to - cell.from > 1) return cell;
  return readColumnAt(words, at, index) ?? cell;
}

/** A number that names a row: "invoice 1043". */
function readKeyAt(words: readonly Word[], at: number, index: TableIndex): Span | undefined {
  const word = words[at];
  if (word === undefined || !/^\d/u.test(word.text)) return undefined;
  // "103s" is a possessive.
  const key = word.text.replace(/s$/u, "");
  const keyCell = (index.cells.get(key) ?? []).find(
    ({ column, value }) => index.kinds[column] === "key" && value === key,
  );
  return (
    keyCell && {
      kind: "cell",
      from: at,
      to: at + 1,
      column: keyCell.column,
      rows: keyCell.rows,
      values: [keyCell.value],
      isWhole: true,
    }
  );
}

/** "1B" names a row, and is not an amount with a unit. */
function readCodeAt(words: readonly Word[], at: number, index: TableIndex): Span | undefined {
  const cell = /^\d+\p{L}+$/u.test(words[at]?.written ?? "") ? readCellAt(words, at, index) : undefined;
  return cell?.isWhole === true ? cell : undefined;
}

function readAmount({ written }: Word): { text: string; value: number } | undefined {
  const amount = amountIn(written) ?? amountIn(written, true);
  if (amount !== undefined && /\d/u.test(written)) return { text: written, value: amount.value.toNumber() };
  const small = /^(?:one|a|an)$/iu.test(written) ? undefined : numberInWords(written);
  return small === undefined ? undefined : { text: String(small), value: small };
}

/** The cells that the longest run of words from here names, wholly or in part. */
function readCellAt(words: readonly Word[], at: number, index: TableIndex): SpanOf<"cell"> | undefined {
  const first = words[at];
  // "C" is a house, and "a" is not.
  if (first === undefined || (first.text.length < 2 && !/^\p{Lu}$/u.test(first.written))) return undefined;
  const candidates = findCells(first, index);
  for (let length = Math.min(MAX_CELL_WORDS, words.length - at); length > 0; length--) {
    const run = words.slice(at, at + length);
    // "Will" inside a sentence is a name.
    const isName = at > 0 && /^\p{Lu}/u.test(first.written);
    if (length === 1 && FUNCTION_WORDS.has(first.text) && !isName) continue;
    const parts = run.flatMap(({ text }) => cellWords(text));
    const whole = candidates.filter(
      (cell) =>
        cell.words.length === parts.length &&
        cell.words.every((cellWord, place) => isSameWord(parts[place] ?? "", cellWord)),
    );
    const fitting =
      whole.length > 0
        ? whole
        : candidates.filter(({ words: cellWords }) =>
            parts.every((part) => cellWords.some((cellWord) => isSameWord(part, cellWord))),
          );
    const [best] = fitting;
    if (best === undefined) continue;
    const sameColumn = fitting.filter(({ column }) => column === best.column);
    return {
      kind: "cell",
      from: at,
      to: at + length,
      column: best.column,
      rows: sameColumn.flatMap(({ rows }) => rows),
      values: sameColumn.map(({ value }) => value),
      isWhole: whole.length > 0,
    };
  }
  return undefined;
}

/** "Friday", "fridays" and "Fri" are the same day. */
const WEEKDAY = /^(?:sun|mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur)(?:days?)?$/u;
/** The key of a word in the index of cells. */
const lookupKey = (word: string): string => (WEEKDAY.test(word) ? word.slice(0, 3) : stem(word));

/** A written word and one of a cell: the same, its plural or a possessive without an apostrophe, or a typing error. */
function isSameWord(typed: string, word: string): boolean {
  return (
    typed === word ||
    lookupKey(typed) === lookupKey(word) ||
    (word.length > 2 && typed === `${word}s`) ||
    (word.length >= 4 && isTypo(typed, word))
  );
}

function findCells({ text }: Word, { cells }: TableIndex): readonly CellWords[] {
  const first = cellWords(text)[0] ?? text;
  const exact =
    cells.get(lookupKey(first)) ??
    (first.endsWith("s") ? cells.get(lookupKey(first.slice(0, -1))) : undefined);
  if (exact !== undefined) return exact;
  if (first.length < 4 || FUNCTION_WORDS.has(first)) return [];
  return [...cells].flatMap(([, cellsOfWord]) =>
    cellsOfWord.filter(({ words }) => words.some((cellWord) => isSameWord(first, cellWord))),
  );
}

/** A column by its name or another word for it; a column of yes and no by what is done. */
function readColumnAt(words: readonly Word[], at: number, index: TableIndex): Span | undefined {
  const { table, kinds } = index;
  for (const length of [2, 1]) {
    const run = words.slice(at, at + length);
    if (run.length < length || run.some(({ clause }) => clause !== run[0]?.clause)) continue;
    const text = run.map((word) => word.text).join(" ");
    if (length === 2) {
      const whole = table.columns.findIndex((name) => plainWords(name).join(" ") === text);
      if (whole >= 0 && kinds[whole] === "mark")
        return { kind: "mark", from: at, to: at + length, column: whole, mark: "yes" };
      if (whole >= 0) return { kind: "column", from: at, to: at + length, column: whole };
      continue;
    }
    const mark = findMark(text, index);
    if (mark !== undefined) return { kind: "mark", from: at, to: at + 1, ...mark };
    if (FUNCTION_WORDS.has(text) || text.length < 2) continue;
    const column =
      columnNamed(table, text) ??
      // "How many did we sell" is about the column "sold".
      findOnlyColumn(
        table.columns,
        (name) => isPastForm(name) && verbStem(name.toLowerCase()) === verbStem(text),
      ) ??
      (text.length < 4
        ? undefined
        : findOnlyColumn(table.columns, (name) => plainWords(name).some((one) => isTypo(text, one))));
    if (column !== undefined && kinds[column] !== "mark")
      return { kind: "column", from: at, to: at + 1, column };
    if (column !== undefined) return { kind: "mark", from: at, to: at + 1, column, mark: "yes" };
  }
  return undefined;
}

function findOnlyColumn(columns: readonly string[], fits: (name: string) => boolean): number | undefined {
  const fittingColumns = columns.flatMap((name, column) => (fits(name) ? [column] : []));
  return fittingColumns.length === 1 ? fittingColumns[0] : undefined;
}

/** Finds the yes-or-no column that a word belongs to, by its name or a synonym; undefined for none and for several. */
function findMark(
  word: string,
  { table, kinds }: TableIndex,
): { column: number; mark: "yes" | "no" } | undefined {
  const wordStem = verbStem(word);
  const marks = table.columns.flatMap((name, column): { column: number; mark: "yes" | "no" }[] => {
    if (kinds[column] !== "mark") return [];
    const names = plainWords(name).map(verbStem);
    const family = MARK_FAMILIES.find((words) => names.some((other) => words.names.has(other)));
    if (names.includes(wordStem) || family?.yes.has(wordStem) === true) return [{ column, mark: "yes" }];
    const isUndone = family?.no.has(wordStem) === true || word === `un${plainWords(name)[0] ?? ""}`;
    return isUndone ? [{ column, mark: "no" }] : [];
  });
  return marks.length === 1 ? marks[0] : undefined;
}

/** The only column of yes and no, if it tells what is paid. */
export function findPaymentColumn({ table, kinds }: TableIndex): number | undefined {
  const [column, ...others] = kinds.flatMap((kind, at) => (kind === "mark" ? [at] : []));
  const names = plainWords(table.columns[column ?? -1] ?? "").map(verbStem);
  const isOfPayment = names.some((name) => MARK_FAMILIES[0]?.names.has(name) === true);
  return others.length === 0 && isOfPayment ? column : undefined;
}

/** The only column of yes and no, for words such as "left" and "missing" in a question. */
export function findUndoneColumn(words: readonly string[], { kinds }: TableIndex): number | undefined {
  const marks = kinds.flatMap((kind, column) => (kind === "mark" ? [column] : []));
  return marks.length === 1 && words.some((word) => UNDONE.has(verbStem(word))) ? marks[0] : undefined;
}

/** True for a word that only says that something is not done yet. */
export const isUndoneWord = (word: string): boolean => UNDONE.has(verbStem(word));

/** Names of columns of money, of pieces and of times. */
export const MONEY_COLUMN =
  /\b(?:amount|fee|price|cost|sum|total|dues|charge|rent|wage|pay|salary|euros?|money)\b/iu;
export const COUNT_COLUMN = /\b(?:quantity|qty|count|stock|pieces|number|units|copies)\b/iu;
export const TIME_COLUMN = /\b(?:hours?|minutes?|time|duration|hrs)\b/iu;

/** Superlatives that mean one kind of column. */
export const SUPERLATIVE_COLUMNS: readonly (readonly [words: RegExp, column: RegExp])[] = [
  [/^(?:heaviest|lightest)$/u, /\b(?:weight|kg|kilos?|grams?|lbs?)\b/iu],
  [/^(?:oldest|youngest)$/u, /\bage\b/iu],
  [/^(?:tallest)$/u, /\b(?:height|cm|metres|meters)\b/iu],
];
