import type { Expectation } from "../../contract/function.ts";
import { piecesOf, placeholder } from "../../contract/placeholders.ts";
import type { MadeCall } from "./learnable-run.ts";

/**
 * What a call's outputs show about how it went, whatever it is called with: yes and no are as they were, a path ends as
 * it was asked for, the rest is of the same type.
 */
export function expectationsOf(
  { args: given, outputs }: MadeCall,
  templates: Readonly<Record<string, unknown>>,
): Expectation[] {
  return Object.entries(outputs).flatMap(([field, value]): Expectation[] => {
    if (value === null || value === undefined) return [];
    if (typeof value === "boolean") return [{ field, is: "equals", value }];
    const asked = given[field];
    const template = templates[field];
    if (typeof value === "string" && typeof asked === "string" && typeof template === "string") {
      if (value === asked) return [{ field, is: "equals", value: template }];
      if (value.endsWith(`/${asked}`))
        return [{ field, is: "matches", value: `(^|/)${patternOf(template)}$` }];
    }
    return [{ field, is: "type", value: Array.isArray(value) ? "array" : typeof value }];
  });
}

function patternOf(template: string): string {
  return piecesOf(template)
    .map((piece) =>
      typeof piece === "string" ? piece.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&") : placeholder(piece),
    )
    .join("");
}
