import { oneOf } from "@metahuman/core/text/patterns";
import { NEAR } from "./number-arithmetic.ts";
import { type PreparedEvidence } from "./evidence.ts";
import { type Problem, refuted } from "./problem.ts";

const NUMBER = String.raw`[$€£]?\d(?:[\d.,]*\d)?`;
const UNIT = String.raw`(?:\s?(?:[€$£]|kr|eur|usd|gbp|nok|sek|euros?|dollars?|pounds?|kroner)(?!\p{L}))?`;
const PERCENT_OF = String.raw`(?:%|percent|per cent|prozent|pour cent|por ciento)\s(?:of|von|de|del)(?:\s(?:the|der|den))?`;
const OPERATOR = [
  String.raw`${PERCENT_OF}|[×x*·/÷+–−-]|times|multiplied by|plus|minus|divided by|mal|geteilt durch|fois`,
  "multiplié par|divisé par|moins|más|menos|dividido (?:por|entre)|por",
].join("|");
const EQUALS = String.raw`(?:=|is|are|equals?|makes|gives|comes to|ist|sind|ergibt|ergeben|macht|gleich|font|fait|égale?|est|es|son|da)`;
const HEDGES = oneOf(
  String.raw`about|around|roughly|approximately|nearly|almost|~|≈|circa|ca\.?|rund|etwa|ungefähr|knapp|fast`,
  "environ|presque|casi|unos|aproximadamente",
);
const RESULT = String.raw`\s*(?<equals>${EQUALS})\s+(?<hedge>${HEDGES}\s*)?(?<result>${NUMBER})`;

/** "249 times 15 is 3735", "12 x 12 = 144", "15% of 1290 is 193.50", and longer chains. */
const CALCULATION = new RegExp(
  String.raw`(?<![\p{L}\p{N}.,/*×+%-])(?<![/*×+%-]\s)(?<terms>${NUMBER}${UNIT}(?:\s*(?:${OPERATOR})\s*${NUMBER}${UNIT})+)${RESULT}`,
  "giu",
);
/** Signs that also occur in sizes, ranges, dates and fractions: "a 10 x 15 print is 20". */
const AMBIGUOUS = /[x/–−-]/iu;
const IS = /^(?:is|are|ist|sind|est|es|son|da)$/iu;
const IS_PERCENT_OF = new RegExp(`^${PERCENT_OF}$`, "iu");
const TERM = new RegExp(String.raw`(?<number>${NUMBER})|(?<operator>${OPERATOR})`, "giu");

/**
 * Calculations, and sums with their parts, that a sentence states in full and that come to another result. They need no evidence. What can be read in two ways,
 * such as "2,340", may be meant either way. A sum that the evidence has may differ from its parts by their rounding.
 */
export function wrongCalculations(text: string, { facts }: Pick<PreparedEvidence, "facts">): Problem[] {
  const calculations = [...text.matchAll(CALCULATION)].flatMap(({ 0: all, groups = {} }) => {
    const { terms = "", result = "", equals = "", hedge } = groups;
    const results =
      IS.test(equals) && AMBIGUOUS.test(terms.replaceAll(/\p{L}{2,}/gu, "")) ? [] : resultsOf(terms);
    return results.length === 0 || isOneOf(results, result, hedge) ? [] : [wrong(all, results, result)];
  });
  return [...calculations, ...(calculations.length > 0 ? [] : wrongSums(text, facts.numbers))];
}

/** True for a sentence that consists of one calculation with its right result, so that no evidence could add to it. */
export function isRightCalculation(text: string): boolean {
  const plain = text
    .replaceAll(/[*_]|\[\d{1,3}\]/gu, "")
    .trim()
    .replace(/[.!]$/u, "")
    .trim();
  const [calculation, ...more] = plain.matchAll(CALCULATION);
  if (calculation?.[0] !== plain || more.length > 0) return false;
  const { terms = "", result = "", hedge } = calculation.groups ?? {};
  return hedge === undefined && isOneOf(resultsOf(terms), result, undefined);
}

/** An amount to the cent that a day, a version or a count is not. */
const AMOUNT = /(?<![\p{L}\p{N}.,/-])[$€£]?\d(?:[\d.,]*\d)?[.,]\d{2}(?![\p{N}.,]*\p{N}|[/-]\p{N})/gu;
/** What separates a sum from the parts after it. */
const PARTS_FOLLOW = /[:(–—]/u;
const SUM_FOLLOWS_WORDS = oneOf(
  "in total|in all|altogether|together|a total of|which makes|in sum|insgesamt|zusammen|au total",
  "en total|totalt|sammanlagt",
);
const SUM_FOLLOWS = new RegExp(String.raw`(?:\b${SUM_FOLLOWS_WORDS}\b|=)[^\p{N}]*$`, "iu");
const RANGE = /\b(?:between|from|zwischen|von|entre|mellan)\b/iu;
const HALF_CENT = 0.005;

/** "142.50 in all: 94.00 in May and 48.20 in June": a sum that is near that of its parts, and not equal. */
function wrongSums(text: string, known: ReadonlySet<number>): Problem[] {
  const amounts = [...text.matchAll(AMOUNT)].map(({ 0: stated, index }) => ({ stated, index }));
  if (amounts.length < 3 || amounts.length > MAX_TERMS || RANGE.test(text)) return [];
  const [first, second] = amounts;
  const last = amounts.at(-1);
  if (!first || !second || !last) return [];
  const isBefore = PARTS_FOLLOW.test(text.slice(first.index + first.stated.length, second.index));
  const isAfter = !isBefore && SUM_FOLLOWS.test(text.slice(0, last.index));
  if (!isBefore && !isAfter) return [];
  const total = isBefore ? first : last;
  const parts = amounts.filter((amount) => amount !== total);
  const sum = parts.reduce((all, { stated }) => all + (readings(stated)[0] ?? Number.NaN), 0);
  const [value = Number.NaN] = readings(total.stated);
  const isNear = Math.abs(sum - value) <= NEAR * Math.abs(value);
  const isShown = [...known].some((number) => Math.abs(number - value) <= HALF_CENT + 1e-9);
  const tolerance = isShown ? HALF_CENT * (parts.length + 1) : HALF_CENT;
  return isNear && Math.abs(sum - value) >= tolerance
    ? [wrong([total, ...parts].map(({ stated }) => stated).join(", "), [sum], total.stated)]
    : [];
}

/** The amount of a text that has one amount to the cent; empty for several. */
export function onlyAmountIn(text: string): number[] {
  const amounts = text.match(AMOUNT) ?? [];
  return amounts.length === 1 ? amounts.flatMap((amount) => readings(amount).slice(0, 1)) : [];
}

const TOTAL_WORDS = oneOf(
  "together|in total|total|altogether|in all|sum|insgesamt|zusammen|summe|au total|en tout|en total",
  "totalt",
);
const TOTAL = new RegExp(String.raw`(?<!\p{L})${TOTAL_WORDS}(?!\p{L}| (?:with|mit|avec|con))`, "iu");

/** "Together they owe 1223.24" after a list of amounts whose sum is near that, and differs by more than their rounding. */
export function wrongTotalOfList(
  { text, isListItem }: { text: string; isListItem: boolean },
  listed: readonly number[],
): Problem[] {
  const [total, ...others] = onlyAmountIn(text);
  if (total === undefined || others.length > 0 || listed.length < 2 || isListItem || !TOTAL.test(text))
    return [];
  const sum = listed.reduce((all, amount) => all + amount, 0);
  const difference = Math.abs(sum - total);
  return difference > NEAR * total || difference < HALF_CENT * (listed.length + 1)
    ? []
    : [
        refuted(
          `${total.toFixed(2)} is stated as a total, and the amounts before it add up to ${sum.toFixed(2)}.`,
        ),
      ];
}

/** The problem with a calculation, with the result of the reading that comes nearest to the stated one. */
function wrong(calculation: string, results: readonly number[], stated: string): Problem {
  const [value = 0] = readings(stated);
  const [result = 0] = results.toSorted((a, b) => Math.abs(a - value) - Math.abs(b - value));
  return refuted(`“${calculation}” is stated, and the result is ${String(Number(result.toFixed(4)))}.`);
}

/** The numbers that digits with points and commas may mean. */
function readings(number: string): number[] {
  const digits = number.replaceAll(/[^\d.,]/gu, "").replace(/[.,]+$/u, "");
  const inEnglish = Number(digits.replaceAll(",", ""));
  const inGerman = Number(digits.replaceAll(".", "").replace(",", "."));
  const isGrouped = /^\d{1,3}(?:[.,]\d{3})+$/u.test(digits);
  const hasComma = digits.includes(",");
  return (
    isGrouped ? [inEnglish, inGerman] : hasComma && !digits.includes(".") ? [inGerman] : [inEnglish, inGerman]
  ).filter((value, index, all) => Number.isFinite(value) && all.indexOf(value) === index);
}

/** The results of "3 + 4 × 2" for every reading of its numbers; empty for anything else, such as a range or a date. */
function resultsOf(terms: string): number[] {
  const parts = [...terms.matchAll(TERM)].map(({ groups = {} }) => groups);
  const numbers = parts.flatMap(({ number }) => (number === undefined ? [] : [readings(number)]));
  const operators = parts.flatMap(({ operator }) => (operator === undefined ? [] : [signOf(operator)]));
  if (numbers.length > MAX_TERMS || numbers.length !== operators.length + 1) return [];
  const isSpaced = /\s[–−-]\s|minus|moins|menos/iu.test(terms);
  if (operators.includes("-") && !isSpaced) return [];
  const choices = numbers.reduce<number[][]>(
    (all, values) => all.flatMap((before) => values.map((value) => [...before, value])),
    [[]],
  );
  return choices
    .flatMap((values) => [calculated(values, operators), ...shareOfAll(values, operators)])
    .filter(Number.isFinite);
}

const MAX_TERMS = 6;

/** "10% of 50 plus 30" may also mean a share of the whole sum. */
function shareOfAll([share = Number.NaN, ...whole]: readonly number[], operators: readonly Sign[]): number[] {
  const [first, ...rest] = operators;
  return first === "%" && rest.length > 0 ? [(share / 100) * calculated(whole, rest)] : [];
}

/** "%" means "percent of". */
type Sign = "+" | "-" | "*" | "/" | "%";

function signOf(operator: string): Sign {
  if (IS_PERCENT_OF.test(operator)) return "%";
  if (/^(?:\+|plus|más)$/iu.test(operator)) return "+";
  if (/^(?:[–−-]|minus|moins|menos)$/iu.test(operator)) return "-";
  return /^(?:[/÷]|divided by|geteilt durch|divisé par|dividido)/iu.test(operator) ? "/" : "*";
}

/** Products and quotients first, then sums and differences. */
function calculated([first = Number.NaN, ...rest]: readonly number[], operators: readonly Sign[]): number {
  const sums = [first];
  for (const [index, value] of rest.entries()) {
    const sign = operators[index];
    const last = sums.pop() ?? Number.NaN;
    if (sign === "*") sums.push(last * value);
    else if (sign === "%") sums.push((last / 100) * value);
    else if (sign === "/") sums.push(last / value);
    else sums.push(last, sign === "-" ? -value : value);
  }
  return sums.reduce((sum, value) => sum + value, 0);
}

/** True if a result rounds to the stated one, or is near it where the sentence says "about". */
function isOneOf(results: readonly number[], stated: string, hedge: string | undefined): boolean {
  return readings(stated).some((value) => {
    const decimals = /[.,](\d{1,2})$/u.exec(stated.replace(/[.,]+$/u, ""))?.[1]?.length ?? 0;
    const tolerance = hedge === undefined ? 10 ** -decimals : Math.max(1, Math.abs(value) * 0.06);
    return results.some((result) => Math.abs(result - value) <= tolerance * 0.9999 + 1e-9);
  });
}
