import { z } from "zod";

/** Integers from `json_group_array`. Checked by hand, because there may be one for each entry. */
export const Integers = z.string().transform((text, context): number[] => {
  const numbers: unknown = JSON.parse(text);
  if (isIntegers(numbers)) return numbers;
  context.addIssue("not a list of integers");
  return z.NEVER;
});

function isIntegers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((number) => Number.isInteger(number));
}
