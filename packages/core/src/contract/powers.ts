import type { FunctionContent } from "./function.ts";

/** The skills and secrets that a function may use: what code was granted, or what a recipe calls. A guide has none. */
export function powersOf({ code, recipe }: Pick<FunctionContent, "code" | "recipe">): string[] {
  const powers = code?.grants ?? recipe?.actions.map(({ skill }) => skill) ?? [];
  return [...new Set(powers)].sort();
}

/** What `after` may use beyond what `before` may; `secret:NAME` for a secret. */
export function widenedPowers(
  before: Pick<FunctionContent, "code" | "recipe">,
  after: Pick<FunctionContent, "code" | "recipe">,
): string[] {
  const had = new Set(powersOf(before));
  return powersOf(after).filter((power) => !had.has(power));
}
