import { oneOf } from "@metahuman/core/text/patterns";
import { SMALL_NUMBERS, TENS } from "@metahuman/core/text/number-words";
import { Decimal } from "decimal.js";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { withoutTrailing } from "@metahuman/core/text/words";
import { convert, UNIT_NAME, unitNamed } from "./units.ts";

/** The result of a calculation and how it is written. */
export interface Calculated {
  value: Decimal;
  /** The unit of the value; undefined for a plain number. */
  unit?: string;
}

const SCALES: Readonly<Record<string, number>> = { hundred: 100, thousand: 1_000, million: 1_000_000 };
const NUMBER_WORD = new RegExp(
  String.raw`\b(?:${[...SMALL_NUMBERS, ...TENS, ...Object.keys(SCALES)].join("|")})(?:(?:[\s-]+(?:and\s+)?)(?:${[...SMALL_NUMBERS, ...TENS, ...Object.keys(SCALES)].join("|")}))*\b`,
  "giu",
);

/** "two hundred and five" → 205 */
function numberOf(words: string): number {
  let total = 0;
  let part = 0;
  for (const word of words.toLowerCase().split(/[\s-]+/u)) {
    const scale = SCALES[word];
    if (SMALL_NUMBERS.includes(word)) part += SMALL_NUMBERS.indexOf(word);
    else if (TENS.includes(word)) part += (TENS.indexOf(word) + 2) * 10;
    else if (scale === 100) part = Math.max(1, part) * 100;
    else if (scale !== undefined) {
      total += Math.max(1, part) * scale;
      part = 0;
    }
  }
  return total + part;
}

/** Decimal arithmetic, with more digits than are shown. */
const Exact = Decimal.clone({ precision: 64, maxE: 308, minE: -308 });

/** Operators in words, each with its sign. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:plus|added to)\b(?: another\b)?/giu, "+"],
  [/\b(?:minus|less)\b(?: another\b)?/giu, "-"],
  [/\b(?:multiplied by|times)\b|[×·]|(?<=\d)\s*x\s*(?=\d)/giu, "*"],
  [/\b(?:divided by|over)\b|[÷:]/giu, "/"],
  [/\bto the power of\b|\*\*/giu, "^"],
  [/\bsquared\b/giu, "^2"],
  [/\bcubed\b/giu, "^3"],
  [/\b(?:the )?square root of\b|√/giu, "sqrt"],
  [/\b(?:percent|per cent|pct)\b/giu, "%"],
  [/\bmod(?:ulo)?\b/giu, "mod"],
  [/\bhalf of\b/giu, "0.5 *"],
  [/\b(?:a |1 )?third of\b/giu, "(1/3) *"],
  [/\b2 thirds of\b/giu, "(2/3) *"],
  [/\b(?:a |1 )?quarter of\b/giu, "0.25 *"],
  [/\b(?:3 quarters) of\b/giu, "0.75 *"],
  [/(?<=\d\s*\/\s*\d+)\s+of\b(?=\s+\d)/giu, "*"],
  [/\b(?:twice|double)\b/giu, "2 *"],
  [/(?<=\d\s*)\bdozen\b/giu, "* 12"],
  [/\b(?:a )?dozen\b/giu, "12"],
];

/** A sum of money is calculated as its number, and what a percentage is for adds nothing. */
const CURRENCY =
  /[€$£]|(?<=\d\s?)(?:euros?|dollars?|EUR|USD|GBP)\b(?!\s+(?:in|to|into|as)\s)|\b(?:vat|tax|tip|service|discount)\b/giu;

function withSigns(text: string): string {
  let signs = text
    .replace(NUMBER_WORD, (words) => String(numberOf(words)))
    .replace(/(\d)\s+and\s+(?:a|one|1)\s+half\b/giu, "$1.5")
    .replace(/\bhalf an?\b/giu, "0.5")
    .replace(CURRENCY, "");
  for (const [pattern, sign] of WORDS) signs = signs.replace(pattern, ` ${sign} `);
  return (
    signs
      .replace(/%\s*(?:of)\b/giu, "% *")
      // Points between thousands, and a comma before the decimals.
      .replaceAll(/(?<![\d.])\d{1,3}(?:\.\d{3})+,\d{1,2}(?!\d)/gu, (number) =>
        number.replaceAll(".", "").replace(",", "."),
      )
      .replace(/(?<=\d),(?=\d{3}(?!\d))|(?<=\d)\s(?=\d{3}(?!\d))|_/gu, "")
      .replace(/(?<=\d),(?=\d{1,2}(?!\d))/gu, ".")
      .trim()
  );
}

/**
 * Evaluates `+ - * / mod ^ %`, `sqrt`, `pi` and parentheses by precedence climbing. "200 + 10 %" adds ten per cent of 200, as on a
 * pocket calculator.
 */
class Calculator {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/\d+(?:\.\d+)?(?:e\d+)?|\.\d+|sqrt|mod|pi|[-+*/^%()]|\S/gu) ?? [];
  }

  run(): Decimal {
    const value = this.#sum();
    if (this.#at < this.#tokens.length) throw notACalculation();
    if (!value.isFinite())
      throw new InvalidArgsError("This has no result: it divides by zero or is too large.");
    return value;
  }

  #take(...signs: string[]): string | undefined {
    const token = this.#tokens[this.#at];
    if (token === undefined || !signs.includes(token)) return undefined;
    this.#at++;
    return token;
  }

  #sum(): Decimal {
    let value = this.#product();
    for (let sign = this.#take("+", "-"); sign !== undefined; sign = this.#take("+", "-")) {
      const other = this.#product();
      const isPercent = this.#tokens[this.#at - 1] === "%";
      const amount = isPercent ? value.times(other) : other;
      value = sign === "+" ? value.plus(amount) : value.minus(amount);
    }
    return value;
  }

  #product(): Decimal {
    let value = this.#signed();
    const next = () => this.#take("*", "/", "mod");
    for (let sign = next(); sign !== undefined; sign = next()) {
      const other = this.#signed();
      value = sign === "*" ? value.times(other) : sign === "/" ? value.div(other) : value.mod(other);
    }
    return value;
  }

  /** A sign applies to the whole power: -2^2 is -4. */
  #signed(): Decimal {
    if (this.#take("-") !== undefined) return this.#signed().neg();
    if (this.#take("+") !== undefined) return this.#signed();
    return this.#power();
  }

  #power(): Decimal {
    const base = this.#root();
    return this.#take("^") === undefined ? base : base.pow(this.#signed());
  }

  #root(): Decimal {
    if (this.#take("sqrt") !== undefined) {
      if (this.#take("-") !== undefined)
        throw new InvalidArgsError("This has no result: a negative number has no square root.");
      return this.#root().sqrt();
    }
    let value = this.#operand();
    while (this.#take("%") !== undefined) value = value.div(100);
    return value;
  }

  #operand(): Decimal {
    if (this.#take("(") !== undefined) {
      const value = this.#sum();
      if (this.#take(")") === undefined)
        throw this.#at >= this.#tokens.length
          ? new InvalidArgsError("A parenthesis is opened and not closed.")
          : notACalculation();
      return value;
    }
    if (this.#take("pi", "π") !== undefined) return Exact.acos(-1);
    const token = this.#tokens[this.#at];
    if (token === undefined || !/^[\d.]/u.test(token)) throw notACalculation();
    this.#at++;
    return new Exact(token);
  }
}

function notACalculation(): InvalidArgsError {
  return new InvalidArgsError("This is not a calculation.", {
    suggestions: ["12 % of 340", "(3 + 4) * 2", "5 miles in km", "98 °F in °C"],
  });
}

/** What can be calculated of several numbers. */
export const SUMMARIES = ["sum", "average", "product"] as const;
const SUMMARY = new RegExp(`^(${SUMMARIES.join("|")}) of (.+)$`, "iu");
/** The operators and separators between numbers; a comma before three digits without a space belongs to the number. */
const BETWEEN_NUMBERS = /\s*;\s*|,\s+(?:and\s+)?|,(?!\d{3}(?!\d))|\s+(?:and|plus)\s+|\s+(?!\d{3}(?!\d))/iu;

function aggregate(of: string, list: string): Decimal {
  const numbers = list.split(BETWEEN_NUMBERS).map((one) => new Calculator(withSigns(one)).run());
  const product = numbers.reduce((result, one) => result.times(one), new Exact(1));
  const sum = numbers.reduce((result, one) => result.plus(one), new Exact(0));
  return of === "product" ? product : of === "average" ? sum.div(numbers.length) : sum;
}

const CURRENCY_WORDS = oneOf(
  String.raw`€|\$|£|euros?|dollars?|eur|usd|gbp|sek|nok|dkk|chf|jpy|yen|yuan|cny|inr|rupees?|kron(?:a|or|e|er)`,
  "francs?|quid|sterling|bitcoins?|btc|zloty|pln",
);
const CURRENCY_NAME = new RegExp(String.raw`^${CURRENCY_WORDS}$`, "iu");

function noRates(): InvalidArgsError {
  return new InvalidArgsError(
    "Currencies cannot be converted here: their rates change daily and are not stored. Look up the rate and multiply by it.",
  );
}

type Kind = NonNullable<ReturnType<typeof unitNamed>>["kind"];

/** A volume has a weight only with what is measured. */
function notConvertible({
  from,
  to,
  source,
  target,
}: {
  from: string;
  to: string;
  source: { kind: Kind };
  target: { kind: Kind };
}): InvalidArgsError {
  const kinds = new Set([source.kind, target.kind]);
  return new InvalidArgsError(
    kinds.has("mass") && kinds.has("volume")
      ? `${from} is a ${source.kind === "mass" ? "weight" : "volume"} and ${to} a ${target.kind === "mass" ? "weight" : "volume"}: how much that is depends on what is measured.`
      : `${from} cannot be converted to ${to}.`,
  );
}

/** "30 as % of 240", "80 to 100 in %" */
const SHARE = /^(\S+) as % of (\S+)$|^(\S+) to (\S+) in %$/u;

const percent = (value: Decimal): Calculated => {
  if (!value.isFinite())
    throw new InvalidArgsError("This has no result: it divides by zero or is too large.");
  return { value: value.times(100), unit: "%" };
};
const shareOf = (part: string, whole: string): Calculated =>
  percent(new Calculator(withSigns(part)).run().div(new Calculator(withSigns(whole)).run()));
function changeOf(from: string, to: string): Calculated {
  const first = new Calculator(withSigns(from)).run();
  return percent(new Calculator(withSigns(to)).run().minus(first).div(first));
}

/** "100 / 7 rounded to 2 decimals" */
const ROUNDED = /^(.+) rounded to (\d{1,2}) (?:decimals?|decimal places?|places|digits)$/u;
/** "difference between 29 and 83" */
const DIFFERENCE = /^difference between (\S+) and (\S+)$/u;

/** What is measured: "3 tablespoons of butter in grams". */
const MEASURED = /(?<=\p{L}) of (?:the )?\p{L}+(?= (?:in|to|into|as) \S+$)/iu;

const CONVERSION = new RegExp(
  String.raw`^(?<amount>.*?[\d)])\s*(?<from>${UNIT_NAME})\s+(?:in|to|into|as|=)\s+(?<to>${UNIT_NAME})$`,
  "iu",
);

/** Calculates an expression in signs or words. Throws `InvalidArgsError` for another text and for an expression without a result. */
export function calculate(expression: string): Calculated {
  const asked = withoutTrailing(expression, /[?=.!\s]/u)
    .replace(/^an?\s+(?=\p{L})/iu, "1 ")
    .replace(MEASURED, "");
  const [, part, whole, first, last] = SHARE.exec(asked) ?? [];
  if (part !== undefined && whole !== undefined) return shareOf(part, whole);
  if (first !== undefined && last !== undefined) return changeOf(first, last);
  const [, exact, decimals] = ROUNDED.exec(asked) ?? [];
  if (exact !== undefined) {
    const { value, ...unit } = calculate(exact);
    return { value: value.toDecimalPlaces(Number(decimals)), ...unit };
  }
  const [, one, other] = DIFFERENCE.exec(asked) ?? [];
  if (one !== undefined && other !== undefined)
    return {
      value: new Calculator(withSigns(one))
        .run()
        .minus(new Calculator(withSigns(other)).run())
        .abs(),
    };
  const [, of, list] = SUMMARY.exec(asked) ?? [];
  if (of !== undefined && list !== undefined) return { value: aggregate(of.toLowerCase(), list) };
  const text = withSigns(asked);
  const { amount, from = "", to = "" } = CONVERSION.exec(text)?.groups ?? {};
  if (amount === undefined) return { value: new Calculator(text).run() };
  if (CURRENCY_NAME.test(from) || CURRENCY_NAME.test(to)) throw noRates();
  const [source, target] = [unitNamed(from), unitNamed(to)];
  if (source === undefined || target === undefined) throw notACalculation();
  const value = convert(new Calculator(amount).run().toNumber(), source, target);
  if (value === undefined) throw notConvertible({ from, to, source, target });
  return { value: new Exact(value), unit: target.symbol };
}

/** The digits of a result that is not a whole number, and the most digits of a whole number that is written out. */
const FRACTION_DIGITS = 12;
const WHOLE_DIGITS = 40;

/**
 * Writes a result: whole numbers up to 40 digits, others with twelve digits, four decimals after a conversion. A larger whole
 * number is rounded and says so by its exponent.
 */
export function formatResult({ value, unit }: Calculated): string {
  const short = value.toSignificantDigits(FRACTION_DIGITS);
  if (unit === undefined)
    return value.isInteger() && value.e < WHOLE_DIGITS
      ? value.toFixed()
      : Math.abs(short.e) > WHOLE_DIGITS
        ? short.toString()
        : short.toFixed();
  return `${formatDecimal(value)} ${unit}`;
}

const formatDecimal = (value: Decimal): string =>
  (value.abs().lt(1) ? value.toSignificantDigits(5) : value.toDecimalPlaces(4)).toFixed();

/** Writes a number that was measured or converted, with up to four decimals. */
export const formatNumber = (value: number): string => formatDecimal(new Exact(value));
