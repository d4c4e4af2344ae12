import type { Interpretation, PlannedCall } from "@metahuman/core/language/grammar/plan";
import { lastWasNotMade } from "@metahuman/core/language/references/antecedent";
import { withoutTrailing } from "@metahuman/core/text/words";
import { contentStems } from "@metahuman/core/language/tokens/words";
import type { PlanState } from "../../../planner.ts";
import { interpretAlone, interpretRequest } from "../interpret-request.ts";
import { readJsonOrder } from "../files/json-orders.ts";
import { readTextMessage } from "../text/line-orders.ts";
import { isAskingWhatIsLeft, readLineQuestion, readTextQuestion } from "../text/line-questions.ts";
import { readLineCorrection } from "../text/line-corrections.ts";
import { areWordsOfLines, findNamedLines } from "../text/matching-lines.ts";
import { rewriteWithFileOfSeveral } from "../files/file-requests.ts";
import { readNewText } from "../text/new-text.ts";
import { readFurtherFact } from "../facts/statements.ts";
import { readScheduleChange, isExcludingDays } from "../tasks/schedule-orders.ts";
import {
  type OrderContext as Context,
  hasOnlyNumber,
  readShortScheduleOrder,
  readShortTaskOrder,
  findMeantByTitle,
} from "../tasks/short-task-orders.ts";
import { isReopening, readTaskOrder, readOtherMeant, readTaskQuestion } from "../tasks/task-orders.ts";
import { readTableMessage } from "../table/read-table-message.ts";
import { FURTHER_ORDER, readPlacedLine } from "../text/text-edits.ts";
import { readPathOrder } from "../files/path-orders.ts";
import { PRONOUN, type ShortOrder, readShortOrders, stripFiller } from "./short-orders.ts";
import { isMemoryQuestion, type Resolution } from "./resolution.ts";
import {
  dropRemindersOfTasks,
  findMentionedName,
  findSubjects,
  pathStems,
  type Subject,
  type SubjectOf,
} from "./subjects.ts";
import { MAX_ORDER } from "./limits.ts";

// Reads a request that is only understood after earlier ones. "Take the eggs off" after a shopping list becomes an edit of that list;
// "when is it?" after a task becomes `when is the task "dentist" due`. What a person still thinks about asks for nothing. It tries, in
// this order: one of several files ("the new one"), an order for the current text, a statement without what it denies, a question about
// that text, two orders in one message, the request without filler, a new text, "undo", schedules and tasks, a short order for the newest
// subject that fits, a task order if the newest subject is none, the current JSON file, and the lines of the current text. Each reader
// returns undefined for a message that is about something else.

/**
 * What a request means after those before it: the same order in plain words, or an order for a subject of the conversation.
 * Undefined if no subject can be meant. Only for requests that are not understood by themselves, or that found nothing.
 * With `isAsWritten` it is not read again in plainer words, because it forbids something or found nothing. `isPart` is one of two orders in a
 * message, which is not split again.
 */
export async function readContinuation(
  state: PlanState,
  { isAsWritten = false, isPart = false }: { isAsWritten?: boolean; isPart?: boolean } = {},
): Promise<Resolution | undefined> {
  if (UNDECIDED.test(state.request)) return undefined;
  const subjects = await findSubjects(state);
  const withFile = isAsWritten ? undefined : await rewriteWithFileOfSeveral(state);
  if (withFile !== undefined) return { request: withFile };
  const { order, topic } = splitTopic(state.request.trim());
  const recent =
    topic === undefined
      ? subjects
      : subjects
          .filter((subject) => hasWordsInName(subject, topic))
          .map((subject) => ({ ...subject, age: 0 }));
  const text = currentText(recent);
  const textOrder = text && (await readTextMessage({ ...state, request: order }, text));
  if (textOrder !== undefined) return textOrder;
  const statement = stripDenial(state);
  if (statement !== undefined) return { request: statement };
  if (text !== undefined && isAskingWhatIsLeft(state.request))
    return readLineQuestion(state.request, text, state);
  const textQuestion = text && readTextQuestion(state.request, text, state);
  if (textQuestion !== undefined) return textQuestion;
  const twoOrders = isPart ? undefined : await readTwoOrders(state, text, isAsWritten);
  if (twoOrders !== undefined) return twoOrders;
  const plain = isAsWritten
    ? undefined
    : ((await rewriteWithoutFiller(state)) ?? readNewText(state, text?.path));
  if (plain !== undefined) return plain;
  const orders = readShortOrders(order);
  if (recent.length === 0 && !isReopening(order)) return undefined;
  if (orders.some(({ verb }) => verb === "undo")) return { request: "undo that" };
  const taskReading =
    readNamedScheduleChange({ ...state, request: order }, recent) ??
    (await readOtherMeant(order, recent, state)) ??
    readTaskQuestion(order, recent, state);
  if (taskReading !== undefined) return taskReading;
  // A calculation in between is about its figures.
  const newest = recent.find(({ kind }) => kind !== "result");
  const taskOrder = readTaskOrder(
    order,
    isReopening(order) ? await findSubjects(state, { hasDone: true }) : recent,
    state,
  );
  const isAboutTasks = isReopening(order) || newest?.kind === "task" || newest?.kind === "schedule";
  if (taskOrder !== undefined && isAboutTasks) return taskOrder;
  const isNotMade = lastWasNotMade((await state.earlier?.()) ?? []);
  for (const shortOrder of orders) {
    if (isNotMade && shortOrder.verb === "add") continue;
    const resolved = readOrderForSubjects(shortOrder, recent, state);
    if (resolved !== undefined) return resolved;
  }
  if (taskOrder !== undefined) return taskOrder;
  if (newest?.kind === "file") return readJsonOrder(order, newest, state);
  return newest?.kind === "text" ? readLineQuestion(order, newest, state) : undefined;
}

/** "Maybe I will delete scene 4", "we might drop the plums", "… I am still thinking about it": nothing is to be done yet. */
const UNDECIDED =
  /^\W*(?:(?:so|well|ok|okay|hmm+)[\s,]+)?(?:(?:maybe|perhaps|possibly)\s+(?:i|we)\b|(?:i|we)\s+(?:might|may)\b)|\b(?:(?:i|we)\s+(?:(?:still|must|have\s+to|need\s+to|will)\s+)?think\s+(?:about|over)\s+(?:it|that|this)|(?:i['’]?m|i\s+am|we['’]?re|we\s+are)\s+(?:still\s+)?thinking\s+(?:about|over)\s+(?:it|that|this)|(?:i|we)\s+(?:haven['’]?t|have\s+not)\s+decided)\b/iu;

/** "Remove tuna and add chicken", "make the candle 22 and tell me the new total": two orders for what the conversation is about. */
const TWO_ORDERS =
  /^(?<first>(?:remove|delete|take|drop|cross|tick|add|put|change|swap|replace|exchange|make|create|start|write|note|remember|remind|set|rename|move|show|read|what|how|who)\b[^.!?\n]{2,80}?)\s*(?:,\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?)(?<second>(?:remove|delete|take|drop|cross|tick|add|put|change|swap|replace|exchange|make|create|start|write|note|remember|remind|set|rename|move|tell\s+me|say\s+(?=how|what|who)|show\s+me|show\s+it|what['’]?s?|how|where|who)\b[^.!?\n]{2,80}?)[\s.!?]*$/iu;

const MAKES = /^(?:make|create|start|write)\s+(?:me\s+)?(?:an?|another|some|the\s+new|new)\s/iu;
const REFERS = /\b(?:it|that|there|them|this|these|those)\b/iu;

/** The calls of two orders, if both are understood, and one of them at least only after the requests before. */
async function readTwoOrders(
  state: PlanState,
  text: SubjectOf<"text"> | undefined,
  isAsWritten: boolean,
): Promise<Resolution | undefined> {
  const { first, second } = TWO_ORDERS.exec(stripFiller(state.request).text)?.groups ?? {};
  if (first === undefined || second === undefined) return undefined;
  // "Make a folder and put both letters in it" is about what only the first order makes.
  if (MAKES.test(first) && REFERS.test(second)) return undefined;
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
      : await readContinuation({ ...state, request }, { isAsWritten, isPart: true });
    isContinued ||= resolved !== undefined;
    const fullReading =
      resolved !== undefined && "request" in resolved
        ? await interpretRequest({ ...state, request: resolved.request })
        : reading;
    const calls =
      resolved !== undefined && "calls" in resolved ? resolved.calls : plannedCallsOf(fullReading);
    if (calls === undefined) return undefined;
    parts.push(calls);
  }
  return isContinued ? { calls: parts.flat() } : undefined;
}

const plannedCallsOf = (reading: Interpretation): readonly PlannedCall[] | undefined =>
  reading.kind === "plan" ? reading.calls : undefined;

/** The text that the conversation was about last, apart from calculations. */
function currentText(subjects: readonly Subject[]): SubjectOf<"text"> | undefined {
  const newest = subjects.find(({ kind }) => kind !== "result");
  return newest?.kind === "text" ? newest : undefined;
}

/** The same request without the words that ask for nothing, if that is understood. */
async function rewriteWithoutFiller(state: PlanState): Promise<Resolution | undefined> {
  const { request } = state;
  if (request.length > MAX_ORDER || readShortOrders(request).some(({ context }) => context !== undefined))
    return undefined;
  const { text } = stripFiller(request.replace(PLEASE_WITHIN, "$1 "));
  if (text === "" || text === request.trim().replace(/[\s.!?]+$/u, "")) return undefined;
  const reading = await interpretRequest({ ...state, request: text });
  return reading.kind === "plan" && !isMemoryQuestion(reading.calls, state) ? { request: text } : undefined;
}

/** "Clara lives in Nantes now, not in Lyon": what is no longer so comes last. */
const DENIED_END = /^(?<statement>[^,;:?!]{3,120}?),\s+(?:and\s+)?(?:not|no\s+longer)\s+[^,;:?!]{2,60}$/iu;

/** A statement without what it denies, if the person states something; undefined for an order. */
function stripDenial(state: PlanState): string | undefined {
  const statement = DENIED_END.exec(withoutTrailing(state.request.trim(), /[.\s]/u))?.groups?.["statement"];
  if (statement === undefined) return undefined;
  const reading = interpretAlone({ ...state, request: statement });
  return reading.kind === "not-understood" && reading.statement !== undefined ? statement : undefined;
}

/** "Calculate please 3 times 12", without "please". */
const PLEASE_WITHIN = /^(\p{L}+),?\s+(?:please|pls|kindly)[,:]?\s+/iu;

/**
 * True for a question about the newest subject, although its words could ask something else: "what's on the list?" after a
 * list, "what's the biggest one?" after a table.
 */
async function isAboutNewestSubject(state: PlanState): Promise<boolean> {
  const isShown = readShortOrders(state.request).some(
    ({ verb, what }) => verb === "show" && /\bthe\s+(?:list|file|table)$/iu.test(what),
  );
  const isLeft = isAskingWhatIsLeft(state.request);
  if (!isShown && !isLeft) return false;
  const [newest] = await findSubjects(state);
  return (!isLeft && newest?.kind === "table") || (newest?.kind === "text" && newest.isList);
}

/**
 * True for a change that the tasks of this conversation make certain: "the piano tuner is done" needs no question, and "make it 5" is
 * no time where the title has the only number.
 */
async function isChangeOfKnownTask(reading: PlanReading, state: PlanState): Promise<boolean> {
  const subjects = await findSubjects(state);
  const taskOrder = (): Resolution | undefined => readTaskOrder(state.request, subjects, state);
  // "No, the dentist at 10" is a time, and no title.
  const isRenamed =
    reading.calls.some(({ skill, args }) => skill === "task_update" && Object.hasOwn(args, "title")) ||
    ["task_delete", "task_create"].every((id) => reading.calls.some(({ skill }) => skill === id));
  if (isRenamed) return taskOrder() !== undefined;
  // Two dates for two tasks, a day of the month in which a task is due, and a date that corrects a task and no memory.
  const isDated = reading.calls.some(
    ({ args }) =>
      Object.hasOwn(args, "due") || Object.hasOwn(args, "when") || Object.hasOwn(args, "replaces"),
  );
  const dueOrder = isDated ? taskOrder() : undefined;
  if (dueOrder !== undefined && "request" in dueOrder && dueOrder.request.startsWith("set the task"))
    return true;
  // "The garage is called, check it off": what the statement is about, and not what was made last.
  const isReferring = reading.calls.some(({ args }) =>
    Object.values(args).some(({ from }) => from === "earlier"),
  );
  if (isReferring && STATES_AND_ORDERS.test(state.request) && taskOrder() !== undefined) return true;
  const orders = readShortOrders(state.request).filter(({ verb }) => verb === "done" || verb === "set");
  if (orders.length === 0) return false;
  const tasks = subjects.filter((subject) => subject.kind === "task");
  return orders.some((order) => {
    const task = findMeantByTitle(order, tasks);
    if (order.verb === "done") return task !== undefined && !PRONOUN.test(order.what);
    return task !== undefined && subjects[0] === task && hasOnlyNumber(task, order.value ?? "");
  });
}

const STATES_AND_ORDERS =
  /[,;.!]\s+\S.*\b(?:it|that|this)\b|\s(?:tick|cross|check|mark|scratch)\s+(?:it|that|this)\b/iu;

type PlanReading = Extract<Interpretation, { kind: "plan" }>;

/** True for a reading that the conversation may complete or replace. */
export async function isContinuable(reading: Interpretation, state: PlanState): Promise<boolean> {
  // "Remove bells from it" after a JSON file is about its keys.
  if (reading.kind === "ambiguous") return (await findSubjects(state))[0]?.kind === "file";
  if (reading.kind !== "plan") return reading.kind === "not-understood" || reading.kind === "refrain";
  if (isMemoryQuestion(reading.calls, state)) return true;
  if (reading.readOnly) return isAboutNewestSubject(state);
  // "Remove beta" after a JSON file is about its lists, before any file is looked for.
  if (reading.calls.every(isDeletionByName)) return (await findSubjects(state))[0]?.kind === "file";
  const changes = reading.calls.filter(({ lookup }) => lookup === undefined);
  if (isExcludingDays(state.request) || changes.every(({ skill }) => skill === "schedule_update"))
    return (
      readNamedScheduleChange(state, await findSubjects(state)) !== undefined ||
      (await isChangeOfKnownTask(reading, state))
    );
  return (
    (await isRepeatedForLine(state)) ||
    (await isForCurrentList(reading, state)) ||
    (await isChangeOfKnownLine(reading, state)) ||
    isChangeOfKnownTask(reading, state)
  );
}

/** True for the deletion of a file that is named without an ending. */
const isDeletionByName = ({ skill, args }: PlannedCall): boolean =>
  skill === "fs_delete" && args["path"]?.from === "request" && !/[./]/u.test(String(args["path"].value));

/** True for a change of words that holds another order, and for one that the current text shows to be of other words. */
async function isChangeOfKnownLine({ calls }: PlanReading, state: PlanState): Promise<boolean> {
  const edits = calls.flatMap(({ skill, args }) => (skill === "fs_edit" ? [args] : []));
  if (edits.length === 0) return false;
  const textIn = (arg: PlannedCall["args"][string] | undefined): string | undefined =>
    arg?.from === "request" && typeof arg.value === "string" ? arg.value : undefined;
  if (edits.some(({ text }) => FURTHER_ORDER.test(textIn(text) ?? ""))) return true;
  const text = currentText(await findSubjects(state));
  // "Put KARD at the top of the list" moves a line that the list has.
  if (text !== undefined && edits.some(({ line }) => line?.from === "request" && line.value === 1))
    return readPlacedLine(state.request, text, state) !== undefined;
  const change = text && readLineCorrection(state.request.trim(), text, state);
  const [knownCall] = change !== undefined && "calls" in change ? change.calls : [];
  const line = textIn(knownCall?.args["line"]);
  const find = textIn(edits[0]?.["find"]);
  return line !== undefined && find !== undefined && !line.includes(find);
}

/** True for "and the trash too" after another line was ticked, if the current text has such a line. */
async function isRepeatedForLine(state: PlanState): Promise<boolean> {
  const { text: itemWords, isJoined } = stripFiller(state.request);
  if (!isJoined || state.request.length > MAX_ORDER) return false;
  const [newest] = await findSubjects(state);
  return newest?.kind === "text" && newest.isChanged && areWordsOfLines(itemWords, newest.lines);
}

const TO_LIST = /\s(?:to|on|onto|in)\s+(?:the|that|this|our)\s+list\b/iu;

/** True for "add bread to the list" after a list that is no list of tasks. */
async function isForCurrentList({ calls }: PlanReading, state: PlanState): Promise<boolean> {
  const isTask = calls.length === 1 && calls[0]?.skill === "task_create";
  if (!isTask || !TO_LIST.test(state.request)) return false;
  const newest = (await findSubjects(state)).find(({ kind }) => kind !== "result");
  return newest?.kind === "text" && newest.isList;
}

/** What a request changes of a schedule: of the newest subject, or of another one that it names. */
function readNamedScheduleChange(state: PlanState, subjects: readonly Subject[]): Resolution | undefined {
  const schedules = dropRemindersOfTasks(subjects).filter((subject) => subject.kind === "schedule");
  const isMeant =
    subjects[0]?.kind === "schedule" ||
    findMentionedName(
      state.request,
      schedules.map(({ title }) => title),
    ) !== undefined;
  return isMeant ? readScheduleChange(state.request, schedules, state) : undefined;
}

/** "Back to the packing list: add a scarf": which subject the order after it is for. */
const TOPIC =
  /^(?:(?:and|now|so|ok|okay|right|well|oh|then)[,\s]+)*(?:back\s+to|as\s+for|about|in|on|for)\s+(?:the|my|our)\s+(?<topic>\p{L}[^:,]{1,40}?)(?:\s+again)?(?:\s*[:,]\s+|(?<=back\s+to\s[^:,]{1,60})\s+(?=(?:add|put|remove|take|tick|cross|change|make|what['’]?s?|how\s+many|show)\s))(?<order>\S.*)$/iu;

function splitTopic(request: string): { order: string; topic?: string } {
  const { topic, order } = TOPIC.exec(request)?.groups ?? {};
  return topic === undefined || order === undefined ? { order: request } : { order, topic };
}

/** True if a subject has all words of a name. */
function hasWordsInName(subject: Subject, name: string): boolean {
  const nameWords = pathStems(subjectName(subject));
  const askedWords = contentStems(name);
  return askedWords.length > 0 && askedWords.every((word) => nameWords.includes(word));
}

function subjectName(subject: Subject): string {
  switch (subject.kind) {
    case "task":
    case "schedule":
      return subject.title;
    case "fact":
      return subject.text;
    case "result":
      return subject.value;
    case "text":
    case "table":
    case "file":
    case "folder":
      return subject.path;
    default:
      return subject satisfies never;
  }
}

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

const isUnderstood = (resolved: Resolution, state: PlanState): boolean =>
  "calls" in resolved || interpretAlone({ ...state, request: resolved.request }).kind === "plan";

function readOrderForSubject(order: ShortOrder, subject: Subject, context: Context): Resolution | undefined {
  switch (subject.kind) {
    case "text":
    case "table":
    case "file":
    case "folder":
      return readPathOrder(order, subject);
    case "task":
      return context.isFirst ? readShortTaskOrder(order, context) : undefined;
    case "schedule":
      return context.isFirst ? readShortScheduleOrder(order, context) : undefined;
    case "fact":
      return readFurtherFact(order, subject, context.state);
    case "result":
      return undefined;
    default:
      return subject satisfies never;
  }
}
