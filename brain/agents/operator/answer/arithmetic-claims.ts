import { type Problem, refuted } from "./problem.ts";

const NUMBER = String.raw`[$€£]?\d(?:[\d.,]*\d)?`;
const UNIT = String.raw`(?:\s?(?:[€$£]|kr|eur|usd|gbp|nok|sek|euros?|dollars?|pounds?|kroner)(?!\p{L}))?`;
const OPERATOR = String.raw`[×x*·/÷+–−-]|times|multiplied by|plus|minus|divided by|mal|geteilt durch|fois|multiplié par|divisé par|moins|más|menos|dividido (?:por|entre)|por`;
const EQUALS = String.raw`(?:=|is|are|equals?|makes|gives|comes to|ist|sind|ergibt|ergeben|macht|gleich|font|fait|égale?|est|es|son|da)`;
const HEDGES = String.raw`(?:about|around|roughly|approximately|nearly|almost|~|≈|circa|ca\.?|rund|etwa|ungefähr|knapp|fast|environ|presque|casi|unos|aproximadamente)`;
const RESULT = String.raw`\s*(?<equals>${EQUALS})\s+(?<hedge>${HEDGES}\s*)?(?<result>${NUMBER})`;

/** "249 times 15 is 3735", "12 x 12 = 144", and longer chains of one kind of sign. */
const CALCULATION = new RegExp(
  String.raw`(?<![\p{L}\p{N}.,/*×+%-])(?<![/*×+%-]\s)(?<terms>${NUMBER}${UNIT}(?:\s*(?:${OPERATOR})\s*${NUMBER}${UNIT})+)${RESULT}`,
  "giu",
);
/** Signs that also occur in sizes, ranges, dates and fractions: "a 10 x 15 print is 20". */
const AMBIGUOUS = /[x/–−-]/iu;
const IS = /^(?:is|are|ist|sind|est|es|son|da)$/iu;
/** "15% of 1290 is 193.50" */
const PERCENTAGE = new RegExp(
  String.raw`(?<![\p{N}.,])(?<share>${NUMBER})\s?(?:%|percent|per cent|prozent|pour cent|por ciento)\s(?:of|von|de|del)\s(?:the |der |den )?(?<whole>${NUMBER})${UNIT}${RESULT}`,
  "giu",
);
const TERM = new RegExp(String.raw`(?<number>${NUMBER})|(?<operator>${OPERATOR})`, "giu");

/**
 * Calculations that a sentence states in full and that come to another result. They need no evidence. What can be read in two ways,
 * such as "2,340", may be meant either way.
 */
export function wrongCalculations(text: string): Problem[] {
  const percentages = [...text.matchAll(PERCENTAGE)].flatMap(({ 0: all, groups = {} }) => {
    const { share = "", whole = "", result = "", hedge } = groups;
    const results = readings(share).flatMap((by) => readings(whole).map((of) => (of * by) / 100));
    return isOneOf(results, result, hedge) ? [] : [wrong(all, results, result)];
  });
  const calculations = [...text.matchAll(CALCULATION)].flatMap(({ 0: all, groups = {} }) => {
    const { terms = "", result = "", equals = "", hedge } = groups;
    const results =
      IS.test(equals) && AMBIGUOUS.test(terms.replaceAll(/\p{L}{2,}/gu, "")) ? [] : resultsOf(terms);
    return results.length === 0 || isOneOf(results, result, hedge) ? [] : [wrong(all, results, result)];
  });
  return [...percentages, ...calculations];
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
  return choices.map((values) => calculated(values, operators)).filter(Number.isFinite);
}

const MAX_TERMS = 6;

type Sign = "+" | "-" | "*" | "/";

function signOf(operator: string): Sign {
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
