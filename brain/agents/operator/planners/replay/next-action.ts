import type { FunctionMemory } from "@metahuman/core/contract/function";
import {
  fillArgs,
  optionalNames,
  unmetExpectations,
  type Bindings,
} from "@metahuman/core/functions/recipe/instantiate";
import type { Skill } from "@metahuman/skills/define-skill";
import { unclearChoice } from "./recipe-calls.ts";

export type CarriedRecipe = Pick<FunctionMemory, "recipe" | "parameters">;

/** What a recipe does next: a call, nothing more, or nothing because something is not as it has to be. */
export type NextAction =
  | { kind: "call"; skill: string; args: Record<string, unknown> }
  | { kind: "done" }
  | { kind: "deviation"; reason: string };

/** The action that follows those whose outputs are bound already. */
export function nextAction(
  { recipe, parameters }: CarriedRecipe,
  bindings: Bindings,
  skills: readonly Skill[],
): NextAction {
  const actions = recipe?.actions ?? [];
  const action = actions[bindings.outputs.length];
  if (!action) return { kind: "done" };
  const unclear = unclearChoice(action, actions, bindings.outputs, skills, bindings.parameters);
  if (unclear !== undefined) return { kind: "deviation", reason: unclear };
  const filled = fillArgs(action, bindings, optionalNames(parameters));
  if (!filled.ok) return { kind: "deviation", reason: `${filled.missing.join(", ")} was not found.` };
  return { kind: "call", skill: action.skill, args: filled.args };
}

/** The bindings with what the next action gave, or the first thing about it that is not as expected. */
export function afterAction(
  { recipe }: CarriedRecipe,
  bindings: Bindings,
  outputs: Readonly<Record<string, unknown>>,
): { bindings: Bindings; deviation?: never } | { deviation: string } {
  const expect = recipe?.actions[bindings.outputs.length]?.expect ?? [];
  const [deviation] = unmetExpectations(expect, outputs, bindings);
  if (deviation !== undefined) return { deviation };
  return { bindings: { ...bindings, outputs: [...bindings.outputs, outputs] } };
}
