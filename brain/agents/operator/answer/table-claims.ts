import { type PreparedEvidence } from "./evidence.ts";
import { FILE, blank, contentWords, isMentioned, stem, wordsBefore } from "./mentions.ts";
import {
  isFigure,
  comparisonOf,
  NEAR,
  type QuantifiedSentence,
  SMALL,
  toleranceOf,
  roundsTo,
} from "./number-arithmetic.ts";
import { type Problem, refuted } from "./problem.ts";
import { type NumberMention, quantitiesIn } from "./quantities.ts";
import { monthsNamedIn, weekdaysIn } from "./quantity-words.ts";
import {
  type Cell,
  type Row,
  type Table,
  MAX_CALCULATED_ROWS,
  isOfSomeMonths,
  monthOf,
  numberIn,
  numericColumns,
  rowsWith,
  totalsOf,
} from "./records.ts";
import { conversionsOf } from "./units.ts";
import { AVERAGE, CONDITIONAL, LARGEST, NARROWS, NEGATION, SMALLEST, SUM } from "./vocabulary.ts";
import { bareWords, withoutAccents } from "@metahuman/core/text/words";

/** Problems with counts of rows, superlatives and factors of two, recalculated from the tables. */
export function wrongOverTables(text: string, { tables }: PreparedEvidence): string[] {
  if (NEGATION.test(text) || CONDITIONAL.test(text)) return [];
  const filled = tables.filter(({ rows }) => rows.length > 1 && rows.length <= MAX_CALCULATED_ROWS);
  return [countProblem, extremeProblem, multipleProblem].flatMap((problemIn) => {
    const found = filled.map((table) => problemIn(text, table)).filter((one) => one !== undefined);
    // With several tables, one that agrees is enough.
    return found.includes("") ? [] : found.slice(0, 1);
  });
}

/**
 * "You spent 171.00 on travel" where the rows of travel add up to 161. Only for a sum or an average over the rows that share the
 * one value of a table that the sentence names, and for those of the whole table.
 */
export function wrongSum(
  mention: NumberMention,
  sentence: string,
  { tables: all, source }: PreparedEvidence,
): Problem | undefined {
  const { text, values, after, start } = mention;
  const tables = all.filter(({ isListing }) => isListing !== true || SIZES.test(sentence));
  if (
    OF_ALL.test(wordsBefore(sentence, start)) &&
    tables.some(({ rows }) => wholeFigures(rows).some(fitsOf(mention)))
  )
    return undefined;
  if (NEGATION.test(sentence) || CONDITIONAL.test(sentence) || /^\s*%/u.test(after)) return undefined;
  const isAverage = isMentioned(AVERAGE, sentence);
  if (!isAverage && values.every((value) => value <= SMALL && Number.isInteger(value))) return undefined;
  if (MEDIAN.test(sentence) || comparisonOf(mention, sentence) !== undefined) return undefined;
  const asksForSum = ASKS_FOR_A_SUM.test(source.request) && !isNarrowing(source.request);
  if (!isAverage && !isMentioned(SUM, sentence) && !asksForSum) return undefined;
  const words = ` ${bareWords(sentence)} `;
  const named = groupsNamedIn(words, tables).map(({ name, rows, columns }) => ({
    name,
    figures: figuresOf(rows, columns, isAverage),
  }));
  const [first, ...others] = named;
  if (first === undefined) return wrongTotal(mention, sentence, { tables, source });
  const { name, figures } = first;
  if (figures.all.length === 0 || others.some((other) => other.name !== name))
    return isAverage ? undefined : wrongTogether(mention, sentence, tables);
  if (named.some((one) => one.figures.all.some(fitsOf(mention)))) return undefined;
  if (isAverage && NARROWS.test(sentence)) return undefined;
  const verb = isAverage ? "average" : "add up to";
  return refuted(`${text} is stated of “${name}”, and its rows ${verb} ${figures.stated}.`);
}

/** Words for the sizes of files. */
const SIZES =
  /(?<!\p{L})(?:bytes?|[kmg]i?b|sizes?|space|large|big|größe|groß|speicher|taille|octets?|tamaño)(?!\p{L})/iu;

/** The groups of rows that a sentence names by a value that several rows share; without one, the single rows that it names. */
function groupsNamedIn(
  words: string,
  tables: PreparedEvidence["tables"],
): { name: string; rows: readonly Row[]; columns: number[] }[] {
  const groups = (namesOf: (table: Table) => readonly string[]) =>
    tables.flatMap((table) => {
      if (table.rows.length > MAX_CALCULATED_ROWS) return [];
      const columns = numericColumns(table.rows);
      return namesOf(table)
        .filter((name) => /\p{L}/u.test(name) && words.includes(` ${name} `))
        .map((name) => ({ name, rows: rowsWith(name, table.rows), columns }));
    });
  const shared = groups(({ sums }) => [...sums.keys()]);
  return shared.length > 0
    ? shared
    : groups(({ places, columns }) =>
        [...places.values()]
          .filter(({ value, rows }) => rows.size === 1 && !columns.has(value))
          .map(({ value }) => value),
      );
}

/** "Ola and Kim spent 220.00 together", of all rows of several values of one column, for the only figure of the sentence. */
function wrongTogether(
  mention: NumberMention,
  sentence: string,
  tables: PreparedEvidence["tables"],
): Problem | undefined {
  if (!TOGETHER.test(sentence) || isNarrowing(sentence)) return undefined;
  if (quantitiesIn(sentence).numbers.filter(isFigure).length > 1) return undefined;
  const words = ` ${bareWords(sentence)} `;
  const stated = tables.flatMap(({ rows, places, columns }) => {
    const named = [...places.values()].filter(
      ({ value }) => /\p{L}/u.test(value) && !columns.has(value) && words.includes(` ${value} `),
    );
    const shared = new Set(named.flatMap((place) => [...place.columns]));
    if (named.length < 2 || shared.size !== 1 || rows.length > MAX_CALCULATED_ROWS) return [];
    const group = rows.filter((_, index) => named.some((place) => place.rows.has(index)));
    const names = named.map(({ value }) => `“${value}”`).join(" and ");
    return [{ names, figures: figuresOf(group, numericColumns(rows), false) }];
  });
  const [first] = stated.filter(({ figures }) => figures.all.length > 0);
  if (first === undefined || stated.some(({ figures }) => figures.all.some(fitsOf(mention))))
    return undefined;
  const { names, figures } = first;
  return refuted(
    `${mention.text} is stated of ${names} together, and their rows add up to ${figures.stated}.`,
  );
}

const TOGETHER =
  /(?<!\p{L})(?:together|combined|both|between them|zusammen|gemeinsam|beide|ensemble|tous les deux|juntos|insieme)(?!\p{L})/iu;

/** The possible totals of rows, and those of their single columns as text. */
function figuresOf(
  rows: readonly Row[],
  columns: readonly number[],
  isAverage: boolean,
): { all: number[]; stated: string } {
  const all = totalsOf(rows, columns).map((total) => (isAverage ? total / rows.length : total));
  return { all, stated: all.slice(0, columns.length).map(roundToText).join(" and ") };
}

/** "56.00 of the 125.00": the number that follows is said of the whole. */
const OF_ALL = /(?<!\p{L}|(?:total|sum|amount) )(?:of|von|sur|de|di|van|av)(?: \p{L}{1,6}){0,2}\s$/iu;

const MEDIAN = /(?<!\p{L})(?:median\p{L}*|médiane?)(?!\p{L})/iu;

/** Calls that may have worked out a figure from a part of a table. */
export const CALCULATES: ReadonlySet<string> = new Set(["execute_code", "function_run", "shell_safe"]);

/**
 * As `wrongSum`, for a number that the run has seen for something else: in another file, in an id, in a date. Only for the one figure
 * of a sentence about a total or an average, which no line of the evidence states in its words, and no calculation gave.
 */
export function wrongSumSeenElsewhere(
  mention: NumberMention,
  { text: sentence, numbers }: QuantifiedSentence,
  evidence: PreparedEvidence,
): Problem | undefined {
  if (!isMentioned(SUM, sentence) && !isMentioned(AVERAGE, sentence)) return undefined;
  const { tables, source, lines, calls, derived } = evidence;
  if (conversionsOf(mention.unit).length > 0 || quantitiesIn(sentence).days.length > 0) return undefined;
  if (ORDINAL.test(sentence) || !isFigure(mention) || numbers.filter(isFigure).length > 1) return undefined;
  const totals = tables.flatMap(({ rows, sums }) => [...sums.values(), wholeFigures(rows)].flat());
  const [value = Number.NaN] = mention.values;
  // No part of the rows has more than all of them, and some sum of arbitrary figures is near every total.
  const isJustAbove = Math.max(...totals) < value && value <= (1 + NEAR) * Math.max(...totals);
  if (!isJustAbove && isNarrowing(source.request, tables)) return undefined;
  const problem = wrongSum(mention, sentence, evidence);
  if (problem === undefined) return undefined;
  const fits = fitsOf(mention);
  const isCalculated =
    totals.some(fits) ||
    (!isJustAbove && derived.totals.some(fits)) ||
    calls.some(({ tool, text }) => CALCULATES.has(tool) && numbersIn(text).some(fits));
  const withDigits = sentence.toLowerCase().match(/[\p{L}\p{N}#-]*\p{N}[\p{L}\p{N}-]*/gu) ?? [];
  const words = [...contentWords(sentence), ...withDigits.filter((one) => /\p{L}/u.test(one))];
  const isStatedOf = (line: string): boolean =>
    numbersIn(line).some(fits) && words.some((word) => line.includes(word));
  return isCalculated || lines.some(isStatedOf) ? undefined : problem;
}

/** True for the numbers that a text may mean by the mentioned one. */
export const fitsOf =
  (mention: NumberMention) =>
  (known: number): boolean =>
    mention.values.some((value) => roundsTo(value, toleranceOf(mention, value))(known));

const ORDINAL = /(?<!\p{N})\d{1,2}(?:st|nd|rd|th|er|\.(?=\s))(?!\p{L})/u;

/**
 * True for a text that limits what it asks or says to some rows. The name of a file limits nothing, nor does the month of all dated rows
 * of these tables.
 */
export function isNarrowing(text: string, tables: readonly Table[] = []): boolean {
  const words = text.replaceAll(FILE, blank);
  return NARROWS.test(words) || weekdaysIn(words).length > 0 || isOfSomeMonths(words, tables);
}

export const numbersIn = (text: string): number[] =>
  (text.replaceAll(/(?<=\d),(?=\d{3}(?!\d))/gu, "").match(/\d+(?:\.\d+)?/gu) ?? []).map(Number);

/** The totals and averages of a table. */
const wholeFigures = (rows: readonly Row[]): number[] =>
  totalsOf(rows, numericColumns(rows)).flatMap((total) => [total, total / rows.length]);

/**
 * "In total you spent 171.00", or "12.40 on average", of the whole table: the only one, where the sentence names no value of it and no
 * part.
 */
function wrongTotal(
  mention: NumberMention,
  sentence: string,
  { tables, source }: Pick<PreparedEvidence, "tables" | "source">,
): Problem | undefined {
  const [table, ...others] = tables.filter(({ rows }) => rows.length > 1 && numericColumns(rows).length > 0);
  if (table === undefined || others.length > 0) return undefined;
  if (table.rows.length > MAX_CALCULATED_ROWS || NARROWS.test(sentence) || hasGaps(table.rows))
    return undefined;
  // A row "Total: 95.20" would be added to the rows of which it is the sum.
  if (table.rows.some((row) => row.some(({ key }) => TOTAL.test(key)))) return undefined;
  const words = ` ${bareWords(sentence)} `;
  const isNarrowed =
    isOfSomeMonths(sentence, [table]) ||
    weekdaysIn(sentence).length > 0 ||
    [...table.places.keys()].some((key) => /\p{L}/u.test(key) && words.includes(` ${key} `));
  if (isNarrowed) return undefined;
  const isAverage = isMentioned(AVERAGE, sentence);
  const columns = numericColumns(table.rows);
  const { all, stated } = figuresOf(table.rows, columns, isAverage);
  if (all.length === 0 || all.some(fitsOf(mention))) return undefined;
  if (columns.length > 1 && !isAverage && !TOTAL.test(sentence)) return undefined;
  if (isAverage)
    return refuted(`${mention.text} is stated as an average, and the rows of the table average ${stated}.`);
  if (!isMentioned(SUM, sentence)) return undefined;
  // "Who still owes money, and how much altogether?" asks for a part of the rows.
  const parts = ASKS_FOR_A_PART.test(source.request) ? partsOf(table, columns) : [];
  if (parts.some(({ sum, rest }) => [sum, rest].some(fitsOf(mention)))) return undefined;
  const inParts = statedParts(parts);
  const whole = `all rows of the table add up to ${stated}`;
  return refuted(
    parts.length > 0
      ? `${mention.text} is stated as a total: ${whole}, ${inParts}.`
      : `${mention.text} is stated as a total, and the rows of the table add up to ${stated}.`,
  );
}

const statedParts = (parts: ReturnType<typeof partsOf>): string =>
  parts
    .map(
      ({ value, sum, rest }) =>
        `those with “${value}” to ${roundToText(sum)}, the others to ${roundToText(rest)}`,
    )
    .join("; ");

/** The total of all rows, as the only figure of the answer to "who still owes money, and how much is it altogether?" */
export function totalInsteadOfPart(
  mention: NumberMention,
  { text: sentence, numbers }: QuantifiedSentence,
  { tables, source: { request } }: PreparedEvidence,
): Problem | undefined {
  if (!TOTAL.test(sentence) || !ASKS_FOR_A_PART.test(request) || !ASKS_FOR_A_SUM.test(request))
    return undefined;
  const [table, ...others] = tables.filter(({ rows }) => rows.length > 1 && numericColumns(rows).length > 0);
  if (table === undefined || others.length > 0 || table.rows.length > MAX_CALCULATED_ROWS) return undefined;
  const isLarge = ({ values }: NumberMention): boolean => values.some((value) => value > SMALL);
  const columns = numericColumns(table.rows);
  if (numbers.filter(isLarge).length > 1 || !figuresOf(table.rows, columns, false).all.some(fitsOf(mention)))
    return undefined;
  const parts = partsOf(table, columns);
  if (parts.length === 0 || parts.some(({ sum, rest }) => [sum, rest].some(fitsOf(mention))))
    return undefined;
  return refuted(
    `${mention.text} is the total of all rows, and the request asks for a part: ${statedParts(parts)}.`,
  );
}

const ASKS_FOR_A_PART =
  /(?<!\p{L})(?:who|which|whose|still|owe[sd]?|owing|unpaid|open|outstanding|not|missing|left|remaining|due)(?!\p{L})|n['’]t(?!\p{L})/iu;
/** A column with more values does not tell two groups apart. */
const MAX_PARTS = 2;

/** The total of the rows that share a value, and that of the others, for tables with one column of numbers. */
function partsOf(
  { rows, places, columns: names }: Table,
  columns: readonly number[],
): { value: string; sum: number; rest: number }[] {
  const [column, ...others] = columns;
  if (column === undefined || others.length > 0) return [];
  const groups = [...places.values()].filter(
    ({ value, rows: shared }) =>
      /\p{L}/u.test(value) && !names.has(value) && shared.size > 1 && shared.size < rows.length,
  );
  if (groups.length > MAX_PARTS) return [];
  const sumOf = (some: readonly Row[]): number => some.reduce((sum, row) => sum + numberIn(row, column), 0);
  return groups.map(({ value, rows: shared }) => ({
    value,
    sum: sumOf(rows.filter((_, index) => shared.has(index))),
    rest: sumOf(rows.filter((_, index) => !shared.has(index))),
  }));
}

/** Words that only a total of everything has; "this month" may add a part to what was known. */
const TOTAL =
  /(?<!\p{L})(?:in total|totals?|altogether|sum|insgesamt|summe|au total|en tout|en total|in totale|in totaal|totalt|yhteensä)(?!\p{L})/iu;

export const roundToText = (value: number): string => String(Number(value.toFixed(2)));

const ASKS_FOR_A_SUM = /(?<!\p{L})(?:how much|sum|total|wie viel|summe|combien|cuánto)(?!\p{L})/iu;

/** "four night shifts" when three rows say "night". `""` for a correct count, `undefined` without one. */
function countProblem(text: string, { rows, columns }: Table): string | undefined {
  for (const mention of quantitiesIn(text).numbers) {
    // The lines of a text without names of columns are not rows.
    const ofAll = columns.size === 0 ? undefined : countOfAll(mention, text, rows);
    if (ofAll !== undefined) return ofAll;
    const counts = countsOfKind(mention, text, rows);
    if (counts.length === 0) continue;
    return mention.values.some((value) => counts.includes(value))
      ? ""
      : `${mention.text} is stated, and the table has ${String(counts[0])} of these.`;
  }
  return undefined;
}

/** "The file has 12 rows": the number of all rows, with or without the line that names the columns. */
function countOfAll(
  { values, after, isHedged, text: number }: NumberMention,
  text: string,
  rows: readonly Row[],
): string | undefined {
  if (isHedged || NARROWS.test(text) || !ROWS.test(after) || monthsNamedIn(text).length > 0) return undefined;
  if (namedRows(text, rows).length > 0) return undefined;
  return values.some((value) => value === rows.length || value === rows.length + 1)
    ? ""
    : `${number} is stated, and the table has ${String(rows.length)} rows.`;
}

const ROWS = /^\s*(?:data )?(?:rows?|datensätze)(?!\p{L})/iu;

/** True when a number is the count of the rows that the words after it name. */
export const isCountOfRows = (mention: NumberMention, text: string, { tables }: PreparedEvidence): boolean =>
  tables.some(({ rows }) => {
    const counts = countsOfKind(mention, text, rows);
    return mention.values.some((value) => counts.includes(value));
  });

/**
 * The number of the rows that the words after a number name: within the months of the sentence, and in total.
 * Empty when these words are not a value of the table.
 */
function countsOfKind(
  { values, after, isHedged }: NumberMention,
  text: string,
  rows: readonly Row[],
): number[] {
  if (isHedged || values.some((value) => !Number.isInteger(value) || value > MAX_CALCULATED_ROWS)) return [];
  const [first = "", second = ""] = /^\s*(\p{L}+)(?:\s(\p{L}+))?/u.exec(after)?.slice(1) ?? [];
  if (contentWords(first).length === 0) return [];
  const kind = [first, second]
    .map((word) => stem(word.toLowerCase()))
    .find((word) => word !== "" && countOf(rows, word) > 0 && countOf(rows, word) < rows.length);
  if (kind === undefined) return [];
  const months = new Set(monthsNamedIn(text).map(String));
  const ofKind = rows.filter((row) => row.some(({ key }) => isWord(key, kind)));
  const inMonths = ofKind.filter((row) => months.size === 0 || row.every(({ key }) => isIn(key, months)));
  // "Twelve potatoes", where the one row of potatoes has the number twelve.
  const inOwnRow = ofKind.length === 1 ? ofKind.flat().filter(({ key }) => key.startsWith("=")) : [];
  return [inMonths.length, ofKind.length, ...inOwnRow.map(({ key }) => Number(key.slice(1)))];
}

const isIn = (key: string, months: ReadonlySet<string>): boolean => {
  const month = monthOf(key);
  return month === undefined || months.has(month);
};

/** True for a cell that consists of this word in any inflection. */
const isWord = (key: string, word: string): boolean => !key.includes(" ") && stem(key) === word;

const countOf = (rows: readonly Row[], word: string): number =>
  rows.filter((row) => row.some(({ key }) => isWord(key, word))).length;

/** Words of superlatives that are not recalculated: "the second longest", "one of the largest". */
const AMONG =
  /(?<!\p{L})(?:second|third|next|one of|among|of the|after|but|zweit\p{L}*|dritt\p{L}*|eine[rs]? der|unter|l['’]une? des|un[ao]? de l[ao]s|segund[oa]|than|while|and|und|et|y)(?!\p{L})/iu;

/** "Her shortest night was Tuesday" when another row has less. */
function extremeProblem(text: string, { rows }: Table): string | undefined {
  const sign = LARGEST.test(text) ? 1 : SMALLEST.test(text) ? -1 : 0;
  if (sign === 0 || (LARGEST.test(text) && SMALLEST.test(text)) || AMONG.test(text)) return undefined;
  const [named, ...others] = namedRows(text, rows);
  const columns = numericColumns(rows);
  if (!named || others.length > 0 || columns.length === 0 || hasGaps(rows)) return undefined;
  const isExtreme = columns.some((column) =>
    rows.every((row) => sign * numberIn(row, column) <= sign * numberIn(named, column)),
  );
  return isExtreme ? "" : "This is said of one row of the table, and another has more or less.";
}

/** True when a column holds a number in some rows only. */
const hasGaps = (rows: readonly Row[]): boolean => {
  const filled = new Set(numericColumns(rows));
  return rows.some((row) => row.some(({ key, column }) => key.startsWith("=") && !filled.has(column)));
};

const DOUBLE = /(?<!\p{L})(?:double|twice as|doppelt\p{L}*|el doble|le double|deux fois plus)(?!\p{L})/iu;
const HALF = /(?<!\p{L})(?:half (?:of|as)|halb so|la mitad de|la moitié de)(?!\p{L})/iu;

/** "On Saturday you sold double of Friday" for another factor. */
function multipleProblem(text: string, { rows }: Table): string | undefined {
  if (!DOUBLE.test(text) && !HALF.test(text)) return undefined;
  const [one, other, ...more] = namedRows(text, rows);
  const columns = numericColumns(rows);
  if (!one || !other || more.length > 0 || columns.length === 0) return undefined;
  const isTwice = columns.some((column) => {
    const [a, b] = [numberIn(one, column), numberIn(other, column)];
    return Math.abs(Math.max(a, b) / Math.min(a, b) - 2) < 0.25;
  });
  return isTwice ? "" : "This is compared by a factor of two, and the table shows another one.";
}

/** The rows that a sentence names by a value of no other row. */
function namedRows(text: string, rows: readonly Row[]): Row[] {
  const words = ` ${bareWords(text)} `;
  const weekdays = weekdaysIn(text).map((day) => withoutAccents(day.text.toLowerCase()));
  const isNamed = ({ key }: Cell): boolean => {
    if (key.startsWith("=") || monthOf(key) !== undefined) return false;
    const short = withoutAccents(/^\p{L}{3,4}(?!\p{L})/u.exec(key)?.[0] ?? "");
    return words.includes(` ${key} `) || (short !== "" && weekdays.some((day) => day.startsWith(short)));
  };
  const named = rows.map((row) => row.filter(isNamed).map(({ key }) => key));
  const times = new Map<string, number>();
  for (const key of named.flat()) times.set(key, (times.get(key) ?? 0) + 1);
  return rows.filter((_, index) => named[index]?.some((key) => times.get(key) === 1) === true);
}
