import type { Interpretation, PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { PlannerDecision, PlanState } from "../../planner.ts";
import { onlyAgrees } from "@metahuman/core/language/grammar/yes-no";
import { writeAnswer } from "./answers.ts";
import { endWithNothing } from "./conversation/ask-person.ts";
import { decideReasons, suggestFileRequests } from "./conversation/last-request.ts";
import { decideMeaning, ONE_OF_WHAT } from "./conversation/open-question.ts";
import { isPronoun } from "./conversation/short-orders.ts";
import {
  decideDeniedFactChange,
  decideFactChange,
  decideLastFactChange,
  decideOrderedFactChange,
  decideStatedFactChange,
} from "./facts/statements.ts";
import { completeName, rewriteWithName } from "./facts/unnamed-person.ts";
import { decideFilesInWords } from "./files/file-requests.ts";
import {
  decideFigureInUnnamedTable,
  decideFromUnnamedTable,
  decideValueInUnnamedTable,
} from "./files/unnamed-file.ts";
import { sentences, THOUGHTS } from "./phrasing.ts";
import { answerFromUnnamedFile, recallAnswer } from "./recall.ts";
import { decideToShowSubject } from "./show-subject.ts";
import { decideFinishedTask } from "./tasks/finished-tasks.ts";
import { decideScheduleEnd } from "./tasks/schedule-orders.ts";
import { decideTaskDue } from "./tasks/short-task-orders.ts";

// Decides requests for which the grammar has no plan: what memory, the tasks and the files make of them, or an answer in words. For each
// kind of reading, a table lists what is tried, in this order.

type Reading = Exclude<Interpretation, { kind: "plan" | "ambiguous" }>;
type ReadingOf<Kind extends Reading["kind"]> = Extract<Reading, { kind: Kind }>;
type Decided = PlannerDecision | undefined | Promise<PlannerDecision | undefined>;

/** The decision about a request for which the grammar has no plan. */
export async function decideWithoutPlan(reading: Reading, state: PlanState): Promise<PlannerDecision> {
  switch (reading.kind) {
    case "refrain":
      return (await firstDecision(FOR_REFRAIN, state)) ?? answerWithoutCalls(reading, state);
    case "small-talk":
    case "empty":
    case "clock":
      return (await decideReasons(reading, state)) ?? answerWithoutCalls(reading, state);
    case "capabilities":
      return (await decideAskedAbility(reading, state)) ?? answerWithoutCalls(reading, state);
    case "not-understood":
      return decideNotUnderstood(reading, state);
    default:
      return reading satisfies never;
  }
}

/** What decides a request, by what it takes the request for. The first decision counts. */
type Deciders<Asked> = Readonly<Record<string, (asked: Asked) => Decided>>;

async function firstDecision<Asked>(
  deciders: Deciders<Asked>,
  asked: Asked,
): Promise<PlannerDecision | undefined> {
  for (const decider of Object.values(deciders)) {
    const decision = await decider(asked);
    if (decision !== undefined) return decision;
  }
  return undefined;
}

/** For what seems to forbid something. */
const FOR_REFRAIN: Deciders<PlanState> = {
  // "No longer remind me" forbids an existing schedule.
  "end of a schedule": decideScheduleEnd,
  // "It's eucalyptus, not clove" corrects what was just remembered; any other fact has to be looked for.
  "correction of the last fact": decideLastFactChange,
  "correction of a fact": decideDeniedFactChange,
  // "Maria hasn't paid, update the member list" forbids nothing.
  "order behind a statement": (state) =>
    hasOrder(state.request) ? decideFilesInWords({}, state) : undefined,
};

/** "Could you read me the letter from the council?" asks for the letter. */
const decideAskedAbility = async (
  { about }: ReadingOf<"capabilities">,
  state: PlanState,
): Promise<PlannerDecision | undefined> =>
  about.length > 0 ? await decideFilesInWords({}, state) : undefined;

/** A request that is not understood, and what it may state or ask of memory. */
interface NotUnderstood {
  reading: ReadingOf<"not-understood">;
  state: PlanState;
  /** The call that asks memory, with the person whom a pronoun means. */
  recall: PlannedCall | undefined;
  remembered: ReturnType<typeof recallAnswer>;
  /** What the request states, with the person whom a pronoun means. */
  statement: string | undefined;
}

/** For what is not understood, from what is certain to what is likely. */
const FOR_NOT_UNDERSTOOD: Deciders<NotUnderstood> = {
  // Statements first: their words would also be looked for in files. What was just remembered is corrected before any other fact.
  "correction of the last fact": ({ state }) => decideLastFactChange(state),
  "order to change a fact": ({ state }) => decideOrderedFactChange(state),
  // "The oil change is finished now" also says that something has changed.
  "finished task": ({ state }) => decideFinishedTask(state),
  "changed fact": ({ state }) => decideStatedFactChange(state),
  // A question that memory answers needs no file.
  "answer of memory": ({ remembered }) =>
    remembered?.isDoubtful === false ? remembered.decision : undefined,
  // A row and a column that one table has name it better than words for a file do.
  "value in a table": ({ state }) => decideValueInUnnamedTable(state),
  "file in words": decideNamedFile,
  // "Gerda has paid, update the member list" is not a fact to remember, if there is such a list.
  fact: ({ statement, state }) => (statement === undefined ? undefined : decideFactChange(statement, state)),
  // These search the lines of all files: for a column, for cells, for any words.
  "figure in a table": ({ state }) => decideFigureInUnnamedTable(state),
  "question about a table": ({ reading, state }) =>
    reading.foreign === true ? undefined : decideFromUnnamedTable(state),
  "question about a file": ({ recall, remembered, state }) =>
    recall && answerFromUnnamedFile(recall, state, remembered !== undefined),
  // Nothing answers it exactly: a whole file or list that it names says more than a task or a memory that shares words with it.
  "something to show": (asked) => (isOneQuestion(asked) ? decideToShowSubject(asked.state) : undefined),
  "day of a task": ({ recall, state }) => recall && decideTaskDue(state),
  "related memories": ({ remembered }) => remembered?.decision,
  "yes to nothing": ({ state }) =>
    onlyAgrees(state.request) ? endWithNothing(sentences.nothingAsked) : undefined,
  // Only what nothing else explains is asked back.
  "unclear reference": ({ reading: { dangling }, state }) => {
    const unnamed = dangling ?? ONE_OF_WHAT.exec(state.request)?.groups?.["words"];
    return unnamed === undefined ? undefined : decideMeaning(unnamed, state);
  },
};

async function decideNotUnderstood(
  reading: ReadingOf<"not-understood">,
  state: PlanState,
): Promise<PlannerDecision> {
  const recall = reading.recall && (await completeName(reading.recall, state));
  const statement =
    reading.statement && ((await rewriteWithName(reading.statement, state)) ?? reading.statement);
  const remembered = recall && recallAnswer(recall, state);
  const decision = await firstDecision(FOR_NOT_UNDERSTOOD, { reading, state, recall, remembered, statement });
  if (decision !== undefined) return decision;
  const answer = answerWithoutCalls({ ...reading, ...(statement !== undefined && { statement }) }, state);
  return withRequestsAboutLastFile(answer, state);
}

/** The decision about a file that the request names in words. A pronoun names none, and a statement only with an order. */
function decideNamedFile({ reading, statement, state }: NotUnderstood): Decided {
  const { dangling } = reading;
  const namesFile =
    statement === undefined ? dangling === undefined || !isPronoun(dangling) : hasOrder(statement);
  return namesFile ? decideFilesInWords(reading, state) : undefined;
}

/** True for a request of which nothing is understood, and that may be a question as a whole. */
const isOneQuestion = ({ reading, statement }: NotUnderstood): boolean =>
  reading.dangling === undefined &&
  statement === undefined &&
  reading.understood.length === 0 &&
  reading.foreign !== true;

/** True for a statement with an order: "Gerda has paid, please update the member list". */
const hasOrder = (statement: string): boolean =>
  /[,.;]\s*(?:(?:please|pls|so|and)\s+)?(?:update|change|correct|note|mark|put|enter|record|set)\s/iu.test(
    statement,
  );

type Answer = Extract<PlannerDecision, { kind: "answer" }>;

/** An answer that needs no step. */
function answerWithoutCalls(reading: Reading, { scratchpad, ...state }: PlanState): Answer {
  const files = scratchpad.flatMap(({ action, observation }) => {
    const skill = state.skills.find(({ id, finds }) => id === action?.tool && finds?.kind === "file");
    return observation?.success === true ? (skill?.finds?.candidates(observation.outputs ?? {}) ?? []) : [];
  });
  const { text, suggestions } = writeAnswer(reading, state.skills, {
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

/** An answer to what was not understood, with requests about the file of the last request in front of its suggestions. */
async function withRequestsAboutLastFile(decision: Answer, state: PlanState): Promise<Answer> {
  const suggestions = [...(await suggestFileRequests(state)), ...(decision.suggestions ?? [])];
  return { ...decision, suggestions: [...new Set(suggestions)].slice(0, MAX_SUGGESTIONS) };
}

const MAX_SUGGESTIONS = 3;
