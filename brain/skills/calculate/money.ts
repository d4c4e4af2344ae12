import { Decimal } from "decimal.js";
import type { Calculated } from "./evaluate.ts";

const CURRENCY = String.raw`[€$£]|\b(?:euros?|dollars?|eur|usd|gbp)\b`;
const HAS_CURRENCY = new RegExp(CURRENCY, "iu");
/** "4 × 38.50" is written with the cents of a sum of money, too. */
const HAS_CENTS = /\d[.,]\d0(?!\d)/u;
/** A price of less than a cent: its results are not rounded to cents. */
const HAS_SMALL_PARTS = /\d\.\d{3}/u;

/**
 * The result of a calculation with sums of money, which has two decimals: "4 × 38.50 = 154.00", "45.55 euros / 2 = 22.78". A result
 * is rounded to cents if a currency is written. Undefined for anything else.
 */
export function formatMoney(calculated: Calculated, expression: string): string | undefined {
  const { value, unit } = calculated;
  if (unit !== undefined || value.isInteger()) return undefined;
  const hasCurrency = HAS_CURRENCY.test(expression);
  if (hasCurrency && !HAS_SMALL_PARTS.test(expression)) return toCents(value);
  const isSum = (hasCurrency || HAS_CENTS.test(expression)) && value.decimalPlaces() === 1;
  return isSum ? toCents(value) : undefined;
}

const toCents = (value: Decimal): string => value.toFixed(2, Decimal.ROUND_HALF_UP);

/** A sum of money that so many share: "105.44 euros / 3". */
const SHARED = new RegExp(
  String.raw`^\s*(?:${CURRENCY})?\s*(?<sum>\d+(?:[.,](?<cents>\d{1,2}))?)\s*(?<currency>${CURRENCY})?\s*[/÷]\s*(?<sharers>\d{1,2})[?=.!\s]*$`,
  "iu",
);
/** So many shares are listed one by one. */
const MAX_LISTED = 4;

/** The shares of a sum of money that cannot be shared equally, as a note after the result; otherwise empty. */
export function exactNote(expression: string): string {
  const { sum = "", cents = "", sharers = "" } = SHARED.exec(expression)?.groups ?? {};
  const count = Number(sharers);
  // Without a currency, only an amount with cents is read as money.
  if (count < 2 || (cents.length < 2 && !HAS_CURRENCY.test(expression))) return "";
  const total = Math.round(Number(sum.replace(",", ".")) * 100);
  const higher = total % count;
  if (higher === 0) return "";
  const written = (share: number): string => (share / 100).toFixed(2);
  const [low, high] = [Math.floor(total / count), Math.ceil(total / count)].map(written);
  const shares = Array.from({ length: count }, (_, index) => (index < higher ? high : low));
  const text =
    count <= MAX_LISTED
      ? new Intl.ListFormat("en-GB").format(shares.map(String))
      : `${String(higher)} × ${String(high)} and ${String(count - higher)} × ${String(low)}`;
  return ` (to the cent: ${text})`;
}
