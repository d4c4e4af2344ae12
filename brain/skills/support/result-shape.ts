import { z } from "zod";

const Shape = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
});
/** How deep a shape of a result is shown. */
const SHOWN_DEPTH = 3;

/** The fields of what a skill returns to code: `{query, matches: [{id, score, task: {id, title}}]}`. */
export function resultShape(output: z.ZodObject): string {
  return shapeText(z.toJSONSchema(output, { io: "output", unrepresentable: "any" }), SHOWN_DEPTH);
}

function shapeText(schema: unknown, depth: number): string {
  const { properties, items, anyOf = [] } = Shape.safeParse(schema).data ?? {};
  const branch = anyOf.map((one) => shapeText(one, depth)).find((text) => text !== "");
  if (branch !== undefined) return branch;
  if (items !== undefined) return `[${shapeText(items, depth) || "…"}]`;
  if (properties === undefined || depth === 0) return "";
  const fields = Object.entries(properties).map(([name, field]) => {
    const inner = shapeText(field, depth - 1);
    return inner === "" ? name : `${name}: ${inner}`;
  });
  return `{${fields.join(", ")}}`;
}
