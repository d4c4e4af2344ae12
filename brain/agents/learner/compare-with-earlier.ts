import { isDeepStrictEqual } from "node:util";
import type { FunctionExample, FunctionMemory } from "@metahuman/core/contract/function";
import { generalizePair } from "@metahuman/core/functions/learning/generalize-pair";
import { generalizeRun, type GeneralizedRun } from "@metahuman/core/functions/learning/generalize-run";
import type { FactsOf, LearnableRun } from "@metahuman/core/functions/learning/learnable-run";
import { holdsSecret } from "@metahuman/core/log/redact";
import { describe } from "./describe.ts";
import type { MatchedFunction } from "./find-matching-function.ts";
import { learnable } from "./learnable.ts";
import type { EndedRun } from "./run-learner.ts";

/** The maximum number of drafts whose runs are compared with a new one. */
const MAX_COMPARED = 5;
/** The number of drafts among which those with the same calls are searched. */
const MAX_SEARCHED = 50;

interface Comparing {
  learned: GeneralizedRun;
  /** The function of which the run is another example, if one was found. */
  known: FunctionMemory | undefined;
  ended: EndedRun;
  factsOf: FactsOf;
}

/**
 * Compares this run with earlier ones from which a draft was learned. Returns the first draft that becomes a recipe, with the
 * change. Only functions that no person edited are compared: a guide that is known to do the same, or else the newest drafts with
 * the same calls.
 */
export async function compareWithEarlier(
  made: LearnableRun,
  { learned, known, ended, factsOf }: Comparing,
): Promise<MatchedFunction | undefined> {
  if (known && known.kind !== "guide") return undefined;
  // Neither the order of the calls nor additional reads matter.
  const changingSkills = (skills: readonly string[] = []): string[] =>
    skills.filter((skill) => factsOf(skill)?.reads !== true).toSorted();
  const wanted = changingSkills(learned.example.skillSequence);
  const candidates = known ? [known] : await draftsWith(wanted, ended);
  const comparable = candidates.filter(
    (one) => isFromOneRun(one) && isDeepStrictEqual(changingSkills(one.examples[0]?.skillSequence), wanted),
  );
  for (const found of comparable.slice(0, MAX_COMPARED)) {
    const earlier = await ended.earlierRun(found.sourceOperatorRunId ?? "");
    if (!earlier || earlier.run.id === ended.run.id) continue;
    const before = learnable(earlier.run, earlier.timeZone);
    const pair = generalizePair(before, made, factsOf);
    if (!pair || holdsSecret(pair)) continue;
    const { recipe, parameters, provenance } = pair;
    const [first, second] = pair.examples;
    const [promptTemplate = first.prompt] = recipe.promptTemplates;
    const described = describe(
      { actions: recipe.actions, promptTemplate, example: first, parameters },
      factsOf,
    );
    const example = { ...learned.example, ...second };
    const alone = generalizeRun(before, factsOf);
    // A title or summary that a person or a model wrote stays.
    const automatic = alone && describe(alone, factsOf);
    return {
      function: found,
      widened: {
        kind: "wider",
        example,
        onlyWording: false,
        reason: "Two runs show which of its words vary.",
        change: {
          kind: "recipe",
          recipe,
          parameters,
          steps: described.steps,
          ...(automatic?.title === found.title && { title: described.title }),
          ...(automatic?.summary === found.summary && { summary: described.summary }),
          examples: [withFixture(first, found.examples[0]), example],
          provenance,
        },
      },
    };
  }
  return undefined;
}

async function draftsWith(order: readonly string[], { functions }: EndedRun): Promise<FunctionMemory[]> {
  const { items } = await functions.listFunctions({ skills: [...new Set(order)], limit: MAX_SEARCHED });
  return items.filter(({ trust, status }) => trust === "draft" && status !== "rejected");
}

/** True for a function that the learner made of one run, and that nobody edited. */
const isFromOneRun = ({ origin, examples, provenance, sourceOperatorRunId }: FunctionMemory): boolean =>
  origin === "learned" &&
  provenance !== undefined &&
  sourceOperatorRunId !== undefined &&
  examples.length === 1;

/** The first example with the state of its run, so that it can be replayed in verification. */
const withFixture = (example: FunctionExample, stored: FunctionExample | undefined): FunctionExample => ({
  ...example,
  ...(stored?.resultPath !== undefined && { resultPath: stored.resultPath }),
  ...(stored?.executionTimeMs !== undefined && { executionTimeMs: stored.executionTimeMs }),
  ...(stored?.fixture && { fixture: stored.fixture }),
});
