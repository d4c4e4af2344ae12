import { Task } from "@metahuman/core/contract/task";
import { formatDue, formatMoment } from "@metahuman/core/language/dates/clock";
import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import { describeCall } from "@metahuman/core/language/grammar/describe-call";
import type { Interpretation, PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { PlannerDecision, PlanState } from "../../../planner.ts";
import { answerIn } from "../follow.ts";
import { grammarsOf, interpretAlone, interpretRequest } from "../interpret-request.ts";
import { ask, stepOf } from "../next-step.ts";
import { sentences, THOUGHTS } from "../phrasing.ts";
import type { Question } from "../resolve.ts";
import { isExcludingDays } from "../tasks/schedule-orders.ts";
import { TASK_VERB_FIRST } from "../tasks/short-task-orders.ts";
import { findSubjects, IS_TABLE } from "./subjects.ts";
import { wholeMessage } from "./short-orders.ts";
import { endWithNothing } from "./ask-person.ts";
import { ASKS, ASKS_IF } from "../word-lists.ts";

// Reads requests that continue the one before: about its file, the rows that it showed, its task or its reminder. "Remind me two days
// before" becomes a reminder with the day counted from the task.

/** The last request that made calls. */
export async function findLastWithCalls({
  earlier,
}: Pick<PlanState, "earlier">): Promise<EarlierRequest | undefined> {
  return ((await earlier?.()) ?? []).find(({ calls }) => calls.length > 0);
}

/** The path of the file that the last request with calls read or changed; undefined if it did neither. */
async function findLastFile(state: Pick<PlanState, "earlier">): Promise<string | undefined> {
  const last = await findLastWithCalls(state);
  const paths = last?.calls.flatMap(({ args, outputs }) => {
    const path = outputs?.["path"] ?? outputs?.["to"] ?? args["path"];
    return outputs !== undefined && typeof path === "string" && /\.\p{L}+$/u.test(path) ? [path] : [];
  });
  return paths?.at(-1);
}

/** Requests about the file of the last request, after one that was not understood. */
export async function suggestFileRequests(state: PlanState): Promise<string[]> {
  const path = await findLastFile(state);
  if (path === undefined) return [];
  const requests = IS_TABLE.test(path)
    ? [`show ${path}`, `how many entries are in ${path}`]
    : [`show ${path}`, `summarize ${path}`];
  return requests.filter((request) => {
    const reading = interpretAlone({ ...state, request });
    return reading.kind === "plan" && reading.readOnly;
  });
}

/** Views that compute something from all rows of a table. */
const COMPUTES = /^(?:sum|sum-by|average-by|average|highest|lowest|entries)$/u;

/**
 * The calls of a request about the table of the request before, "and what is the sum of their fees?", computed from the rows
 * that it showed, with its words. Undefined for any other request, and if that one showed no part of the table.
 */
export async function readWithinLastRows(
  calls: readonly PlannedCall[],
  state: PlanState,
): Promise<{ calls: readonly PlannedCall[]; request: string } | undefined> {
  const [call, ...others] = calls;
  const isAboutEarlier = Object.values(call?.args ?? {}).some(({ from }) => from === "earlier");
  if (call?.view === undefined || others.length > 0 || !isAboutEarlier || !COMPUTES.test(call.view.name))
    return undefined;
  const [last, ...earlier] = (await state.earlier?.()) ?? [];
  if (last === undefined) return undefined;
  const reading = await interpretRequest({
    ...state,
    request: last.request,
    earlier: async () => await Promise.resolve(earlier),
  });
  const [shownCall, ...otherCalls] = reading.kind === "plan" ? reading.calls : [];
  const { skills } = state;
  const narrow = skills.find(({ id }) => id === call.skill)?.narrow;
  const outputs = last.calls.findLast(({ skill }) => skill === call.skill)?.outputs;
  if (
    shownCall?.view === undefined ||
    otherCalls.length > 0 ||
    shownCall.skill !== call.skill ||
    outputs === undefined
  )
    return undefined;
  const shownRows = { name: shownCall.view.name, values: shownCall.view.values };
  // The person means only a request that showed a part of the table.
  if (narrow?.({ ...outputs }, shownRows, state) === undefined) return undefined;
  return { calls: [{ ...call, view: { ...call.view, within: shownRows } }], request: last.request };
}

/** How the last request with calls was understood, for "why did you do that?"; undefined for any other reading. */
export async function decideReasons(
  reading: Interpretation,
  state: PlanState,
): Promise<PlannerDecision | undefined> {
  const isAsked = reading.kind === "small-talk" && reading.topic === "reasons";
  const earlier = isAsked ? ((await state.earlier?.()) ?? []) : [];
  const last = earlier.find(
    ({ calls, request }) => calls.length > 0 || interpretAlone({ ...state, request }).kind !== "small-talk",
  );
  if (last === undefined) return undefined;
  const grammars = grammarsOf(state.skills);
  const descriptions = last.calls.flatMap(({ skill, args }) => describeCall(skill, args, grammars) ?? []);
  const text =
    last.calls.length === 0
      ? sentences.noCalls(last.request, last.answer ?? "")
      : sentences.reasons(last.request, descriptions);
  return { kind: "answer", thought: THOUGHTS["small-talk"], style: "default", text };
}

const NEW = String.raw`(?:add\s+|make\s+|set\s+|create\s+)`;
/** "And at 9 to call the school", "another one: wrap presents" after a task or a reminder. */
const ANOTHER = new RegExp(
  [
    String.raw`^(?:(?:(?:and|also|plus|then|additionally|oh|ok|okay|so|please|pls)[,.]?\s+)+|(?=${NEW}?(?:another|one\s+more)\b))`,
    String.raw`(?:(?:add|make|set|create)\s+)?`,
    String.raw`(?:(?:another|one\s+more)(?:\s+(?:one|task|reminder|thing|to-?do))?(?:\s*[:,]|\s+for\b)?\s*)?`,
    String.raw`(?:remind(?:\s+me)?\s+(?:too\s+|also\s+)?)?(?<rest>\S.*?)[\s.!]*$`,
  ].join(""),
  "iu",
);
const WHEN_AND_WHAT = /^(?<when>\S.{0,60}?)\s+to\s+(?<what>\S.*)$/iu;
const IS_ASKED = new RegExp(String.raw`^(?:${ASKS}|${ASKS_IF}|am)\b`, "iu");
/** "The same day", "on that date" */
export const SAME_DAY = /\b(?:on\s+|for\s+)?(?:the\s+)?(?:same|that)\s+(?:day|date)\b/iu;
/** "A week before", "remind me two days ahead": how long before the task is due. */
const REMINDS_BEFORE = wholeMessage(
  String.raw`remind\s+me(?:\s+(?:of|about)\s+(?:it|that))?\s+(?<count>the|an?|one|two|three|four|five|six|\d{1,2})\s+(?<unit>hour|day|week|month)s?\s+(?:before(?:\s+(?:that|it|then))?|beforehand|earlier|ahead|in advance)`,
);
const ARE_OPEN = wholeMessage(
  String.raw`(?:which|what)(?:\s+(?:ones?|of\s+(?:them|those|these)))?\s+(?:is|are)\s+(?:still\s+)?(?:open|left|not\s+done)`,
);

const BEFORE_AN_EVENT = String.raw`(?:to\s+)?(?:remind\s+me\s+)?(?<count>the|an?|one|two|three|four|five|six|\d{1,2})\s+(?<unit>day|week|month)s?`;
/** "And the week before order the oil", "and a day before the press night on 11 December to order flowers". */
const ALSO_BEFORE = [
  new RegExp(
    String.raw`^(?:(?:and|also|plus|then)[,\s]+)+${BEFORE_AN_EVENT}\s+(?:before(?:\s+(?:that|it|then))?|beforehand|earlier|ahead),?\s+(?:to\s+)?(?<what>(?:(?<=to\s)\S|${TASK_VERB_FIRST.source.slice(1)}).*?)[\s.!]*$`,
    "iu",
  ),
  new RegExp(
    String.raw`^(?:(?:and|also|plus|then)[,\s]+)+${BEFORE_AN_EVENT}\s+before\s+(?<event>[^,;:]{3,60}?),?\s+to\s+(?<what>\S.*?)[\s.!]*$`,
    "iu",
  ),
];
/** "Ok then make a task for it today: message Paulo". */
const TASK_FOR_IT = wholeMessage(
  String.raw`(?:make|create|add)\s+(?:me\s+)?an?\s+(?:task|to-?do|reminder)\s+(?:out\s+of|of|for|from)\s+(?:it|that|this)(?:\s+for\s+me)?(?<when>\s+[^:\s][^:]{0,40}?)?\s*:\s*(?<what>\S.*?)`,
);
/** A request about the last task, in full; undefined for any other request, and if no task can be meant. */
export async function rewriteAboutLastTask(state: PlanState): Promise<string | undefined> {
  const request = state.request.trim();
  // "And never on Wednesdays" is no other reminder.
  if (isExcludingDays(request)) return undefined;
  const timeBefore = REMINDS_BEFORE.exec(request)?.groups;
  if (timeBefore !== undefined) return rewriteReminderBefore(timeBefore, state);
  const beforeEvent = ALSO_BEFORE.map((pattern) => pattern.exec(request)?.groups).find(
    (groups) => groups !== undefined,
  );
  if (beforeEvent !== undefined) return rewriteAlsoBefore(beforeEvent, state);
  const { what: taskForIt, when: whenForIt = "" } = TASK_FOR_IT.exec(request)?.groups ?? {};
  if (taskForIt !== undefined) return `add a task to ${taskForIt}${whenForIt}`;
  const another = ANOTHER.exec(request)?.groups?.["rest"];
  // "Please change the tablet reminder to 20:30" is about an existing one.
  const isKnown =
    /\b(?:change|move|set|make|cancel|delete|update|stop)\b.*\b(?:reminders?|tasks?|alarms?)\b/iu;
  if (another !== undefined && !IS_ASKED.test(another) && !isKnown.test(another))
    return rewriteAnotherTask(another, state);
  if (!ARE_OPEN.test(request)) return undefined;
  const last = await findLastWithCalls(state);
  const isAboutTasks = last?.calls.some(({ skill }) => skill.startsWith("task_"));
  return isAboutTasks === true ? "list my open tasks" : undefined;
}

/** Another task or reminder like that of the previous request; undefined without a date, and if that request was about neither. */
async function rewriteAnotherTask(rest: string, state: PlanState): Promise<string | undefined> {
  const last = await findLastWithCalls(state);
  if (last?.calls.some(({ skill }) => MAKES_DATED.test(skill)) !== true) return undefined;
  const due = last.calls
    .map(({ args, outputs }) => Task.safeParse(outputs?.["task"]).data?.due ?? args["due"])
    .filter((dueDate) => typeof dueDate === "string")
    .findLast((dueDate) => !Number.isNaN(Date.parse(dueDate)));
  const [day = "", time] = due === undefined ? [] : formatDue(due, state).split(" ");
  const taskWords = day === "" ? rest : rest.replace(SAME_DAY, `on ${day}`);
  const { when = "", what = "" } = WHEN_AND_WHAT.exec(taskWords)?.groups ?? {};
  // A time alone is on the day of the reminder before, and a bare hour in its half of the day.
  const bare = /^at\s+(?<hour>\d{1,2})(?<minutes>[:.]\d{2})?(?:\s?[ap]m)?$/iu.exec(when);
  const { hour = "", minutes = ":00" } = bare?.groups ?? {};
  const isAfternoon = time !== undefined && time >= "12" && Number(hour) < 12 && !/[ap]m$/iu.test(when);
  const at = isAfternoon ? `at ${Number(hour) + 12}${minutes}` : when;
  const isReminder = /\bremind/iu.test(last.request) || /\bremind/iu.test(state.request);
  const requests = [
    ...(what === ""
      ? []
      : [`remind me ${bare === null || day === "" ? when : `on ${day} ${at}`} to ${what}`]),
    isReminder ? `remind me of ${taskWords}` : `add a task: ${taskWords}`,
  ];
  return requests.find((request) => {
    const reading = interpretAlone({ ...state, request });
    return reading.kind === "plan" && !reading.readOnly && reading.calls.every(({ args }) => isDated(args));
  });
}

const MAKES_DATED = /^(?:task_create|task_update|remind|schedule_create|schedule_update)$/u;
const isDated = (args: Readonly<Record<string, unknown>>): boolean =>
  Object.hasOwn(args, "due") || Object.hasOwn(args, "when");

const HOUR_MS = 3_600_000;

/** The reminder names the day that the task is due, because it is a task of its own with another date. */
async function rewriteReminderBefore(
  { count = "", unit = "" }: Record<string, string>,
  state: PlanState,
): Promise<string | undefined> {
  const { title, due, isTask } = (await findLastDated(state)) ?? {};
  if (title === undefined || due === undefined || title.includes('"')) return undefined;
  const [day = "", time] = formatDue(due, state).split(" ");
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

/** A reminder before the day of the event that is named with it, or of what was dated last. */
async function rewriteAlsoBefore(
  { count = "", unit = "", event, what = "" }: Record<string, string | undefined>,
  state: PlanState,
): Promise<string | undefined> {
  const named =
    event === undefined ? undefined : interpretAlone({ ...state, request: `add a task: ${event}` });
  const due = named?.kind === "plan" ? named.calls[0]?.args["due"] : undefined;
  const last = event === undefined ? (await findLastDated(state))?.due : undefined;
  const moment = due?.from === "request" && typeof due.value === "string" ? due.value : last;
  if (moment === undefined) return undefined;
  const [day = ""] = formatDue(moment, state).split(" ");
  return `remind me ${/^(?:the|an?)$/iu.test(count) ? "one" : count} ${unit}s before ${day} to ${what}`;
}

/** The task that was created or changed last, or the statement that was remembered last, with a day. */
async function findLastDated(
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
const HOW_OFTEN = wholeMessage(
  String.raw`(?:(?<verb>do|make|repeat)\s+(?:it|that)\s+|remind\s+me\s+(?:(?:of|about)\s+(?:it|that)\s+)?)?(?<often>(?:every|each)\s+(?:other\s+)?(?:day|week|month|morning|evening|weekday|\p{L}+day)|daily|weekly|monthly)`,
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
export async function decideRepeatedReminder(state: PlanState): Promise<PlannerDecision | undefined> {
  const { often, verb } = HOW_OFTEN.exec(state.request.trim().toLowerCase())?.groups ?? {};
  const [task] = often === undefined ? [] : await findSubjects(state);
  if (often === undefined || task?.kind !== "task" || task.age > 0 || task.due === undefined)
    return undefined;
  // "Every day" after a task that is not a reminder may be about anything.
  if (verb === undefined && !task.isReminder) return undefined;
  const time = formatDue(task.due, state).split(" ")[1];
  const at = time === undefined ? "" : ` at ${time}`;
  const reading = interpretAlone({
    ...state,
    request: `remind me ${ADVERBS[often] ?? often}${at} to ${task.title}`,
  });
  const deletion = state.skills.find(({ id }) => id === "task_delete");
  if (reading.kind !== "plan" || reading.readOnly || deletion === undefined) return undefined;
  const removed = callOf(deletion.id, fromRequest({ id: task.id }), state.request);
  return stepOf([...reading.calls, removed], state, { repeats: reading.repeats });
}

const REMINDS_WHEN =
  /^(?:(?:please|pls|can you|could you)\s+)*remind\s+me\s+(?<when>\S.{0,60}?)(?:\s+(?:please|pls))?[\s.!?]*$/iu;
/** Stands for the text that a reminder lacks. */
const ANYTHING = "stretch";

/** Asks what a reminder with only a time is for: "remind me tomorrow at 10". Undefined for any other request. */
export function decideReminderText(state: PlanState): PlannerDecision | undefined {
  const when = REMINDS_WHEN.exec(state.request.trim())?.groups?.["when"];
  if (when === undefined) return undefined;
  const withText = (text: string) => interpretAlone({ ...state, request: `remind me ${when} to ${text}` });
  const reading = withText(ANYTHING);
  const [call, ...others] = reading.kind === "plan" ? reading.calls : [];
  const { title, due } = call?.args ?? {};
  const isOnlyTime = title?.from === "request" && title.value === ANYTHING && due !== undefined;
  if (others.length > 0 || !isOnlyTime) return undefined;
  const question: Question = { question: sentences.remindedOfWhat, kind: "words", options: [] };
  const reply = answerIn(state.scratchpad)(question)?.trim();
  if (reply === undefined) return ask(question, THOUGHTS.unnamed);
  if (optionFromReply(reply, []) === "none") return endWithNothing();
  const whole = withText(reply);
  return whole.kind === "plan" ? stepOf(whole.calls, state) : undefined;
}
