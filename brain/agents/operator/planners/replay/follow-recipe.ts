import type { FunctionMemory, Recipe } from "@metahuman/core/contract/function";
import { sourcesIn } from "@metahuman/core/contract/placeholders";
import {
  type Bindings,
  fill,
  fillArgs,
  optionalNames,
  unmetExpectations,
} from "@metahuman/core/functions/recipe/instantiate";
import { choose } from "@metahuman/core/language/grammar/choose-option";
import type { Skill } from "@metahuman/skills/define-skill";

/** One call of a recipe, its arguments filled in. */
export interface RecipeCall {
  /** From 1. */
  step: number;
  skill: string;
  args: Record<string, unknown>;
}

export type RecipeEnd =
  | { kind: "done"; outputs: readonly Record<string, unknown>[] }
  | { kind: "deviation"; step: number; reason: string };

/**
 * Interprets a recipe: yields each call, receives its outputs, and returns after the last call or at the first
 * deviation: an argument that has no value, a choice that is not clear, outputs that are not as expected. It makes no
 * call itself, so that a replay, a function that is run and the verifier share this one interpreter.
 */
export function* followRecipe(
  { recipe, parameters }: Pick<FunctionMemory, "recipe" | "parameters">,
  values: Omit<Bindings, "outputs">,
  skills: readonly Skill[],
): Generator<RecipeCall, RecipeEnd, Record<string, unknown>> {
  const actions = recipe?.actions ?? [];
  const optional = optionalNames(parameters);
  const outputs: Record<string, unknown>[] = [];
  const bindings: Bindings = { ...values, outputs };
  for (const [index, action] of actions.entries()) {
    const step = index + 1;
    const deviation = (reason: string) => ({ kind: "deviation", step, reason }) as const;
    const unclear = unclearChoice(action, actions, bindings, skills);
    if (unclear !== undefined) return deviation(unclear);
    const filled = fillArgs(action, bindings, optional);
    if (!filled.ok) return deviation(`${filled.missing.join(", ")} was not found.`);
    const output = yield { step, skill: action.skill, args: filled.args };
    const [unmet] = unmetExpectations(action.expect, output, bindings);
    if (unmet !== undefined) return deviation(unmet);
    outputs.push(output);
  }
  return { kind: "done", outputs };
}

/**
 * Why it is not clear which of several results of a look-up an action would change. As in a request, a result is used
 * only when exactly one matches the words; otherwise the person chooses.
 */
function unclearChoice(
  action: Recipe["actions"][number],
  actions: Recipe["actions"],
  { outputs, parameters }: Bindings,
  skills: readonly Skill[],
): string | undefined {
  for (const source of sourcesIn(action.args)) {
    if (source.kind !== "step") continue;
    const lookUp = actions[source.step - 1];
    const finds = skills.find(({ id }) => id === lookUp?.skill)?.finds;
    const found = outputs[source.step - 1];
    if (finds === undefined || found === undefined) continue;
    const words = fill(lookUp?.args[finds.by], { parameters, outputs: [], today: "" }).value;
    const choice = choose(typeof words === "string" ? words : "", finds.candidates(found));
    if (choice.kind !== "one") return `it is not clear which ${finds.kind} is meant.`;
  }
  return undefined;
}
