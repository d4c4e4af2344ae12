import type { Recipe } from "@metahuman/core/contract/function";
import { fill } from "@metahuman/core/functions/recipe/instantiate";
import { composeSteps } from "@metahuman/core/functions/recipe/compose-steps";
import { sourcesIn } from "@metahuman/core/contract/placeholders";
import { choose } from "@metahuman/core/language/grammar/choose-option";
import type { PlannedCall, PlannedValue } from "@metahuman/core/language/grammar/plan";
import type { Skill } from "@metahuman/skills/define-skill";

type RecipeAction = Recipe["actions"][number];

/** A recipe's actions as the calls of a plan, so that a replay is reported like one. */
export function plannedCalls(
  actions: readonly RecipeAction[],
  clause: string,
  skills: readonly Skill[],
): PlannedCall[] {
  const composed = composeSteps({ promptTemplates: [], actions: [...actions] });
  return actions.map((action, index) => {
    const args = Object.entries(action.args).map(([name, template]): [string, PlannedValue] => {
      const step = sourcesIn(template).find((source) => source.kind === "step");
      if (step) return [name, { from: "call", call: step.step - 1, take: "path" }];
      return [name, { from: "request", value: template }];
    });
    const finds = skills.find(({ id }) => id === action.skill)?.finds !== undefined;
    // What was only found or composed for a later call is not reported by itself.
    const isLookUp = composed.has(index) || (finds && usersOf(index, actions).length > 0);
    return {
      skill: action.skill,
      args: Object.fromEntries(args),
      clause,
      invented: [],
      freeText: [],
      lookup: isLookUp ? clause : undefined,
    };
  });
}

/**
 * Why it is not clear which of several things an action would change: what an earlier look-up found is only taken when
 * one thing fits the words, exactly as when somebody asks for it. A choice is the person's.
 */
export function unclearChoice(
  action: RecipeAction,
  actions: readonly RecipeAction[],
  outputs: readonly Readonly<Record<string, unknown>>[],
  skills: readonly Skill[],
  parameters: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const source of sourcesIn(action.args)) {
    if (source.kind !== "step") continue;
    const looked = actions[source.step - 1];
    const finds = skills.find(({ id }) => id === looked?.skill)?.finds;
    const found = outputs[source.step - 1];
    if (finds === undefined || found === undefined) continue;
    const words = fill(looked?.args[finds.by], { parameters, outputs: [], today: "" }).value;
    const choice = choose(typeof words === "string" ? words : "", finds.candidates(found));
    if (choice.kind !== "one") return `it is not clear which ${finds.kind} is meant.`;
  }
  return undefined;
}

function usersOf(index: number, actions: readonly RecipeAction[]): readonly RecipeAction[] {
  return actions.filter(({ args }) =>
    sourcesIn(args).some((source) => source.kind === "step" && source.step === index + 1),
  );
}
