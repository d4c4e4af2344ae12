import { stem } from "@metahuman/core/language/tokens/words";
import { convert, unitNamed } from "@metahuman/skills/calculate/units";
import {
  type Amount,
  KINDS,
  NUMBER_WORDS,
  type AmountsInWords,
  rewriteAsCalculation,
  findOperation,
  parseAmounts,
} from "./calculation-in-words.ts";

// Rewrites a message that continues the last calculation: "plus 15 for delivery" becomes "calculate 85 + 15", "and for 45 litres?"
// becomes the last request with another amount.

/** The last calculation: the request for it, its expression, and the result, with its unit if it has one. */
export interface LastCalculation {
  request: string;
  expression: string;
  result: string;
}

const FRACTIONS: Readonly<Record<string, string>> = {
  half: "/ 2",
  third: "/ 3",
  quarter: "/ 4",
  double: "* 2",
  triple: "* 3",
};

/** A number, or an amount of one unit. */
const RESULT = /^(?<number>-?\d[\d,]*(?:\.\d+)?)(?:\s?(?<unit>[\p{L}°]+))?$/u;
/** Numbers and operators of a division, which its result rounds. */
const DIVISION = /^(?=.*\/)[\d\s.+*/()-]{1,80}$/u;
/** "15 % of 80", as the last calculation was. */
const SHARE_OF = /^\s*(?<share>\d[\d.,]*\s?%)\s+of\s+(?<whole>\d[\d.,]*)\s*$/iu;
const ROUNDS = new RegExp(
  [
    String.raw`\bround(?:ed)?\b(?:\s+(?:it|that|this|the result))?(?:\s+off)?(?:\s+to\s+(?:`,
    String.raw`(?<digits>\d|one|two|three)\s+(?:decimals?|decimal\s+places?|places|digits)|`,
    String.raw`(?<cents>(?:the\s+(?:nearest\s+)?)?(?:pence|penny|pennies|cents?))|`,
    String.raw`(?:the\s+nearest\s+)?(?:an?\s+)?(?:integer|whole(?:\s+\p{L}+)?)`,
    String.raw`))?[\s?.!]*$`,
  ].join(""),
  "iu",
);
/** How a message begins that puts another amount in the place of the last one. */
const OTHER_AMOUNT = /^\W*(?:and|what about|how about|what if|if|or|same for|the same for|for|with)\b/iu;

/**
 * The calculation that continues the last one: "plus 15 for delivery", "add 23 % vat to that", "how much is that in pounds", "and 1.5
 * mg?". Undefined for a message about anything else.
 */
export function rewriteFurtherCalculation(request: string, last: LastCalculation): string | undefined {
  const reading = parseAmounts(request);
  const found = RESULT.exec(last.result)?.groups;
  if (reading === undefined || found?.["number"] === undefined) return undefined;
  const number = found["number"].replaceAll(",", "");
  // "100 / 7 rounded to 2 decimals" has figures of its own.
  const rounded = ROUNDS.exec(request);
  if (rounded !== null && /\d/u.test(request.slice(0, rounded.index))) return undefined;
  if (rounded !== null) return found["unit"] === undefined ? rewriteRounding(number, rounded) : undefined;
  // A third is calculated with as it is, not as its rounded result.
  const result = DIVISION.test(last.expression)
    ? `(${last.expression.trim()})`
    : `${number}${found["unit"] === undefined ? "" : ` ${found["unit"]}`}`;
  return (
    rewriteOtherSharers(reading, request, last) ??
    rewriteInUnit(reading, request, { result: `${number} ${found["unit"] ?? ""}`, unit: found["unit"] }) ??
    rewriteWithAmount(reading, result) ??
    rewriteWithFraction(reading, result) ??
    rewriteWithShare(reading, last.expression) ??
    rewriteOtherAmount(reading, request, last)
  );
}

/** "And if it was three of them?", "what about four?" after a division. */
function rewriteOtherSharers(
  { amounts, nouns, has }: AmountsInWords,
  request: string,
  { expression }: LastCalculation,
): string | undefined {
  const whole = SHARED.exec(expression)?.groups?.["whole"];
  const [count, ...others] = amounts;
  if (
    whole === undefined ||
    count === undefined ||
    others.length > 0 ||
    count.isShare ||
    count.unit !== undefined
  )
    return undefined;
  const isAsked = /^\W*(?:and\s+|so\s+|but\s+)?(?:if|what\s+if|what\s+about|how\s+about|for)\b/iu.test(
    request,
  );
  const isCount = /^\d{1,2}$/u.test(count.value) && Number(count.value) > 1;
  return isAsked && isCount && nouns <= 2 && !has("+", "-", "*", "/", "levy")
    ? `calculate ${whole} / ${count.value}`
    : undefined;
}

const SHARED = /^(?<whole>[€$£]?[\d.,]+(?:\s(?:euros?|dollars?|eur|usd|gbp))?)\s*\/\s*\d{1,2}$/iu;

function rewriteRounding(number: string, { groups }: RegExpExecArray): string {
  const digits = groups?.["cents"] === undefined ? groups?.["digits"]?.toLowerCase() : "2";
  return digits === undefined
    ? `round ${number}`
    : `round ${number} to ${NUMBER_WORDS.get(digits) ?? (digits === "one" ? "1" : digits)} decimals`;
}

/** "How much is that in pounds", "and in stone?" */
function rewriteInUnit(
  { amounts, nouns, has }: AmountsInWords,
  request: string,
  { result, unit }: { result: string; unit: string | undefined },
): string | undefined {
  const name = /\b(?:in|to|into|as)\s+(?<name>\p{L}+(?:\/\p{L}+)?)[\s?.!]*$/iu.exec(request)?.groups?.[
    "name"
  ];
  const [from, to] = [unit && unitNamed(unit), name && unitNamed(name)];
  if (!from || !to || name === undefined || amounts.length > 0 || has("+", "-", "*", "/")) return undefined;
  const others = nouns - (KINDS.has(name.toLowerCase()) ? 0 : 1);
  return others === 0 && convert(1, from, to) !== undefined ? `convert ${result} to ${name}` : undefined;
}

/** The last result and one amount. */
function rewriteWithAmount(reading: AmountsInWords, result: string): string | undefined {
  const { amounts, pieces, has, nouns } = reading;
  const [amount, ...others] = amounts;
  const isSpent = reading.isSpent && !has("+", "*", "/");
  const operation = isSpent ? "-" : findOperation(reading);
  if (amount === undefined || others.length > 0) return undefined;
  const refers = has("result") || isSpent;
  const value = amount.unit === undefined ? amount.value : `${amount.value} ${amount.unit}`;
  if (amount.isShare) {
    if (nouns > 1 || has("*", "/")) return undefined;
    if (operation !== undefined) return `calculate ${result} ${operation} ${value}`;
    const isShare = !has("+", "-") && (refers ? has("of", "levy") : has("levy"));
    return isShare ? `calculate ${value} of ${result}` : undefined;
  }
  if (operation === undefined) return undefined;
  const isCounted = operation === "/";
  const afterAmount = pieces[pieces.indexOf("amount") + 1] ?? "";
  // "Add 3 eggs" is not a calculation; "plus 15 for labour", "less the 50 deposit" and "split it between 4 people" are.
  // "4.50 delivery" is an amount of money, "3 eggs" are things.
  const isMoney = /^\d+[.,]\d{2}$/u.test(amount.value);
  const isOfThings =
    !isMoney && afterAmount.startsWith("noun") && pieces[pieces.indexOf("amount") - 1] !== "the";
  const mayHave = refers ? 2 : isCounted ? 2 : 1;
  if (nouns > mayHave || (isOfThings && !isCounted && !(refers && operation !== "+"))) return undefined;
  if (!refers && !(hasLeadingAmount(pieces) && (isMoney || areNounsIntroduced(pieces)))) return undefined;
  const isFirst = isAmountFirst(pieces);
  return `calculate ${isFirst ? value : result} ${operation} ${isFirst ? result : value}`;
}

/** True if a message begins with its operation or its amount, apart from words that ask for nothing. */
function hasLeadingAmount(pieces: readonly string[]): boolean {
  const first = pieces.find((piece) => piece !== "idle" && piece !== "the") ?? "";
  return !first.startsWith("noun") && first !== "at";
}

/** False for "add phone 25": what an amount is for follows "for", "of" or "the". */
const areNounsIntroduced = (pieces: readonly string[]): boolean =>
  pieces.every(
    (piece, index) =>
      !piece.startsWith("noun") ||
      ["for", "of", "the", "/", "amount", "each"].includes(pieces[index - 1] ?? ""),
  );

/** True for "1000 minus that", "take that from 1000", "add it to 20": the amount comes first in the calculation. */
function isAmountFirst(pieces: readonly string[]): boolean {
  const [amount, result] = [pieces.indexOf("amount"), pieces.indexOf("result")];
  if (result < 0) return false;
  if (amount < result) return pieces.slice(amount, result).some((piece) => piece.startsWith("infix"));
  const between = pieces.slice(result, amount);
  return (
    between.includes("from") ||
    (between.includes("to") && !between.some((piece) => piece.startsWith("infix")))
  );
}

/** "Half of that", "double it" */
function rewriteWithFraction(
  { pieces, amounts, has, nouns }: AmountsInWords,
  result: string,
): string | undefined {
  const fractions = pieces.filter((piece) => Object.hasOwn(FRACTIONS, piece));
  const [fraction, ...others] = fractions;
  if (fraction === undefined || others.length > 0 || amounts.length > 0 || nouns > 0 || !has("result"))
    return undefined;
  return has("+", "-", "*", "/") ? undefined : `calculate ${result} ${FRACTIONS[fraction] ?? ""}`;
}

/** "And the total with the tip" after "15 % of 80". */
function rewriteWithShare({ amounts, nouns, has }: AmountsInWords, expression: string): string | undefined {
  const { share, whole } = SHARE_OF.exec(expression)?.groups ?? {};
  if (share === undefined || whole === undefined || amounts.length > 0 || nouns > 0) return undefined;
  if (has("-")) return `calculate ${whole} - ${share}`;
  return has("whole", "+", "levy") ? `calculate ${whole} + ${share}` : undefined;
}

/** "And 15 %?", "and 1.5 mg", "and if I worked 9": the last request with another amount of the same kind. */
function rewriteOtherAmount(
  { amounts, pieces, has }: AmountsInWords,
  request: string,
  last: LastCalculation,
): string | undefined {
  const [other, ...others] = amounts;
  if (other === undefined || others.length > 0 || has("result", "+", "-", "*", "/", "levy")) return undefined;
  if (!OTHER_AMOUNT.test(request)) return undefined;
  // "And if it rains on 9 of them" says something else than the calculation did.
  const words = new Set(stemsIn(last.request));
  const nouns = pieces.filter((piece) => piece.startsWith("noun")).map((piece) => stem(piece.slice(5)));
  const isAtEnd = pieces
    .slice(pieces.indexOf("amount") + 1)
    .every((piece) => /^(?:noun|idle|each)/u.test(piece));
  if (!isAtEnd || nouns.some((noun) => !words.has(noun))) return undefined;
  const replaced = findReplacedAmount(other, request, last.request);
  if (replaced === undefined) return undefined;
  const written = request.slice(other.start, other.end);
  const unit = other.unit === undefined && replaced.unit !== undefined ? ` ${replaced.unit}` : "";
  const again = `${last.request.slice(0, replaced.start)}${written}${unit}${last.request.slice(replaced.end)}`;
  const worked = rewriteAsCalculation(again);
  if (worked?.startsWith("calculate ") === true) return worked;
  // The request before, "and if I worked 9", was itself completed.
  const knownAmounts = parseAmounts(last.expression)?.amounts ?? [];
  const [same, ...several] = knownAmounts.filter(({ value }) => value === replaced.value);
  const isCompleted = OTHER_AMOUNT.test(last.request) && same !== undefined && several.length === 0;
  return isCompleted
    ? `calculate ${last.expression.slice(0, same.start)}${written}${last.expression.slice(same.end)}`
    : again;
}

const stemsIn = (text: string): string[] => (text.toLowerCase().match(/\p{L}+/gu) ?? []).map(stem);

/** "14.50 an hour", "4.50 each": an amount for each of something. */
const IS_RATE = /^\s*(?:euros?|pounds?|dollars?|quid|bucks|kr)?\s*(?:(?:an?|per|each|every|apiece)\b|\/)/iu;

/** The amount of the last request in whose place another one is given; undefined if several may be meant. */
function findReplacedAmount(other: Amount, request: string, before: string): Amount | undefined {
  const kindOf = ({ isShare, unit }: Amount): string =>
    isShare ? "share" : unit === undefined ? "plain" : (unitNamed(unit)?.kind ?? "plain");
  const earlier = parseAmounts(before)?.amounts ?? [];
  const isRate = (text: string, { end }: Amount): boolean => IS_RATE.test(text.slice(end));
  const alike = earlier.filter((amount) => isRate(before, amount) === isRate(request, other));
  const same = alike.filter((amount) => kindOf(amount) === kindOf(other));
  // "And for 2?" after "0.25 mg in micrograms" keeps the unit.
  const fitting =
    same.length > 0 || other.isShare || other.unit !== undefined
      ? same
      : alike.filter(({ isShare }) => !isShare);
  const [only, ...more] = fitting;
  if (more.length === 0) return only;
  // "And with 20 jars": the word after an amount tells which one is meant.
  const [noun] = stemsIn(request.slice(other.end));
  const [named, ...alsoNamed] = fitting.filter(({ end }) => stemsIn(before.slice(end))[0] === noun);
  return noun === undefined || alsoNamed.length > 0 ? undefined : named;
}
