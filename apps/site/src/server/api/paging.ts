import { z } from "zod";
import { parseContext } from "@metahuman/core/contract/memory";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { Page } from "@metahuman/core/contract/http";

/** Returns the query parameters of a list. `sort` lists its sort orders, the default first. */
export function listQuery<const Orders extends readonly [string, ...string[]]>(...orders: Orders) {
  return z.object({
    limit: z.coerce.number().int().min(1).max(500).default(50),
    cursor: z.string().max(500).transform(unlessEmpty).optional(),
    query: z.string().max(2_000).transform(unlessEmpty).optional(),
    sort: z.enum(orders).default(orders[0]),
  });
}

/** An empty form field counts as absent. */
const unlessEmpty = (text: string) => text || undefined;

/** A list in a query string: `types=dream,reflection`. An empty one counts as absent. */
export function commaList<Item extends z.ZodType<unknown, string>>(item: Item) {
  return z
    .string()
    .transform((text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
    )
    .pipe(z.array(item))
    .transform((items) => (items.length > 0 ? items : undefined));
}

/** A context in a query string: `project:garden,file:out/plan.md`, or the same as a JSON object. */
export const ContextPairs = z.string().transform((text, context): Record<string, string> => {
  const pairs = parseContext(text);
  if (pairs) return pairs;
  context.addIssue({
    code: "custom",
    message: "use key:value pairs, such as project:garden,file:out/plan.md",
  });
  return z.NEVER;
});

/** A Boolean in a query string. */
export const Flag = z.stringbool();

/**
 * Returns one page of a list that is in memory; the cursor is an offset. With `query`, only items whose `text`
 * contains all of its words, ignoring case.
 */
export function paginate<Item>(
  all: readonly Item[],
  { limit, cursor, query }: { limit: number; cursor?: string | undefined; query?: string | undefined },
  text: (item: Item) => readonly (string | undefined)[] = () => [],
): Page<Item> {
  const words = query?.toLowerCase().split(/\s+/u).filter(Boolean) ?? [];
  const holds = (item: Item): boolean => {
    const folded = text(item).join("\n").toLowerCase();
    return words.every((word) => folded.includes(word));
  };
  const items = words.length === 0 ? all : all.filter(holds);
  const from = cursor === undefined ? 0 : Number(/^\d{1,9}$/.exec(cursor)?.[0] ?? Number.NaN);
  if (Number.isNaN(from)) throw new InvalidArgsError("The cursor does not belong to this list.");
  const next = from + limit;
  return {
    items: items.slice(from, next),
    nextCursor: next < items.length ? String(next) : null,
    total: items.length,
  };
}
