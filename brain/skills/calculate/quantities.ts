import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { durationOf } from "./days.ts";
import { formatNumber } from "./evaluate.ts";
import { convert, unitNamed } from "./units.ts";

const NUMBER = String.raw`\d+(?:[.,]\d+)?`;
const UNIT = String.raw`(?:°?\p{L}{1,14})`;
const ONE = `${NUMBER}\\s*${UNIT}`;
/** "5 feet 7 inches", "2h 35min" */
const COMPOUND = `${ONE}(?:\\s*(?:,|and)?\\s*${ONE})*`;
const SIGN = String.raw`(?:\+|-|plus|minus|and)`;
/** Quantities that are added up, or of several units: "2 h 35 min + 50 min", "5 feet 7 inches in cm". */
export const QUANTITIES = new RegExp(
  `^(?=.{1,120}$)${ONE}(?:\\s*(?:,|and)?\\s*${ONE})+(?:\\s+(?:in|to|into|as)\\s+${UNIT})?[?.!]?$|^(?=.{1,120}$)${COMPOUND}(?:\\s*${SIGN}\\s*${COMPOUND})+(?:\\s+(?:in|to|into|as)\\s+${UNIT})?[?.!]?$`,
  "iu",
);
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
  const [, distance, distanceUnit = "", speed, speedUnit = ""] = AT_SPEED.exec(text) ?? [];
  if (distance !== undefined) return travelTime([distance, distanceUnit], [speed, speedUnit]);
  if (!QUANTITIES.test(text)) return undefined;
  const [, sum = text, target] = TARGET.exec(text) ?? [];
  const terms = [...sum.matchAll(TERM)].map(([, sign = "", amount = "", unit = ""]) => ({
    amount: numberOf(amount) * (/^(?:-|minus)$/iu.test(sign) ? -1 : 1),
    unit: unitNamed(unit),
  }));
  const first = terms[0]?.unit;
  const wanted = target === undefined ? first : unitNamed(target);
  if (first === undefined || wanted === undefined || terms.some(({ unit }) => unit === undefined))
    return undefined;
  const amounts = terms.map(({ amount, unit }) => unit && convert(amount, unit, wanted));
  if (amounts.some((amount) => amount === undefined))
    throw new InvalidArgsError("These are quantities of different kinds, so they cannot be added up.");
  const total = amounts.reduce<number>((result, amount) => result + (amount ?? 0), 0);
  if (target === undefined && first.kind === "time") {
    const minutes = first.toBase(total) / 60;
    return minutes < 0 ? `minus ${durationOf(-minutes)}` : durationOf(minutes);
  }
  return `${formatNumber(total)} ${wanted.symbol}`;
}

/** How long a distance takes at a speed. */
function travelTime(
  [distance, distanceUnit]: readonly [string, string],
  [speed, speedUnit]: readonly [string | undefined, string],
): string | undefined {
  const [way, pace] = [unitNamed(distanceUnit), unitNamed(speedUnit)];
  if (way?.kind !== "length" || pace?.kind !== "speed" || numberOf(speed) === 0) return undefined;
  return durationOf(way.toBase(numberOf(distance)) / pace.toBase(numberOf(speed)) / 60);
}
