import { oneOf } from "@metahuman/core/text/patterns";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { PlannerDecision, PlanState } from "../../../planner.ts";
import { interpretAlone } from "../interpret-request.ts";
import { isStuck, stepOf } from "../next-step.ts";
import { PRONOUN, type ShortOrder } from "../conversation/short-orders.ts";
import { callSkill, orderForTask, type Resolution } from "../conversation/resolution.ts";
import { findMeantName, findMentionedName, type Subject, type SubjectOf } from "../conversation/subjects.ts";
import { phraseTaskOrder, type TaskOrder, withTitle } from "./task-order.ts";

// Reads a short order (conversation/short-orders.ts) for the tasks and schedules of the conversation. "Delete it" becomes `delete the
// task "buy milk"`, and for a schedule a call of schedule_delete.

/** The subjects that an order may be for. */
export interface OrderContext {
  subjects: readonly Subject[];
  state: PlanState;
  /** True for the newest subject of its kind. */
  isFirst: boolean;
}

/** True if the value is a number, and can replace the only number in the title of a task without a date. */
export const hasOnlyNumber = ({ title, due }: SubjectOf<"task">, value: string): boolean =>
  due === undefined && /^\d+$/u.test(value) && title.match(/\d+/gu)?.length === 1;

const THING = /\s+(?:one|task|reminder|thing|appointment|schedule)$/iu;
const TASK_VERB_FIRST_WORDS = oneOf(
  "call|phone|ring|email|e-mail|text|message|write|answer|visit|meet|invite|thank|ask|pay|buy|get|order",
  "fetch|collect|pick|book|renew|cancel|wash|clean|feed|water|repair|fix|return|read|prepare|bake|cook",
  "send|post|bring|take|check|make|finish|submit|print|change|drop",
);
/** A verb of everyday life at the beginning: what follows is something to do. */
export const TASK_VERB_FIRST = new RegExp(String.raw`^${TASK_VERB_FIRST_WORDS}\s+\S`, "iu");
const BOTH = /^both(?:\s+of\s+(?:them|those))?(?:\s+(?:tasks|reminders))?$/iu;

/** The thing that an order means: by its words, by a statement next to it, or the newest one. */
export function findMeantByTitle<Thing extends { title: string }>(
  { what, context }: ShortOrder,
  things: readonly Thing[],
): Thing | undefined {
  const titles = things.map(({ title }) => title);
  const words = what.replace(THING, "").replace(/^(?:the|that|my)\s+/iu, "");
  const named = PRONOUN.test(what)
    ? context === undefined
      ? titles[0]
      : (findMentionedName(context, titles) ?? titles[0])
    : findMeantName(words, titles);
  return things.find(({ title }) => title === named);
}

/** Orders for the tasks of the conversation. */
export function readShortTaskOrder(
  order: ShortOrder,
  { subjects, state }: OrderContext,
): Resolution | undefined {
  const tasks = subjects.filter((subject) => subject.kind === "task");
  const isNewest = subjects[0]?.kind === "task";
  const { verb, what, value = "" } = order;
  if (verb === "remove" && BOTH.test(what)) {
    const two = tasks.slice(0, 2);
    return two.length < 2
      ? undefined
      : callSkill(
          "task_delete",
          two.map(({ id }) => ({ id })),
          state,
        );
  }
  const task = findMeantByTitle(order, tasks);
  switch (verb) {
    case "add":
      return order.isBare === true && isNewest && TASK_VERB_FIRST.test(what)
        ? { kind: "request", request: `add a task to ${what}` }
        : undefined;
    case "show":
      return isNewest && /^(?:(?:(?:on|in)\s+)?(?:it|that|them|there|the\s+list|my\s+list)|)$/iu.test(what)
        ? { kind: "request", request: "list my open tasks" }
        : undefined;
    case "count":
      return isNewest && /^(?:tasks?|things?|ones?|)$/iu.test(what)
        ? { kind: "request", request: "how many open tasks do I have" }
        : undefined;
    case "done":
      return task && orderForTask({ kind: "finish", task: withTitle(task.title) });
    case "remove":
      return task && orderForTask({ kind: "delete", task: withTitle(task.title) });
    case "when":
      return task?.due === undefined || !isNewest
        ? undefined
        : orderForTask({ kind: "ask-due", task: withTitle(task.title) });
    case "set":
      return task && readTaskChange(task, value, state);
    case "copy":
    case "move":
    case "rename":
    case "where":
    case "undo":
      return undefined;
    default:
      return verb satisfies never;
  }
}

/** Another day or time for a task, or another number in its title. */
function readTaskChange(task: SubjectOf<"task">, value: string, state: PlanState): Resolution | undefined {
  const { title } = task;
  // "The books to the 10th and the presents to the 21st" are two orders.
  if (title.includes('"') || /\sand\s/iu.test(value)) return undefined;
  if (hasOnlyNumber(task, value))
    return orderForTask({ kind: "rename", task: withTitle(title), title: title.replace(/\d+/u, value) });
  const due = value
    .replace(/^(?:on|by|at|for|until|till)\s+/iu, "")
    .replace(/^half\s+(?=\d)/iu, "half past ");
  return orderDueDate(title, due, state);
}

/** The order that a task be due then; undefined if the words name no day or time. */
export function orderDueDate(title: string, due: string, state: PlanState): Resolution | undefined {
  const order: TaskOrder = { kind: "set-due", task: withTitle(title), due };
  const reading = interpretAlone({ ...state, request: phraseTaskOrder(order) });
  const isDated =
    reading.kind === "plan" && reading.calls.some(({ args }) => args["due"]?.from === "request");
  return isDated ? orderForTask(order) : undefined;
}

/** "When is my dentist appointment": its words may be the title of a task. */
const WHEN =
  /^\W*(?:(?:and|so|hey|please|tell me)\W+)*(?:when(?:['’]?s|\s+is|\s+are|\s+do\s+(?:i|we)\s+have)|what\s+(?:day|time)\s+is)\s+(?:(?:my|the|our)\s+)?(?<what>\p{L}[^?.!,;]{1,60}?)(?:\s+(?:due|again))?[\s?.!]*$/iu;

/** The day of the task that a question names; undefined if there is none. */
export function decideTaskDue(state: PlanState): PlannerDecision | undefined {
  const what = WHEN.exec(state.request)?.groups?.["what"];
  if (what === undefined) return undefined;
  const reading = interpretAlone({ ...state, request: `when is the task ${what} due` });
  if (reading.kind !== "plan" || !isTaskLookup(reading.calls, state)) return undefined;
  const decision = stepOf(reading.calls, state);
  return isStuck(decision) ? undefined : decision;
}

/** True for calls that only look for tasks. */
export const isTaskLookup = (calls: readonly PlannedCall[], { skills }: PlanState): boolean =>
  calls.every(({ skill: id }) => skills.some((skill) => skill.id === id && skill.finds?.kind === "task"));
