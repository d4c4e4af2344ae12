import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { amountIn } from "../fs-read/tables.ts";

const DAY_IN_DIGITS = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/u;
/** The order of texts: letter case does not count, and "item 2" is before "item 10". */
export const alphabetical = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** How the values of a column are compared: as amounts, days or words. Throws `InvalidArgsError` for days with two meanings. */
export function comparison(values: readonly string[], place: string): (one: string, other: string) => number {
  const amounts = new Map(values.map((value) => [value, amountIn(value) ?? amountIn(value, true)]));
  if (![...amounts.values()].includes(undefined))
    return (one, other) => amounts.get(one)?.value.cmp(amounts.get(other)?.value ?? 0) ?? 0;
  const days = values.map((value) => DAY_IN_DIGITS.exec(value));
  if (days.some((day) => day === null)) return alphabetical.compare;
  const isMonthFirst = days.every((day) => Number(day?.[1]) <= 12);
  const isDayFirst = days.every((day) => Number(day?.[3]) <= 12);
  if (isMonthFirst && isDayFirst && days.some((day) => day?.[2] === "/"))
    throw new InvalidArgsError(`${place} has dates that can be read in two ways: “${values[0] ?? ""}”.`);
  const keyOf = (value: string): string => {
    const [, first = "", , second = "", year = ""] = DAY_IN_DIGITS.exec(value) ?? [];
    const [day, month] = isDayFirst ? [first, second] : [second, first];
    return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  };
  return (one, other) => keyOf(one).localeCompare(keyOf(other));
}
