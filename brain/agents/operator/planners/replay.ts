import { isDeepStrictEqual } from "node:util";
import type { FunctionMemory, Recipe } from "@metahuman/core/contract/function";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import type { RecipeMatch } from "@metahuman/core/functions/recipe/likely-matches";
import { dayOf } from "@metahuman/core/language/dates/clock";
import { composeSteps } from "@metahuman/core/functions/recipe/compose-steps";
import { sourcesIn } from "@metahuman/core/contract/placeholders";
import type { PlannedCall, PlannedValue } from "@metahuman/core/language/grammar/plan";
import type { Skill } from "@metahuman/skills/define-skill";
import type { PlannerDecision, Planner, PlanState } from "../planner.ts";
import { asksQuestion } from "@metahuman/core/policy/target-words";
import { ANSWER_SKILL } from "../answer/answer-writer.ts";
import { truncate } from "@metahuman/core/text/format";
import { report } from "./built-in/report.ts";
import { followRecipe, nameTaken, type RecipeCall } from "./replay/follow-recipe.ts";

/** The position of a replay: its next call, its end, or the first deviation. */
type Position =
  | { kind: "call"; call: RecipeCall }
  | { kind: "done"; entries: readonly ScratchpadEntry[] }
  | { kind: "deviation"; reason: string };

/**
 * Replays a recipe; a model writes only the texts that its steps compose. At the first deviation the next planner takes
 * over, with everything observed so far. The position is read from the scratchpad, so an interrupted run continues where
 * it stopped.
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
          return moveOf(match, position.call);
        case "done":
          return answerFrom(match, position.entries, state, isModel(next) && deviation === undefined);
        case "deviation":
          if (deviation === undefined)
            state.onWarning?.(
              `“${recipe.title}” did not go as expected: ${position.reason} The run continued without it.`,
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
  // An answer that the review rejected is not a call of the recipe.
  const made = state.scratchpad.filter(
    ({ action, functionId }) =>
      action !== undefined && (action.tool !== ANSWER_SKILL || functionId !== undefined),
  );
  const other = made.find(({ functionId }) => functionId !== followed.id);
  if (other) return { kind: "deviation", reason: `step ${String(other.step)} was different.` };
  const today = dayOf({ now: state.requestedAt, timeZone: state.timeZone });
  const recipe = followRecipe(followed, { parameters: values, today }, state.skills);
  const entries: ScratchpadEntry[] = [];
  let next = recipe.next();
  for (const entry of made) {
    if (next.done) break;
    const call = next.value;
    if (!isDeepStrictEqual(entry.action, { tool: call.skill, args: call.args }))
      return { kind: "deviation", reason: "the function was changed while it ran." };
    const { observation } = entry;
    const taken = observation?.error && nameTaken(observation.error);
    if (observation?.success === true) {
      entries.push(entry);
      next = recipe.next(observation.outputs ?? {});
    } else if (taken) next = recipe.next(taken);
    else
      return { kind: "deviation", reason: observation?.error?.message ?? `${call.skill} did not succeed.` };
  }
  if (!next.done) return { kind: "call", call: next.value };
  return next.value.kind === "done" ? { kind: "done", entries } : next.value;
}

function moveOf(
  { function: { id, title, steps } }: RecipeMatch<FunctionMemory>,
  { step, skill, args }: RecipeCall,
): PlannerDecision {
  const thought = `“${title}”, step ${String(step)}: ${steps[step - 1] ?? "as it was learned"}`;
  return { kind: "act", thought, action: { tool: skill, args }, functionId: id };
}

const isModel = ({ name }: Planner): boolean => name === "structured" || name === "tool-calling";

/**
 * The answer from the observations, as for a request of the built-in planner. If the request asks something, a model words
 * the answer where there is one; otherwise the answer begins with the texts that were composed.
 */
function answerFrom(
  { function: { recipe, title } }: RecipeMatch<FunctionMemory>,
  entries: readonly ScratchpadEntry[],
  { skills, request }: PlanState,
  hasModel: boolean,
): PlannerDecision {
  const thought = `“${title}” was replayed as learned.`;
  const found = asksQuestion(request) ? entries.flatMap(composedText) : undefined;
  if (found && hasModel) {
    const texts = found.map((text) => ` It composed: ${truncate(text, MAX_COMPOSED)}`);
    return { kind: "answer", thought: `${thought}${texts.join("")}`, style: "default" };
  }
  const calls = plannedCalls(recipe?.actions ?? [], request, skills);
  const outcomes = entries.flatMap((entry, index) => {
    const call = calls[index];
    const skill = skills.find(({ id }) => id === entry.action?.tool);
    const outputs = entry.observation?.outputs;
    return call && skill && outputs ? [{ kind: "done" as const, done: { call, skill, outputs }, entry }] : [];
  });
  const { text } = report(outcomes, skills);
  return { kind: "answer", thought, style: "strict", text: [...(found ?? []), text].join("\n\n") };
}

/** The length of a composed text in the thought before an answer, in characters. */
const MAX_COMPOSED = 500;

function composedText({ action, observation }: ScratchpadEntry): string[] {
  const text = action?.tool === ANSWER_SKILL ? observation?.outputs?.["response"] : undefined;
  return typeof text === "string" ? [text] : [];
}

/** The actions as the calls of a plan, so that `report` words a replay like a plan. */
function plannedCalls(actions: Recipe["actions"], clause: string, skills: readonly Skill[]): PlannedCall[] {
  const composed = composeSteps({ promptTemplates: [], actions });
  return actions.map((action, index) => {
    const args = Object.entries(action.args).map(([name, template]): [string, PlannedValue] => {
      const step = sourcesIn(template).find((source) => source.kind === "step");
      if (step) return [name, { from: "call", call: step.step - 1, take: "path" }];
      return [name, { from: "request", value: template }];
    });
    const finds = skills.find(({ id }) => id === action.skill)?.finds !== undefined;
    // A result that was only found or composed for a later call is not reported by itself.
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

function usersOf(index: number, actions: Recipe["actions"]): Recipe["actions"] {
  return actions.filter(({ args }) =>
    sourcesIn(args).some((source) => source.kind === "step" && source.step === index + 1),
  );
}
