import { plainWords, withoutAccents } from "@metahuman/core/text/words";
import { isTypo } from "@metahuman/core/language/tokens/spelling";
import { ARTICLES } from "@metahuman/core/language/tokens/words";
import { columnNamed, type Table } from "../fs-read/tables.ts";

/** Words for a row in general, which no cell needs to have. */
const GENERIC = /^(?:row|line|entry|record|of|for|from|with)$/u;

/** The words of a cell, without possessive endings. */
export const cellWords = (text: string): string[] =>
  plainWords(text.replaceAll(/['’]s?(?![\p{L}\p{N}])/gu, ""));

const namingWords = (text: string): string[] => {
  const words = cellWords(text).filter((word) => !ARTICLES.has(word));
  const specific = words.filter((word) => !GENERIC.test(word));
  return specific.length > 0 ? specific : words;
};

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((word, index) => word === other[index]);

/**
 * The rows that words mean, as indexes: those with a cell of these words; else with a cell that has all of them; else with all
 * of them in several cells. A possessive needs no apostrophe, and a letter no accent: "Ottos", "Zoe" for Zoé.
 */
export function rowsNamed(table: Table, text: string): number[] {
  const { rows } = table;
  const asked = namingWords(text);
  const cells = rows.map((row) => row.map(cellWords));
  const fitting = (fits: (row: readonly (readonly string[])[]) => boolean): number[] =>
    cells.flatMap((row, index) => (fits(row) ? [index] : []));
  const tiers = (words: readonly string[]): number[][] => [
    fitting((row) => isSame(row.flat(), words)),
    fitting((row) => row.some((cell) => isSame(cell, words))),
    fitting((row) => row.some((cell) => words.every((word) => cell.includes(word)))),
    fitting((row) => words.every((word) => row.flat().includes(word))),
  ];
  const withoutEnding = asked.map((word, index) =>
    index === asked.length - 1 ? word.replace(/s$/u, "") : word,
  );
  const ways = [cellWords(text), asked, withoutEnding].filter((words) => words.length > 0);
  const found = ways.flatMap(tiers).find((tier) => tier.length > 0) ?? rowsWithCell(table, asked);
  if (found.length > 0) return found;
  const bare = { columns: table.columns, rows: rows.map((row) => row.map(withoutAccents)) };
  const bareText = withoutAccents(text);
  const isBare = bareText === text && rows.every((row, index) => isSame(row, bare.rows[index] ?? []));
  return isBare ? [] : rowsNamed(bare, bareText);
}

/** The rows whose cell in a column is what follows its name: "date 2026-11-03". */
function rowsWithCell({ columns, rows }: Table, asked: readonly string[]): number[] {
  for (let length = 1; length < asked.length; length++) {
    const column = columns.findIndex((name) => isSame(cellWords(name), asked.slice(0, length)));
    const found = rows.flatMap((row, index) =>
      column >= 0 && isSame(cellWords(row[column] ?? ""), asked.slice(length)) ? [index] : [],
    );
    if (found.length > 0) return found;
  }
  return [];
}

/** The rows with a cell that the words misspell. */
export function rowsLike({ rows }: Table, text: string): number[] {
  const asked = namingWords(text);
  return rows.flatMap((row, index) =>
    asked.length > 0 &&
    row.some((cell) => {
      const words = cellWords(cell);
      return asked.every((one) => words.some((word) => word === one || isTypo(one, word)));
    })
      ? [index]
      : [],
  );
}

/** What a row is called in a sentence: its first cell, or all of it where another row begins with the same. */
export function rowLabel({ rows }: Table, index: number): string {
  const row = rows[index] ?? [];
  const first = row.find((cell) => cell !== "") ?? "";
  const isOnly = rows.filter((other) => other.find((cell) => cell !== "") === first).length === 1;
  return isOnly ? first : row.filter((cell) => cell !== "").join(", ");
}

/**
 * Splits words that name a row and a column: "Otto's email", "the status of Lindqvist". Undefined if no column is among them,
 * or no words are left for the row.
 */
export function splitRowAndColumn(table: Table, text: string): { row: string; column: number } | undefined {
  const words = text.trim().split(/\s+/u);
  for (let length = 1; length < words.length; length++)
    for (let from = words.length - length; from >= 0; from--) {
      const column = columnNamed(table, words.slice(from, from + length).join(" "));
      const row = [...words.slice(0, from), ...words.slice(from + length)].join(" ");
      if (column !== undefined && rowsNamed(table, row).length > 0) return { row, column };
    }
  return undefined;
}
