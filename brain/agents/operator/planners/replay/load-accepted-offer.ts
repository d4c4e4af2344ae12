import type { AcceptedOffer } from "@metahuman/core/contract/http";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import { parseParameters } from "@metahuman/core/functions/parameters";
import type { RecipeMatch } from "@metahuman/core/functions/recipe/match-types";
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
