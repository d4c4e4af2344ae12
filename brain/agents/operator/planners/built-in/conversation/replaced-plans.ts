import type { Interpretation, PlannedCall } from "@metahuman/core/language/grammar/plan";
import { isAskingWhatIsLeft } from "../text/line-questions.ts";
import { areWordsOfLines } from "../text/matching-lines.ts";
import { FURTHER_ORDER } from "../text/text-edits.ts";
import { isExcludingDays } from "../tasks/schedule-orders.ts";
import { findMeantByTitle, hasOnlyNumber } from "../tasks/short-task-orders.ts";
import { MAX_ORDER } from "./limits.ts";
import type { Message } from "./message.ts";
import { callsFrom, isMemoryQuestion } from "./resolution.ts";
import { PRONOUN, stripFiller } from "./short-orders.ts";

// Tells whether the conversation may complete or replace what the grammar makes of a message alone. A plan is only replaced by what its
// words mean for the newest list, text, task or schedule of the conversation.

/** True for a reading that the conversation may complete or replace. What needs no subjects is told first: few plans need them. */
export async function mayContinue(reading: Interpretation, message: Message): Promise<boolean> {
  const { state, subjects } = message;
  // "Remove bells from it" after a JSON file is about its keys.
  if (reading.kind === "ambiguous") return (await subjects())[0]?.kind === "file";
  if (reading.kind !== "plan") return reading.kind === "not-understood" || reading.kind === "refrain";
  if (isMemoryQuestion(reading.calls, state)) return true;
  if (reading.readOnly) return isAboutNewestSubject(message);
  // "Remove beta" after a JSON file is about its lists, before any file is looked for.
  if (reading.calls.every(isDeletionByName)) return (await subjects())[0]?.kind === "file";
  const changes = reading.calls.filter(({ lookup }) => lookup === undefined);
  if (isExcludingDays(state.request) || changes.every(({ skill }) => skill === "schedule_update"))
    return (await message.scheduleChange()) !== undefined || isChangeOfKnownTask(reading, message);
  return (
    (await isRepeatedForLine(message)) ||
    (await isForCurrentList(reading, message)) ||
    (await isChangeOfKnownLine(reading, message)) ||
    isChangeOfKnownTask(reading, message)
  );
}

/** True for the deletion of a file that is named without an ending. */
const isDeletionByName = ({ skill, args }: PlannedCall): boolean =>
  skill === "fs_delete" && args["path"]?.from === "request" && !/[./]/u.test(String(args["path"].value));

/** True for a change of words that holds another order, and for one that the current text shows to be of other words. */
async function isChangeOfKnownLine({ calls }: PlanReading, { lineChange }: Message): Promise<boolean> {
  const edits = calls.flatMap(({ skill, args }) => (skill === "fs_edit" ? [args] : []));
  if (edits.length === 0) return false;
  const textIn = (arg: PlannedCall["args"][string] | undefined): string | undefined =>
    arg?.from === "request" && typeof arg.value === "string" ? arg.value : undefined;
  if (edits.some(({ text }) => FURTHER_ORDER.test(textIn(text) ?? ""))) return true;
  const change = await lineChange();
  // "Put KARD at the top of the list" moves a line that the list has.
  if (edits.some(({ line }) => line?.from === "request" && line.value === 1)) return change !== undefined;
  const [knownCall] = callsFrom(change) ?? [];
  const line = textIn(knownCall?.args["line"]);
  const find = textIn(edits[0]?.["find"]);
  return line !== undefined && find !== undefined && !line.includes(find);
}

/** True for "and the trash too" after another line was ticked, if the current text has such a line. */
async function isRepeatedForLine({ state, subjects }: Message): Promise<boolean> {
  const { text: itemWords, isJoined } = stripFiller(state.request);
  if (!isJoined || state.request.length > MAX_ORDER) return false;
  const [newest] = await subjects();
  return newest?.kind === "text" && newest.isChanged && areWordsOfLines(itemWords, newest.lines);
}

const TO_LIST = /\s(?:to|on|onto|in)\s+(?:the|that|this|our)\s+list\b/iu;

/** True for "add bread to the list" after a list that is not a list of tasks. */
async function isForCurrentList({ calls }: PlanReading, { state, text }: Message): Promise<boolean> {
  const isTask = calls.length === 1 && calls[0]?.skill === "task_create";
  if (!isTask || !TO_LIST.test(state.request)) return false;
  return (await text())?.isList === true;
}

/**
 * True for a question about the newest subject, although its words could ask something else: "what's on the list?" after a
 * list, "what's the biggest one?" after a table.
 */
async function isAboutNewestSubject({ state, subjects, shortOrders }: Message): Promise<boolean> {
  const isShown = shortOrders().some(
    ({ verb, what }) => verb === "show" && /\bthe\s+(?:list|file|table)$/iu.test(what),
  );
  const isLeft = isAskingWhatIsLeft(state.request);
  if (!isShown && !isLeft) return false;
  const [newest] = await subjects();
  return (!isLeft && newest?.kind === "table") || (newest?.kind === "text" && newest.isList);
}

/**
 * True for a change that the tasks of this conversation make certain: "the piano tuner is done" needs no question, and "make it 5" is
 * no time where the title has the only number.
 */
async function isChangeOfKnownTask(reading: PlanReading, message: Message): Promise<boolean> {
  const { state, taskOrder } = message;
  // "No, the dentist at 10" is a time, and no title.
  const isRenamed =
    reading.calls.some(({ skill, args }) => skill === "task_update" && Object.hasOwn(args, "title")) ||
    ["task_delete", "task_create"].every((id) => reading.calls.some(({ skill }) => skill === id));
  if (isRenamed) return (await taskOrder()) !== undefined;
  // Two dates for two tasks, a day of the month in which a task is due, and a date that corrects a task and no memory.
  const isDated = reading.calls.some(
    ({ args }) =>
      Object.hasOwn(args, "due") || Object.hasOwn(args, "when") || Object.hasOwn(args, "replaces"),
  );
  const dueOrder = isDated ? await taskOrder() : undefined;
  if (dueOrder?.kind === "task-orders" && dueOrder.orders[0]?.kind === "set-due") return true;
  // "The garage is called, check it off": what the statement is about, and not what was made last.
  const isReferring = reading.calls.some(({ args }) =>
    Object.values(args).some(({ from }) => from === "earlier"),
  );
  if (isReferring && STATES_AND_ORDERS.test(state.request) && (await taskOrder()) !== undefined) return true;
  const orders = message.shortOrders().filter(({ verb }) => verb === "done" || verb === "set");
  if (orders.length === 0) return false;
  const subjects = await message.subjects();
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
