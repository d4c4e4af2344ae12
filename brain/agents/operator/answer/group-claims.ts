import { wholeWords } from "@metahuman/core/text/patterns";
import { type PreparedEvidence } from "./evidence.ts";
import { contentWords, stem } from "./mentions.ts";
import { type NumberMention, quantitiesIn } from "./quantities.ts";
import { SMALL } from "./number-arithmetic.ts";
import { type Problem, refuted } from "./problem.ts";
import { type Cell, type Table, MAX_CALCULATED_ROWS, numberIn, numericColumns, rowsWith } from "./records.ts";
import { isNarrowing, roundToText } from "./table-claims.ts";
import { CONDITIONAL, NEGATION } from "./vocabulary.ts";
import { bareWords } from "@metahuman/core/text/words";

/**
 * Problems with statements about the rows that a sentence names: their number, and on which side of a limit they are.
 */
export function problemsOfNamedRows(text: string, { tables }: PreparedEvidence): string[] {
  if (NEGATION.test(text) || CONDITIONAL.test(text) || CONTRAST.test(text)) return [];
  const filled = tables.filter(({ rows }) => rows.length > 1 && rows.length <= MAX_CALCULATED_ROWS);
  return [countProblem, limitProblem].flatMap((problemIn) => {
    const found = filled.map((table) => problemIn(text, table)).filter((one) => one !== undefined);
    // With several tables, one that agrees is enough.
    return found.includes("") ? [] : found.slice(0, 1);
  });
}

/** Words that contrast a named row with the others. */
const CONTRAST = new RegExp(
  wholeWords(
    "but|while|whereas|unlike|except|however|besides|aber|während|außer|im gegensatz|mais|sauf|pero",
    "excepto",
  ),
  "iu",
);

/**
 * The problem with a stated number of rows: "Ola made 3 orders", where the table has a column “order” and two rows of Ola. `""` if the
 * number is right; undefined if none is stated.
 */
function countProblem(text: string, table: Table): string | undefined {
  const [name, ...others] = valuesNamedIn(text, table);
  const { numbers } = quantitiesIn(text);
  const [mention, ...more] = numbers.filter((number) => isCountOfRows(number, table));
  if (name === undefined || others.length > 0 || mention === undefined || more.length > 0) return undefined;
  if (isNarrowing(text)) return undefined;
  const { length } = rowsWith(name, table.rows);
  // "The thirstiest of your four plants" counts all rows.
  return mention.values.some((value) => value === length || value === table.rows.length)
    ? ""
    : `${mention.text} is stated of “${name}”, and the table has ${String(length)} of its rows.`;
}

/** True for a number before the name of a column of texts: "3 orders". */
function isCountOfRows({ values, after, isHedged }: NumberMention, { columns, rows }: Table): boolean {
  if (isHedged || values.some((value) => !Number.isInteger(value))) return false;
  const [noun] = contentWords(/^\s*(\p{L}+)/u.exec(after)?.[1] ?? "");
  const numeric = new Set(numericColumns(rows));
  return (
    noun !== undefined &&
    [...columns].some(([name, column]) => !numeric.has(column) && stem(name) === stem(noun))
  );
}

/** The values of the table, other than the names of its columns, that occur in the text. */
function valuesNamedIn(text: string, { places, columns }: Table): string[] {
  const words = ` ${bareWords(text)} `;
  return [...places.keys()].filter(
    (key) => /\p{L}/u.test(key) && !columns.has(key) && words.includes(` ${key} `),
  );
}

const LIMIT_WORDS = [
  "below|under|less than|fewer than|unter|weniger als|moins de|menos de|above|over|more than|über",
  "mehr als|plus de|más de|at least|mindestens|au moins|al menos|at most|höchstens|au plus|como mucho",
].join("|");
const LIMIT = new RegExp(String.raw`(?<!\p{L})(${LIMIT_WORDS}) (\d+(?:\.\d+)?)(?![\d.,]*\d)`, "giu");

/** Whether a number is on the side of the limit that these words say. */
function isBeyond(words: string, value: number, limit: number): boolean {
  if (/^(?:at least|mindestens|au moins|al menos)$/iu.test(words)) return value >= limit;
  if (/^(?:at most|höchstens|au plus|como mucho)$/iu.test(words)) return value <= limit;
  return /^(?:below|under|less|fewer|unter|weniger|moins|menos)/iu.test(words)
    ? value < limit
    : value > limit;
}

/**
 * The problem with a stated limit: "Noah and Liam are below 10 in maths", where the row of Liam has 11. `""` if all rows keep to it;
 * undefined if none is stated.
 */
function limitProblem(text: string, table: Table): string | undefined {
  const [found, ...moreLimits] = text.matchAll(LIMIT);
  if (found === undefined || moreLimits.length > 0) return undefined;
  const [, words = "", limit] = found;
  const { rows, columns } = table;
  const numeric = new Set(numericColumns(rows));
  const stated = ` ${bareWords(text)} `;
  const named = [...columns].filter(([name, column]) => numeric.has(column) && stated.includes(` ${name} `));
  const [column] = named.length === 1 ? named.map(([, index]) => index) : numeric.size === 1 ? numeric : [];
  const values = valuesNamedIn(text, table);
  const single = values.map((value) => rowsWith(value, rows));
  if (column === undefined || values.length === 0 || single.some(({ length }) => length !== 1))
    return undefined;
  const wrong = values.find((_, index) => {
    const row = single[index]?.[0];
    return row !== undefined && !isBeyond(words, numberIn(row, column), Number(limit));
  });
  if (wrong === undefined) return "";
  const [row] = rowsWith(wrong, rows);
  return `${words} ${limit} is stated of “${wrong}”, and its row has ${String(row && numberIn(row, column))}.`;
}

/** A number that deviates from a product by at most this share of it is taken for that product. */
const NEAR_PRODUCT = 0.03;

/**
 * "3 vases, together worth 1649", where the row of the vase has 3 and 549: a number that is near the product of two columns of a row,
 * if the sentence names the row by a value or a figure. Only for numbers without evidence.
 */
export function wrongProduct(
  { text: number, values, isHedged }: NumberMention,
  sentence: string,
  { tables }: PreparedEvidence,
): Problem | undefined {
  if (isHedged || NEGATION.test(sentence) || CONDITIONAL.test(sentence)) return undefined;
  const words = contentWords(sentence);
  const figures = new Set(quantitiesIn(sentence).numbers.flatMap((mention) => mention.values));
  const isNamed = ({ key }: Cell): boolean =>
    key.startsWith("=")
      ? figures.has(Number(key.slice(1)))
      : contentWords(key).some((part) => words.some((word) => areInflections(word, part)));
  const products = tables.flatMap(({ rows }) => {
    const columns = numericColumns(rows);
    if (rows.length > MAX_CALCULATED_ROWS || columns.length !== 2) return [];
    const [one = 0, other = 0] = columns;
    return rows
      .filter((row) => row.some(isNamed))
      .map((row) => [numberIn(row, one), numberIn(row, other)] as const);
  });
  if (products.some(([one, other]) => values.includes(one * other))) return undefined;
  const near = products.find(([one, other]) =>
    values.some((value) => value > SMALL && Math.abs(value - one * other) <= one * other * NEAR_PRODUCT),
  );
  if (near === undefined) return undefined;
  const [one, other] = near;
  return refuted(
    `${number} is stated, and ${String(one)} × ${String(other)} is ${roundToText(one * other)}.`,
  );
}

/** True for two inflections of a word. */
const areInflections = (one: string, other: string): boolean =>
  Math.min(one.length, other.length) > 3 && (one.startsWith(other) || other.startsWith(one));
