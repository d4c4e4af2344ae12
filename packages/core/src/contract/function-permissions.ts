import type { FunctionContent } from "./function.ts";

/**
 * Returns the skills and secrets that a function may use: the grants of code, or the skills of a recipe. A guide has
 * none.
 */
export function permissionsOf({ code, recipe }: Pick<FunctionContent, "code" | "recipe">): string[] {
  const permissions = code?.grants ?? recipe?.actions.map(({ skill }) => skill) ?? [];
  return [...new Set(permissions)].sort();
}

/** Returns what `after` may use beyond `before`; secrets as `secret:NAME`. */
export function addedPermissions(
  before: Pick<FunctionContent, "code" | "recipe">,
  after: Pick<FunctionContent, "code" | "recipe">,
): string[] {
  const had = new Set(permissionsOf(before));
  return permissionsOf(after).filter((permission) => !had.has(permission));
}
