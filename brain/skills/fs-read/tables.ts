import { withoutListMark } from "@metahuman/core/text/list-marks";
import { CsvError, parse } from "csv-parse/sync";
import { Decimal } from "decimal.js";
import { formatCount } from "@metahuman/core/text/format";
import { isRecord } from "@metahuman/core/text/is-record";
import { verbStem } from "@metahuman/core/language/tokens/irregular-verbs";
import { FUNCTION_WORDS, stem } from "@metahuman/core/language/tokens/words";
import { columnCalledOtherwise } from "./column-synonyms.ts";
import { escapeInline } from "../markdown.ts";
import { textField } from "../outputs.ts";
import { parseExactJson } from "../support/exact-json.ts";
import { isMarkdown, markdownRows } from "../support/markdown-table.ts";
import { plainWords, withoutAccents } from "@metahuman/core/text/words";

/** Rows of cells under named columns. */
export interface Table {
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** True if semicolons separate the cells, as where decimals have commas. */
  hasSemicolons?: boolean;
}

const cellOf = (value: unknown): string =>
  typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value);

/** A table cannot answer the question. The message is the answer. */
export class UnanswerableError extends Error {
  override readonly name = "UnanswerableError";
}

/** The table in a CSV file, the only one of a Markdown file, or in a JSON file that is a list, has one list, or has only numbers. */
function tableIn(path: string, content: string): Table | undefined {
  if (/\.json$/iu.test(path)) return jsonTable(parseExactJson(content));
  if (isMarkdown(path)) {
    const [columns, ...rows] =
      markdownRows(content)?.map(({ cells }) => cells.map(({ value }) => value)) ?? [];
    return columns && { columns, rows };
  }
  return /\.(?:csv|tsv)$/iu.test(path) ? csvTable(path, content) : undefined;
}

/** The most frequent delimiter in the first line. */
export function delimiterIn(content: string): string {
  const first = content.slice(0, content.search(/[\r\n]|$/u));
  const count = (delimiter: string): number => first.split(delimiter).length;
  return [";", "\t"].find((delimiter) => count(delimiter) > count(",")) ?? ",";
}

/** Throws `UnanswerableError` if a row has more cells than there are columns: their columns are unknown. */
function csvTable(path: string, content: string): Table | undefined {
  try {
    const delimiter = delimiterIn(content);
    const records: string[][] = parse(content, {
      delimiter,
      bom: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
    });
    const [first] = records;
    if (first === undefined) return undefined;
    const isHeader = first.every((cell) => amountIn(cell) === undefined);
    const columns = isHeader ? first : first.map((_, index) => `column ${String(index + 1)}`);
    const rows = isHeader ? records.slice(1) : records;
    const ragged = rows.find((row) => row.length > columns.length);
    if (ragged === undefined) return { columns, rows, hasSemicolons: delimiter === ";" };
    const counts = `${formatCount(ragged.length, "cell")} under ${formatCount(columns.length, "column")}`;
    throw new UnanswerableError(
      `${escapeInline(path)} has a row with ${counts}: “${escapeInline(ragged.join(delimiter))}”.`,
    );
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

/** The document if it is a list, or the only list among the plain values of an object, such as the items of an order. */
function listIn(document: unknown): readonly unknown[] | undefined {
  const values: readonly unknown[] = isRecord(document) ? Object.values(document) : [];
  const lists = (Array.isArray(document) ? [document] : values).filter((value) => Array.isArray(value));
  return lists.length === 1 && !values.some(isRecord) ? lists[0] : undefined;
}

function jsonTable(document: unknown): Table | undefined {
  const list = listIn(document);
  if (list !== undefined) {
    const records = list.filter(isRecord);
    if (records.length < list.length) return { columns: ["value"], rows: list.map((one) => [cellOf(one)]) };
    const columns = [...new Set(records.flatMap((one) => Object.keys(one)))];
    return { columns, rows: records.map((one) => columns.map((column) => cellOf(one[column]))) };
  }
  if (!isRecord(document)) return undefined;
  const entries = Object.entries(document);
  return entries.length > 1 && entries.every(([, one]) => typeof one === "number")
    ? { columns: ["name", "value"], rows: entries.map(([name, one]) => [name, cellOf(one)]) }
    : undefined;
}

/** A number that is not part of a word: not the 5 of "A-5". */
const SEPARATE_NUMBER = /(?<![\p{L}\p{N}-])[-−]?\d[\d.,]*/gu;

/** A line that makes the line before it a heading, or separates two parts. */
const UNDERLINE = /^\s*(?:={2,}|-{2,})\s*$/u;

/** Lines of a text that each hold one number: `rent 850`. Headings do not count. */
function linesWithNumbers(content: string): Table | undefined {
  const all = content.split(/\r?\n/u);
  const lines = all.filter(
    (line, index) =>
      line.trim() !== "" &&
      !line.startsWith("#") &&
      !UNDERLINE.test(line) &&
      !UNDERLINE.test(all[index + 1] ?? ""),
  );
  const rows = lines.flatMap((line) => {
    const numbers = withoutListMark(line).match(SEPARATE_NUMBER) ?? [];
    return numbers.length === 1 ? [[line.trim(), numbers[0]]] : numbers.length === 0 ? [] : [undefined];
  });
  const complete = rows.filter((row) => row !== undefined);
  return complete.length === rows.length && rows.length > 0
    ? { columns: ["line", "number"], rows: complete }
    : undefined;
}

export interface Amount {
  value: Decimal;
  /** Digits after the decimal point. */
  decimals: number;
  /** The unit next to the number: a currency, a measure, "million"; lower-case. */
  unit: string;
}

const AMOUNT = /^([$€£¥]|[A-Z]{3}(?=\s))?\s*([-+−]?\d[\d.,]*)\s*([$€£¥%]|\p{L}{1,12})?$/u;

/** The maximum number of digits of an amount; a longer one is a key or a serial number. */
const MAX_DIGITS = 40;

/** Parses a cell as an amount; undefined for any other text. */
export function amountIn(cell: string, hasDecimalCommas = false): Amount | undefined {
  const [, before = "", digits = "", after = ""] = AMOUNT.exec(cell.trim()) ?? [];
  if (digits.length > MAX_DIGITS) return undefined;
  const plain = hasDecimalCommas
    ? /^[-+−]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/u.test(digits)
      ? digits.replaceAll(".", "").replace(",", ".")
      : undefined
    : /^[-+−]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/u.test(digits)
      ? digits.replaceAll(",", "")
      : /^[-+−]?\d+(?:\.\d+|,\d{1,2})?$/u.test(digits)
        ? digits.replace(",", ".")
        : undefined;
  return plain === undefined
    ? undefined
    : {
        value: new Decimal(plain.replace("−", "-")),
        decimals: plain.split(".")[1]?.length ?? 0,
        unit: `${before} ${after}`.trim().toLowerCase(),
      };
}

const isAmount = (cell: string): boolean =>
  amountIn(cell) !== undefined || amountIn(cell, true) !== undefined;

/**
 * The amounts of a column. Throws `UnanswerableError` if a cell is not a number, if their units differ, or if a comma may mean
 * decimals (`isDecimalComma`: the person's locale writes them with one) or thousands.
 */
export function amountsIn(
  { columns, rows, hasSemicolons = false }: Table,
  column: number,
  path: string,
  isDecimalComma = false,
): (Amount & { row: readonly string[] })[] {
  const cells = rows.map((row) => row[column] ?? "");
  const hasDecimalCommas =
    cells.some((cell) => /\.\d{3},|\b0,\d/u.test(cell)) ||
    (hasSemicolons &&
      cells.some((cell) => cell.includes(",")) &&
      !cells.some((cell) => /,\d{3}\./u.test(cell)));
  const name = escapeInline(columns[column] ?? "");
  const unclear = cells.find((cell) => /\d,\d{3}(?!\d|[.,])/u.test(cell));
  if (
    unclear !== undefined &&
    isDecimalComma &&
    !hasDecimalCommas &&
    !cells.some((cell) => cell.includes("."))
  )
    throw new UnanswerableError(
      `${name} in ${path} can be read in two ways: “${escapeInline(unclear)}” has thousands or decimals.`,
    );
  const found = rows.flatMap((row, index) => {
    const cell = cells[index] ?? "";
    return cell === "" ? [] : [{ row, cell, amount: amountIn(cell, hasDecimalCommas) }];
  });
  const wrong = found.find(({ amount }) => amount === undefined);
  if (wrong)
    throw new UnanswerableError(
      `${name} in ${path} is not a number everywhere: “${escapeInline(wrong.cell)}”.`,
    );
  const amounts = found.flatMap(({ row, amount }) => (amount ? [{ row, ...amount }] : []));
  // A number without a currency counts as an amount in it; a number without "%" is not a percentage.
  const units = new Set(amounts.map(({ unit }) => unit));
  if (!units.has("%")) units.delete("");
  const [unit = "", another] = units;
  const cellIn = (wanted: string): string =>
    escapeInline(found.find(({ amount }) => amount?.unit === wanted)?.cell ?? "");
  if (another !== undefined)
    throw new UnanswerableError(
      `${name} in ${path} has amounts of different units: “${cellIn(unit)}” and “${cellIn(another)}”.`,
    );
  return amounts;
}

/** A cell that says no, or nothing. */
export const NO = /^(?:no|nein|non|n|false|0|none|never|not yet|[-–—✗✘☐])?$/iu;
/** A cell that says yes. */
export const YES = /^(?:yes|y|true|1|x|ok|ja|oui|sí|[✓✔☑])$/iu;
/** True for a cell that says yes, no or nothing. */
export const isMark = (cell: string): boolean => YES.test(cell) || NO.test(cell);

/** True for a row that sums up the others. */
export const isTotal = (row: readonly string[]): boolean =>
  row.some((cell) => /^(?:grand |sub-?)?(?:total|sum)s?:?$/iu.test(cell.trim()));

const columnWords = (text: string): string[] => plainWords(text.replaceAll("_", " "));

const stemsOf = (text: string): string[] =>
  columnWords(text)
    .filter((word) => !FUNCTION_WORDS.has(word))
    .map(verbStem);

const keyOf = (text: string): string => columnWords(text).map(stem).join(" ");

/** Generic words for the numbers or rows of a table. */
const ANY = new Set(
  "number amount figure value price cost sum total entry line row record item thing all".split(" ").map(stem),
);

/** The column with this name, else the only one whose name has the words: "pay" is not "paid" where there are both. */
export function columnNamed({ columns }: Table, words: string): number | undefined {
  const same = columns.flatMap((name, index) => (keyOf(name) === keyOf(words) ? [index] : []));
  if (same.length === 1) return same[0];
  const bare = keyOf(withoutAccents(words));
  const sameLetters = columns.flatMap((name, index) => (keyOf(withoutAccents(name)) === bare ? [index] : []));
  if (sameLetters.length === 1) return sameLetters[0];
  const asked = stemsOf(words);
  // "Done" is a function word in most sentences, but some tables have a column of that name.
  if (asked.length === 0) return undefined;
  const named = columns.map(stemsOf);
  const whole = named.flatMap((name, index) => (name.join(" ") === asked.join(" ") ? [index] : []));
  const partly = named.flatMap((name, index) =>
    name.length > 0 && (asked.every((one) => name.includes(one)) || name.every((one) => asked.includes(one)))
      ? [index]
      : [],
  );
  if (whole.length === 1) return whole[0];
  if (partly.length > 0) return partly.length === 1 ? partly[0] : undefined;
  return columnCalledOtherwise(named, asked);
}

/** What the column of people is called, and people in a question: "per member" in a table with a column "who". */
const PEOPLE = new Set(
  "person people member name who whom buyer payer player guest owner head everybody everyone"
    .split(" ")
    .map(stem),
);

/** The column of people, if exactly one is called so. */
export function columnOfPeople({ columns }: Table): number | undefined {
  const found = columns.flatMap((name, index) =>
    columnWords(name).some((word) => PEOPLE.has(stem(word))) ? [index] : [],
  );
  return found.length === 1 ? found[0] : undefined;
}

/** The column that words name, which may say people for what the table calls otherwise. */
export function columnToGroupBy(table: Table, words: string): number | undefined {
  const named = columnNamed(table, words);
  const isPeople = columnWords(words).some((word) => PEOPLE.has(stem(word)));
  return named ?? (isPeople ? columnOfPeople(table) : undefined);
}

/** The one column of yes and no that the words name next to another column. */
export function markNamed(table: Table, words: string): number | undefined {
  const named = plainWords(words).flatMap((word) => columnNamed(table, word) ?? []);
  const marks = [...new Set(named)].filter((column) =>
    table.rows.every((row) => YES.test((row[column] ?? "").trim()) || NO.test((row[column] ?? "").trim())),
  );
  return marks.length === 1 ? marks[0] : undefined;
}

/** What words mean in a table. */
export interface Selection {
  /** The rows with the value that the words name; all rows if they name none. */
  rows: Table["rows"];
  /** The value of a cell among the words, as written in the request; the whole cell for a part of a name. */
  value?: string;
  /** True if the words are a part of that value. */
  isPart?: boolean;
  /** The column that the other words name. */
  column?: number;
  /** Words that mean neither a value, a column, the file nor rows in general. */
  unexplained: string[];
}

/** The maximum number of words that are compared with cells. */
const MAX_WORDS = 20;

/** Explains words by the cells, columns and name of a table: "price of ink", "food rows". */
export function selectRows(table: Table, path: string, words: string): Selection {
  const wordList = (words.match(/[\p{L}\p{N}][^\s]*/gu) ?? []).slice(0, MAX_WORDS);
  const keys = new Set(table.rows.flatMap((row) => row.map(keyOf)));
  for (const name of table.columns) keys.delete(keyOf(name));
  let found: { from: number; to: number } | undefined;
  for (let length = wordList.length; length > 0 && !found; length--)
    for (let from = 0; from + length <= wordList.length && !found; from++) {
      const part = wordList.slice(from, from + length).join(" ");
      const key = keyOf(part);
      // The stem of a name may look like a function word: "in" for Ines.
      if (key !== "" && stemsOf(part).length > 0 && keys.has(key)) found = { from, to: from + length };
    }
  const named = found ? undefined : partOfName(table, wordList);
  found ??= named;
  const value = named?.cell ?? (found && wordList.slice(found.from, found.to).join(" "));
  const rest = found ? [...wordList.slice(0, found.from), ...wordList.slice(found.to)].join(" ") : words;
  const column = columnNamed(table, rest);
  const known = new Set([...stemsOf(table.columns.join(" ")), ...stemsOf(path), ...ANY]);
  const key = value === undefined ? undefined : keyOf(value);
  return {
    rows:
      key === undefined ? table.rows : table.rows.filter((row) => row.some((cell) => keyOf(cell) === key)),
    ...(value !== undefined && { value, isPart: named !== undefined }),
    ...(column !== undefined && { column }),
    unexplained: columnWords(rest).filter((word) => !FUNCTION_WORDS.has(word) && !known.has(verbStem(word))),
  };
}

/**
 * The words that are a part of one cell only, as a first name is: "Gerda" where a cell of the first column that has the
 * word is "Gerda Lund", and no other. Words of columns and words that are not names are left out.
 */
function partOfName(
  { columns, rows }: Table,
  wordList: readonly string[],
): { from: number; to: number; cell: string } | undefined {
  const plain = new Set([...stemsOf(columns.join(" ")), ...ANY]);
  for (const [from, word] of wordList.entries()) {
    const [only, ...others] = columnWords(word);
    if (only === undefined || others.length > 0 || FUNCTION_WORDS.has(only) || plain.has(verbStem(only)))
      continue;
    for (const index of columns.keys()) {
      // "Ottos" is a possessive, too.
      const cells = new Set(
        rows
          .map((row) => row[index] ?? "")
          .filter((cell) => columnWords(cell).map(stem).includes(stem(only))),
      );
      const [cell, another] = cells;
      if (cell !== undefined && another === undefined && isName(cell)) return { from, to: from + 1, cell };
      if (cell !== undefined) break;
    }
  }
  return undefined;
}

/** True for a few words that each begin with a capital letter: "Gerda Lund". */
const isName = (cell: string): boolean =>
  /^\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*){1,3}$/u.test(cell.trim());

/** The columns of a table that hold only amounts. */
function numericColumns({ columns, rows }: Table): number[] {
  return columns.flatMap((_, index) =>
    rows.length > 0 && rows.every((row) => (row[index] ?? "") === "" || isAmount(row[index] ?? ""))
      ? [index]
      : [],
  );
}

/** The maximum number of columns that a sentence names. */
const MAX_NAMED = 20;

/** The names of the columns, for a sentence. */
export function columnNames({ columns }: Table): string {
  const named = columns.slice(0, MAX_NAMED).map(escapeInline).join(", ");
  return columns.length > MAX_NAMED ? `${named} and ${String(columns.length - MAX_NAMED)} more` : named;
}

/** The column with numbers that the words mean. Throws `UnanswerableError` if there is none. */
export function numbersOf(table: Table, path: string, words: string): number {
  const named = columnNamed(table, words);
  if (named !== undefined) return named;
  const isAny = stemsOf(words).every((one) => ANY.has(one));
  const numeric = numericColumns(table);
  const [only] = numeric;
  if (isAny && numeric.length === 1 && only !== undefined) return only;
  throw isAny
    ? new UnanswerableError(
        `${path} has ${formatCount(numeric.length, "column")} of numbers. Name one of its columns: ${columnNames(table)}.`,
      )
    : noColumn(table, path, words);
}

export function noColumn(table: Table, path: string, words: string): UnanswerableError {
  return new UnanswerableError(
    `${path} has no column “${escapeInline(words)}”. Its columns are ${columnNames(table)}.`,
  );
}

/** The only column whose name has one of the words. */
export function columnAbout(table: Table, words: readonly string[]): number | undefined {
  const stems = new Set(words.map(verbStem));
  const numeric = numericColumns(table).filter((index) =>
    stemsOf(table.columns[index] ?? "").some((one) => stems.has(one)),
  );
  return numeric.length === 1 ? numeric[0] : undefined;
}

/** The table in the outputs of a read. Throws `UnanswerableError` if there is none or only a part of it was read. */
export function readTable(outputs: Record<string, unknown>, allowsText = false): Table {
  const content = textField(outputs, "content");
  const path = escapeInline(textField(outputs, "path"));
  if (outputs.truncated === true || outputs.from !== undefined)
    throw new UnanswerableError(`${path} is too long: only its beginning was read.`);
  const found =
    tableIn(textField(outputs, "path"), content) ?? (allowsText ? linesWithNumbers(content) : undefined);
  if (found !== undefined) return found;
  throw new UnanswerableError(
    allowsText
      ? `${path} is neither a table nor a list with one number in each line.`
      : `${path} is not a table: a CSV file, a Markdown file with one table, or a JSON file with a list.`,
  );
}

/** The table in the outputs of a read; undefined if there is none or only a part of it was read. */
export function tryReadTable(outputs: Record<string, unknown>): Table | undefined {
  try {
    return readTable(outputs);
  } catch (error) {
    if (error instanceof UnanswerableError) return undefined;
    throw error;
  }
}
