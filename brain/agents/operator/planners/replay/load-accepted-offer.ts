import type { AcceptedOffer } from "@metahuman/core/contract/http";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { sourcesIn } from "@metahuman/core/contract/placeholders";
import {
  ConflictError,
  InvalidArgsError,
  PathOutsideWorkspaceError,
} from "@metahuman/core/errors/request-errors";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import { parseParameters } from "@metahuman/core/functions/parameters";
import { type Bindings, fillPlaceholders, withDefaults } from "@metahuman/core/functions/recipe/instantiate";
import type { RecipeMatch } from "@metahuman/core/functions/recipe/match-types";
import { dayOf } from "@metahuman/core/language/dates/clock";
import { isUsable } from "./find-recipe.ts";

/**
 * Loads the function that a person accepted, with its values. Throws `ConflictError` if it has changed since the offer,
 * and `InvalidArgsError` for invalid values.
 */
export async function loadAcceptedOffer(
  functions: FunctionsPort,
  { functionId, version, values }: AcceptedOffer,
): Promise<RecipeMatch<FunctionMemory>> {
  const found = await functions.loadFunction(functionId).catch((error: unknown) => {
    if (error instanceof FunctionNotFoundError) return undefined;
    throw error;
  });
  if (found === undefined || !isUsable(found))
    throw new ConflictError("The offered function is no longer active.", {
      suggestions: ["Send the request again."],
    });
  if (found.version !== version)
    throw new ConflictError(`“${found.title}” changed since it was offered.`, {
      suggestions: ["Send the request again to see what it does now."],
      context: { version: found.version, offered: version },
    });
  return {
    function: found,
    values: parseParameters(found.parameters, values),
    score: 1,
    explainsAsMuch: true,
    reason: "A person chose it.",
  };
}

/** The arguments of skills that name a file or folder of the workspace. */
const PATH_ARGUMENTS = ["path", "from", "to", "cwd"];

/**
 * Throws `InvalidArgsError` if the values of a function make a path that `resolve` refuses. `context.issues` has the reason for each
 * parameter in such a path.
 */
export function assertUsablePaths(
  {
    function: { title, parameters, recipe },
    values,
  }: Pick<RecipeMatch<FunctionMemory>, "function" | "values">,
  resolve: (path: string) => unknown,
): void {
  const today = dayOf({ now: new Date(), timeZone: "UTC" });
  const completed = withDefaults(parameters, values, today);
  const bindings = { parameters: completed.ok ? completed.values : values, outputs: [], today };
  const issues = new Map<string, string>();
  for (const { args } of recipe?.actions ?? []) {
    for (const template of PATH_ARGUMENTS.map((name) => args[name])) {
      const reason = unusableReason(template, bindings, resolve);
      if (reason === undefined) continue;
      for (const source of sourcesIn(template))
        if (source.kind === "parameter") issues.set(source.name, reason);
    }
  }
  if (issues.size === 0) return;
  throw new InvalidArgsError(
    `“${title}” cannot use these values: ${[...new Set(issues.values())].join(" ")}`,
    {
      context: { issues: [...issues].map(([path, message]) => ({ path, message })) },
    },
  );
}

/** Why a path of a call cannot be used; undefined if it can, or if it has the result of an earlier call. */
function unusableReason(
  template: unknown,
  bindings: Bindings,
  resolve: (path: string) => unknown,
): string | undefined {
  const { value, missing } = fillPlaceholders(template, bindings);
  if (typeof value !== "string" || missing.length > 0) return undefined;
  try {
    resolve(value);
    return undefined;
  } catch (error) {
    if (error instanceof PathOutsideWorkspaceError || error instanceof InvalidArgsError) return error.message;
    throw error;
  }
}
