import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { FunctionsOfProfile } from "@metahuman/core/functions/functions-port";
import { regionOf } from "@metahuman/core/contract/region";
import { composeSteps } from "@metahuman/core/functions/recipe/compose-steps";
import { looksLikeFunctionInvocation } from "@metahuman/core/functions/reading/looks-like-invocation";
import { matchRecipe, type Matching } from "@metahuman/core/functions/recipe/match-recipe";
import type { Skill } from "@metahuman/skills/define-skill";
import type { PlannerChoice } from "../../operator-options.ts";
import { grammarOfSkill, readAlone } from "../built-in/reading.ts";

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

/**
 * How near a recipe must be for a model to be asked for it although its words do not explain the request, as a share of a
 * fit. Of the labelled paraphrases, all but a few in a hundred are as near as this; of requests that no function fits, one in
 * twenty (`npm run bench -- reuse`).
 */
const NEAR_FIT = 0.7;

/** The recipe that a request certainly asks for; else those that it likely asks for, the likeliest first, and those near it. */
export interface Reuse extends Pick<Matching<FunctionMemory>, "match" | "likely"> {
  /** Not read as the request, but near enough to ask a model. */
  near: FunctionMemory[];
}

const NOTHING: Reuse = { likely: [], near: [] };

/** Finds the recipes that a request asks for, among those nearest to it. */
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
      const found = await functions.of(agentId).nearestRecipes(goal, MOST_CANDIDATES);
      const composes = await canCompose();
      const candidates = found
        .map((one) => one.function)
        .filter((one) => isUsable(one) && (composes || composeSteps(one.recipe).size === 0));
      const { timeZone } = regionOf(request);
      if (candidates.length === 0) return NOTHING;
      const asked = { request: goal, requestedAt, timeZone, skills: skills() };
      const { match, likely, open } = matchRecipe(goal, candidates, {
        now: requestedAt,
        timeZone,
        skillGrammars: grammarOfSkill(asked.skills),
        reading: readAlone(asked),
      });
      const isNear = (one: FunctionMemory): boolean =>
        found.some(({ function: each, fit }) => each === one && fit >= NEAR_FIT);
      return { ...(match && { match }), likely, near: open.filter(isNear) };
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
