import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import type { PlannedCall, Interpretation } from "@metahuman/core/language/grammar/plan";
import { withDictatedCommas } from "@metahuman/core/language/tokens/dictation";
import type { PlannerDecision, Planner, PlanState } from "../planner.ts";
import { completeFromAnswers } from "./built-in/conversation/ask-person.ts";
import { readContinuation } from "./built-in/conversation/continuations.ts";
import {
  decideReminderText,
  decideRepeatedReminder,
  readWithinLastRows,
} from "./built-in/conversation/last-request.ts";
import { leaveQuestion, type LeftQuestion } from "./built-in/conversation/open-question.ts";
import { requestFrom, type Resolution } from "./built-in/conversation/resolution.ts";
import { rewriteInFull } from "./built-in/conversation/rewrite-in-full.ts";
import { rewriteNames } from "./built-in/conversation/rewrite-names.ts";
import { rewriteDaysInDigits, rewriteTimes } from "./built-in/conversation/rewrite-times.ts";
import { rewriteChangedFact } from "./built-in/facts/statements.ts";
import { completeName, decidePersonFact } from "./built-in/facts/unnamed-person.ts";
import { isFileListing } from "./built-in/files/file-in-words.ts";
import { decideNewList, findPlaceAsked, decideFilesInWords } from "./built-in/files/file-requests.ts";
import { readNewData } from "./built-in/files/new-data.ts";
import { decideFromUnnamedFile } from "./built-in/files/unnamed-file.ts";
import { answerIn, lookUp } from "./built-in/follow.ts";
import { helpOnTopic } from "./built-in/help-topics.ts";
import { interpretRequest } from "./built-in/interpret-request.ts";
import { hasGuessedStep, decideOrGuess } from "./built-in/likely-orders/likely-order.ts";
import { ask, isLeftUndone, isStuck, stepOf, mustStop } from "./built-in/next-step.ts";
import { planLabels, sentences, THOUGHTS } from "./built-in/phrasing.ts";
import { withoutChat } from "./built-in/filler-words.ts";
import { decideInPlainerWords } from "./built-in/plainer-requests.ts";
import { answerFromFile } from "./built-in/recall.ts";
import { decideWithoutPlan } from "./built-in/requests-without-plan.ts";
import type { Question } from "./built-in/resolve.ts";
import { readTableMessage } from "./built-in/table/read-table-message.ts";
import { isTaskLookup } from "./built-in/tasks/short-task-orders.ts";
import { readNewText } from "./built-in/text/new-text.ts";
import { ASKS_FOR, ASKS_IF } from "./built-in/word-lists.ts";

/**
 * Plans with the grammar of the installed skills' phrases and without a model. It parses the request at every step,
 * which always gives the same plan, and reads its position from the scratchpad, so that it can take over or resume a
 * run at any step. `modelAdvice` tells what to do so that a model plans; without it, how to get one.
 */
export function createBuiltInPlanner(modelAdvice?: () => Promise<string>): Planner {
  return {
    name: "built-in",
    next: async (asked) => {
      const left = leaveQuestion(asked);
      if (left === undefined) return decide(asked, modelAdvice);
      return left.kind === "request" || left.kind === "correction"
        ? withLeftQuestion(left.request, await decide(left.next, modelAdvice), left.kind)
        : leaveUndone(left);
    },
  };
}

type ModelAdvice = (() => Promise<string>) | undefined;

/**
 * The decision about a request: first with the times, names and facts that the conversation adds, then as it is worded, each also in
 * plainer words; what none of them does is guessed.
 */
const decide = async (asked: PlanState, modelAdvice: ModelAdvice): Promise<PlannerDecision> => {
  const plain = { ...asked, request: withDictatedCommas(rewriteDaysInDigits(withoutChat(asked.request))) };
  const decideReworded = (state: PlanState): Promise<PlannerDecision> =>
    decideInPlainerWords(state, (reworded) => decideByGrammar(reworded, modelAdvice));
  const request =
    (await rewriteTimes(plain)) ?? (await rewriteNames(plain)) ?? (await rewriteChangedFact(plain));
  if (request === undefined || hasGuessedStep(plain)) return decideOrGuess(plain, decideReworded);
  // What is not understood is quoted in the person's own words.
  const decision = await decideReworded({ ...plain, request });
  return isLeftUndone(decision) ? decideOrGuess(plain, decideReworded) : decision;
};

/** The answer to a message in place of an answer to a question, which also says what was left. */
function withLeftQuestion(
  request: string,
  decision: PlannerDecision,
  kind: "request" | "correction",
): PlannerDecision {
  if (decision.kind !== "answer" || decision.text === undefined || kind === "correction") return decision;
  return { ...decision, text: `${sentences.leftOpen(request)}\n\n${decision.text}`, verbatim: false };
}

/** The end of a run whose question was left with a message that cannot be done. */
const leaveUndone = ({ kind, request }: LeftQuestion): PlannerDecision => ({
  kind: "answer",
  thought: THOUGHTS.leftOpen,
  style: "default",
  text: kind === "foreign" ? sentences.leftForeign(request) : sentences.leftOpen(request),
  outcome: "stuck",
});

/** The decision about a request as it is worded. */
async function decideByGrammar(state: PlanState, modelAdvice: ModelAdvice): Promise<PlannerDecision> {
  const asked = await decideWithoutGrammar(state);
  if (asked !== undefined) return asked;
  const full = await rewriteInFull(state);
  const request = full ?? state.request;
  const reading = await interpretRequest({ ...state, request });
  // A request that was rewritten in full needs nothing else of the conversation.
  const inConversation = full === undefined ? await decideInConversation(reading, state) : undefined;
  if (inConversation !== undefined) return inConversation;
  const isAdvised = reading.kind === "not-understood" || reading.kind === "capabilities";
  if (!isAdvised || modelAdvice === undefined) return decideByReading(reading, { ...state, request });
  return decideByReading(reading, { ...state, request, modelAdvice: await modelAdvice() });
}

/** The decision about a request of a form that the grammar would read as something else: for help, a place, a repeated reminder, or one without a text. */
async function decideWithoutGrammar(state: PlanState): Promise<PlannerDecision | undefined> {
  const help = helpOnTopic(state.request);
  if (help !== undefined)
    return { kind: "answer", thought: THOUGHTS.capabilities, style: "default", ...help, isIdle: true };
  const place = await findPlaceAsked(state);
  if (place !== undefined)
    return { kind: "answer", thought: THOUGHTS.place, style: "default", text: sentences.isAt(place) };
  return (await decideRepeatedReminder(state)) ?? decideReminderText(state);
}

/** The decision about a request by what the conversation is about; undefined if the request is complete without it. */
async function decideInConversation(
  reading: Interpretation,
  state: PlanState,
): Promise<PlannerDecision | undefined> {
  // A new file of which all values are said needs nothing else.
  const data = await decideContinued(readNewData(state), state);
  if (data !== undefined) return data;
  // The names of its rows and columns explain a message about a table better than a phrase does.
  const calls = await readTableMessage(reading, state);
  if (calls !== undefined) return stepOf(calls, state);
  // A message with a text of its own is not asked for one.
  const newText = asksBack(reading) ? await decideContinued(readNewText(state), state) : undefined;
  return newText ?? decideContinued(await readContinuation(state, reading), state);
}

/** True for a reading that would ask for a name, or only say what can be done: "can you start a list for camp: tents, stove". */
const asksBack = (reading: Interpretation): boolean =>
  reading.kind === "capabilities" ||
  (reading.kind === "plan" &&
    reading.calls.some(({ args }) => Object.values(args).some(({ from }) => from === "answer")));

/** The decision about a request that the conversation completes, or about calls for what it was about. */
async function decideContinued(
  continued: Resolution | undefined,
  state: PlanState,
): Promise<PlannerDecision | undefined> {
  if (continued === undefined) return undefined;
  if (continued.kind === "calls") return stepOf(continued.calls, state);
  const request = requestFrom(continued) ?? state.request;
  return decideByReading(await interpretRequest({ ...state, request }), { ...state, request }, true);
}

/**
 * The decision about a request as it was read. `isContinued` for a request that the conversation completed already: it is not completed
 * again, which could go on for ever.
 */
async function decideByReading(
  reading: Interpretation,
  state: PlanState,
  isContinued = false,
): Promise<PlannerDecision> {
  switch (reading.kind) {
    case "plan":
      return decidePlan(reading, state, isContinued);
    case "ambiguous":
      return followChosenPlan(reading, state);
    case "refrain":
    case "small-talk":
    case "empty":
    case "clock":
    case "capabilities":
    case "not-understood":
      return decideWithoutPlan(reading, state);
    default:
      return reading satisfies never;
  }
}

/** The next step of a plan; if it has found nothing, what its words may mean otherwise. */
async function decidePlan(
  reading: Extract<Interpretation, { kind: "plan" }>,
  state: PlanState,
  isContinued: boolean,
): Promise<PlannerDecision> {
  const within = await readWithinLastRows(reading.calls, state);
  const read = within?.calls ?? completeFromAnswers(reading.calls, state);
  const calls = await Promise.all(read.map((call) => completeName(call, state)));
  const remembering = await decidePersonFact(calls, state);
  if (remembering !== undefined) return remembering;
  const heading = [
    ...(reading.heading === undefined ? [] : [sentences.heading(reading.heading)]),
    ...(within === undefined ? [] : [sentences.withinRows(within.request)]),
  ];
  const decision = stepOf(calls, state, { ...reading, assumed: heading });
  const mayGoOn = isStuck(decision) && !isContinued && !mustStop(state);
  const continued = mayGoOn ? await decideContinued(await readContinuation(state), state) : undefined;
  if (continued !== undefined) return continued;
  if (hasFoundNothing(calls, decision, state) || (!reading.readOnly && hasFoundTable(calls, state)))
    return orOfferNewList(await decideFilesInWords({}, state), state) ?? decision;
  if (isStuck(decision) && reading.readOnly && IS_ASKED.test(state.request) && isTaskLookup(calls, state)) {
    // No task answers it; a file may.
    const found = decideFromUnnamedFile(state.request, state)?.decision;
    if (found !== undefined) return found;
  }
  const [question] = calls.length === 1 ? calls : [];
  return (
    (question && decision.kind === "answer" ? await answerFromFile(question, state) : undefined) ?? decision
  );
}

/** A decision about a file in other words. If it is stuck or there is none, a new list is offered if the request means one. */
function orOfferNewList(inFile: PlannerDecision | undefined, state: PlanState): PlannerDecision | undefined {
  return inFile === undefined || isStuck(inFile) ? (decideNewList(state) ?? inFile) : inFile;
}

const IS_ASKED = new RegExp(
  String.raw`^\W*(?:(?:so|and|hey|please|pls)\s+)?(?:(?:by|until|till|since|from|at|in|on|for|with)\s+)?(?:${ASKS_FOR}|${ASKS_IF})\b`,
  "iu",
);

/** True if a plan ended without any change because its look-up of a file or a task found none. */
function hasFoundNothing(
  calls: readonly PlannedCall[],
  decision: PlannerDecision,
  { request, scratchpad, skills }: PlanState,
): boolean {
  const skillOf = (id: string | undefined) => skills.find((skill) => skill.id === id);
  const listed = scratchpad.findIndex((entry) => isFileListing(entry, skills));
  // The calls after the list of files were made for the file that was found in it.
  const before = listed < 0 ? scratchpad : scratchpad.slice(0, listed);
  return (
    isStuck(decision) &&
    !NAMES_TASK.test(request) &&
    calls.some(
      ({ skill, lookup }) => lookup !== undefined && LOOKED_FOR.has(skillOf(skill)?.finds?.kind ?? ""),
    ) &&
    before.every(({ action }) => action === undefined || skillOf(action.tool)?.effects === "read")
  );
}

const LOOKED_FOR: ReadonlySet<string> = new Set(["file", "task"]);
const NAMES_TASK = /\b(?:tasks?|to-?dos?|reminders?)\b/iu;

/** True if the words for a text file found a table, whose rows other phrases change: "take Otto off the member list". */
function hasFoundTable(calls: readonly PlannedCall[], state: PlanState): boolean {
  return calls.some((call) => {
    const finder = state.skills.find(({ id }) => id === call.skill)?.finds;
    if (call.lookup === undefined || finder?.kind !== "file") return false;
    const looked = lookUp(call, state);
    const outcome = looked.kind === "made" ? looked.outcome : undefined;
    const found = outcome?.kind === "done" ? finder.candidates(outcome.done.outputs) : [];
    return found.length > 0 && found.every(({ id }) => /\.(?:csv|tsv)$/iu.test(id));
  });
}

/** Asks which of several plans the person means, then follows it. */
function followChosenPlan(
  { plans, repeats }: Extract<Interpretation, { kind: "ambiguous" }>,
  state: PlanState,
): PlannerDecision {
  const options = planLabels(plans, state.skills);
  let question: Question = { question: sentences.whichPlan, options };
  for (let asked = 0; asked < 2; asked++) {
    const reply = answerIn(state.scratchpad)(question);
    if (reply === undefined) return ask(question, THOUGHTS.ambiguous);
    const chosen = optionFromReply(reply, options);
    if (typeof chosen === "number") return stepOf(plans[chosen] ?? [], state, { repeats });
    if (chosen === "none") break;
    question = { question: sentences.notAnOption(reply, sentences.whichPlan), options };
  }
  return { kind: "answer", thought: THOUGHTS.refrain, style: "default", text: sentences.noneChosen };
}
