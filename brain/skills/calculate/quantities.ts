import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { durationOf } from "./days.ts";
import { calculate, formatNumber, formatResult } from "./evaluate.ts";
import { convert, type Unit, unitNamed } from "./units.ts";

const NUMBER = String.raw`\d+(?:[.,]\d+)?`;
/** A whole word: "aand" is not a unit before an "and", or each of many such words could be read in two ways. */
const UNIT = String.raw`(?:°?\p{L}{1,14}(?!\p{L}))`;
const ONE = `${NUMBER}\\s*${UNIT}`;
/** "5 feet 7 inches", "2h 35min" */
const COMPOUND = `${ONE}(?:(?:\\s*(?:,|and))?\\s*${ONE})*`;
const SIGN = String.raw`(?:\+|-|plus|minus|and)`;
/** "6 ft 2 in cm": inches follow feet without their name. */
const FEET = String.raw`(${NUMBER})\s*(?:ft|feet|foot)\s+(${NUMBER})\s+(?:in|to|into|as)\s+(${UNIT})`;
/** "180 cm in feet and inches" */
const IN_TWO = String.raw`(${COMPOUND})\s+(?:in|to|into|as)\s+(${UNIT})\s+and\s+(${UNIT})`;
/**
 * Quantities that are added up, or of several units: "2 h 35 min + 50 min", "5 feet 7 inches in cm", "180 cm in feet and
 * inches".
 */
const QUANTITIES = new RegExp(
  `^(?=.{1,120}$)(?:${FEET}|${IN_TWO})[?.!]?$|^(?=.{1,120}$)${ONE}(?:(?:\\s*(?:,|${SIGN}))?\\s*${ONE})+(?:\\s+(?:in|to|into|as)\\s+${UNIT})?[?.!]?$`,
  "iu",
);
const TIME = String.raw`\d{1,4}:[0-5]\d(?::[0-5]\d)?`;
const TIMES = String.raw`${TIME}(?:\s*(?:\+|-|−|plus|minus|and|,)\s*${TIME})+`;
const ONLY_TIMES = new RegExp(`^${TIMES}$`, "iu");
/** Quantities, or times such as "3:40 + 2:50". */
export const AMOUNTS = new RegExp(`${QUANTITIES.source}|^(?=.{1,120}$)${TIMES}[?.!\\s]*$`, "iu");
const SCALE = String.raw`(?:times|multiplied by|divided by|x|[*·×/])`;
const PERCENTAGE = String.raw`\d+(?:[.,]\d+)?\s?(?:%|percent|per cent)`;
/** "40 % of 18 kg", "18 kg + 10 %": a share of an amount, and an amount with a share of it more or less. */
const SHARED = new RegExp(
  String.raw`^(?:(?<share>${PERCENTAGE})\s+of\s+(?<whole>${NUMBER})\s?(?<measure>${UNIT})|(?<amount>${NUMBER})\s?(?<of>${UNIT})\s*(?<sign>[-+]|plus|minus)\s*(?<part>${PERCENTAGE}))[\s?.!]*$`,
  "iu",
);
/** "12.5 hours times 3 plus 11.5": an amount of one unit, multiplied or divided by numbers, and more of the same unit. */
const MULTIPLIED = new RegExp(
  String.raw`^(?=.{1,120}$)${NUMBER}\s*(?<unit>${UNIT})(?=.*\s${SCALE}\s)(?:\s+${SCALE}\s+${NUMBER}(?!\s*\k<unit>)|\s+(?:plus|minus|[-+])\s+${NUMBER}(?:\s*\k<unit>)?)+[\s?.!]*$`,
  "iu",
);
/** Calculations with an amount of one unit. */
export const SCALED = new RegExp(`${MULTIPLIED.source}|${SHARED.source}`, "iu");
const ONLY_FEET = new RegExp(`^${FEET}$`, "iu");
const ONLY_IN_TWO = new RegExp(`^${IN_TWO}$`, "iu");
const TARGET = new RegExp(`^(.*?)\\s+(?:in|to|into|as)\\s+(${UNIT})$`, "iu");
const TERM = new RegExp(`(?:(${SIGN}|,)\\s*)?(${NUMBER})\\s*(${UNIT})`, "giu");
const AT_SPEED = new RegExp(`^(${NUMBER})\\s*(${UNIT}) at (${NUMBER})\\s*(\\S+)$`, "iu");

const numberOf = (text = ""): number => Number(text.replace(",", "."));

/**
 * Adds up quantities of one kind, and tells how long a distance takes. Undefined for any other expression. Throws
 * `InvalidArgsError` for quantities of different kinds.
 */
export function aboutQuantities(expression: string): string | undefined {
  const text = expression.trim().replace(/[\s?.!]+$/u, "");
  const times = sumOfTimes(text);
  if (times !== undefined) return times;
  const [, distance, distanceUnit = "", speed, speedUnit = ""] = AT_SPEED.exec(text) ?? [];
  if (distance !== undefined) return travelTime([distance, distanceUnit], [speed, speedUnit]);
  const shared = shareOf(text);
  if (shared !== undefined) return shared;
  const scaled = MULTIPLIED.exec(text)?.groups?.["unit"];
  if (scaled !== undefined) return scaledBy(text, scaled);
  if (!QUANTITIES.test(text)) return undefined;
  const [, feet, inches, unit] = ONLY_FEET.exec(text) ?? [];
  if (feet !== undefined) return aboutQuantities(`${feet} ft ${inches} inches in ${unit}`);
  const [, quantity, larger = "", smaller = ""] = ONLY_IN_TWO.exec(text) ?? [];
  if (quantity !== undefined) return inTwoUnits(quantity, larger, smaller);
  const [, sum = text, target] = TARGET.exec(text) ?? [];
  const first = termsIn(sum)[0]?.unit;
  const wanted = target === undefined ? first : unitNamed(target);
  const total = wanted && totalIn(sum, wanted);
  if (first === undefined || wanted === undefined || total === undefined) return undefined;
  if (target === undefined && first.kind === "time") {
    const minutes = first.toBase(total) / 60;
    return minutes < 0 ? `minus ${durationOf(-minutes)}` : durationOf(minutes);
  }
  return `${formatNumber(total)} ${wanted.symbol}`;
}

const TIME_IN_SUM = new RegExp(String.raw`(?<![\d:])${TIME}(?![\d:])`, "u");

/**
 * The sum of times such as "3:40 + 2:50", written like them. A colon is not a division here. Throws `InvalidArgsError` for a time
 * next to another number, and for times of two and of three parts, whose parts may differ.
 */
function sumOfTimes(text: string): string | undefined {
  if (!TIME_IN_SUM.test(text) || !/[-+−*×]|\b(?:plus|minus|times)\b/iu.test(text)) return undefined;
  const terms = [...text.matchAll(new RegExp(String.raw`(?:([-−]|minus)\s*)?(${TIME})`, "giu"))];
  const parts = terms.map(([, , time = ""]) => time.split(":").map(Number));
  const length = parts[0]?.length ?? 0;
  if (!ONLY_TIMES.test(text) || parts.some((part) => part.length !== length))
    throw new InvalidArgsError(
      "Times such as 3:40 can be added to and subtracted from times that are written alike. For anything else, say the hours, minutes and seconds.",
    );
  const total = terms.reduce((sum, [, sign], index) => {
    const amount = (parts[index] ?? []).reduce((result, part) => result * 60 + part, 0);
    return sign === undefined ? sum + amount : sum - amount;
  }, 0);
  const size = Math.abs(total);
  const twoDigits = (part: number): string => String(part).padStart(2, "0");
  const written =
    length === 3
      ? [Math.floor(size / 3_600), twoDigits(Math.floor(size / 60) % 60), twoDigits(size % 60)]
      : [Math.floor(size / 60), twoDigits(size % 60)];
  return `${total < 0 ? "-" : ""}${written.join(":")}`;
}

const termsIn = (sum: string): { amount: number; unit: Unit | undefined }[] =>
  [...sum.matchAll(TERM)].map(([, sign = "", amount = "", unit = ""]) => ({
    amount: numberOf(amount) * (/^(?:-|minus)$/iu.test(sign) ? -1 : 1),
    unit: unitNamed(unit),
  }));

/** The total of quantities in a unit; undefined if one has an unknown unit. Throws like `aboutQuantities`. */
function totalIn(sum: string, wanted: Unit): number | undefined {
  const terms = termsIn(sum);
  if (terms.some(({ unit }) => unit === undefined)) return undefined;
  const amounts = terms.map(({ amount, unit }) => unit && convert(amount, unit, wanted));
  if (amounts.some((amount) => amount === undefined))
    throw new InvalidArgsError("These are quantities of different kinds, so they cannot be added up.");
  return amounts.reduce<number>((result, amount) => result + (amount ?? 0), 0);
}

/** A quantity as a whole number of one unit and the rest in a smaller one; undefined for unknown units. */
function inTwoUnits(quantity: string, larger: string, smaller: string): string | undefined {
  const [first, second] = [unitNamed(larger), unitNamed(smaller)];
  if (first === undefined || second === undefined) return undefined;
  const total = totalIn(quantity, second);
  const size = convert(1, first, second);
  if (total === undefined || size === undefined) return undefined;
  const whole = Math.trunc(Number((total / size).toFixed(9)));
  return `${formatNumber(whole)} ${first.symbol} ${formatNumber(Number((total - whole * size).toFixed(9)))} ${second.symbol}`;
}

/** The result of a calculation whose amounts have this unit; undefined for an unknown one. */
function scaledBy(text: string, name: string): string | undefined {
  const unit = unitNamed(name);
  if (unit === undefined) return undefined;
  const plain = text.replaceAll(new RegExp(String.raw`(?<=\d)\s*${name}\b`, "giu"), "");
  return `${formatResult(calculate(plain))} ${unit.symbol}`;
}

/** The result of a share of an amount; undefined for another text and for an unknown unit. */
function shareOf(text: string): string | undefined {
  const { share, whole, measure, amount, of, sign, part } = SHARED.exec(text)?.groups ?? {};
  const named = unitNamed(measure ?? of ?? "");
  if (named === undefined) return undefined;
  const expression =
    share === undefined
      ? `${amount ?? ""} ${sign === "-" || sign?.toLowerCase() === "minus" ? "-" : "+"} ${part ?? ""}`
      : `${share} of ${whole ?? ""}`;
  return `${formatResult(calculate(expression))} ${named.symbol}`;
}

/** How long a distance takes at a speed. */
function travelTime(
  [distance, distanceUnit]: readonly [string, string],
  [speed, speedUnit]: readonly [string | undefined, string],
): string | undefined {
  const [way, pace] = [unitNamed(distanceUnit), unitNamed(speedUnit)];
  if (way?.kind !== "length" || pace?.kind !== "speed" || numberOf(speed) === 0) return undefined;
  return durationOf(Math.round(way.toBase(numberOf(distance)) / pace.toBase(numberOf(speed)) / 60));
}
