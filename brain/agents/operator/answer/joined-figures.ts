import { bareWords } from "@metahuman/core/text/words";
import { isChange } from "./action-claims.ts";
import { isObserved, type PreparedEvidence } from "./evidence.ts";
import { isMentioned } from "./mentions.ts";
import { SMALL } from "./number-arithmetic.ts";
import { type Problem, refuted } from "./problem.ts";
import { type NumberMention } from "./quantities.ts";
import { MAX_CALCULATED_ROWS, numberIn, numericColumns, type Row, type Table, tablesIn } from "./records.ts";
import { fitsOf, numbersIn, roundToText } from "./table-claims.ts";
import { CONDITIONAL, NEGATION, SUM } from "./vocabulary.ts";

/** The products of a column of one table and a column of another, joined by a value that both have. */
interface Products {
  total: number;
  /** Sums over the rows that share a value, by that value. */
  groups: ReadonlyMap<string, number>;
  rows: readonly number[];
}

/** How far a wrong sum may be from the right one, so that it is surely meant; as a share of the right one. */
const NEAR = 0.05;

/**
 * "The stage costs 388.45", where the quantities in one file and the prices in another amount to 390.45. Only for a figure that no text
 * contains and that is near the total, or near the sum of the group that the sentence names.
 */
export function wrongJoinedFigure(
  mention: NumberMention,
  sentence: string,
  evidence: PreparedEvidence,
): Problem | undefined {
  const { values, text } = mention;
  if (values.every((value) => value <= SMALL) || NEGATION.test(sentence) || CONDITIONAL.test(sentence))
    return undefined;
  const products = productsOf(evidence);
  if (products.length === 0 || isOfJoined(mention, evidence) || isRead(values, evidence)) return undefined;
  const words = ` ${bareWords(sentence)} `;
  for (const { total, groups } of products) {
    const named = [...groups].filter(([name]) => words.includes(` ${name} `));
    const near = named.find(([, sum]) => isNear(values, sum));
    if (near)
      return refuted(`${text} is stated of “${near[0]}”, and its rows come to ${roundToText(near[1])}.`);
    if (isMentioned(SUM, sentence) && isNear(values, total))
      return refuted(`${text} is stated as a total, and the rows come to ${roundToText(total)}.`);
  }
  return undefined;
}

/** True for the product of a row of two joined tables, the sum of a group or of all, or the rest of all. */
export function isOfJoined(mention: NumberMention, evidence: PreparedEvidence): boolean {
  const fits = fitsOf(mention);
  return productsOf(evidence).some(({ total, groups, rows }) => {
    const sums = [...groups.values(), ...rows];
    return [total, ...sums, ...sums.map((sum) => total - sum)].some(fits);
  });
}

const isNear = (values: readonly number[], right: number): boolean =>
  values.some((value) => Math.abs(value - right) <= right * NEAR);

/** True when a call that only reads or calculates has the number. */
const isRead = (values: readonly number[], { calls }: PreparedEvidence): boolean =>
  calls.some((call) => !isChange(call) && numbersIn(call.text).some((number) => values.includes(number)));

const known = new WeakMap<PreparedEvidence, Products[]>();

function productsOf(evidence: PreparedEvidence): Products[] {
  const found = known.get(evidence) ?? joinedProducts(tablesRead(evidence));
  known.set(evidence, found);
  return found;
}

function joinedProducts(tables: readonly Table[]): Products[] {
  return tables.flatMap((table, index) =>
    tables.flatMap((other, at) => (at === index ? [] : productsBetween(table.rows, other.rows))),
  );
}

function productsBetween(rows: readonly Row[], others: readonly Row[]): Products[] {
  const partners = rows.map((row) => partnerOf(row, others));
  if (partners.some((partner) => partner === undefined)) return [];
  return numericColumns(rows).flatMap((column) =>
    numericColumns(others).map((otherColumn) => {
      const products = rows.map(
        (row, index) => numberIn(row, column) * numberIn(partners[index] ?? [], otherColumn),
      );
      const groups = new Map<string, number>();
      for (const [index, row] of rows.entries())
        for (const key of new Set(row.map((cell) => cell.key)))
          if (/\p{L}/u.test(key)) groups.set(key, (groups.get(key) ?? 0) + (products[index] ?? 0));
      return { total: products.reduce((sum, product) => sum + product, 0), groups, rows: products };
    }),
  );
}

/** The only row that has one of the texts of this row in its first column. */
function partnerOf(row: Row, others: readonly Row[]): Row | undefined {
  const texts = new Set(row.map(({ key }) => key).filter((key) => /\p{L}/u.test(key)));
  const [partner, ...more] = others.filter(([first]) => first !== undefined && texts.has(first.key));
  return more.length === 0 ? partner : undefined;
}

/** The tables that calls read, without those that the operator wrote. */
export const tablesRead = ({ source, calls }: PreparedEvidence): Table[] =>
  source.scratchpad
    .filter(isObserved)
    .flatMap(({ observation }, index) => {
      const call = calls[index];
      return call?.success === true && !isChange(call) ? tablesIn(observation?.outputs) : [];
    })
    .filter(({ rows }) => rows.length > 1 && rows.length <= MAX_CALCULATED_ROWS);
