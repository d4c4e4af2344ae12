import type { FunctionContent } from "./function.ts";

/**
 * Returns the skills and secrets that a function may use: the grants of code, or the calls of a recipe. A guide has
 * none.
 */
export function powersOf({ code, recipe }: Pick<FunctionContent, "code" | "recipe">): string[] {
  const powers = code?.grants ?? recipe?.actions.map(({ skill }) => skill) ?? [];
  return [...new Set(powers)].sort();
}

/** Returns what `after` may use beyond `before`; secrets as `secret:NAME`. */
export function widenedPowers(
  before: Pick<FunctionContent, "code" | "recipe">,
  after: Pick<FunctionContent, "code" | "recipe">,
): string[] {
  const had = new Set(powersOf(before));
  return powersOf(after).filter((power) => !had.has(power));
}
