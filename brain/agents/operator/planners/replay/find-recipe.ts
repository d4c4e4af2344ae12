import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { FunctionsOfProfile, FunctionsPort } from "@metahuman/core/functions/functions-port";
import { regionOf } from "@metahuman/core/contract/region";
import { composeSteps } from "@metahuman/core/functions/recipe/compose-steps";
import { looksLikeFunctionInvocation } from "@metahuman/core/functions/reading/looks-like-invocation";
import { matchRecipe, type Matching } from "@metahuman/core/functions/recipe/match-recipe";
import type { Skill } from "@metahuman/skills/define-skill";
import type { PlannerChoice } from "../../operator-options.ts";
import { grammarOfSkill } from "../built-in/reading.ts";

export interface FindRecipeOptions {
  functions: FunctionsOfProfile;
  skills: () => readonly Skill[];
  /** False: functions only guide planners. */
  prefersFunctions: () => Promise<boolean>;
  /** Whether a model can compose text now. */
  canCompose: () => Promise<boolean>;
  onProblem: (message: string, cause: unknown) => void;
}

/** How many functions are looked at for one request. */
const MOST_CANDIDATES = 10;

/** The recipe that a request certainly asks for, or those that it likely asks for, the likeliest first. */
export type Reuse = Pick<Matching<FunctionMemory>, "match" | "likely">;

const NOTHING: Reuse = { likely: [] };

/**
 * Finds the recipes that a request asks for. What the search turned down is looked at too: that a request does not
 * resemble a function enough must not hide that it is one of its examples word for word.
 */
export function createFindRecipe({
  functions,
  skills,
  prefersFunctions,
  canCompose,
  onProblem,
}: FindRecipeOptions) {
  return async ({ request, agentId, requestedAt }: PlannerChoice): Promise<Reuse> => {
    const { goal } = request;
    if (!looksLikeFunctionInvocation(goal) || !(await prefersFunctions())) return NOTHING;
    try {
      const near = await recipesNear(goal, functions.of(agentId));
      const composes = await canCompose();
      const candidates = near.filter(({ recipe }) => composes || composeSteps(recipe).size === 0);
      const { timeZone } = regionOf(request);
      return matchRecipe(goal, candidates, { now: requestedAt, timeZone, speech: grammarOfSkill(skills()) });
    } catch (error) {
      // A run must not fail for want of a short cut.
      onProblem("functions could not be looked up for a replay", error);
      return NOTHING;
    }
  };
}

/** One verified, active recipe by its id, for a person who chose it. */
export function isUsable({ trust, status, recipe }: FunctionMemory): boolean {
  return trust === "verified" && status === "active" && recipe !== undefined;
}

async function recipesNear(goal: string, functions: FunctionsPort): Promise<FunctionMemory[]> {
  const { items, rejected } = await functions.queryFunctions(goal, { limit: MOST_CANDIDATES, explain: true });
  const others = rejected
    .slice(0, MOST_CANDIDATES - items.length)
    .map(({ id }) => functions.loadFunction(id));
  const found = [...items.map((item) => item.function), ...(await Promise.all(others))];
  return found.filter(isUsable);
}
