import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import { formatMoment } from "@metahuman/core/language/dates/clock";
import { Task } from "@metahuman/core/contract/task";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { PlannerDecision, PlanState } from "../../planner.ts";
import { interpretAlone } from "./interpret-request.ts";
import { lastWithCalls } from "./last-request.ts";
import { answerIn } from "./follow.ts";
import { ask, stepOf } from "./next-step.ts";
import { sentences, THOUGHTS } from "./phrasing.ts";

// Short requests about the task or the reminder of the request before, and the same requests in full.

const BEFORE = String.raw`^(?:(?:and|also|plus|oh|ok|okay|so|then|now|please|pls)[,\s]+)*`;
const AFTER = String.raw`(?:\s+(?:then|too|as well|again|please|pls|thanks))*[\s?.!]*$`;
const whole = (words: string): RegExp => new RegExp(`${BEFORE}(?:${words})${AFTER}`, "iu");

/** The task that the last request with calls made or changed, and whether that request asked for a reminder. */
async function lastTask(state: PlanState): Promise<{ task: Task; isReminder: boolean } | undefined> {
  const last = await lastWithCalls(state);
  const { data } = Task.safeParse(last?.calls.at(-1)?.outputs?.["task"]);
  return last && data && { task: data, isReminder: /\bremind\b/iu.test(last.request) };
}

/** "And at 9 to call the school" after a reminder: when, and what for. */
const ANOTHER_REMINDER =
  /^(?:and|also|plus)\s+(?<when>(?:at\s+\S+(?:\s?[ap]m)?|in\s+\S+\s+(?:minutes?|hours?|days?|weeks?)|(?:on\s+)?\p{L}+day(?:\s+at\s+\S+)?|tomorrow(?:\s+at\s+\S+)?))\s+to\s+(?<what>\S.*?)[\s.!]*$/iu;
/** "A week before", "remind me two days ahead": how long before the task is due. */
const REMINDS_BEFORE = whole(
  String.raw`remind\s+me(?:\s+(?:of|about)\s+(?:it|that))?\s+(?<count>the|an?|one|two|three|four|five|six|\d{1,2})\s+(?<unit>hour|day|week|month)s?\s+(?:before(?:\s+(?:that|it|then))?|beforehand|earlier|ahead|in advance)`,
);
const ARE_OPEN = whole(
  String.raw`(?:which|what)(?:\s+(?:ones?|of\s+(?:them|those|these)))?\s+(?:is|are)\s+(?:still\s+)?(?:open|left|not\s+done)`,
);

/** "Also return the books the same day". */
const SAME_DAY =
  /^(?:(?:and|also|plus|then)\s+)+(?:to\s+)?(?<what>\S.*?),?\s+(?:on\s+)?(?:the\s+)?same\s+(?:day|date)[\s.!]*$/iu;
const WHEN_AGAIN = whole(
  String.raw`when\s+(?:(?:was|is)\s+(?:that|it|this|the\s+(?:appointment|reminder|task))(?:\s+due)?|(?:it|that)\s+is)|(?:confirm|tell\s+me)\s+the\s+(?:day|date|time)(?:\s+and\s+(?:the\s+)?(?:time|date))?`,
);
/** "Make a task of it for me to check on the 5th". */
const TASK_OF_IT =
  /^(?:please\s+)?(?:make|create|add)\s+(?:me\s+)?an?\s+(?:task|to-?do|reminder)\s+(?:out\s+)?(?:of|from|for|about)\s+(?:it|that|this)(?:\s+for\s+me)?(?:\s+to\s+(?<what>\S.*?))?[\s.!]*$/iu;
/** Verbs that a question may follow: "check who orders the printer". */
const INQUIRES =
  /^(?<verb>check|ask|find out|clarify|see|look up)(?<rest>\s+(?:on|by|at|next|tomorrow|in)\s.*)?$/iu;
const QUESTION = /^(?:what|who|whose|when|where|which|why|how)\s/iu;

/** A request about the last task, in full; undefined for any other request, and if no task can be meant. */
export async function aboutLastTask(state: PlanState): Promise<string | undefined> {
  const asked = state.request.trim();
  const another = ANOTHER_REMINDER.exec(asked)?.groups;
  if (another !== undefined) return anotherReminder(another, state);
  const before = REMINDS_BEFORE.exec(asked)?.groups;
  if (before !== undefined) return reminderBefore(before, state);
  const ofIt = TASK_OF_IT.exec(asked)?.groups;
  if (ofIt !== undefined) return taskOfIt(ofIt, state);
  const same = SAME_DAY.exec(asked)?.groups?.["what"];
  const isWhen = WHEN_AGAIN.test(asked);
  if (same !== undefined || isWhen) {
    const { title, due, isTask } = (await lastDated(state)) ?? {};
    if (title === undefined || due === undefined) return undefined;
    if (same !== undefined) return `add a task to ${same} on ${localDue(due, state).slice(0, 10)}`;
    return isTask === true ? `when is the task ${title} due` : undefined;
  }
  if (!ARE_OPEN.test(asked)) return undefined;
  const last = await lastWithCalls(state);
  const isAboutTasks = last?.calls.some(({ skill }) => skill.startsWith("task_"));
  return isAboutTasks === true ? "list my open tasks" : undefined;
}

async function anotherReminder(
  { when = "", what = "" }: Record<string, string>,
  state: PlanState,
): Promise<string | undefined> {
  const last = await lastWithCalls(state);
  if (last === undefined || !/\bremind\b/iu.test(last.request)) return undefined;
  const due = last.calls.map(({ args }) => args["due"]).findLast((one) => typeof one === "string");
  // A time alone is on the day of the reminder before, and a bare hour in its half of the day.
  if (typeof due !== "string" || !/^at\s/iu.test(when)) return `remind me ${when} to ${what}`;
  const [day = "", time] = localDue(due, state).split(" ");
  const bare = /^at\s+(?<hour>[1-9]|1[01])(?<minutes>[:.]\d{2})?$/iu.exec(when)?.groups;
  const isAfternoon = bare !== undefined && time !== undefined && time >= "12";
  const at = isAfternoon ? `at ${Number(bare["hour"]) + 12}${bare["minutes"] ?? ":00"}` : when;
  return `remind me on ${day} ${at} to ${what}`;
}

/** A due date as the person's clock shows it: `2026-11-21`, or `2026-11-21 17:00`. */
const localDue = (due: string, state: Pick<PlanState, "timeZone">): string =>
  due.includes("T") ? formatMoment(due, state) : due;

const HOUR_MS = 3_600_000;

/** The reminder names the day that the task is due, because it is a task of its own with another date. */
async function reminderBefore(
  { count = "", unit = "" }: Record<string, string>,
  state: PlanState,
): Promise<string | undefined> {
  const { title, due, isTask } = (await lastDated(state)) ?? {};
  if (title === undefined || due === undefined || title.includes('"')) return undefined;
  const [day = "", time] = localDue(due, state).split(" ");
  const text = isTask === true ? `"${title} (due ${[day, time].filter(Boolean).join(" ")})"` : `"${title}"`;
  const number = /^(?:the|an?)$/iu.test(count) ? "one" : count;
  if (unit.toLowerCase() !== "hour")
    return `remind me ${number} ${unit}s before ${day}${time === undefined ? "" : ` at ${time}`} to ${text}`;
  const hours = number === "one" ? 1 : Number(number);
  if (time === undefined || Number.isNaN(hours)) return undefined;
  const moment = new Date(Date.parse(due) - hours * HOUR_MS).toISOString();
  const [dayBefore = "", timeBefore = ""] = formatMoment(moment, state).split(" ");
  return `remind me on ${dayBefore} at ${timeBefore} to ${text}`;
}

async function taskOfIt(
  { what = "" }: Record<string, string>,
  { earlier }: PlanState,
): Promise<string | undefined> {
  const [last] = (await earlier?.()) ?? [];
  if (last === undefined) return undefined;
  const { verb, rest = "" } = INQUIRES.exec(what)?.groups ?? {};
  if (verb !== undefined && QUESTION.test(last.request))
    return `add a task to ${verb} ${last.request.replace(/[\s?.!]+$/u, "")}${rest}`;
  return what === "" ? "add a task" : `add a task to ${what}`;
}

/** The task that was created or changed last, or the statement that was remembered last, with a day. */
async function lastDated(
  state: PlanState,
): Promise<{ title: string; due: string; isTask: boolean } | undefined> {
  const calls = ((await state.earlier?.()) ?? []).flatMap((request) => request.calls.toReversed());
  for (const { args, outputs } of calls) {
    const { data: task } = Task.safeParse(outputs?.["task"]);
    if (task?.due !== undefined) return { title: task.title, due: task.due, isTask: true };
    const { text } = args;
    if (typeof text !== "string") continue;
    const reading = interpretAlone({ ...state, request: `add a task: ${text}` });
    const due = reading.kind === "plan" ? reading.calls[0]?.args["due"] : undefined;
    if (due?.from === "request" && typeof due.value === "string")
      return { title: text, due: due.value, isTask: false };
  }
  return undefined;
}

/** "Every day please": only how often. */
const HOW_OFTEN = whole(
  String.raw`(?:(?:do|make|repeat)\s+(?:it|that)\s+|remind\s+me\s+(?:(?:of|about)\s+(?:it|that)\s+)?)?(?<often>(?:every|each)\s+(?:other\s+)?(?:day|week|month|morning|evening|weekday|\p{L}+day)|daily|weekly|monthly)`,
);
const ADVERBS: Readonly<Record<string, string>> = {
  daily: "every day",
  weekly: "every week",
  monthly: "every month",
};

/**
 * Repeats the reminder of the request before: "every day please". The task with its one reminder is deleted, because both would
 * remind the person at the first time. Undefined for any other request, and if no reminder with a time came before.
 */
export async function repeatedReminder(state: PlanState): Promise<PlannerDecision | undefined> {
  const often = HOW_OFTEN.exec(state.request.trim())?.groups?.["often"]?.toLowerCase();
  const last = often === undefined ? undefined : await lastTask(state);
  if (often === undefined || last?.isReminder !== true || last.task.due === undefined) return undefined;
  const time = localDue(last.task.due, state).split(" ")[1];
  const at = time === undefined ? "" : ` at ${time}`;
  const reading = interpretAlone({
    ...state,
    request: `remind me ${ADVERBS[often] ?? often}${at} to ${last.task.title}`,
  });
  const deletion = state.skills.find(({ id }) => id === "task_delete");
  if (reading.kind !== "plan" || reading.readOnly || deletion === undefined) return undefined;
  const removed = callOf(deletion.id, fromRequest({ id: last.task.id }), state.request);
  return stepOf([...reading.calls, removed], state, reading.repeats);
}

const REMINDS_WHEN =
  /^(?:(?:please|pls|can you|could you)\s+)*remind\s+me\s+(?<when>\S.{0,60}?)(?:\s+(?:please|pls))?[\s.!?]*$/iu;
/** Stands for the text that a reminder lacks. */
const ANYTHING = "stretch";

/** Asks what a reminder with only a time is for: "remind me tomorrow at 10". Undefined for any other request. */
export function reminderWithoutText(state: PlanState): PlannerDecision | undefined {
  const when = REMINDS_WHEN.exec(state.request.trim())?.groups?.["when"];
  if (when === undefined) return undefined;
  const withText = (text: string) => interpretAlone({ ...state, request: `remind me ${when} to ${text}` });
  const reading = withText(ANYTHING);
  const [call, ...others] = reading.kind === "plan" ? reading.calls : [];
  const { title, due } = call?.args ?? {};
  const isOnlyTime = title?.from === "request" && title.value === ANYTHING && due !== undefined;
  if (others.length > 0 || !isOnlyTime) return undefined;
  const question = { question: sentences.remindedOfWhat, options: [] };
  const reply = answerIn(state.scratchpad)(question)?.trim();
  if (reply === undefined) return ask(question, THOUGHTS.unnamed);
  if (optionFromReply(reply, []) === "none")
    return { kind: "answer", thought: THOUGHTS.refrain, style: "default", text: sentences.nothingChosen };
  const whole = withText(reply);
  return whole.kind === "plan" ? stepOf(whole.calls, state) : undefined;
}
