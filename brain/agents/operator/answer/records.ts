import { withoutListMark } from "@metahuman/core/text/list-marks";
import { isRecord } from "@metahuman/core/text/is-record";
import { parsedJson } from "./facts.ts";
import { monthsNamedIn } from "./quantity-words.ts";
import { bareWords } from "@metahuman/core/text/words";

/** One value of a record. */
export interface Cell {
  /** Texts in lower case without punctuation, numbers as "=12.5", days as "11-24". */
  key: string;
  column: number;
}

/** The position of a value in a table. */
export interface Place {
  value: string;
  rows: Set<number>;
  columns: Set<number>;
}

/** The values of one record. */
export type Row = readonly Cell[];

/** Records of one kind, with an index of their values. The values of a row belong together. */
export interface Table {
  size: number;
  rows: readonly Row[];
  places: ReadonlyMap<string, Place>;
  /** The columns by their names; empty for a text without a line of names. */
  columns: ReadonlyMap<string, number>;
  /** Sums and averages of the numeric columns over the rows that share a value, by that value. */
  sums: ReadonlyMap<string, readonly number[]>;
  /** True for the entries of a folder or of a search, whose numbers are sizes and scores. */
  isListing?: true;
}

/** The columns of a listed folder, as a text of earlier results has them. */
const OF_LISTING = ["kind", "bytes", "modified"] as const;

const MAX_ROWS = 200;

const MAX_CELLS = 24;

/** The tables in a text or in the outcome of a call. */
export function tablesIn(value: unknown): Table[] {
  if (typeof value === "string") {
    const json = parsedJson(value);
    return json === undefined ? tableOfText(value) : tablesIn(json);
  }
  if (Array.isArray(value)) {
    const records = value.filter(isRecord);
    const rows = records
      .slice(0, MAX_ROWS)
      .map((record) =>
        Object.entries(record).flatMap(([key, part], column) =>
          CONTROL.test(key) ? [] : [part].flat().flatMap((one) => cellOf(one, column)),
        ),
      );
    const names = new Set(records.flatMap((record) => Object.keys(record)));
    const isUniform = records.every((record) => Object.keys(record).length === names.size);
    return [...tableOf(rows, isUniform ? [...names] : []), ...value.flatMap(tablesIn)];
  }
  return isRecord(value) ? Object.values(value).flatMap(tablesIn) : [];
}

/** Fields whose values are terms of this application; answers use these words in other senses, too. */
const CONTROL =
  /^(?:id|type|kind|status|priority|score|modified|timestamp|line|text|snippet|content|description)$/u;

/** The end of a line of a program. */
const CODE = /(?:[{}]|\)[;,]?|=>)\s*$/u;

/** The line under the names of the columns of a table in Markdown. */
const MARKDOWN_RULE = /^\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?$/u;

/** The tables in Markdown of a text, and the text without them. */
function markdownTablesIn(text: string): { tables: Table[]; rest: string } {
  const lines = text.split("\n", MAX_ROWS).map((line) => line.trim());
  const tables: Table[] = [];
  const rest: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    if (!line.startsWith("|") || !MARKDOWN_RULE.test(lines[index + 1] ?? "")) {
      rest.push(line);
      continue;
    }
    const end = lines.findIndex((one, position) => position > index + 1 && !one.startsWith("|"));
    const rows = lines.slice(index + 2, end === -1 ? undefined : end);
    tables.push(
      ...tableOf(
        rows.map((row) => cellsOf(row).flatMap(cellOf)),
        cellsOf(line),
      ),
    );
    index += rows.length + 1;
  }
  return { tables, rest: rest.join("\n") };
}

/** The cells of a line of a table in Markdown. */
const cellsOf = (line: string): string[] =>
  line
    .replace(/^\|/u, "")
    .replace(/\|$/u, "")
    .split("|", MAX_CELLS)
    .map((cell) => cell.replaceAll(/[*_`]/gu, "").trim());

/** Lines with the same separator; the first line of a table names its columns. */
function tableOfText(text: string): Table[] {
  if (!text.includes("\n")) return [];
  if (text.includes("|--") || text.includes("| --") || text.includes("| :--") || text.includes("|:--")) {
    const { tables, rest } = markdownTablesIn(text);
    if (tables.length > 0) return [...tables, ...tableOfText(rest)];
  }
  const lines = text
    .split("\n", MAX_ROWS)
    .map((line) => withoutListMark(line).trim())
    .filter((line) => line !== "");
  if (lines.filter((line) => CODE.test(line)).length > 1) return [];
  const isTight = lines.length > 2 && lines.every((line) => /[,;\t|]\S/u.test(line));
  const rows = lines
    .filter((line, index) => !(isTight && index === 0) && line.length < 300)
    .map((line) =>
      line
        .replaceAll(/[()]/gu, ";")
        .split(isTight ? /[,;\t|]/u : /\s*[;\t|]\s*|,\s+|:\s+|\s[–—-]\s|\s=\s/u)
        .slice(0, MAX_CELLS)
        .flatMap((cell, column) => cellOf(cell, column)),
    )
    // In "Bo,22.50,no" the number is the only cell that is long enough to be compared.
    .filter((row) => row.length > (isTight ? 0 : 1));
  return tableOf(rows, isTight ? (lines[0] ?? "").split(/[,;\t|]/u) : []);
}

function tableOf(rows: readonly (readonly Cell[])[], names: readonly string[]): Table[] {
  if (rows.length < 2) return [];
  const places = new Map<string, Place>();
  for (const [row, cells] of rows.entries())
    for (const { key, column } of cells) {
      let place = places.get(key);
      if (!place) places.set(key, (place = { value: key, rows: new Set(), columns: new Set() }));
      place.rows.add(row);
      place.columns.add(column);
    }
  const columns = new Map(names.map((name, column) => [bareWords(name), column]));
  const table = { size: rows.length, rows, places, columns, sums: sumsOf(rows, places) };
  return [OF_LISTING.every((name) => columns.has(name)) ? { ...table, isListing: true } : table];
}

function sumsOf(
  rows: readonly (readonly Cell[])[],
  places: ReadonlyMap<string, Place>,
): Map<string, readonly number[]> {
  const sums = new Map<string, readonly number[]>();
  for (const { value, rows: shared } of places.values()) {
    if (value.startsWith("=") || shared.size < 2 || shared.size === rows.length) continue;
    const columns = new Map<number, number>();
    for (const row of shared)
      for (const { key, column } of rows[row] ?? [])
        if (key.startsWith("=")) columns.set(column, (columns.get(column) ?? 0) + Number(key.slice(1)));
    if (columns.size > 0)
      sums.set(
        value,
        [...columns.values()].flatMap((sum) => [sum, sum / shared.size]),
      );
  }
  return sums;
}

function cellOf(value: unknown, column: number): Cell[] {
  if (typeof value !== "string" && typeof value !== "number") return [];
  const text = String(value).toLowerCase().trim();
  const [, , month, day] = /^(\d{4})-(\d{2})-(\d{2})/u.exec(text) ?? [];
  if (month !== undefined) return [{ key: `${String(Number(month))}-${String(Number(day))}`, column }];
  const digits = /^[$€£]?\s?(\d+(?:\.\d+)?)\s?(?:\p{L}{1,8}|[%€$£])?$/u.exec(text)?.[1];
  if (digits !== undefined) return [{ key: numberKey(Number(digits)), column }];
  if (text.length > 40) return [];
  const words = bareWords(text);
  return words.length > 2 && /\p{L}{3}/u.test(words) ? [{ key: words, column }] : [];
}

export const numberKey = (number: number): string => `=${String(number)}`;

const NUMBERED_THINGS = [
  "seat|coach|car|room|platform|gate|track|page|chapter|run|line|floor|flight|train|table|lane|locker",
  "box|shelf|aisle|row|version|level|unit|apartment|building|terminal|stop|bus|tram|group|team|round",
  "episode|season|volume|issue|section|article|paragraph|ticket|invoice|order|port|sitz|platz|wagen",
  "zimmer|raum|gleis|seite|kapitel|zeile|stock|flug|zug|linie|tisch|haus|folge|band|abschnitt|rechnung",
  "place|voiture|chambre|salle|quai|voie|chapitre|ligne|étage|asiento|coche|habitación|sala|andén|vía",
  "página|capítulo|línea|piso|posto|carrozza|camera|binario|pagina|capitolo",
].join("|");
/** Nouns with a number that identifies one of several things: "seat 45". */
const LABEL = new RegExp(
  String.raw`(?<!\p{L})(${NUMBERED_THINGS})s?(?: (?:no|nr|number|nummer)\.?)?[:=#"]*\s+#?(\d{1,5})(?![\d.,:/%-]*\d)(?!\s?(?:%|€|\$|eur\b|km\b|m\b|ms\b))`,
  "giu",
);

/** The numbers behind each such noun. */
export function labelsIn(text: string): Map<string, Set<number>> {
  const labels = new Map<string, Set<number>>();
  for (const [, label = "", number] of text.matchAll(LABEL)) {
    const key = label.toLowerCase();
    labels.set(key, (labels.get(key) ?? new Set()).add(Number(number)));
  }
  return labels;
}

/** Nothing is calculated from tables with more rows. */
export const MAX_CALCULATED_ROWS = 100;

/** The month of a day: "11" for "11-24". */
export const monthOf = (key: string): string | undefined => /^(\d{1,2})-\d{1,2}$/u.exec(key)?.[1];

/** True when a text names a month, and the rows of no table are all of the months that it names. */
export function isOfSomeMonths(text: string, tables: readonly Table[]): boolean {
  const named = new Set(monthsNamedIn(text).map(String));
  const isOfNamed = (row: Row): boolean =>
    row.map(({ key }) => monthOf(key)).some((month) => month !== undefined && named.has(month));
  return named.size > 0 && !tables.some(({ rows }) => rows.length > 1 && rows.every(isOfNamed));
}

/** The number in a column of a row; `NaN` without one. */
export const numberIn = (row: Row, column: number): number =>
  Number(row.find((cell) => cell.column === column && cell.key.startsWith("="))?.key.slice(1));

/** The columns that hold a number in every row. */
export function numericColumns(rows: readonly Row[]): number[] {
  const [first = []] = rows;
  return first
    .filter(({ key }) => key.startsWith("="))
    .map(({ column }) => column)
    .filter((column) => rows.every((row) => !Number.isNaN(numberIn(row, column))));
}

/** The tables with more columns of numbers are not calculated: some total of them fits any number. */
const MAX_TOTALED_COLUMNS = 4;

/**
 * The possible totals of rows in these columns: the sum of one column, of several together (net and tax), what one
 * leaves of another (income and costs), and the products of two (quantity times price). In the same order for any rows,
 * the single columns first; empty for more than `MAX_TOTALED_COLUMNS` columns.
 */
export function totalsOf(rows: readonly Row[], columns: readonly number[]): number[] {
  if (columns.length > MAX_TOTALED_COLUMNS) return [];
  const add = (numberOf: (row: Row) => number): number => rows.reduce((sum, row) => sum + numberOf(row), 0);
  const sums = columns.map((column) => add((row) => numberIn(row, column)));
  const together = sums.reduce<number[]>((all, sum) => [...all, ...all.map((one) => one + sum)], [0]);
  const pairs = columns.flatMap((one, index) =>
    columns.slice(index + 1).map((other) => [one, other] as const),
  );
  return [
    ...sums,
    ...together.slice(1),
    ...pairs.map(([one, other]) => Math.abs(add((row) => numberIn(row, one) - numberIn(row, other)))),
    ...pairs.map(([one, other]) => add((row) => numberIn(row, one) * numberIn(row, other))),
  ];
}

/** The rows with this value. */
export const rowsWith = (key: string, rows: readonly Row[]): Row[] =>
  rows.filter((row) => row.some((cell) => cell.key === key));
