import { isDeepStrictEqual } from "node:util";
import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { dayOf, type RecipeMatch } from "@metahuman/core/functions/recipe/match-recipe";
import { composeSteps } from "@metahuman/core/functions/recipe/compose-steps";
import type { Bindings } from "@metahuman/core/functions/recipe/instantiate";
import type { Move, Planner, PlanState } from "../planner.ts";
import { report } from "./built-in/report.ts";
import { afterAction, nextAction } from "./replay/next-action.ts";
import { plannedCalls } from "./replay/recipe-calls.ts";

/** Where a replay stands: the next call, its end, or the first thing that was not as expected. */
type Position =
  | { kind: "call"; step: number; args: Record<string, unknown> }
  | { kind: "done"; entries: readonly ScratchpadEntry[] }
  | { kind: "deviation"; reason: string };

/**
 * Carries out a recipe without asking a model, but for the texts that its steps compose. After each call its outputs are checked; the first deviation hands the run,
 * with everything observed so far, to the planner that comes next. What was done is read from the scratchpad, so a run
 * that was broken off goes on where it was.
 */
export function createReplay(match: RecipeMatch<FunctionMemory>, next: Planner): Planner {
  const { function: recipe, values, score, reason } = match;
  const matched = { id: recipe.id, title: recipe.title, score, reason, values };
  const composed = composeSteps(recipe.recipe);
  let deviation: string | undefined;
  return {
    get name() {
      return deviation === undefined ? "replay" : next.name;
    },
    matched,
    get deviation() {
      return deviation;
    },
    composes: (step) => deviation === undefined && composed.has(step - 1),
    async next(state, signal) {
      const position = positionOf(match, state);
      switch (position.kind) {
        case "call":
          return callOf(match, position);
        case "done":
          return answerFrom(match, position.entries, state);
        case "deviation":
          if (deviation === undefined)
            state.onWarning?.(
              `“${recipe.title}” did not go as expected: ${position.reason} Went on without it.`,
            );
          deviation = position.reason;
          return next.next(state, signal);
        default:
          return position satisfies never;
      }
    },
  };
}

function positionOf({ function: followed, values }: RecipeMatch<FunctionMemory>, state: PlanState): Position {
  const made = state.scratchpad.filter(({ action }) => action !== undefined);
  const other = made.find(({ functionId }) => functionId !== followed.id);
  if (other) return { kind: "deviation", reason: `step ${String(other.step)} was another one.` };
  let bindings: Bindings = {
    parameters: values,
    outputs: [],
    today: dayOf({ now: state.requestedAt, timeZone: state.timeZone }),
  };
  for (;;) {
    const next = nextAction(followed, bindings, state.skills);
    if (next.kind === "done") return { kind: "done", entries: made };
    if (next.kind === "deviation") return next;
    const { skill, args } = next;
    const step = bindings.outputs.length;
    const entry = made[step];
    if (entry === undefined) return { kind: "call", step, args };
    if (!isDeepStrictEqual(entry.action, { tool: skill, args }))
      return { kind: "deviation", reason: "the function was changed while it ran." };
    const { observation } = entry;
    if (observation?.success !== true)
      return { kind: "deviation", reason: observation?.error?.message ?? `${skill} did not succeed.` };
    const after = afterAction(followed, bindings, observation.outputs ?? {});
    if (after.deviation !== undefined) return { kind: "deviation", reason: after.deviation };
    ({ bindings } = after);
  }
}

function callOf(
  { function: { id, title, recipe, steps } }: RecipeMatch<FunctionMemory>,
  { step, args }: Extract<Position, { kind: "call" }>,
): Move {
  const thought = `“${title}”, step ${String(step + 1)}: ${steps[step] ?? "as it was learned"}`;
  const tool = recipe?.actions[step]?.skill ?? "";
  return { kind: "act", thought, action: { tool, args }, functionId: id };
}

/** Worded from what was observed, as for any request that needed no model. */
function answerFrom(
  { function: { recipe, title } }: RecipeMatch<FunctionMemory>,
  entries: readonly ScratchpadEntry[],
  { skills, request }: PlanState,
): Move {
  const calls = plannedCalls(recipe?.actions ?? [], request, skills);
  const outcomes = entries.flatMap((entry, index) => {
    const call = calls[index];
    const skill = skills.find(({ id }) => id === entry.action?.tool);
    const outputs = entry.observation?.outputs;
    return call && skill && outputs ? [{ kind: "done" as const, done: { call, skill, outputs }, entry }] : [];
  });
  const { text } = report(outcomes, skills);
  return { kind: "answer", thought: `“${title}” went as it was learned.`, style: "strict", text };
}
