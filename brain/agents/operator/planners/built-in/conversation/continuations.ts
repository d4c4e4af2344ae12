import { oneOf } from "@metahuman/core/text/patterns";
import type { Interpretation, PlannedCall } from "@metahuman/core/language/grammar/plan";
import { lastOrderWasNotCarriedOut } from "@metahuman/core/language/references/antecedent";
import type { PlanState } from "../../../planner.ts";
import { interpretAlone, interpretRequest } from "../interpret-request.ts";
import { readJsonOrder } from "../files/json-orders.ts";
import { readTextMessage } from "../text/line-orders.ts";
import { isAskingWhatIsLeft, readLineQuestion, readTextQuestion } from "../text/line-questions.ts";
import { findNamedLines } from "../text/matching-lines.ts";
import { rewriteWithFileOfSeveral } from "../files/file-requests.ts";
import { readNewText } from "../text/new-text.ts";
import { readFurtherFact } from "../facts/statements.ts";
import { type OrderContext as Context, readShortTaskOrder } from "../tasks/short-task-orders.ts";
import { isReopening, readOtherMeant, readTaskQuestion } from "../tasks/task-orders.ts";
import { readTableMessage } from "../table/read-table-message.ts";
import { readPathOrder } from "../files/path-orders.ts";
import { createMessage, type Message, withoutResults } from "./message.ts";
import { mayContinue } from "./replaced-plans.ts";
import { type ShortOrder, readShortOrders, stripFiller } from "./short-orders.ts";
import { callsFrom, isMemoryQuestion, requestFrom, type Resolution } from "./resolution.ts";
import type { Subject } from "./subjects.ts";
import { MAX_ORDER } from "./limits.ts";

// Reads a request that is only understood after earlier ones. "Take the eggs off" after a shopping list becomes an edit of that list;
// "when is it?" after a task becomes `when is the task "dentist" due`. What a person still thinks about asks for nothing.

/** What a reader makes of a message: "nothing" if it is of the reader's kind and asks for nothing, undefined if it is of another kind. */
type Read = Resolution | "nothing" | undefined;
type Reader = (message: Message) => Read | Promise<Read>;

/** The readers by what they read, each with the reason for its place. The first that makes something of a message decides. */
const READERS: Readonly<Record<string, Reader>> = {
  // A name for one of several files becomes its path: the message is then about that file, whatever came last.
  "one of several files": async ({ state, isAsWritten }) =>
    isAsWritten ? undefined : inFull(await rewriteWithFileOfSeveral(state)),
  // The words of a line are the surest sign that a message is about the current text; a correction has the most of them.
  "change of a line": ({ lineChange }) => lineChange(),
  "order for lines": async ({ state, order, text }) => {
    const current = await text();
    return current && readTextMessage({ ...state, request: order }, current);
  },
  // A short order would show the whole text instead of counting what is left of it.
  "what is left": readWhatIsLeft,
  "question about the text": async ({ state, text }) => {
    const current = await text();
    return current && readTextQuestion(state.request, current, state);
  },
  // Before the readers that would take one of the orders for the whole message.
  "two orders": readTwoOrders,
  // A request that is understood without its filler, or that makes a text, does not refer to the conversation. All readers below do.
  "same order without filler": ({ state, isAsWritten }) =>
    isAsWritten ? undefined : rewriteWithoutFiller(state),
  "new text": ({ state, isAsWritten }) => (isAsWritten ? undefined : readNewText(state)),
  "message about nothing": async ({ order, subjects }) =>
    (await subjects()).length === 0 && !isReopening(order) ? "nothing" : undefined,
  // An order to undo means the last change of any subject.
  undo: ({ shortOrders }) =>
    inFull(shortOrders().some(({ verb }) => verb === "undo") ? "undo that" : undefined),
  // These compare all words with the titles; a short order would take the newest task for a pronoun.
  "change of a schedule": ({ scheduleChange }) => scheduleChange(),
  "the other task": async ({ state, order, subjects }) => readOtherMeant(order, await subjects(), state),
  "question about tasks": async ({ state, order, subjects }) =>
    readTaskQuestion(order, await subjects(), state),
  "order for the newest task": readOrderOfTasks,
  // A verb with its object, for the newest subject that it fits; then for a task that something newer came after.
  "short order": readShortOrder,
  "order for any task": ({ taskOrder }) => taskOrder(),
  // Any words may be keys of a JSON file or words of a line, so these come last.
  "order for the JSON file": async ({ state, order, subjects }) => {
    const newest = withoutResults(await subjects());
    return newest?.kind === "file" ? readJsonOrder(order, newest, state) : undefined;
  },
  "question about a line": async ({ state, order, text }) => {
    const current = await text();
    return current && readLineQuestion(order, current, state);
  },
};

const inFull = (request: string | undefined): Resolution | undefined =>
  request === undefined ? undefined : { kind: "request", request };

/**
 * What a request means after those before it: the same order in plain words, or an order for a subject of the conversation.
 * Undefined if no subject can be meant. `reading` is what the grammar makes of the request alone: a plan is only replaced if the
 * conversation shows that something else is meant. Without it, the plan of the request has found nothing.
 */
export async function readContinuation(
  state: PlanState,
  reading?: Interpretation,
): Promise<Resolution | undefined> {
  const message = createMessage(state, { isAsWritten: reading?.kind !== "not-understood" });
  if (reading !== undefined && !(await mayContinue(reading, message))) return undefined;
  return readMessage(message);
}

async function readMessage(message: Message): Promise<Resolution | undefined> {
  if (UNDECIDED.test(message.state.request)) return undefined;
  for (const reader of Object.values(READERS)) {
    const read = await reader(message);
    if (read !== undefined) return read === "nothing" ? undefined : read;
  }
  return undefined;
}

async function readWhatIsLeft({ state, text }: Message): Promise<Read> {
  const current = await text();
  if (current === undefined || !isAskingWhatIsLeft(state.request)) return undefined;
  return readLineQuestion(state.request, current, state) ?? "nothing";
}

async function readOrderOfTasks({ order, subjects, taskOrder }: Message): Promise<Read> {
  const newest = withoutResults(await subjects());
  const isAboutTasks = isReopening(order) || newest?.kind === "task" || newest?.kind === "schedule";
  return isAboutTasks ? taskOrder() : undefined;
}

async function readShortOrder({ state, subjects, shortOrders }: Message): Promise<Read> {
  const isNotMade = lastOrderWasNotCarriedOut((await state.earlier?.()) ?? []);
  for (const shortOrder of shortOrders()) {
    if (isNotMade && shortOrder.verb === "add") continue;
    const resolved = readOrderForSubjects(shortOrder, await subjects(), state);
    if (resolved !== undefined) return resolved;
  }
  return undefined;
}

const THINKING_ABOUT = String.raw`(?:about|over)\s+(?:it|that|this)`;
const STILL_THINKS = oneOf(
  String.raw`(?:i|we)\s+(?:(?:still|must|have\s+to|need\s+to|will)\s+)?think\s+${THINKING_ABOUT}`,
  String.raw`(?:i['’]?m|i\s+am|we['’]?re|we\s+are)\s+(?:still\s+)?thinking\s+${THINKING_ABOUT}`,
  String.raw`(?:i|we)\s+(?:haven['’]?t|have\s+not)\s+decided`,
);
/** "Maybe I will delete scene 4", "we might drop the plums", "… I am still thinking about it": nothing is to be done yet. */
const UNDECIDED = new RegExp(
  [
    String.raw`^\W*(?:(?:so|well|ok|okay|hmm+)[\s,]+)?(?:(?:maybe|perhaps|possibly)\s+(?:i|we)\b|(?:i|we)\s+(?:might|may)\b)`,
    String.raw`\b${STILL_THINKS}\b`,
  ].join("|"),
  "iu",
);

const ORDER_VERBS = [
  "remove|delete|take|drop|cross|tick|add|put|change|swap|replace|exchange|make|create|start|write|note",
  "remember|remind|set|rename|move",
].join("|");
const SECOND_VERBS = String.raw`${ORDER_VERBS}|tell\s+me|say\s+(?=how|what|who)|show\s+me|show\s+it|what['’]?s?|how|where|who`;
/** "Remove tuna and add chicken", "make the candle 22 and tell me the new total": two orders for what the conversation is about. */
const TWO_ORDERS = new RegExp(
  [
    String.raw`^(?<first>(?:${ORDER_VERBS}|show|read|what|how|who)\b[^.!?\n]{2,80}?)`,
    String.raw`\s*(?:,\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?)`,
    String.raw`(?<second>(?:${SECOND_VERBS})\b[^.!?\n]{2,80}?)[\s.!?]*$`,
  ].join(""),
  "iu",
);

const MAKES = /^(?:make|create|start|write)\s+(?:me\s+)?(?:an?|another|some|the\s+new|new)\s/iu;
const REFERS = /\b(?:it|that|there|them|this|these|those)\b/iu;

/** The calls of two orders, if both are understood, and one of them at least only after the requests before. */
async function readTwoOrders({ state, isAsWritten, isPart, ...message }: Message): Promise<Read> {
  if (isPart) return undefined;
  const { first, second } = TWO_ORDERS.exec(stripFiller(state.request).text)?.groups ?? {};
  if (first === undefined || second === undefined) return undefined;
  // "Make a folder and put both letters in it" is about what only the first order makes.
  if (MAKES.test(first) && REFERS.test(second)) return undefined;
  const text = await message.text();
  const parts: (readonly PlannedCall[])[] = [];
  let isContinued = false;
  for (const request of [first, second.replace(/^(?:tell\s+me|say)\s+/iu, "")]) {
    const reading = await interpretRequest({ ...state, request });
    const inTable = text === undefined ? await readTableMessage(reading, { ...state, request }) : undefined;
    if (inTable !== undefined) {
      parts.push(inTable);
      isContinued = true;
      continue;
    }
    const isOfLine = text !== undefined && findNamedLines(request, text.lines).length > 0;
    const isWhole = reading.kind === "plan" && !isOfLine && !isMemoryQuestion(reading.calls, state);
    const resolved = isWhole
      ? undefined
      : await readMessage(createMessage({ ...state, request }, { isAsWritten, isPart: true }));
    isContinued ||= resolved !== undefined;
    const full = resolved && requestFrom(resolved);
    const fullReading = full === undefined ? reading : await interpretRequest({ ...state, request: full });
    const calls = callsFrom(resolved) ?? plannedCallsOf(fullReading);
    if (calls === undefined) return undefined;
    parts.push(calls);
  }
  return isContinued ? { kind: "calls", calls: parts.flat() } : undefined;
}

const plannedCallsOf = (reading: Interpretation): readonly PlannedCall[] | undefined =>
  reading.kind === "plan" ? reading.calls : undefined;

/** The same request without the words that ask for nothing, if that is understood. */
async function rewriteWithoutFiller(state: PlanState): Promise<Resolution | undefined> {
  const { request } = state;
  if (request.length > MAX_ORDER || readShortOrders(request).some(({ context }) => context !== undefined))
    return undefined;
  const { text } = stripFiller(request.replace(PLEASE_WITHIN, "$1 "));
  if (text === "" || text === request.trim().replace(/[\s.!?]+$/u, "")) return undefined;
  const reading = await interpretRequest({ ...state, request: text });
  return reading.kind === "plan" && !isMemoryQuestion(reading.calls, state)
    ? { kind: "request", request: text }
    : undefined;
}

/** "Calculate please 3 times 12", without "please". */
const PLEASE_WITHIN = /^(\p{L}+),?\s+(?:please|pls|kindly)[,:]?\s+/iu;

/** Reads an order for the first subject that it can be for, the newest first. */
function readOrderForSubjects(
  order: ShortOrder,
  subjects: readonly Subject[],
  state: PlanState,
): Resolution | undefined {
  // Something new goes to what came last; what exists is found where it is.
  const candidates = order.verb === "add" ? subjects.filter(({ age }) => age === 0) : subjects;
  const seenKinds = new Set<Subject["kind"]>();
  for (const subject of candidates) {
    const resolved = readOrderForSubject(order, subject, {
      subjects: candidates,
      state,
      isFirst: !seenKinds.has(subject.kind),
    });
    seenKinds.add(subject.kind);
    if (resolved !== undefined && isUnderstood(resolved, state)) return resolved;
  }
  return undefined;
}

function isUnderstood(resolved: Resolution, state: PlanState): boolean {
  const request = requestFrom(resolved);
  return request === undefined || interpretAlone({ ...state, request }).kind === "plan";
}

function readOrderForSubject(order: ShortOrder, subject: Subject, context: Context): Resolution | undefined {
  switch (subject.kind) {
    case "text":
    case "table":
    case "file":
    case "folder":
      return readPathOrder(order, subject);
    case "task":
      return context.isFirst ? readShortTaskOrder(order, context) : undefined;
    case "fact":
      return readFurtherFact(order, subject, context.state);
    case "schedule":
    case "result":
      return undefined;
    default:
      return subject satisfies never;
  }
}
