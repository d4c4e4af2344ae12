import { oneOf, wholeWords } from "@metahuman/core/text/patterns";
import { type PreparedEvidence } from "./evidence.ts";
import { isMentioned, wordsBefore } from "./mentions.ts";
import { type NumberMention } from "./quantities.ts";
import { measureOf } from "./units.ts";
import { AVERAGE, CONDITIONAL, CONSEQUENCE, DIFFERENCE, PER, SUM } from "./vocabulary.ts";

/**
 * What the previous sentences of the answer contain. Its size has a limit, except for the words and lengths that occur,
 * so that each sentence costs the same at the end of a long answer as at its beginning.
 */
export interface AnswerSoFar {
  /** The last `MAX_SAMPLE_LENGTH` characters of the answer before this sentence. */
  sample: string;
  /** True when a sentence declined the request or asked for what is missing. */
  hasDeclined: boolean;
  /** True when a sentence contains a question mark. */
  hasAsked: boolean;
  /** True when a sentence presents what follows: "here is". */
  hasPresented: boolean;
  isChecked: boolean;
  /** The numbers of words that the sentences have. */
  lengths: Set<number>;
  /** Stems of the words of checked sentences. */
  topic: Set<string>;
  /** True after a colon, and inside the list that follows one. */
  isInsideList: boolean;
  /** True inside a letter that the person sends. */
  isInsideLetter: boolean;
  /** The last confirmed numbers of the answer; results of arithmetic over them are confirmed, too. */
  operands: number[];
  /** The amounts of the items of the last list, one of each item. */
  listed: number[];
  /** The last factors by which the answer says it multiplied. */
  factors: number[];
}

/** The length of the text that tells the language of an answer, in UTF-16 code units. */
export const MAX_SAMPLE_LENGTH = 2_000;

/** The numbers of earlier sentences that arithmetic reads. */
const MAX_EARLIER_NUMBERS = 20;

/** Adds to a list of which only the last items are read. */
export function addLast(list: number[], added: readonly number[]): void {
  list.push(...added);
  list.splice(0, Math.max(0, list.length - MAX_EARLIER_NUMBERS));
}

/** A sentence with its numbers, in order. */
export interface QuantifiedSentence {
  text: string;
  numbers: readonly NumberMention[];
}

/** Integers up to this one match some sum by chance, so they must be stated or counted. */
export const SMALL = 20;

/** True for a number that counts no few things: a large one, or one with decimals. */
export const isFigure = ({ values }: NumberMention): boolean =>
  values.some((value) => value > SMALL || !Number.isInteger(value));

/** The years from each year of the evidence to now, and to the next birthday. */
export function agesFromYears({ facts, today }: PreparedEvidence): Set<number> {
  const years = [...facts.numbers].filter((year) => year >= 1900 && year <= today.year);
  return new Set(years.flatMap((year) => [today.year - year, today.year - year - 1, today.year - year + 1]));
}

export const AGO = /^(?:years?|jahren?|ans?|años?|anni)$/u;

export const AGE = new RegExp(
  wholeWords(
    "turn(?:s|ed|ing)?|aged?|years? old|old|birthday|wird|werden|alt|geburtstag|ans|anniversaire|años",
    "cumple|anni|compie|anos|faz|jaar|fyller|år",
  ),
  "iu",
);

/** Predicates for the same temperature on the other scale. */
export function temperaturesOf(
  value: number,
  { unit, after, isHedged }: NumberMention,
): ((known: number) => boolean)[] {
  if (!/^(?:°|c$|f$|celsius|fahrenheit)/u.test(unit) && !/^\s?°/u.test(after)) return [];
  const tolerance = isHedged ? 1 : 0.51;
  return [
    (known) => Math.abs((known - 32) / 1.8 - value) <= tolerance,
    (known) => Math.abs(known * 1.8 + 32 - value) <= 1,
  ];
}

/** The results of the arithmetic that a sentence names: sums for a total, differences for what is left. */
export function arithmeticResults(
  mention: NumberMention,
  sentence: string,
  { derived }: PreparedEvidence,
): WorkedOut {
  const { sums, differences, averages, products, ratios, spans } = derived;
  if (isMentioned(AVERAGE, sentence)) return [averages];
  const isFollowing = isMentioned(CONSEQUENCE, sentence) || mention.isHedged;
  const isSum = isMentioned(SUM, sentence) || isFollowing;
  const isPer = isMentioned(PER, sentence) || isFollowing;
  return [
    isSum || WHOLE.test(wordsBefore(sentence, mention.start)) ? sums : [],
    isMentioned(DIFFERENCE, sentence) || isFollowing ? differences : [],
    isPer ? averages : [],
    QUOTIENT.test(sentence) ? ratios : [],
    isPer || isSum ? products : [],
    measureOf(mention.unit) === "time" ? spans : [],
  ];
}

const QUOTIENT = /(?<!\p{L})(?:per|pro|par|por|apiece|a (?:head|piece))(?!\p{L})/iu;

/** Lists of results. They are not merged, because copying them costs more than the search. */
type WorkedOut = readonly (readonly number[])[];

const WHOLE_WORDS = oneOf(
  String.raw`\d+|one|two|three|four|five|six|seven|eight|nine|ten|zwei|drei|vier|fünf|sechs|deux|trois|quatre`,
  "cinq|dos|tres|cuatro|cinco|half|third|quarter|part|share|percent|%|most|rest|out|hälfte|drittel",
  "viertel|moitié|tiers|mitad|metà",
);
/** "almost half of the 25.3k", "2 of the 44" */
const WHOLE = new RegExp(
  String.raw`(?<!\p{L})${WHOLE_WORDS} (?:of|der|de|di) (?:(?:the|your|all|les|los|las|i|le) )?[$€£]?$`,
  "iu",
);

/** Factors between rates: "7.50 a month" is 90 a year. */
export function ratesOf({ after, start }: NumberMention, sentence: string): number[] {
  const phrase = `${sentence.slice(Math.max(0, start - 20), start).toLowerCase()} ${after.slice(0, 24)}`;
  if (
    /(?:a|per|each|im|pro|par|al|all['’]|cada|por|om)\s?(?:year|jahr|an(?!d)|año|anno|ano|jaar|året|år)|yearly|jährlich|annuel|anual/u.test(
      phrase,
    )
  )
    return [1 / 12, 1 / 52, 1 / 4, 1 / 365];
  if (
    /(?:a|per|each|im|pro|par|al|cada|por|om)\s(?:month|monat|mois|mes|mese|mês|maand|månad\p{L}*|måned\p{L}*)|monthly|monatlich|mensuel|mensual/u.test(
      phrase,
    )
  )
    return [12, 1 / 4, 1 / 30];
  if (/(?:a|per|each|pro|par|por|cada)\s(?:week|woche|semaine|semana)|weekly|wöchentlich/u.test(phrase))
    return [52, 1 / 7, 4];
  return [];
}

/**
 * The maximum number of nearby numbers from which one may be calculated; among more, some pair has any difference by
 * chance.
 */
const MAX_NEARBY_NUMBERS = 12;

/** The numbers of a sentence nearest to one of them, in order; `numbers` are ordered by `start`. */
function nearbyNumbers({ start }: NumberMention, numbers: readonly NumberMention[]): NumberMention[] {
  let index = 0;
  for (let end = numbers.length; index < end;) {
    const middle = (index + end) >> 1;
    if ((numbers[middle]?.start ?? 0) < start) index = middle + 1;
    else end = middle;
  }
  const from = Math.max(0, index - MAX_NEARBY_NUMBERS);
  return numbers
    .slice(from, from + 2 * MAX_NEARBY_NUMBERS + 1)
    .filter((number) => number.start !== start)
    .toSorted((a, b) => Math.abs(a.start - start) - Math.abs(b.start - start))
    .slice(0, MAX_NEARBY_NUMBERS)
    .toSorted((a, b) => a.start - b.start);
}

/**
 * True when a number follows from other numbers of the answer: a part of a total, or the total of parts. `numbers` are
 * all numbers of the sentence, in order.
 */
export function followsInAnswer(
  value: number,
  mention: NumberMention,
  { text: sentence, numbers }: QuantifiedSentence,
  { facts }: PreparedEvidence,
  before: AnswerSoFar,
): boolean {
  const fits = roundsTo(value, toleranceOf(mention, value));
  const others = nearbyNumbers(mention, numbers);
  const nearbyFacts = others
    .flatMap(({ values }) => values.slice(0, 1))
    .filter((other) => facts.numbers.has(other));
  if (isMentioned(DIFFERENCE, sentence) && isRemainder(nearbyFacts, fits)) return true;
  if (isBetween(nearbyFacts, fits)) return true;
  const isSmall = Number.isInteger(value) && value <= SMALL && measureOf(mention.unit) === "";
  // "With a limit of 1,500 you still have 313": the difference between a number of the sentence and a known one.
  if (!isSmall && value > SMALL && nearbyFacts.length > 0)
    for (const one of facts.numbers)
      if (nearbyFacts.some((other) => fits(Math.abs(one - other)))) return true;
  if (isMentioned(DIFFERENCE, sentence) && !isSmall) {
    const near = before.operands.slice(-3);
    for (const one of facts.numbers) if (near.some((operand) => fits(Math.abs(one - operand)))) return true;
  }
  // "Rent and food make up 89 % of it": the share of previously named parts.
  if (SHARE.test(mention.unit))
    for (const part of subsetSums(before.operands.slice(-4)))
      if (
        part > 0 &&
        nearbyFacts.some((whole) => fits((part / whole) * 100) || fits((whole / (whole + part)) * 100))
      )
        return true;
  if (
    SHARE.test(mention.unit) &&
    nearbyFacts.some((a) => nearbyFacts.some((b) => a !== b && fits((a / (a + b)) * 100)))
  )
    return true;
  // "Over a year that adds up to 696": twelve times an amount of the answer.
  if (
    isMentioned(YEAR, sentence) &&
    before.operands.slice(-MAX_NEARBY_NUMBERS).some((amount) => fits(amount * 12))
  )
    return true;
  if (isMentioned(CONDITIONAL, sentence) && !isSmall) {
    // "250 would be 270": an example, calculated with a known rate.
    const all = others.flatMap(({ values }) => values.slice(0, 1));
    const known = [...facts.numbers].filter((one) => one > 1 && one !== value);
    if (all.some((other) => known.some((one) => isRate(value, other, one)))) return true;
    if (all.some((other) => before.operands.slice(-3).some((one) => isRate(value, other, one)))) return true;
  }
  // "17 % of it": the percentage may be any, but the total must be known.
  const known = [...nearbyFacts, ...before.operands.slice(-4)];
  for (const other of others) {
    const [by = 0] = other.values;
    if (SHARE.test(other.unit) && known.some((of) => fits((of * by) / 100))) return true;
    if (OVER_SPAN.test(sentence.slice(Math.max(0, other.start - 12), other.start)))
      if (measureOf(other.unit) === "time" && known.some((of) => fits(of * by))) return true;
  }
  const operands = [...before.operands, ...nearbyFacts].slice(-10);
  // "so each owes 43.25": an equal share of a total in the answer.
  if (
    isMentioned(EACH, sentence) &&
    operands.some((total) => [2, 3, 4, 5, 6].some((parts) => fits(total / parts)))
  )
    return true;
  if (isMentioned(SUM, sentence) && subsetSums(operands).some(fits)) return true;
  if (
    !isMentioned(CONSEQUENCE, sentence) &&
    !isMentioned(SUM, sentence) &&
    !isMentioned(DIFFERENCE, sentence) &&
    !isMentioned(PER, sentence) &&
    !RATIO.test(mention.unit)
  )
    return false;
  return operands.some((a, index) =>
    operands
      .slice(index + 1)
      .some((b) =>
        [
          a + b,
          Math.abs(a - b),
          a * b,
          ...(b === 0 ? [] : [a / b, (a / b) * 100]),
          ...(a === 0 ? [] : [b / a, (b / a) * 100]),
        ].some(fits),
      ),
  );
}

/** True when one of three numbers is the product of the other two. */
const isRate = (a: number, b: number, by: number): boolean =>
  a !== b &&
  [a * b - by, a * by - b, b * by - a].some((rest) => Math.abs(rest) <= 0.005 * Math.max(a, b, by));

/** True for the difference of two numbers of the sentence. */
const isBetween = (numbers: readonly number[], fits: (value: number) => boolean): boolean =>
  numbers.some((a, index) => numbers.slice(index + 1).some((b) => a !== b && fits(Math.abs(a - b))));

/** True for the largest number minus all others. */
function isRemainder(numbers: readonly number[], fits: (value: number) => boolean): boolean {
  const whole = Math.max(...numbers, 0);
  const taken = numbers.filter((number) => number !== whole).reduce((sum, number) => sum + number, 0);
  return numbers.length > 1 && fits(whole - taken);
}

const YEAR = /(?<!\p{L})(?:year|jahr|année|an|año|anno)(?!\p{L})/iu;

const EACH =
  /(?<!\p{L})(?:each|everyone|everybody|per person|a head|jeder?|pro (?:person|kopf)|chacune?|cada uno|ciascuno)(?!\p{L})/iu;

const SHARE = /^(?:%|percent|prozent)$/u;

const OVER_SPAN_WORDS = oneOf(
  "over|for|in|after|during|within|über|in|für|nach|sur|pendant|en|durante|por|in|voor|op|per",
);
const OVER_SPAN = new RegExp(String.raw`(?<!\p{L})${OVER_SPAN_WORDS}\s(?:the |den |die )?$`, "iu");

/**
 * The comparison of two things by a figure: the first is more or less, or their difference; undefined without a
 * comparison.
 */
export function comparisonOf(
  { after, start }: NumberMention,
  sentence: string,
): "more" | "less" | "apart" | undefined {
  const [, than] = MORE_OR_LESS.exec(after) ?? [];
  if (than !== undefined) return MORE.test(than) ? "more" : "less";
  return DIFFERENCE_NOUN.test(sentence) && FIGURE_OF.test(wordsBefore(sentence, start)) ? "apart" : undefined;
}

const MORE_OR_LESS_WORDS = oneOf(
  "[€$£]|euros?|dollars?|pounds?|kroner|kr|eur|usd|gbp|nok|sek|km|hours?|points?|stunden|punkte|heures",
  "horas",
);
/** The words right behind a figure that say which of two is more. */
const MORE_OR_LESS = new RegExp(
  String.raw`^\s*(?:${MORE_OR_LESS_WORDS}\s+)?(more|higher|less|fewer|lower|mehr|höher|weniger|de plus|de moins|más|menos)(?!\p{L})`,
  "iu",
);
const MORE = /^(?:more|higher|mehr|höher|de plus|más)$/iu;

const DIFFERENCE_NOUN = /(?<!\p{L})(?:difference|unterschied|differenz|différence|diferencia)(?!\p{L})/iu;

/** The words before the figure of a difference: "the difference is". */
const FIGURE_OF =
  /(?:(?<!\p{L})(?:is|was|of|by|about|beträgt|von|um|ist|est de|est|es de|es)|[:=])\s*[€$£]?\s?$/iu;

export const subsetSums = (operands: readonly number[]): number[] =>
  operands.reduce<number[]>((sums, operand) => [...sums, ...sums.map((sum) => sum + operand)], [0]);

export const RATIO = /^(?:%|percent|prozent|pour|por|times|x|mal|fach|fois|veces)$/u;

/** True for exact numbers that round to the value: half of the last digit is rounded up, as people do. */
export const roundsTo =
  (value: number, tolerance: number) =>
  (known: number): boolean =>
    value >= known ? value - known <= tolerance + 1e-9 : known - value <= tolerance * 0.9999 + 1e-9;

/**
 * The allowed difference from the exact number: half of the last decimal, more for "about". For a whole number it is a little less: "by 4"
 * is not a rounding of 3.50.
 */
export function toleranceOf({ text, isHedged }: NumberMention, value: number): number {
  const decimals = Number.isInteger(value)
    ? (/[.,](\d{1,2})$/u.exec(text)?.[1]?.length ?? 0)
    : (String(value).split(".")[1]?.length ?? 0);
  const half = 0.5 * 10 ** -decimals;
  return isHedged ? Math.max(half, Math.abs(value) * 0.06) : decimals === 0 ? half * 0.9999 : half;
}

/** The factors that a request orders by an amount: "to 30 pieces", where 12 pieces are known. */
export const orderedFactors = (numbers: readonly NumberMention[], { text }: PreparedEvidence): number[] =>
  numbers.flatMap(({ values, unit }) => {
    const amounts = /^\p{L}{3,}$/u.test(unit) && measureOf(unit) === "" ? amountsOf(unit, text) : [];
    return values.flatMap((wanted) => amounts.map((amount) => wanted / amount));
  });

/** The factors that a sentence names: "three times everything". */
export function factorsIn(
  sentence: string,
  numbers: readonly NumberMention[],
  { text }: PreparedEvidence,
): number[] {
  const servings = numbers.filter(({ unit }) => SERVING.test(unit)).flatMap(({ values }) => [...values]);
  const known =
    servings.length === 0
      ? []
      : [...text.matchAll(SERVES)].map(([, behind, before]) => Number(behind ?? before));
  const statedFactors = numbers
    .filter(({ unit }) => FACTOR_UNIT.test(unit))
    .flatMap(({ values }) => [...values]);
  return [
    ...statedFactors,
    ...servings.flatMap((wanted) => known.map((served) => wanted / served)),
    ...(TWICE.test(sentence) ? [2] : []),
    ...(THRICE.test(sentence) ? [3] : []),
    ...(HALF.test(sentence) ? [0.5] : []),
  ];
}

/** The whole numbers before a word in a text. */
const amountsOf = (word: string, text: string): number[] =>
  [...text.matchAll(new RegExp(`(?<![\\p{N}.,-])(\\d{1,6}) ${word}(?!\\p{L})`, "gu"))].map(([, amount]) =>
    Number(amount),
  );

const SERVING =
  /^(?:people|persons?|servings?|portions?|guests|portionen|personen|gäste|personnes|personas|raciones)$/u;

/** The number of servings of a recipe. */
const SERVES =
  /(?:serves|makes|for|für|pour|para|ergibt):? (\d{1,2})(?!\d)|(?<!\d)(\d{1,2}) (?:people|persons|servings|portions|portionen|personen|personnes|personas|raciones)/gu;

const FACTOR_UNIT = /^(?:times|x|mal|fach|fois|veces|volte|vezes|keer)$/u;

const TWICE = new RegExp(
  wholeWords(
    "twice|double[ds]?|there and back|round trip|both ways|return|hin und zurück|aller-retour",
    String.raw`ida y vuelta|doppelt\p{L}*|verdoppelt|deux fois|le double|el doble|il doppio`,
  ),
  "iu",
);

const THRICE = /(?<!\p{L})(?:triple[ds]?|dreifach\p{L}*|le triple|el triple|il triplo)(?!\p{L})/iu;

const HALF = new RegExp(
  wholeWords(
    String.raw`halve[ds]?|half (?:of everything|the (?:amounts?|recipe|quantities))|halbier\p{L}*|la moitié`,
    "la mitad|la metà",
  ),
  "iu",
);

/** A stated sum that differs more from that of its parts, as a share, may be one of which only some parts are known. */
export const NEAR = 0.03;
