import { z } from "zod";

/** A text column that contains JSON of one schema. */
export function jsonColumn<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch (error) {
        context.addIssue({
          code: "custom",
          message: `not JSON: ${error instanceof Error ? error.name : "unreadable"}`,
        });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

export const CountRow = z.object({ count: z.int() });

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
