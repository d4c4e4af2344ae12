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
