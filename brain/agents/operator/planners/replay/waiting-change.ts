import { isDeepStrictEqual } from "node:util";
import type { FunctionMemory, FunctionProposal } from "@metahuman/core/contract/function";
import type { Action } from "@metahuman/core/contract/run";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import type { RecipeMatch } from "@metahuman/core/functions/recipe/match-types";
import type { RuleInMemory } from "@metahuman/core/context/relevant-memories";
import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import { onlyAgrees } from "@metahuman/core/language/grammar/yes-no";
import { dayOf } from "@metahuman/core/language/dates/clock";
import { truncateLine } from "@metahuman/core/text/format";
import type { Planner, PlannerDecision, PlanState } from "../../planner.ts";
import { answerIn, ASK_SKILL } from "../built-in/follow.ts";
import { sentences } from "../built-in/phrasing.ts";
import { createReplayPlanner, isModelPlanner } from "../replay.ts";
import { argumentTexts, callsOf } from "./offer.ts";

/** A change of what a verified function does that nobody has accepted yet. */
export type WaitingChange = Pick<FunctionProposal, "content" | "origin" | "reason">;

/**
 * The newest pending change of the calls of a function that a person made or asked for in words; undefined if there is none. It
 * needs the same values, of the same types, as the function does now.
 */
export async function findWaitingChange(
  functions: Pick<FunctionsPort, "listProposals">,
  { id, recipe, parameters }: FunctionMemory,
): Promise<WaitingChange | undefined> {
  const valuesOf = (list: FunctionMemory["parameters"]) =>
    Object.fromEntries(list.map(({ name, type, required }) => [name, { type, required }]));
  const argsOf = (one: FunctionMemory["recipe"]) => one?.actions.map(({ skill, args }) => ({ skill, args }));
  return (await functions.listProposals(id, "pending")).find(
    ({ content, origin }) =>
      (origin === "learned" || origin === "edit") &&
      content.recipe !== undefined &&
      isDeepStrictEqual(valuesOf(content.parameters), valuesOf(parameters)) &&
      !isDeepStrictEqual(argsOf(content.recipe), argsOf(recipe)),
  );
}

interface ReplayOptions {
  fallback: Planner;
  newerRules: readonly RuleInMemory[];
  /** False where nobody waits for the answer. */
  mayAsk: boolean;
}

/**
 * Replays a function for which a change waits. A change that the person asked for in words is theirs already, so they are asked
 * which way is meant; an edit applies only once it is accepted. The answer says that the change waits.
 */
export function createReplayWithChange(
  match: RecipeMatch<FunctionMemory>,
  change: WaitingChange,
  { fallback, newerRules, mayAsk }: ReplayOptions,
): Planner {
  const { title } = match.function;
  const asBefore = createReplayPlanner(match, fallback, newerRules);
  const changed = { ...match.function, ...change.content };
  const withChange = createReplayPlanner({ ...match, function: changed }, fallback, newerRules);
  let planner = asBefore;
  /** The number of steps before the replay: the questions. */
  let stepsBefore = 0;
  const replayed = async (state: PlanState, signal: AbortSignal): Promise<PlannerDecision> => {
    const decision = await planner.next(state, signal);
    // After a deviation, the answer is about what the next planner did.
    if (planner.deviation !== undefined) return decision;
    return withSentence(decision, sentenceAbout(title, planner === withChange));
  };
  return {
    get name() {
      return planner.name;
    },
    get matched() {
      return asBefore.matched && { ...asBefore.matched, isUnacceptedChange: planner === withChange };
    },
    get deviation() {
      return planner.deviation;
    },
    composes: (step) => planner.composes?.(step - stepsBefore) ?? false,
    async next(state, signal) {
      if (change.origin === "edit" || !mayAsk) return replayed(state, signal);
      const ways = waysOf(match, changed, state);
      if (ways === undefined) return replayed(state, signal);
      const options = [`With the change: ${ways.after}`, `As before: ${ways.before}`];
      let question = `${change.reason} This change of “${title}” is not accepted yet. ${WHICH_WAY}`;
      for (let asked = 0; asked < MAX_QUESTIONS; asked++) {
        const reply = answerIn(state.scratchpad)({ question, options });
        if (reply === undefined) {
          const thought = `A change of “${title}” waits to be accepted.`;
          return { kind: "act", thought, action: { tool: ASK_SKILL, args: { question, options } } };
        }
        const option = optionFromReply(reply, options);
        if (option === 0 || option === 1) {
          planner = option === 0 ? withChange : asBefore;
          stepsBefore = asked + 1;
          return replayed(state, signal);
        }
        if (option === "none") {
          planner = fallback;
          return refrain(title, sentences.nothingChosen);
        }
        if (isModelPlanner(fallback) && !onlyAgrees(reply)) {
          planner = fallback;
          return fallback.next(state, signal);
        }
        question = sentences.notAnOption(reply, WHICH_WAY);
      }
      planner = fallback;
      return refrain(title, sentences.noneChosen);
    },
  };
}

const WHICH_WAY = "Which way do you want it this time?";
/** How often the person is asked which way is meant. */
const MAX_QUESTIONS = 2;

const refrain = (title: string, text: string): PlannerDecision => ({
  kind: "answer",
  thought: `Neither way of “${title}” was chosen.`,
  style: "strict",
  text,
});

/** The maximum length of a way in an option. */
const MAX_WAY = 160;

/** In which arguments the calls differ; undefined if they do not differ with these values. */
function waysOf(
  match: RecipeMatch<FunctionMemory>,
  changed: FunctionMemory,
  { requestedAt, timeZone, skills }: PlanState,
): { before: string; after: string } | undefined {
  const today = dayOf({ now: requestedAt, timeZone });
  const before = callsOf(match, today);
  const after = callsOf({ ...match, function: changed }, today);
  if (isDeepStrictEqual(before, after)) return undefined;
  const summaryOf = ({ tool }: Action): string => skills.find(({ id }) => id === tool)?.summary ?? tool;
  const differences = (calls: readonly Action[], others: readonly Action[]): string => {
    const parts = calls.flatMap((call, index) => {
      const other = others[index];
      if (other?.tool !== call.tool) return [[summaryOf(call), ...argumentTexts(call.args, calls)].join(" ")];
      const changedArgs = Object.entries(call.args).filter(
        ([name, value]) => !isDeepStrictEqual(value, other.args[name]),
      );
      return argumentTexts(Object.fromEntries(changedArgs), calls);
    });
    return truncateLine(parts.length > 0 ? parts.join(", ") : "without that", MAX_WAY);
  };
  return { before: differences(before, after), after: differences(after, before) };
}

const sentenceAbout = (title: string, isDoneWithChange: boolean): string =>
  isDoneWithChange
    ? "Accept the change on the Functions page to make it permanent."
    : `This was done as before: a change of “${title}” waits for your decision on the Functions page.`;

function withSentence(decision: PlannerDecision, sentence: string): PlannerDecision {
  if (decision.kind !== "answer" || decision.text === undefined) return decision;
  return { ...decision, text: `${decision.text}\n\n${sentence}` };
}
