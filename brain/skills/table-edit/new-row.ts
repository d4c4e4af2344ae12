import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { numberInWords } from "@metahuman/core/text/number-words";
import { plainWords } from "@metahuman/core/text/words";
import { amountIn, columnNamed, isMark, columnNames, NO, type Table, YES } from "../fs-read/tables.ts";

/** What the cells of a column are. */
type ColumnKind = "date" | "email" | "year" | "mark" | "amount" | "phone" | "text" | "empty";

const DATE = /^(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})$/u;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/u;
const YEAR = /^(?:19|20)\d{2}$/u;
const PHONE = /^[+\d][\d ()/-]{5,}$/u;
const MONEY = /^(?:amount|fee|price|cost|sum|total|dues|charge|rent|paid|due|euros?)$/u;

const cellsOf = ({ rows }: Table, column: number): string[] =>
  rows.map((row) => row[column] ?? "").filter((cell) => cell !== "");

function kindOf(table: Table, column: number): ColumnKind {
  const cells = cellsOf(table, column);
  const areAll = (fits: (cell: string) => boolean): boolean => cells.every(fits);
  if (cells.length === 0) return "empty";
  if (areAll((cell) => DATE.test(cell))) return "date";
  if (areAll((cell) => EMAIL.test(cell))) return "email";
  if (areAll((cell) => YEAR.test(cell))) return "year";
  if (areAll(isMark) && !areAll((cell) => /^\d+$/u.test(cell))) return "mark";
  if (areAll((cell) => amountIn(cell) !== undefined || amountIn(cell, true) !== undefined)) return "amount";
  return areAll((cell) => PHONE.test(cell)) ? "phone" : "text";
}

/** "paid" or "not paid" for a column of that name. */
function markFor(table: Table, column: number, words: string): "yes" | "no" | undefined {
  const name = plainWords(table.columns[column] ?? "").join(" ");
  const text = plainWords(words).join(" ");
  if (text === name || text === `is ${name}` || text === `has ${name}`) return "yes";
  return [`not ${name}`, `not yet ${name}`, `un${name}`, `has not ${name}`, `no ${name}`].includes(text)
    ? "no"
    : undefined;
}

/** Yes or no as the cells of the column say it: "x", "true". */
function markLike(table: Table, column: number, mark: "yes" | "no"): string {
  const [like, opposite] = mark === "yes" ? [YES, NO] : [NO, YES];
  const marks = cellsOf(table, column);
  const known = marks.find((cell) => like.test(cell));
  if (known !== undefined) return known;
  const other = marks.find((cell) => opposite.test(cell)) ?? "";
  const pairs: readonly (readonly [string, string])[] = [
    ["yes", "no"],
    ["Yes", "No"],
    ["y", "n"],
    ["Y", "N"],
    ["true", "false"],
    ["1", "0"],
    ["ja", "nein"],
    ["Ja", "Nein"],
    ["oui", "non"],
    ["Oui", "Non"],
  ];
  const pair = pairs.find(([yes, no]) => (mark === "yes" ? no : yes) === other);
  if (pair !== undefined) return mark === "yes" ? pair[0] : pair[1];
  // A column of ticks says no with an empty cell.
  return mark === "no" && /^[x✓✔☑]$/iu.test(other) ? "" : mark;
}

/** A number word as digits, "zero" as "0", as amounts are written; other words unchanged. */
export const inDigits = (words: string): string => String(numberInWords(words) ?? words);

/**
 * An amount as the cells of the column write it: without a unit, with its decimals. Undefined for words that are not an
 * amount.
 */
function amountLike(table: Table, column: number, words: string): string | undefined {
  const cells = cellsOf(table, column);
  const hasComma = cells.some((cell) => /\d,\d{1,2}(?!\d)/u.test(cell));
  const amount = amountIn(inDigits(words)) ?? amountIn(words, true);
  if (amount === undefined) return undefined;
  const units = new Set(cells.map((cell) => (amountIn(cell) ?? amountIn(cell, true))?.unit ?? ""));
  if (!units.has("") && cells.length > 0) return undefined;
  const decimals = new Set(cells.map((cell) => /[.,](\d{1,2})$/u.exec(cell)?.[1]?.length ?? 0));
  const [only = 0] = decimals.size === 1 ? decimals : [];
  const text = amount.value.toFixed(Math.max(only, amount.decimals));
  return hasComma ? text.replace(".", ",") : text;
}

const SAYS_YES = /^(?:yes|ja|oui|sí)$/iu;
const SAYS_NO = /^(?:no|nein|non)$/iu;

/**
 * A value as the cells of a column write it: yes and no in their words, an amount without its unit where the others have none.
 * Undefined if the value is of another kind than the cells.
 */
function cellFor(table: Table, column: number, words: string): string | undefined {
  const yesOrNo = SAYS_YES.test(words) ? "yes" : SAYS_NO.test(words) ? "no" : undefined;
  const mark = yesOrNo ?? markFor(table, column, words);
  const kind = kindOf(table, column);
  switch (kind) {
    case "mark":
      return mark === undefined ? (isMark(words) ? words : undefined) : markLike(table, column, mark);
    case "amount":
      return amountLike(table, column, words) ?? cellsOf(table, column).find((cell) => cell === words);
    case "year":
      return YEAR.test(words) ? words : undefined;
    case "date":
      return DATE.test(words) ? words : undefined;
    case "email":
      return EMAIL.test(words) ? words : undefined;
    case "phone":
      return PHONE.test(words) ? words : undefined;
    case "empty":
      return yesOrNo === undefined ? (mark ?? words) : words.toLowerCase();
    case "text":
      return words;
    default:
      return kind satisfies never;
  }
}

/** A new value of a cell, as the other cells of its column write it; the words themselves for one of another kind. */
export function formatLikeColumn(table: Table, column: number, words: string): string {
  return cellFor(table, column, words) ?? words;
}

/** Splits "Nina Falk, 12 euros and paid"; a comma inside a number separates nothing. */
function itemsOf(words: string): string[] {
  return words
    .split(/\s*[;\n]\s*|\s*,(?!\d)\s*|,\s+|\s+and\s+/u)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** "fee: 12", "fee = 12", "email nina@falk.no", "city is Bergen", "2 hours": a column and its value. */
function readNamedCell(table: Table, item: string): { column: number; value: string } | undefined {
  const [, amount = "", unit = ""] = /^(\d\S*)\s+(\p{L}+)$/u.exec(item) ?? [];
  const measured = unit === "" ? undefined : exactColumn(table, unit);
  if (measured !== undefined) return { column: measured, value: amount };
  const [, name = "", value = ""] =
    /^([^:=]+?)\s*[:=]\s*(.*)$/su.exec(item) ?? /^(\S+)\s+(?:is\s+|of\s+)?(\S.*)$/su.exec(item) ?? [];
  const column = value === "" ? undefined : exactColumn(table, name);
  return column === undefined ? undefined : { column, value };
}

/** The column of exactly this name, however it is capitalized. */
function exactColumn(table: Table, name: string): number | undefined {
  const asked = plainWords(name).join(" ");
  const index = table.columns.findIndex(
    (column) => plainWords(column.replaceAll("_", " ")).join(" ") === asked,
  );
  return index < 0 ? undefined : index;
}

/**
 * The cells of a new row from words: "Nina Falk, 12 euros, paid". A value belongs to the column that it names, to the one in its
 * place if every value fits there, or to the only one of its kind. Throws `InvalidArgsError` for a value that belongs to none or
 * to several.
 */
export function rowFromWords(table: Table, words: string): string[] {
  const items = textAndAmount(table, words) ?? wordsInPlace(table, words) ?? itemsOf(words);
  const [only, ...others] = items;
  // "november food 412.30" is a row without commas, and no name.
  if (only !== undefined && others.length === 0 && table.columns.length > 1 && NUMBER_INSIDE.test(only))
    throw unclear(table, only);
  const cells: (string | undefined)[] = table.columns.map(() => undefined);
  const rest = items.filter((item) => {
    const found = readNamedCell(table, item);
    if (found === undefined || cells[found.column] !== undefined) return true;
    cells[found.column] = formatLikeColumn(table, found.column, found.value);
    return false;
  });
  const fits = rest.map((item, index) =>
    rest.length === items.length ? cellInPlace(table, index, item) : undefined,
  );
  const isWhole =
    rest.length === table.columns.length &&
    fits.some((cell, index) => cell !== undefined && !LOOSE.has(kindOf(table, index)));
  const inPlace = fits.map((cell, index) =>
    cell === undefined && isWhole && kindOf(table, index) === "mark" ? rest[index] : cell,
  );
  if (inPlace.length > 0 && inPlace.every((cell) => cell !== undefined) && isInOrder(table, rest))
    return table.columns.map((_, index) => inPlace[index] ?? "");
  for (const [order, item] of rest.entries()) {
    const column = columnFor(table, cells, item, order === 0);
    cells[column] = cellFor(table, column, item) ?? item;
  }
  return cells.map((cell) => cell ?? "");
}

/** "Irja 40 yes": as many words as the table has columns, of which each fits in its place, and one at least only there. */
function wordsInPlace(table: Table, words: string): string[] | undefined {
  const items = words.trim().split(/\s+/u);
  if (items.length !== table.columns.length || items.length < 2 || /[,;:=\n]/u.test(words)) return undefined;
  const isInPlace = items.every((item, column) => {
    const isNumber = amountIn(item) !== undefined;
    const isText = !isNumber && !isMark(item);
    switch (kindOf(table, column)) {
      case "text":
        return isText;
      case "empty":
        return column === 0 ? isText : isNumber || isMark(item) || DATE.test(item);
      default:
        return cellFor(table, column, item) !== undefined;
    }
  });
  return isInPlace && items.some((item) => amountIn(item) !== undefined || isMark(item)) ? items : undefined;
}

/** Kinds of columns whose values tell nothing about their place. */
const LOOSE: ReadonlySet<string> = new Set(["text", "empty", "mark"]);

/** "phone 25" and "25 for the phone", for a table that has one column of words and one of amounts, and no other. */
function textAndAmount(table: Table, words: string): string[] | undefined {
  const [amountColumn, ...others] = amountColumns(table);
  if (amountColumn === undefined || others.length > 0 || table.columns.length !== 2) return undefined;
  if (kindOf(table, 1 - amountColumn) !== "text") return undefined;
  const [, text, amount] =
    /^([^\d,;:=]*?\p{L}[^\d,;:=]*?)\s+(?:for\s+)?(\S*\d\S*(?:\s\p{L}+)?)$/u.exec(words.trim()) ?? [];
  const [, amountBefore, textAfter] =
    /^(\S*\d\S*(?:\s\p{L}+)?)\s+(?:for|on)\s+(?:the\s+|my\s+)?([^\d,;:=]*\p{L}[^\d,;:=]*)$/u.exec(
      words.trim(),
    ) ?? [];
  const [what, howMuch] = [text ?? textAfter, amount ?? amountBefore];
  if (what === undefined || howMuch === undefined || amountLike(table, amountColumn, howMuch) === undefined)
    return undefined;
  return amountColumn === 1 ? [what, howMuch] : [howMuch, what];
}

/** The columns whose cells are amounts. */
export const amountColumns = (table: Table): number[] =>
  [...table.columns.keys()].filter((column) => kindOf(table, column) === "amount");

/** False for a list of names, of which none but the first belongs where it stands: "Anna, Tom and Eva". */
const isInOrder = (table: Table, items: readonly string[]): boolean =>
  items.length === 1 ||
  items.length === table.columns.length ||
  items.some(
    (item, column) =>
      column > 0 &&
      (!["text", "empty"].includes(kindOf(table, column)) || cellsOf(table, column).includes(item)),
  );

/** The cell at a place of the row; undefined if the item is of another kind, or means a column of marks elsewhere. */
function cellInPlace(table: Table, column: number, item: string): string | undefined {
  if (column >= table.columns.length) return undefined;
  const isMarkElsewhere = table.columns.some(
    (_, other) => other !== column && markFor(table, other, item) !== undefined,
  );
  const isAmountInText = kindOf(table, column) === "text" && amountIn(item) !== undefined;
  return isMarkElsewhere || isAmountInText ? undefined : cellFor(table, column, item);
}

function columnFor(
  table: Table,
  cells: readonly (string | undefined)[],
  item: string,
  isFirst: boolean,
): number {
  const free = table.columns.flatMap((_, column) => (cells[column] === undefined ? [column] : []));
  const marked = free.filter((column) => markFor(table, column, item) !== undefined);
  const kinds = free.filter((column) => {
    const kind = kindOf(table, column);
    return kind !== "text" && kind !== "empty" && cellFor(table, column, item) !== undefined;
  });
  const known = free.filter((column) => cellsOf(table, column).includes(item));
  const isNumber = amountIn(item) !== undefined;
  const money = kinds.filter((column) => MONEY.test(plainWords(table.columns[column] ?? "").at(-1) ?? ""));
  const texts = free.filter((column) => ["text", "empty"].includes(kindOf(table, column)));
  const candidates = [
    marked,
    kinds,
    // A bare number may belong to any column of numbers.
    kinds.length > 1 && !/^[\d.,]+$/u.test(item) ? money : [],
    known,
    isNumber ? [] : isFirst ? texts.slice(0, 1) : texts,
  ];
  const only = candidates.find(({ length }) => length === 1)?.[0];
  if (only !== undefined) return only;
  throw unclear(table, item);
}

/** A number next to other words, but no amount with its unit alone: "food 412.30", "12.50 for stamps". */
const NUMBER_INSIDE =
  /^(?!.*[:=])(?:.*\S\s[$€£]?\d+(?:[.,]\d+)?(?:\s|$)|[$€£]?\d+(?:[.,]\d+)?\s.*\p{L}+\s+\p{L})/u;

const unclear = (table: Table, item: string): InvalidArgsError =>
  new InvalidArgsError(
    `It is not clear in which column “${item}” belongs. The columns are ${columnNames(table)}.`,
    { suggestions: [`Name the column of each value: ${example(table)}.`] },
  );

const example = (table: Table): string =>
  table.columns
    .slice(0, 3)
    .map((name) => `${name}: …`)
    .join(", ");

/** The cells of a new row by column. Throws `InvalidArgsError` for a column that the table does not have. */
export function rowFromRecord(table: Table, record: Readonly<Record<string, string | number>>): string[] {
  const cells = table.columns.map(() => "");
  for (const [name, value] of Object.entries(record)) {
    const column = exactColumn(table, name) ?? columnNamed(table, name);
    if (column === undefined)
      throw new InvalidArgsError(`There is no column “${name}”. The columns are ${columnNames(table)}.`);
    cells[column] = formatLikeColumn(table, column, String(value));
  }
  return cells;
}
