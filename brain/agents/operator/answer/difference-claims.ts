import { oneOf } from "@metahuman/core/text/patterns";
import { type PreparedEvidence } from "./evidence.ts";
import { comparisonOf, type QuantifiedSentence, SMALL, subsetSums } from "./number-arithmetic.ts";
import { contentWords, significantWords, stem } from "./mentions.ts";
import { type Problem, refuted } from "./problem.ts";
import { type NumberMention } from "./quantities.ts";
import { type Row, MAX_CALCULATED_ROWS, numberIn, numericColumns, rowsWith, totalsOf } from "./records.ts";
import { CALCULATES, fitsOf, isNarrowing, numbersIn, roundToText } from "./table-claims.ts";
import { CONDITIONAL, NEGATION } from "./vocabulary.ts";
import { bareWords } from "@metahuman/core/text/words";

/** Two values of one column of a table, in the order in which a sentence names them. */
interface ComparedValues {
  rows: readonly Row[];
  names: readonly [string, string];
}

/**
 * "Ada paid 31.00 more than Bo", where their rows differ by 21, or where Bo paid more. Only for a figure between exactly two values of one
 * column that the sentence names. A figure that a line about both values states, or that a calculation returned, counts as right.
 */
export function wrongDifference(
  mention: NumberMention,
  { text: sentence }: QuantifiedSentence,
  { tables, source, lines, calls }: PreparedEvidence,
): Problem | undefined {
  const { text, values, after } = mention;
  const comparison = comparisonOf(mention, sentence);
  if (comparison === undefined) return undefined;
  if (values.every((value) => value <= SMALL && Number.isInteger(value))) return undefined;
  if (NEGATION.test(sentence) || CONDITIONAL.test(sentence) || /^\s*%/u.test(after)) return undefined;
  if ([sentence, source.request].some((one) => isNarrowing(one.replaceAll(COMPARISON_WORDS, " "))))
    return undefined;
  const compared = tables.flatMap(({ rows }) => comparedValuesIn(sentence, rows));
  const fits = fitsOf(mention);
  const differences = compared.map(differencesOf);
  const isRight = (difference: number): boolean =>
    fits(Math.abs(difference)) && (comparison === "apart" || difference > 0 === (comparison === "more"));
  const [first] = compared;
  if (first === undefined || differences.flat().some(isRight)) return undefined;
  const isGiven =
    lines.some(
      (line) => numbersIn(line).some(fits) && first.names.every((name) => bareWords(line).includes(name)),
    ) || calls.some((call) => CALCULATES.has(call.tool) && numbersIn(call.text).some(fits));
  if (isGiven) return undefined;
  const [one, other] = first.names.map((name) => formatTotals(rowsWith(name, first.rows), first.rows));
  return refuted(
    `${text} is stated as a difference, and the rows of “${first.names[0]}” add up to ${one}, those of “${first.names[1]}” to ${other}.`,
  );
}

/** The two values of a column that a sentence names; none if it names fewer or more values of the table. */
function comparedValuesIn(sentence: string, rows: readonly Row[]): ComparedValues[] {
  if (rows.length > MAX_CALCULATED_ROWS || numericColumns(rows).length === 0) return [];
  const words = ` ${bareWords(sentence)} `;
  const named = new Map<string, number>();
  for (const { key, column } of rows.flat())
    if (/\p{L}/u.test(key) && words.includes(` ${key} `)) named.set(key, column);
  const [one, other, ...more] = [...named].toSorted(
    ([a], [b]) => words.indexOf(` ${a} `) - words.indexOf(` ${b} `),
  );
  if (!one || !other || more.length > 0 || one[1] !== other[1]) return [];
  return [{ rows, names: [one[0], other[0]] }];
}

/** By how much the rows of the first value exceed those of the second, in each total and on average. */
function differencesOf({ rows, names }: ComparedValues): number[] {
  const columns = numericColumns(rows);
  const [first, second] = [rowsWith(names[0], rows), rowsWith(names[1], rows)];
  const [ofFirst, ofSecond] = [totalsOf(first, columns), totalsOf(second, columns)];
  return ofFirst.flatMap((total, index) => {
    const other = ofSecond[index] ?? 0;
    return [total - other, total / first.length - other / second.length];
  });
}

/** The totals of the numeric columns of some rows: "31 and 4". */
const formatTotals = (group: readonly Row[], rows: readonly Row[]): string => {
  const columns = numericColumns(rows);
  return totalsOf(group, columns).slice(0, columns.length).map(roundToText).join(" and ");
};

/** Words of a comparison, which narrow nothing down. */
const COMPARISON_WORDS = /(?<!\p{L})(?:than|between|mehr als|plus de|moins de)(?!\p{L})/giu;

const FROM_TO_WORDS = oneOf(
  "rose|risen|rises?|grew|grown|grows?|fell|fallen|falls?|dropp?(?:ed|s)?|increased?s?|decreased?s?",
  String.raw`climbed|sank|went (?:up|down)|changed|stieg\p{L}*|gestiegen|fiel\p{L}*|gefallen|sank|passée?s?`,
  "montée?s?|baissée?s?|subió|bajó|pasó",
);
/** "rose from 80 to 90": the two figures of a change. */
const FROM_TO = new RegExp(
  String.raw`(?<!\p{L})${FROM_TO_WORDS} (?:[^.,;]{0,30}? )?(?:from|von|de) [$€£]?(\d+(?:\.\d+)?)(?:\s?\p{L}{1,8}|\s?[%€$£])? (?:to|auf|à|a) [$€£]?(\d+(?:\.\d+)?)(?![\d.,]*\d)`,
  "iu",
);

/** A rise or fall between two numbers that are both in the tables of the run, but never in the same column. */
export function wrongRise(text: string, { tables, lines }: PreparedEvidence): string[] {
  if (NEGATION.test(text) || CONDITIONAL.test(text)) return [];
  const [stated, from, to] = FROM_TO.exec(text) ?? [];
  if (stated === undefined) return [];
  const [one, other] = [Number(from), Number(to)];
  const columns = tables.flatMap(({ rows }) =>
    numericColumns(rows).map((column) => new Set(rows.map((row) => numberIn(row, column)))),
  );
  const has = (value: number): boolean => columns.some((column) => column.has(value));
  if (!has(one) || !has(other) || columns.some((column) => column.has(one) && column.has(other))) return [];
  const isStated = lines.some((line) => {
    const numbers = numbersIn(line);
    return (
      numbers.includes(one) &&
      numbers.includes(other) &&
      !tables.some(({ rows }) => rows.length > 1 && /[,;|\t]/u.test(line))
    );
  });
  return isStated ? [] : [`${stated} is stated, and no column of the table has both numbers.`];
}

const CHANGED_BY_WORDS = oneOf(
  "(?:go|goes|went|gone|is|are|was|were) (?:up|down)|ris(?:es?|en)|rose|falls?|fell|fallen",
  "drop(?:s|ped)?|increase[sd]?|decrease[sd]?|climb(?:s|ed)?|steigt|stieg|sinkt|sank|fällt|fiel",
  "augmente|baisse|sube|baja",
);
/** A figure behind words of a change: "goes up by 4 euro". */
const CHANGED_BY = new RegExp(String.raw`(?<!\p{L})${CHANGED_BY_WORDS}(?: by| um| de)\s+[$€£]?$`, "iu");

/** Words between the old and the new figure of one thing. */
const REPLACES = new RegExp(
  [
    String.raw`(?<!\p{L})(?:until now|up to now|so far|previously|before|formerly|instead of|from|old|was|bisher|statt|vorher|jusqu['’]ici|au lieu de|hasta ahora|en lugar de)(?!\p{L})`,
    "→|->",
  ].join("|"),
  "iu",
);

/**
 * "The rate goes up by 4", where the one line about it has an old and a new figure that differ by 3.50; and "50.56 less than in November",
 * where no known amount for November differs by that much. A difference that the evidence states counts as right.
 */
export function wrongChangeOverTime(
  mention: NumberMention,
  { text: sentence, numbers }: QuantifiedSentence,
  evidence: PreparedEvidence,
): Problem | undefined {
  if (NEGATION.test(sentence) || CONDITIONAL.test(sentence) || /^\s*(?:%|percent)/u.test(mention.after))
    return undefined;
  const before = sentence.slice(0, mention.start);
  const fits = fitsOf(mention);
  if (CHANGED_BY.test(before)) return wrongChange(mention, before, evidence);
  const comparison = comparisonOf(mention, sentence);
  const than = THAN.exec(sentence.slice(mention.start));
  if ((comparison !== "more" && comparison !== "less") || than === null) return undefined;
  const other = numbers.findLast(({ start }) => start < mention.start)?.values;
  const label = contentWords(than[1] ?? "").map(stem);
  if (other === undefined || label.length === 0) return undefined;
  const known = amountsOf(label, evidence);
  const isRight = known.some((amount) =>
    other.some((value) => fits(comparison === "less" ? amount - value : value - amount)),
  );
  if (known.length === 0 || isRight || isStatedAmount(fits, evidence)) return undefined;
  return refuted(
    `${mention.text} is stated as a difference, and ${String(other[0])} and ${known.map(String).join(" or ")} do not differ by it.`,
  );
}

/** The end of a comparison: "than in November". */
const THAN = /(?<!\p{L})(?:than|als|que) (?:(?:in|im|en|on|for|the|of|last|letzten) )*([\p{L} ]{3,30})/iu;

const AMOUNT = /(?<![\p{L}\p{N}.,/:-])\d+[.,]\d{2}(?![\p{N}.,:/-]*\p{N})/gu;

/** The amounts with cents that the conversation and the evidence state for a label, in sentences with a single amount. */
function amountsOf(label: readonly string[], { source, lines }: PreparedEvidence): number[] {
  const sentences = source.conversation.flatMap(({ text }) => text.split(/\n|(?<=[.!?])\s/u));
  const amounts = [...sentences, ...lines].flatMap((line) => {
    const stated = line.match(AMOUNT) ?? [];
    const words = new Set(significantWords(line).map(stem));
    const [only] = stated;
    return only !== undefined && stated.length === 1 && label.every((word) => words.has(word))
      ? [Number(only.replace(",", "."))]
      : [];
  });
  return [...new Set(amounts)];
}

/** A change that differs from that between the old and the new figure in every line about its subject. */
function wrongChange(
  mention: NumberMention,
  before: string,
  evidence: PreparedEvidence,
): Problem | undefined {
  const subject = contentWords(before).map(stem);
  const fits = fitsOf(mention);
  const pairs = evidence.lines.flatMap((line) => {
    const words = new Set(significantWords(line).map(stem));
    const figures = [...new Set(numbersIn(line))];
    return figures.length === 2 && REPLACES.test(line) && subject.some((word) => words.has(word))
      ? [figures]
      : [];
  });
  const [first] = pairs;
  if (first === undefined || isStatedAmount(fits, evidence)) return undefined;
  if (pairs.some(([one = 0, other = 0]) => fits(Math.abs(one - other)))) return undefined;
  return refuted(`A change by ${mention.text} is stated, and the figures are ${first.join(" and ")}.`);
}

/** True for a figure that an observation or an earlier turn has. */
const isStatedAmount = (fits: (known: number) => boolean, { lines, source }: PreparedEvidence): boolean =>
  [...lines, ...source.conversation.map(({ text }) => text)].some((line) => numbersIn(line).some(fits));

const TOTAL_FOLLOWS =
  /(?<!\p{L})(?:in total|in all|altogether|together|a total of|in sum|insgesamt|zusammen|au total|en total)[^\p{N}]*$/iu;

/** With more parts, some of them add up to almost any total. */
const MAX_PARTS = 8;

/**
 * "410 euro for the drain and 245 euro for the sockets, in total 665 euro": a total that is the sum of no two or more figures before it in
 * the sentence. Only if these figures have the unit of the total and are in the evidence.
 */
export function wrongTotalOfParts(
  mention: NumberMention,
  { text: sentence, numbers }: QuantifiedSentence,
  { facts }: PreparedEvidence,
): Problem | undefined {
  if (!TOTAL_FOLLOWS.test(sentence.slice(0, mention.start)) || NEGATION.test(sentence)) return undefined;
  const parts = numbers
    .filter(({ start, unit }) => start < mention.start && unit === mention.unit)
    .map(({ values }) => values[0] ?? Number.NaN);
  if (parts.length < 2 || parts.length > MAX_PARTS || !parts.every((part) => facts.numbers.has(part)))
    return undefined;
  if (subsetSums(parts).some(fitsOf(mention))) return undefined;
  const sum = parts.reduce((all, part) => all + part, 0);
  return refuted(
    `${mention.text} is stated as a total, and ${parts.join(" and ")} add up to ${roundToText(sum)}.`,
  );
}
