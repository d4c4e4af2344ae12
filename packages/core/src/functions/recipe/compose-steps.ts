import type { Recipe } from "../../contract/function.ts";
import { sourcesIn } from "../../contract/placeholders.ts";

/** The skill that composes text with a model. */
export const COMPOSE_SKILL = "conversational_response";

/**
 * The places of a recipe's actions that compose text for a later action: a model writes it anew at each replay. An action
 * of the same skill whose response nothing takes is the answer of the run.
 */
export function composeSteps(recipe: Recipe | undefined): ReadonlySet<number> {
  const taken = (recipe?.actions ?? [])
    .flatMap(({ args }) => sourcesIn(args))
    .flatMap((source) => (source.kind === "step" ? [source.step - 1] : []));
  return new Set(taken.filter((at) => recipe?.actions[at]?.skill === COMPOSE_SKILL));
}
