import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import type { PlannedCall, Interpretation } from "@metahuman/core/language/grammar/plan";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { withDictatedCommas } from "@metahuman/core/language/tokens/dictation";
import type { PlannerDecision, Planner, PlanState } from "../planner.ts";
import { wordedAnswer } from "./built-in/answers.ts";
import { isFileListing } from "./built-in/files/file-in-words.ts";
import { decideNewList, findPlaceAsked, decideFilesInWords } from "./built-in/files/file-requests.ts";
import { answerIn, follow } from "./built-in/follow.ts";
import { readContinuation, isContinuable } from "./built-in/conversation/continuations.ts";
import { helpOnTopic } from "./built-in/help-topics.ts";
import { rewriteInFull } from "./built-in/conversation/rewrite-in-full.ts";
import { interpretRequest, withAnswerRead } from "./built-in/interpret-request.ts";
import {
  readLastRowChange,
  decideReasons,
  decideReminderText,
  decideRepeatedReminder,
  suggestFileRequests,
  readWithinLastRows,
} from "./built-in/conversation/last-request.ts";
import { rewriteNames } from "./built-in/conversation/rewrite-names.ts";
import { rewriteDaysInDigits, rewriteTimes } from "./built-in/conversation/rewrite-times.ts";
import { hasGuessedStep, decideOrGuess } from "./built-in/likely-orders/likely-order.ts";
import { readNewText } from "./built-in/text/new-text.ts";
import { ask, isStuck, stepOf, mustStop } from "./built-in/next-step.ts";
import type { Question } from "./built-in/resolve.ts";
import {
  decideMeaning,
  leaveQuestion,
  type LeftQuestion,
  ONE_OF_WHAT,
} from "./built-in/conversation/open-question.ts";
import { planLabels, sentences, THOUGHTS } from "./built-in/phrasing.ts";
import { completeName, decidePersonFact, rewriteWithName } from "./built-in/facts/unnamed-person.ts";
import { isLeftUndone, decideInPlainerWords, withoutChat } from "./built-in/plainer-requests.ts";
import { decideScheduleEnd } from "./built-in/tasks/schedule-orders.ts";
import { isPronoun } from "./built-in/conversation/short-orders.ts";
import { shownInstead } from "./built-in/shown-instead.ts";
import {
  decideOrderedFactChange,
  decideFactChange,
  decideStatedFactChange,
  decideDeniedFactChange,
  decideLastFactChange,
  decideFinishedTask,
  rewriteChangedFact,
} from "./built-in/facts/statements.ts";
import { readTableMessage } from "./built-in/table/read-table-message.ts";
import { isTaskLookup, decideTaskDue } from "./built-in/tasks/short-task-orders.ts";
import {
  decideFigureInUnnamedTable,
  decideFromUnnamedFile,
  decideFromUnnamedTable,
  decideValueInUnnamedTable,
} from "./built-in/files/unnamed-file.ts";

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
      if (left === undefined) return planned(asked, modelAdvice);
      return "next" in left
        ? insteadOf(left.request, await planned(left.next, modelAdvice), left.kind)
        : undone(left);
    },
  };
}

type ModelAdvice = (() => Promise<string>) | undefined;

const planned = async (asked: PlanState, modelAdvice: ModelAdvice): Promise<PlannerDecision> => {
  const plain = { ...asked, request: withDictatedCommas(rewriteDaysInDigits(withoutChat(asked.request))) };
  const decide = (state: PlanState): Promise<PlannerDecision> =>
    decideInPlainerWords(state, (read) => decisionOf(read, modelAdvice));
  const request =
    (await rewriteTimes(plain)) ?? (await rewriteNames(plain)) ?? (await rewriteChangedFact(plain));
  if (request === undefined || hasGuessedStep(plain)) return decideOrGuess(plain, decide);
  // What is not understood is quoted in the person's own words.
  const decision = await decide({ ...plain, request });
  return isLeftUndone(decision) ? decideOrGuess(plain, decide) : decision;
};

/** The answer to a message in place of an answer to a question, which also says what was left. */
function insteadOf(
  request: string,
  decision: PlannerDecision,
  kind: "request" | "correction",
): PlannerDecision {
  if (decision.kind !== "answer" || decision.text === undefined || kind === "correction") return decision;
  return { ...decision, text: `${sentences.leftOpen(request)}\n\n${decision.text}`, verbatim: false };
}

/** The end of a run whose question was left with a message that cannot be done. */
const undone = ({ kind, request }: LeftQuestion): PlannerDecision => ({
  kind: "answer",
  thought: THOUGHTS.leftOpen,
  style: "default",
  text: kind === "foreign" ? sentences.leftForeign(request) : sentences.leftOpen(request),
  outcome: "stuck",
});

/** The next move of a request, taken word by word. */
async function decisionOf(state: PlanState, modelAdvice: ModelAdvice): Promise<PlannerDecision> {
  const help = helpOnTopic(state.request);
  if (help !== undefined)
    return { kind: "answer", thought: THOUGHTS.capabilities, style: "default", ...help, isIdle: true };
  const place = await findPlaceAsked(state);
  if (place !== undefined)
    return { kind: "answer", thought: THOUGHTS.place, style: "default", text: sentences.isAt(place) };
  const reminder = (await decideRepeatedReminder(state)) ?? decideReminderText(state);
  if (reminder !== undefined) return reminder;
  const full = await rewriteInFull(state);
  const request = full ?? state.request;
  const reading = await interpretRequest({ ...state, request });
  const calls = full === undefined ? await readTableMessage(reading, state) : undefined;
  if (calls !== undefined) return stepOf(calls, state);
  const written =
    full === undefined && asksBack(reading) ? await continuedMove(readNewText(state), state) : undefined;
  if (written !== undefined) return written;
  const isOpen = full === undefined && (await isContinuable(reading, state));
  const isAsWritten = reading.kind !== "not-understood";
  const continued = isOpen
    ? await continuedMove(await readContinuation(state, { isAsWritten }), state)
    : undefined;
  if (continued !== undefined) return continued;
  const isAdvised = reading.kind === "not-understood" || reading.kind === "capabilities";
  if (!isAdvised || modelAdvice === undefined) return nextMove(reading, { ...state, request });
  return nextMove(reading, { ...state, request, modelAdvice: await modelAdvice() });
}

/** True for a reading that would ask for a name, or only say what can be done: "can you start a list for camp: tents, stove". */
const asksBack = (reading: Interpretation): boolean =>
  reading.kind === "capabilities" ||
  (reading.kind === "plan" &&
    reading.calls.some(({ args }) => Object.values(args).some(({ from }) => from === "answer")));

/** The next move of a request in full, or of calls on what the conversation was about. */
async function continuedMove(
  continued: Awaited<ReturnType<typeof readContinuation>>,
  state: PlanState,
): Promise<PlannerDecision | undefined> {
  if (continued === undefined) return undefined;
  if ("calls" in continued) return stepOf(continued.calls, state);
  const { request } = continued;
  return nextMove(await interpretRequest({ ...state, request }), { ...state, request }, true);
}

/** `isContinued` for a request that the conversation completed already: it is not completed again, which could go on for ever. */
async function nextMove(
  reading: Interpretation,
  state: PlanState,
  isContinued = false,
): Promise<PlannerDecision> {
  switch (reading.kind) {
    case "plan": {
      const within = await readWithinLastRows(reading.calls, state);
      const read = within?.calls ?? withAnswerRead(reading.calls, state);
      const calls = await Promise.all(read.map((call) => completeName(call, state)));
      const remembering = await decidePersonFact(calls, state);
      if (remembering !== undefined) return remembering;
      const heading = [
        ...(reading.heading === undefined ? [] : [sentences.heading(reading.heading)]),
        ...(within === undefined ? [] : [sentences.withinRows(within.request)]),
      ];
      const decision = stepOf(calls, state, reading.repeats, reading.remarks, heading);
      const mayGoOn = isStuck(decision) && !isContinued && !mustStop(state);
      const continued = mayGoOn
        ? await continuedMove(await readContinuation(state, { isAsWritten: true }), state)
        : undefined;
      if (continued !== undefined) return continued;
      if (foundNothing(calls, decision, state) || (!reading.readOnly && foundTable(calls, state)))
        return inFileOrNewList(await decideFilesInWords({}, state), state) ?? decision;
      if (isStuck(decision) && reading.readOnly && ASKS.test(state.request) && isTaskLookup(calls, state)) {
        // No task answers it; memory or a file may.
        const memory = inMemory(state);
        if (memory !== undefined) return memory;
        const found = decideFromUnnamedFile(state.request, state)?.decision;
        if (found !== undefined) return found;
      }
      const [question] = calls.length === 1 ? calls : [];
      return (
        (question && decision.kind === "answer" ? await unremembered(question, state) : undefined) ?? decision
      );
    }
    case "ambiguous":
      return chosenPlan(reading, state);
    case "refrain":
      // "Maria hasn't paid, update the member list" forbids nothing.
      return (
        decideScheduleEnd(state) ??
        (await decideLastFactChange(state)) ??
        (await decideDeniedFactChange(state)) ??
        (hasOrder(state.request) ? await decideFilesInWords({}, state) : undefined) ??
        worded(reading, state)
      );
    case "small-talk":
    case "empty":
    case "clock":
    case "capabilities":
      // "Could you read me the letter from the council?" asks for the letter.
      return (
        (reading.kind === "capabilities" && reading.about.length > 0
          ? await decideFilesInWords({}, state)
          : undefined) ??
        (await decideReasons(reading, state)) ??
        worded(reading, state)
      );
    case "not-understood": {
      const finished =
        (await decideLastFactChange(state)) ??
        decideOrderedFactChange(state) ??
        decideFinishedTask(state) ??
        decideStatedFactChange(state);
      if (finished !== undefined) return finished;
      const change = await readLastRowChange(state);
      if (change !== undefined) return stepOf(change, state);
      const recall = reading.recall && (await completeName(reading.recall, state));
      const remembered = recall && recalled(recall, state);
      if (remembered !== undefined && !remembered.isDoubtful) return remembered.decision;
      const { dangling } = reading;
      const statement =
        reading.statement && ((await rewriteWithName(reading.statement, state)) ?? reading.statement);
      const namesFile =
        statement === undefined ? dangling === undefined || !isPronoun(dangling) : hasOrder(statement);
      const inTable = decideValueInUnnamedTable(state);
      const inFile = namesFile && inTable === undefined ? await decideFilesInWords(reading, state) : undefined;
      const other =
        inTable ??
        inFile ??
        (statement === undefined ? undefined : decideFactChange(statement, state)) ??
        (await decideFigureInUnnamedTable(state)) ??
        (reading.foreign === true ? undefined : decideFromUnnamedTable(state)) ??
        (recall && fromUnnamedFile(recall, state, remembered !== undefined));
      if (other !== undefined) return other;
      const isOneQuestion =
        dangling === undefined &&
        statement === undefined &&
        reading.understood.length === 0 &&
        reading.foreign !== true;
      const shown = isOneQuestion ? shownInstead(state) : undefined;
      if (shown !== undefined) return shown;
      const due = reading.recall && decideTaskDue(state);
      if (due !== undefined) return due;
      if (remembered !== undefined) return remembered.decision;
      const unnamed = dangling ?? ONE_OF_WHAT.exec(state.request)?.groups?.["words"];
      const named = unnamed === undefined ? undefined : await decideMeaning(unnamed, state);
      if (named !== undefined) return named;
      return withLastFile(
        worded({ ...reading, ...(statement !== undefined && { statement }) }, state),
        state,
      );
    }
    default:
      return reading satisfies never;
  }
}

/** True for a statement with an order: "Gerda has paid, please update the member list". */
const hasOrder = (statement: string): boolean =>
  /[,.;]\s*(?:(?:please|pls|so|and)\s+)?(?:update|change|correct|note|mark|put|enter|record|set)\s/iu.test(
    statement,
  );

/** A decision about a file in other words; if it is stuck or there is none, a new list is offered where one is meant. */
function inFileOrNewList(inFile: PlannerDecision | undefined, state: PlanState): PlannerDecision | undefined {
  return inFile === undefined || isStuck(inFile) ? (decideNewList(state) ?? inFile) : inFile;
}

/** An answer that needs no step. */
function worded(
  reading: Parameters<typeof wordedAnswer>[0],
  { scratchpad, ...state }: PlanState,
): PlannerDecision {
  const files = scratchpad.flatMap(({ action, observation }) => {
    const skill = state.skills.find(({ id, finds }) => id === action?.tool && finds?.kind === "file");
    return observation?.success === true ? (skill?.finds?.candidates(observation.outputs ?? {}) ?? []) : [];
  });
  const { text, suggestions } = wordedAnswer(reading, state.skills, {
    ...state,
    files: files.map(({ id }) => id),
  });
  // Recalled later, what only lists examples or tells the time would answer other questions wrongly.
  const isIdle =
    reading.kind !== "small-talk" &&
    scratchpad.every(({ action }) => state.skills.find(({ id }) => id === action?.tool)?.effects === "read");
  const outcome = reading.kind === "not-understood" ? "stuck" : "answered";
  return {
    kind: "answer",
    thought: THOUGHTS[reading.kind],
    style: "default",
    text,
    suggestions,
    isIdle,
    outcome,
  };
}

/**
 * Searches for the answer to a question that matches no skill; undefined if there is none. `isDoubtful` for memories that
 * only share words with the question.
 */
function recalled(
  call: PlannedCall,
  state: PlanState,
): { decision: PlannerDecision; isDoubtful: boolean } | undefined {
  const { scratchpad, skills, timeZone, locale } = state;
  const position = follow([call], scratchpad, skills);
  if (position.kind === "act")
    return {
      decision: { kind: "act", thought: THOUGHTS.recall, action: position.action },
      isDoubtful: false,
    };
  const [outcome] = position.kind === "end" ? position.outcomes : [];
  if (outcome === undefined || outcome.kind === "skipped") return undefined;
  const decision = stepOf([call], state);
  if (outcome.kind !== "done") return { decision, isDoubtful: false };
  const { skill, outputs } = outcome.done;
  if (!skill.results?.text?.(outputs)) return undefined;
  const values = Object.fromEntries(
    Object.entries(call.args).flatMap(([name, value]) =>
      value.from === "request" && typeof value.value === "string" ? [[name, value.value]] : [],
    ),
  );
  const isAnswered =
    skill.views?.[call.view?.name ?? ""]?.(outputs, values, { timeZone, locale }) !== undefined;
  const isList = decision.kind === "answer" && decision.text?.startsWith("|") === true;
  return isAnswered || !isList
    ? { decision, isDoubtful: !isAnswered }
    : {
        decision: { ...decision, text: `${sentences.onlyRelated}\n\n${decision.text ?? ""}` },
        isDoubtful: true,
      };
}

/** An answer to what was not understood, with requests about the file of the last request in front of its suggestions. */
async function withLastFile(decision: PlannerDecision, state: PlanState): Promise<PlannerDecision> {
  if (decision.kind !== "answer") return decision;
  const suggestions = [...(await suggestFileRequests(state)), ...(decision.suggestions ?? [])];
  return { ...decision, suggestions: [...new Set(suggestions)].slice(0, MAX_SUGGESTIONS) };
}

/** The answer of memory to a question; undefined if nothing remembered answers it. */
function inMemory(state: PlanState): PlannerDecision | undefined {
  const { id, answers } = state.skills.find((skill) => skill.answers !== undefined) ?? {};
  if (id === undefined || answers === undefined) return undefined;
  const call = callOf(id, fromRequest({ [answers]: state.request }), state.request);
  const found = recalled({ ...call, view: { name: ANSWER_VIEW, values: {} } }, state);
  return found?.isDoubtful === false ? found.decision : undefined;
}

/** The answer from a file to a question that was asked of memory, which does not answer it; undefined if no file does. */
async function unremembered(call: PlannedCall, state: PlanState): Promise<PlannerDecision | undefined> {
  const isAsked = state.skills.some(({ id, answers }) => id === call.skill && answers !== undefined);
  if (!isAsked) return undefined;
  const remembered = recalled(call, state);
  // "Search for reset in the manual": a place is no part of what is remembered.
  if (call.view?.name !== ANSWER_VIEW)
    return remembered === undefined ? await decideFilesInWords({}, state) : undefined;
  if (remembered !== undefined && !remembered.isDoubtful) return undefined;
  return (
    decideTaskDue(state) ??
    (await decideFilesInWords({ recall: call }, state)) ??
    decideFromUnnamedTable(state) ??
    fromUnnamedFile(call, state, remembered !== undefined)
  );
}

/**
 * The answer from a file that a question does not name. Memories with some of the words, if there are any, come before a file that
 * has only some of them.
 */
function fromUnnamedFile(
  { skill: id, args }: PlannedCall,
  state: PlanState,
  hasMemories: boolean,
): PlannerDecision | undefined {
  const asked = args[state.skills.find((skill) => skill.id === id)?.answers ?? ""];
  if (asked?.from !== "request" || typeof asked.value !== "string") return undefined;
  const found = decideFromUnnamedFile(asked.value, state);
  const isTaken = found?.isWhole === true || found?.decision.kind === "act" || !hasMemories;
  return isTaken ? found?.decision : undefined;
}

const MAX_SUGGESTIONS = 3;
const ASKS =
  /^\W*(?:(?:so|and|hey|please|pls)\s+)?(?:(?:by|until|till|since|from|at|in|on|for|with)\s+)?(?:what|who|whose|when|where|which|how|is|are|do|does|did)\b/iu;

/** The view that answers a question. */
const ANSWER_VIEW = "answer";

/** True if a plan ended without any change because its look-up of a file or a task found none. */
function foundNothing(
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
function foundTable(calls: readonly PlannedCall[], { scratchpad, skills }: PlanState): boolean {
  return calls.some((call) => {
    const finder = skills.find(({ id }) => id === call.skill)?.finds;
    if (call.lookup === undefined || finder?.kind !== "file") return false;
    const position = follow([call], scratchpad, skills);
    const [outcome] = position.kind === "end" ? position.outcomes : [];
    const found = outcome?.kind === "done" ? finder.candidates(outcome.done.outputs) : [];
    return found.length > 0 && found.every(({ id }) => /\.(?:csv|tsv)$/iu.test(id));
  });
}

/** Asks which of several plans is meant, then follows it. */
function chosenPlan(
  { plans, repeats }: Extract<Interpretation, { kind: "ambiguous" }>,
  state: PlanState,
): PlannerDecision {
  const options = planLabels(plans, state.skills);
  let question: Question = { question: sentences.whichPlan, options };
  for (let asked = 0; asked < 2; asked++) {
    const reply = answerIn(state.scratchpad)(question);
    if (reply === undefined) return ask(question, THOUGHTS.ambiguous);
    const chosen = optionFromReply(reply, options);
    if (typeof chosen === "number") return stepOf(plans[chosen] ?? [], state, repeats);
    if (chosen === "none") break;
    question = { question: sentences.notAnOption(reply, sentences.whichPlan), options };
  }
  return { kind: "answer", thought: THOUGHTS.refrain, style: "default", text: sentences.noneChosen };
}
