import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import { lastOrderWasNotCarriedOut } from "@metahuman/core/language/references/antecedent";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { tryReadTable } from "@metahuman/skills/fs-read/tables";
import type { PlannerDecision, PlanState } from "../../../planner.ts";
import { answerIn, lookUp } from "../follow.ts";
import { readLikelyJsonOrder } from "../files/json-orders.ts";
import { readExpression } from "../calculation/expression.ts";
import { findNamedLines } from "../text/matching-lines.ts";
import { type LikelyOrder, guessTableOrder, guessTextOrder, isExplicitOrder } from "./likely-lines.ts";
import { readFactQuestion, rewriteFact, guessTaskOrder } from "./likely-things.ts";
import { ask, isLeftUndone, isStuck, mustStop, stepOf, withReading } from "../next-step.ts";
import { sentences, THOUGHTS, YES_OR_NO } from "../phrasing.ts";
import { type Subject, findSubjects } from "../conversation/subjects.ts";
import {
  LIKELY_KIND,
  LIKELY_ORDER,
  probabilitiesOf,
  turnContext,
  type TurnContext,
  turnFeatures,
  typeOfFile,
  type TurnKind,
} from "./turn-kind.ts";
import { BEFORE_OR_AFTER, CONDITIONS, deniesOr, DOUBTS, HAS_QUOTATION, REPORTS } from "../word-lists.ts";

// What no form of words fits is read by evidence: the kind of message that its words are typical of, and the lines, rows and tasks
// of the conversation that it names. What is clear is done, and the answer says how it was read; what is likely is asked first.

/** A longer message is a text. */
const MAX_LENGTH = 200;
/** "I should like", "would you", and "should be 7" */
const NO_DOUBT =
  /\b(?:(?:i|we)\s+(?:should|would)\s+like|(?:would|could|can|will)\s+you|should\s+be(?=\s+\d))\b/iu;
/** What is denied, doubted or depends on something is not an order for now. */
const BINDS = deniesOr(
  `no|without|${CONDITIONS}|till|${BEFORE_OR_AFTER}|${DOUBTS}`,
  String.raw`would|but|(?:was|were)\s+going\s+to|almost|nearly`,
);

type Decide = (state: PlanState) => Promise<PlannerDecision>;

const isGuess = ({ reading }: Pick<ScratchpadEntry, "reading">): boolean => reading?.isGuess === true;

/** True once a step of a likely order was taken. */
export const hasGuessedStep = ({ scratchpad }: Pick<PlanState, "scratchpad">): boolean =>
  scratchpad.some(isGuess);

const REPORT = new RegExp(String.raw`\b${REPORTS}\b`, "iu");
/** "Ragna asked for 12:00, can you correct it?": after what somebody else asked for, the person asks for it; not "he asked, can you …". */
const ASKS_AFTERWARDS = new RegExp(
  String.raw`\b${REPORTS}\s+\S+\s+\S.*[,;.–-]\s*(?:and\s+|so\s+)?(?:please|pls|(?:can|could|would|will)\s+you)\s+\p{L}`,
  "iu",
);

/** What somebody else says or wants is no order, unless the person asks for it. */
const isReported = (request: string): boolean => REPORT.test(request) && !ASKS_AFTERWARDS.test(request);

/**
 * The decision about a request, or, if nothing can be done or answered, about the order that it most likely is. After a step of a likely
 * order, that order is continued; if it can no longer be read, the request is decided as if the step had not been taken.
 */
export async function decideOrGuess(state: PlanState, decide: Decide): Promise<PlannerDecision> {
  // A denied step is reported, and nothing else is tried.
  if (hasGuessedStep(state) && !mustStop(state)) {
    // Steps of a likely order that led to nothing do not belong to the request as written.
    const scratchpad = state.scratchpad.filter((entry) => !isGuess(entry));
    return (await guessOrder(state, decide)) ?? decide({ ...state, scratchpad });
  }
  const decision = await decide(state);
  return isLeftUndone(decision) ? ((await guessOrder(state, decide)) ?? decision) : decision;
}

/**
 * The decision about a message that no other reader understood: the step of a likely order, or the question whether the person means it.
 * Undefined if the message is not an order for what the conversation is about.
 */
async function guessOrder(state: PlanState, decide: Decide): Promise<PlannerDecision | undefined> {
  const request = state.request.trim();
  // Quoted words are values of an order in full, whose failure has a reason, or the words of somebody else.
  if (request.length > MAX_LENGTH || /\n/u.test(request) || HAS_QUOTATION.test(request) || mustStop(state))
    return undefined;
  const isFirst = !hasGuessedStep(state);
  if (isFirst && hasTriedChange(state, NOT_FILES)) return undefined;
  const subjects = await findSubjects(state);
  const earlier = (await state.earlier?.()) ?? [];
  // "Add a hat to it" means nothing older than what could not be made.
  if (lastOrderWasNotCarriedOut(earlier)) return undefined;
  const restated = rewriteFact(request, subjects);
  if (restated !== undefined) return asGuess(await decide({ ...state, request: restated }));
  // "Create a file called x.txt", where there is one: the failure is the answer.
  const named = isFirst && hasTriedChange(state) ? undefined : findNamedFile(request);
  const context = contextOf(subjects);
  const probabilities = named
    ? withoutNewFiles(probabilitiesOf(turnFeatures(request, withNamedFile(context, request))))
    : probabilitiesOf(turnFeatures(request, context));
  const found = await findOrder(
    probabilities,
    { ...state, request: named?.rest ?? request },
    named?.subject ?? subjects.find(({ age, kind }) => age <= 1 && kind !== "result" && kind !== "fact"),
    subjects,
  );
  if (found?.kind === "act") return found;
  if (found === undefined)
    return probabilities.ask > probabilities.remark
      ? answerQuestion({ ...state, request }, subjects, resultOfCalculation(earlier))
      : undefined;
  const { order, probability } = found;
  const isClear = order.evidence === "explicit" || (order.evidence === "whole" && probability >= LIKELY_KIND);
  const isBound =
    isReported(request) ||
    BINDS.test(isExplicitOrder(request) ? request.replace(/\bnot\b/iu, "") : request.replace(NO_DOUBT, ""));
  if (isClear && !isBound)
    return asGuess(stepOf(order.calls, state, { assumed: [sentences.readAs(order.says)] }));
  const question = { question: sentences.isMeant(order.says), options: YES_OR_NO };
  const reply = answerIn(state.scratchpad)(question);
  if (reply === undefined) return { ...ask(question, THOUGHTS.likely), reading: { isGuess: true } };
  const chosen = optionFromReply(reply, YES_OR_NO);
  if (chosen === 0) return asGuess(stepOf(order.calls, state));
  if (chosen === 1 || chosen === "none")
    return { kind: "answer", thought: THOUGHTS.refrain, style: "default", text: sentences.nothingChosen };
  // Any other reply is a new message.
  const at = state.scratchpad.findIndex(({ action }) => action?.args["question"] === question.question);
  return asGuess(await decide({ ...state, request: reply, scratchpad: state.scratchpad.slice(at + 1) }));
}

/** True if a skill with such an id was tried that changes something: the reason why it failed is the answer. */
const hasTriedChange = ({ scratchpad, skills }: PlanState, ids = /^/u): boolean =>
  scratchpad.some(
    ({ action }) =>
      action !== undefined &&
      ids.test(action.tool) &&
      skills.find(({ id }) => id === action.tool)?.effects !== "read",
  );
/** A file or a line that is not found may be called otherwise. */
const NOT_FILES = /^(?!fs_|table_)/u;

/** A step that says that it is a guess, by which a run that resumes recognizes it; undefined if nothing can be done. */
const asGuess = (decision: PlannerDecision): PlannerDecision | undefined =>
  isStuck(decision) ? undefined : withReading(decision, { isGuess: true }, THOUGHTS.likely);

type Probabilities = Readonly<Record<TurnKind, number>>;

/** The likeliest kind of order, if the message is more likely to be an order than not. */
function likeliestOrder(probabilities: Probabilities): OrderKind | undefined {
  const whole = ORDERS.reduce((sum, kind) => sum + probabilities[kind], 0);
  return whole < LIKELY_ORDER
    ? undefined
    : ORDERS.toSorted((one, other) => probabilities[other] - probabilities[one])[0];
}

const ORDERS = ["add", "change", "remove", "task"] as const;
type OrderKind = (typeof ORDERS)[number];

/** What the conversation is about, for the kinds of messages. */
function contextOf(subjects: readonly Subject[]): TurnContext {
  const file = subjects.find(({ kind }) => kind === "text" || kind === "table" || kind === "file");
  const path = file !== undefined && "path" in file ? file.path : undefined;
  const newest = subjects.find(({ age }) => age === 0);
  return turnContext(subjects.flatMap(textOf), path, newest === undefined ? "start" : lastKind(newest));
}

function lastKind({ kind, isChanged }: Subject): TurnContext["last"] {
  switch (kind) {
    case "task":
    case "schedule":
      return "task";
    case "fact":
      return "memory";
    case "result":
      return "ask";
    default:
      return isChanged ? "add" : "ask";
  }
}

function textOf(subject: Subject): string[] {
  switch (subject.kind) {
    case "text":
      return [...subject.lines];
    case "table":
      return [...subject.table.columns, ...subject.table.rows.flat()];
    case "task":
    case "schedule":
      return [subject.title];
    case "fact":
      return [subject.text];
    default:
      return [];
  }
}

/** The answer to a question: a calculation in the order of its words, or what is remembered or written of what it names. */
function answerQuestion(
  state: PlanState,
  subjects: readonly Subject[],
  last: string | undefined,
): PlannerDecision | undefined {
  const expression = readExpression(state.request, last);
  const questions =
    expression === undefined
      ? readFactQuestion(state, subjects)
      : [
          {
            says: `calculate ${expression}`,
            call: callOf("calculate", fromRequest({ expression }), state.request),
          },
        ];
  for (const { says, call } of questions) {
    const decision = asGuess(stepOf([call], state, { assumed: [sentences.readAs(says)] }));
    if (decision !== undefined && !(decision.kind === "answer" && decision.isUnanswered === true))
      return decision;
  }
  return undefined;
}

/** The result of the last request, if it was a calculation. */
function resultOfCalculation([last]: readonly EarlierRequest[]): string | undefined {
  const call = last?.calls.at(-1);
  const result = call?.skill === "calculate" ? call.outputs?.["result"] : undefined;
  return typeof result === "string" ? result : undefined;
}

/** An order, and how probable its kind is. */
interface FoundOrder {
  kind: "order";
  order: LikelyOrder;
  probability: number;
}

/** The order of this kind for the file that the message names, or for what the conversation is about last; undefined for another message. */
async function findOrder(
  probabilities: Probabilities,
  state: PlanState,
  newest: Subject | NamedFile | undefined,
  subjects: readonly Subject[],
): Promise<FoundOrder | Extract<PlannerDecision, { kind: "act" }> | undefined> {
  const { request } = state;
  const kind = likeliestOrder(probabilities);
  const withProbability = (order: LikelyOrder | undefined, probability: number): FoundOrder | undefined =>
    order && { kind: "order", order, probability };
  // A message with the place of a line is an order, whatever kind of message its words make likely.
  const isExplicit = newest?.kind === "text" && isExplicitOrder(request);
  if (kind === "task" && !isExplicit)
    return withProbability(guessTaskOrder(state, subjects), probabilities.task);
  if (newest?.kind === "text") {
    if (kind === undefined && !isExplicit) return undefined;
    const probability = kind === undefined ? 0 : probabilities[kind];
    // A file that is read here counts as mentioned in the conversation, so it is only read for a message that is likely about it.
    const isNamed = findNamedLines(request, newest.lines).length > 0;
    const mayRead = isExplicit || isNamed || (kind !== "add" && probability >= LIKELY_KIND);
    if (!mayRead && kind !== "add") return undefined;
    const known = { kind: "content" as const, path: newest.path, text: newest.lines.join("\n") };
    const content = mayRead ? readContent(newest.path, state) : known;
    if (content?.kind !== "content") return content;
    const text = { ...newest, lines: linesOf(content.text) };
    const order = guessTextOrder(kind === "task" ? undefined : kind, text, state);
    // A remark is easily taken for a new line.
    if (kind === "add" && order?.evidence === "part" && probability < LIKELY_KIND) return undefined;
    return withProbability(order, probability);
  }
  if (newest?.kind !== "file" && newest?.kind !== "table" && newest?.kind !== "named-file") return undefined;
  const isJson = newest.kind !== "table" && IS_JSON.test(newest.path);
  if (isJson && (newest.kind === "named-file" || kind === "change" || kind === "add")) {
    const content = readContent(newest.path, state);
    if (content?.kind !== "content") return content;
    return withProbability(readLikelyJsonOrder(content, state), probabilities.change + probabilities.add);
  }
  // The rows and columns that a message names say more than its words.
  if (newest.kind === "file" || isJson) return undefined;
  if (/\?\s*$/u.test(request.replace(POLITE_QUESTION, ""))) return undefined;
  if (Math.max(probabilities.ask, probabilities.remark) >= LIKELY_KIND && !ROW_OF_VALUES.test(request))
    return undefined;
  const content = readContent(newest.path, state);
  if (content?.kind !== "content") return content;
  const { path } = content;
  const table = tryReadTable({ path, content: content.text });
  if (table === undefined) return undefined;
  const change = kind === "remove" ? undefined : guessTableOrder("add", table, path, state);
  const other = change ?? guessTableOrder(kind === "remove" ? "remove" : "change", table, path, state);
  return withProbability(
    other,
    kind === "remove" ? probabilities.remove : probabilities.add + probabilities.change,
  );
}

const POLITE_QUESTION = /\b(?:can|could|would|will)\s+you\b.*\?\s*$/iu;

const ROW_OF_VALUES = /^\W*(?:and\s+|then\s+)?\p{L}[\p{L} '’-]{0,40}?(?:[,\s]+\d[\d.,]*)+[\s.!]*$/u;

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));

const PATH = String.raw`(?:[\p{L}\p{N}_-]+\/)*[\p{L}\p{N}_-]+\.(?:csv|tsv|json)\b`;
const NAMED_FILE = new RegExp(
  String.raw`\s*(?:\b(?:in|into|to|for|from|of|on|at|off)\s+)?(?:\b(?:the|my|our)\s+)?(?:\b(?:file|table|list)\s+)?(?<![\p{L}\p{N}_./-])(?<path>${PATH})`,
  "giu",
);

/** A table or JSON file that a message names, of which nothing is known yet. */
interface NamedFile {
  kind: "named-file";
  path: string;
}
const IS_JSON = /\.json$/iu;

/** The only table or JSON file that a message names, and the message without it; undefined if it names none or several. */
function findNamedFile(message: string): { subject: NamedFile; rest: string } | undefined {
  const [only, ...others] = [...message.matchAll(NAMED_FILE)];
  const path = only?.groups?.["path"];
  if (only === undefined || path === undefined || others.length > 0) return undefined;
  const rest = message.replace(only[0], "").replace(/^\W+/u, "");
  return { subject: { kind: "named-file", path }, rest };
}

/** The context of a message that names a table or a JSON file: as if that file had just been read. */
export function withNamedFile(context: TurnContext, message: string): TurnContext {
  const path = findNamedFile(message)?.subject.path;
  return path === undefined ? context : { ...context, last: "ask", file: typeOfFile(path) };
}

/** The probabilities for a message that names a file, which it neither makes nor asks to remember. */
function withoutNewFiles(probabilities: Probabilities): Probabilities {
  const rest = 1 - probabilities.create - probabilities.memory;
  const share = (one: number): number => one / rest;
  const { add, ask, change, remark, remove, task } = probabilities;
  return {
    add: share(add),
    ask: share(ask),
    change: share(change),
    remark: share(remark),
    remove: share(remove),
    task: share(task),
    create: 0,
    memory: 0,
  };
}

/** The text of a file as it is now, or the step that reads it; undefined if it cannot be read. */
function readContent(
  path: string,
  state: PlanState,
): { kind: "content"; path: string; text: string } | Extract<PlannerDecision, { kind: "act" }> | undefined {
  const read = { ...callOf("fs_read", fromRequest({ path }), state.request), lookup: path };
  const looked = lookUp(read, state);
  if (looked.kind === "act") return { ...looked, thought: THOUGHTS.likely, reading: { isGuess: true } };
  const { content: text, path: found } = looked.outcome?.kind === "done" ? looked.outcome.done.outputs : {};
  return typeof text === "string"
    ? { kind: "content", path: typeof found === "string" ? found : path, text }
    : undefined;
}
