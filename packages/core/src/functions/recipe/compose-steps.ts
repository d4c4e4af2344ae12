import type { Recipe } from "../../contract/function.ts";
import { sourcesIn } from "../../contract/placeholders.ts";

/** The skill that composes text with a model. */
export const COMPOSE_SKILL = "conversational_response";

/**
 * The indexes of the actions that compose text for a later action; a model writes it anew at each replay. An action of
 * the same skill whose response no action uses is the answer of the run.
 */
export function composeSteps(recipe: Recipe | undefined): ReadonlySet<number> {
  const taken = (recipe?.actions ?? [])
    .flatMap(({ args }) => sourcesIn(args))
    .flatMap((source) => (source.kind === "step" ? [source.step - 1] : []));
  return new Set(taken.filter((at) => recipe?.actions[at]?.skill === COMPOSE_SKILL));
}
