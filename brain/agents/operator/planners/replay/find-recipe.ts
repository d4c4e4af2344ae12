import { oneOf } from "@metahuman/core/text/patterns";
import { setImmediate } from "node:timers/promises";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { FunctionsOfProfile } from "@metahuman/core/functions/functions-port";
import { regionOf } from "@metahuman/core/contract/region";
import { composeSteps } from "@metahuman/core/functions/recipe/compose-steps";
import type { Matching } from "@metahuman/core/functions/recipe/match-types";
import { matchRecipe } from "@metahuman/core/functions/recipe/match-recipe";
import type { Skill } from "@metahuman/skills/define-skill";
import { tokenize } from "@metahuman/core/language/tokens/tokens";
import { MAX_UNITS } from "@metahuman/core/functions/matching/request-units";
import type { PlannerChoice } from "../../operator-options.ts";
import { grammarsOf, interpretAlone } from "../built-in/interpret-request.ts";

export interface FindRecipeOptions {
  functions: FunctionsOfProfile;
  skills: () => readonly Skill[];
  /** If false, functions only guide planners. */
  prefersFunctions: () => Promise<boolean>;
  /** Whether a model for composed texts is available. */
  canCompose: () => Promise<boolean>;
  onProblem: (message: string, cause: unknown) => void;
}

/**
 * The maximum number of candidates per request. Of 1 609 labelled paraphrases, ten would replay or offer two more
 * rightly, for at least a quarter more processor time; five would miss five more (`npm run bench -- reuse --part=replay`).
 */
const MAX_CANDIDATES = 7;

/**
 * The minimum fit at which a model is asked about a recipe that does not match, as a share of a fit. All but a few
 * percent of the labelled paraphrases reach it, and 5 % of the requests that no function fits (`npm run bench --
 * reuse`).
 */
const NEAR_FIT = 0.7;
/**
 * The same if the skills understand the request by themselves: then more speaks against the recipe, and the call may be in
 * vain. Of the requests for which these skills suffice, a third to a sixth more are asked about where a profile has recipes for the
 * same things, and one in ten where it has others.
 */
const NEAR_FIT_IF_UNDERSTOOD = 1.5;

/** The recipe that a request certainly means; otherwise the likely ones, likeliest first, and the near ones. */
export interface Reuse extends Pick<Matching<FunctionMemory>, "match" | "likely"> {
  /** Not likely enough to be offered, but near enough to ask a model. */
  near: FunctionMemory[];
}

const NOTHING: Reuse = { likely: [], near: [] };

/** Finds the recipes that match a request, among the nearest ones. */
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
      const { timeZone } = regionOf(request);
      const asked = { request: goal, requestedAt, timeZone, skills: skills() };
      const [found, composes, reading] = await Promise.all([
        functions.of(agentId).nearestRecipes(goal, MAX_CANDIDATES),
        canCompose(),
        // The index searches on its own thread, so the request is read once the search has been sent there.
        setImmediate().then(() => interpretAlone(asked)),
      ]);
      const candidates = found
        .map((one) => one.function)
        .filter((one) => isUsable(one) && (composes || composeSteps(one.recipe).size === 0));
      if (candidates.length === 0) return NOTHING;
      const { match, likely, doubtful, open } = matchRecipe(goal, candidates, {
        now: requestedAt,
        timeZone,
        skillGrammars: grammarsOf(asked.skills),
        reading,
      });
      const isUnderstood = reading.kind === "plan" || reading.kind === "ambiguous";
      const nearFit = isUnderstood ? NEAR_FIT_IF_UNDERSTOOD : NEAR_FIT;
      const isNear = (one: FunctionMemory): boolean =>
        found.some(({ function: each, fit }) => each === one && fit >= nearFit);
      const near = [...new Set([...doubtful, ...open.filter(isNear)])];
      return { ...(match && { match }), likely, near };
    } catch (error) {
      // A run must not fail because its recipe cannot be found.
      onProblem("functions could not be looked up for a replay", error);
      return NOTHING;
    }
  };
}

/** Whether a function is verified, active and has a recipe. */
export function isUsable({ trust, status, recipe }: FunctionMemory): boolean {
  return trust === "verified" && status === "active" && recipe !== undefined;
}

/** A longer request is text to work on, not a repeated request; in UTF-16 code units. */
const MAX_REQUEST_LENGTH = 4_000;
const TALK_WORDS = oneOf(
  "hi|hey|hello|yo|thanks?|thank you|thx|ok(?:ay)?|yes|no|yep|nope|sure|great|cool|nice|lol|haha|bye",
  "goodbye|good night|how are you|what'?s up|very much|so much|there|you|well|hm+|um+",
);
const TALK = new RegExp(String.raw`^\W*(?:${TALK_WORDS}\b\W*)+$`, "iu");

/**
 * True if a request may call a function at all: a cheap check before functions are looked up. False for small talk, for
 * a request without a word, and for one that is too long to be repeated.
 */
export function looksLikeFunctionInvocation(request: string): boolean {
  if (request.length > MAX_REQUEST_LENGTH || !/\p{L}/u.test(request)) return false;
  return !TALK.test(request) && tokenize(request).length <= MAX_UNITS;
}
