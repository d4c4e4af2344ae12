import { isDeepStrictEqual } from "node:util";
import type { Recipe } from "@metahuman/core/contract/function";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import type { RecipeFunction, RecipeMatch } from "@metahuman/core/functions/recipe/match-types";
import { dayOf } from "@metahuman/core/language/dates/clock";
import type { RuleInMemory } from "@metahuman/core/context/relevant-memories";
import { composeSteps } from "@metahuman/core/functions/recipe/compose-steps";
import { sourcesIn } from "@metahuman/core/contract/placeholders";
import type { PlannedCall, PlannedValue } from "@metahuman/core/language/grammar/plan";
import type { Skill } from "@metahuman/skills/define-skill";
import type { PlannerDecision, Planner, PlanState } from "../planner.ts";
import { asksQuestion } from "@metahuman/core/policy/target-words";
import { ANSWER_SKILL } from "../answer/answer-writer.ts";
import { truncate, truncateLine } from "@metahuman/core/text/format";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import { ASK_SKILL, type Outcome } from "./built-in/follow.ts";
import { report } from "./built-in/report.ts";
import { followRecipe, nameTaken, type RecipeCall } from "./replay/follow-recipe.ts";

/** A call that succeeded, and the error of the same call with a name that is taken. */
type MadeCall = Pick<Extract<Outcome, { kind: "done" }>, "entry" | "nameTaken">;

/** What follows the calls made so far: the next call, the end of the recipe, or the planning after a deviation. */
type NextStep =
  | { kind: "call"; call: RecipeCall }
  | { kind: "done"; made: readonly MadeCall[] }
  | { kind: "deviation"; reason: string };

/**
 * Replays a recipe; a model writes only the texts that its steps compose. At the first deviation the next planner takes
 * over, with everything observed so far. The position is read from the scratchpad, so an interrupted run continues where
 * it stopped. The answer names the person's own standing rules among `newerRules`, which the recipe does not know.
 */
export function createReplayPlanner(
  match: RecipeMatch<RecipeFunction>,
  fallback: Planner,
  newerRules: readonly RuleInMemory[] = [],
): Planner {
  const { function: followed, values, score, reason } = match;
  const matched = { id: followed.id, title: followed.title, score, reason, values };
  const composed = composeSteps(followed.recipe);
  /** The first deviation. Only `name` and `deviation` need it; the next step is decided from the scratchpad. */
  let deviation: string | undefined;
  return {
    get name() {
      return deviation === undefined ? "replay" : fallback.name;
    },
    matched,
    get deviation() {
      return deviation;
    },
    composes: (step) => deviation === undefined && composed.has(step - 1),
    async next(state, signal) {
      const nextStep = nextStepOf(match, state);
      switch (nextStep.kind) {
        case "call":
          return decisionFor(match, nextStep.call);
        case "done":
          return withRules(
            answerFrom(match, nextStep.made, state, isModelPlanner(fallback) && deviation === undefined),
            newerRules,
            { state, title: followed.title },
          );
        case "deviation":
          if (deviation === undefined) {
            deviation = nextStep.reason;
            state.onWarning?.(
              `“${followed.title}” did not go as expected: ${deviation} The run continued without it.`,
            );
          }
          return fallback.next(state, signal);
        default:
          return nextStep satisfies never;
      }
    },
  };
}

function nextStepOf({ function: followed, values }: RecipeMatch<RecipeFunction>, state: PlanState): NextStep {
  // The scratchpad also contains answers that the review rejected, and a question before the replay; only calls count.
  const calls = state.scratchpad.filter(
    ({ action, functionId }) =>
      action !== undefined &&
      ((action.tool !== ANSWER_SKILL && action.tool !== ASK_SKILL) || functionId !== undefined),
  );
  const foreignCall = calls.find(({ functionId }) => functionId !== followed.id);
  if (foreignCall)
    return { kind: "deviation", reason: `step ${String(foreignCall.step)} is not one of its steps.` };
  const today = dayOf({ now: state.requestedAt, timeZone: state.timeZone });
  const recipeCalls = followRecipe(followed, { parameters: values, today }, state.skills);
  const made: MadeCall[] = [];
  let refused: ErrorDetail | undefined;
  let next = recipeCalls.next();
  for (const entry of calls) {
    if (next.done) break;
    const call = next.value;
    if (!isDeepStrictEqual(entry.action, { tool: call.skill, args: call.args }))
      return { kind: "deviation", reason: "its next step has other arguments now." };
    const { observation } = entry;
    const freeName = observation?.error && nameTaken(observation.error);
    if (observation?.success === true) {
      made.push({ entry, nameTaken: refused });
      refused = undefined;
      next = recipeCalls.next(observation.outputs ?? {});
    } else if (freeName) {
      refused ??= observation.error;
      next = recipeCalls.next(freeName);
    } else {
      return { kind: "deviation", reason: observation?.error?.message ?? "a call failed without an error." };
    }
  }
  if (!next.done) return { kind: "call", call: next.value };
  return next.value.kind === "done" ? { kind: "done", made } : next.value;
}

function decisionFor(
  { function: { id, title, steps } }: RecipeMatch<RecipeFunction>,
  { step, skill, args }: RecipeCall,
): PlannerDecision {
  const thought = `“${title}”, step ${String(step)}: ${steps[step - 1] ?? "as it was learned"}`;
  return { kind: "act", thought, action: { tool: skill, args }, functionId: id };
}

/** The length of a composed text in the thought before an answer. */
const MAX_COMPOSED_CHARS = 500;
/** The length of a rule in an answer. */
const MAX_RULE_CHARS = 200;

/** True for a planner that a model carries out. */
export const isModelPlanner = ({ name }: Planner): boolean =>
  name === "structured" || name === "tool-calling";

/**
 * Answers from the observations. If the request is a question and a model is available, the model writes the answer (style
 * `default`). Otherwise the answer is the report that the built-in planner would give, after the composed texts (style `strict`).
 */
function answerFrom(
  { function: { recipe, title } }: RecipeMatch<RecipeFunction>,
  made: readonly MadeCall[],
  { skills, request }: PlanState,
  hasModel: boolean,
): Extract<PlannerDecision, { kind: "answer" }> {
  const thought = `“${title}” was replayed as learned.`;
  const composedTexts = asksQuestion(request) ? made.flatMap(({ entry }) => composedText(entry)) : undefined;
  if (composedTexts && hasModel) {
    // The model that writes the answer reads the thought.
    const texts = composedTexts.map((text) => ` It composed: ${truncate(text, MAX_COMPOSED_CHARS)}`);
    return { kind: "answer", thought: `${thought}${texts.join("")}`, style: "default" };
  }
  const calls = plannedCalls(recipe?.actions ?? [], request, skills);
  const outcomes = made.flatMap(({ entry, nameTaken: taken }, index) => {
    const call = calls[index];
    const skill = skills.find(({ id }) => id === entry.action?.tool);
    const outputs = entry.observation?.outputs;
    const done = call && skill && outputs && { call, skill, outputs };
    return done ? [{ kind: "done" as const, done, entry, nameTaken: taken }] : [];
  });
  const { text } = report(outcomes, skills);
  return { kind: "answer", thought, style: "strict", text: [...(composedTexts ?? []), text].join("\n\n") };
}

/** The answer with a sentence for each rule of the person that the recipe does not know. */
function withRules(
  decision: Extract<PlannerDecision, { kind: "answer" }>,
  rules: readonly RuleInMemory[],
  { state: { timeZone }, title }: { state: PlanState; title: string },
): PlannerDecision {
  const { text } = decision;
  const sentences = rules
    .filter(({ isOwn }) => isOwn)
    .map(({ text: rule, since }) => {
      const day = dayOf({ now: new Date(since), timeZone });
      return `On ${day} you noted: “${truncateLine(rule, MAX_RULE_CHARS)}” “${title}” is older and does not take it into account.`;
    });
  if (text === undefined || sentences.length === 0) return decision;
  return { ...decision, text: [text, ...sentences].join("\n\n") };
}

function composedText({ action, observation }: ScratchpadEntry): string[] {
  const text = action?.tool === ANSWER_SKILL ? observation?.outputs?.["response"] : undefined;
  return typeof text === "string" ? [text] : [];
}

/**
 * Turns the actions of the recipe into planned calls, the input of `report`. `report` uses the reference to an earlier call,
 * not the output that it takes.
 */
function plannedCalls(actions: Recipe["actions"], clause: string, skills: readonly Skill[]): PlannedCall[] {
  const composed = composeSteps({ promptTemplates: [], actions });
  return actions.map((action, index) => {
    const args = Object.entries(action.args).map(([name, template]): [string, PlannedValue] => {
      const step = sourcesIn(template).find((source) => source.kind === "step");
      if (step) return [name, { from: "call", call: step.step - 1, take: "path" }];
      return [name, { from: "request", value: template }];
    });
    const skill = skills.find(({ id }) => id === action.skill);
    const users = actionsThatUse(index, actions);
    const isUsed = users.some((one) => !composed.has(actions.indexOf(one)));
    const feedsText = users.some((one) => actionsThatUse(actions.indexOf(one), actions).length > 0);
    // A result that was only found, read or composed for a later call is not reported by itself.
    const isLookUp =
      composed.has(index) ||
      (skill?.finds !== undefined && users.length > 0) ||
      (skill?.effects === "read" && !isUsed && feedsText);
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

function actionsThatUse(index: number, actions: Recipe["actions"]): Recipe["actions"] {
  return actions.filter(({ args }) =>
    sourcesIn(args).some((source) => source.kind === "step" && source.step === index + 1),
  );
}
