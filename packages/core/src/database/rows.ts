import { z } from "zod";
import type { Page } from "../contract/http.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { foldText } from "../text/words.ts";

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

const Cursor = z.array(z.string().max(128)).min(1).max(3);

/** A cursor for the next page: the sort keys of the last row. Opaque to callers. */
export function encodeCursor(keys: readonly string[]): string {
  return Buffer.from(JSON.stringify(keys)).toString("base64url");
}

/** Parses a cursor. Throws `InvalidArgsError` if it is invalid. */
export function decodeCursor(cursor: string, length: number): string[] {
  try {
    const keys = Cursor.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
    if (keys.length === length) return keys;
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof z.ZodError)) throw error;
  }
  throw new InvalidArgsError("This cursor does not belong to any list.", {
    suggestions: ["Start again without a cursor."],
  });
}

/** Returns one page from `limit + 1` rows; the extra row only shows that there are more. */
export function pageOf<Item>(
  rows: Item[],
  options: { limit: number; total: number; keys: (item: Item) => string[] },
): Page<Item> {
  const items = rows.slice(0, options.limit);
  const last = items.at(-1);
  const hasMore = rows.length > options.limit && last !== undefined;
  return { items, nextCursor: hasMore ? encodeCursor(options.keys(last)) : null, total: options.total };
}

/** A LIKE pattern for folded text that contains `words`, with `\` as the escape character. */
export function likePattern(words: string): string {
  return `%${foldText(words).replaceAll(/[\\%_]/g, "\\$&")}%`;
}
