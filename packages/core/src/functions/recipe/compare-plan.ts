import type { FunctionMemory } from "../../contract/function.ts";
import type { PlannedCall } from "../../language/grammar/plan.ts";
import { fillArgs, optionalNames } from "./instantiate.ts";
import type { RecipeFunction, RecipeMatch } from "./match-types.ts";

// Comparison of recipes with the calls that the skills plan for the same request.

/** The number of words of a request that the skills explain. Free text counts as repeated, not explained. */
export function explainedByPlan(request: string, plan: readonly PlannedCall[]): number {
  const texts = new Set(textsOfPlan(plan));
  const count = (text: string): number => text.trim().split(/\s+/u).length;
  return count(request) - [...texts].reduce((sum, text) => sum + count(text), 0);
}

/** The parts of the request that a plan takes as free text. */
const textsOfPlan = (plan: readonly PlannedCall[]): string[] =>
  plan.flatMap(({ args, freeText }) =>
    freeText.flatMap((name) => {
      const value = args[name];
      return value?.from === "request" && typeof value.value === "string" ? [value.value] : [];
    }),
  );

/** Whether a plan only repeats these values, as parts of longer texts: "note it" of "got 30 euros from Kurt, note it". */
export function onlyRepeats(
  plan: readonly PlannedCall[],
  values: Readonly<Record<string, unknown>>,
  request: string,
): boolean {
  const texts = textsOfPlan(plan).filter((text) => request.includes(text));
  const written = Object.values(values).filter((value) => typeof value === "string");
  return (
    written.length > 0 &&
    written.every((value) => texts.some((text) => text !== value && text.includes(value)))
  );
}

/** Whether two matches would make the same calls. */
export function haveSameCalls(
  one: RecipeMatch<RecipeFunction>,
  other: RecipeMatch<RecipeFunction>,
  today: string,
): boolean {
  return JSON.stringify(calls(one, today)) === JSON.stringify(calls(other, today));
}

function calls({ function: { recipe, parameters }, values }: RecipeMatch<RecipeFunction>, today: string) {
  const optional = optionalNames(parameters);
  return recipe?.actions.map((action) => {
    const steps = { parameters: values, outputs: [], today };
    const filled = fillArgs(action, steps, optional);
    return [action.skill, filled.ok ? filled.args : action.args];
  });
}

/** True if a recipe calls this skill; reading a file and writing its content elsewhere counts as `fs_copy`. */
export const recipeCalls = (candidate: RecipeFunction, skill: string): boolean =>
  withCopies(candidate).recipe?.actions.some((action) => action.skill === skill) === true;

/**
 * Replaces “read a file, write its content to another path” by `fs_copy`, because the skills plan such a request as a
 * copy.
 */
export function withCopies<Candidate extends Pick<FunctionMemory, "recipe">>(
  candidate: Candidate,
): Candidate {
  const { recipe } = candidate;
  const [read, write, ...others] = recipe?.actions ?? [];
  if (recipe === undefined || read?.skill !== "fs_read" || write?.skill !== "fs_write" || others.length > 0)
    return candidate;
  if (write.args["content"] !== "${steps.1.content}") return candidate;
  const args = { from: read.args["path"], to: write.args["path"] };
  return { ...candidate, recipe: { ...recipe, actions: [{ skill: "fs_copy", args, expect: [] }] } };
}
