import { contentStems } from "@metahuman/core/language/tokens/words";
import type { PlanState } from "../../../planner.ts";
import { readScheduleChange } from "../tasks/schedule-orders.ts";
import { isReopening, readTaskOrder } from "../tasks/task-orders.ts";
import { readLineChange } from "../text/line-orders.ts";
import type { Resolution } from "./resolution.ts";
import { readShortOrders, type ShortOrder } from "./short-orders.ts";
import {
  dropRemindersOfTasks,
  findMentionedName,
  findSubjects,
  pathStems,
  type Subject,
  type SubjectOf,
} from "./subjects.ts";

/** A message, and what it is read as for the conversation. What takes work is done once, when it is first asked for. */
export interface Message {
  state: PlanState;
  /** The message without the words that say what it is about: "back to the packing list: add a scarf". */
  order: string;
  /** It is not read again in plainer words, because it forbids something, or because its plan found nothing. */
  isAsWritten: boolean;
  /** It is one of two orders in a message, which is not split again. */
  isPart: boolean;
  /** What the message may be about, the newest first. */
  subjects: () => Promise<readonly Subject[]>;
  /** The text that the conversation was about last, apart from calculations. */
  text: () => Promise<SubjectOf<"text"> | undefined>;
  shortOrders: () => readonly ShortOrder[];
  lineChange: () => Promise<Resolution | undefined>;
  scheduleChange: () => Promise<Resolution | undefined>;
  taskOrder: () => Promise<Resolution | undefined>;
}

export function createMessage(
  state: PlanState,
  { isAsWritten, isPart = false }: { isAsWritten: boolean; isPart?: boolean },
): Message {
  const { order, topic } = splitTopic(state.request.trim());
  const ofOrder = { ...state, request: order };
  const subjects = once(async () => {
    const all = await findSubjects(state);
    return topic === undefined
      ? all
      : all.filter((subject) => hasWordsInName(subject, topic)).map((subject) => ({ ...subject, age: 0 }));
  });
  const text = once(async () => {
    const newest = withoutResults(await subjects());
    return newest?.kind === "text" ? newest : undefined;
  });
  return {
    state,
    order,
    isAsWritten,
    isPart,
    subjects,
    text,
    shortOrders: once(() => readShortOrders(order)),
    lineChange: once(async () => {
      const current = await text();
      return current && readLineChange(ofOrder, current);
    }),
    scheduleChange: once(async () => readNamedScheduleChange(ofOrder, await subjects())),
    taskOrder: once(async () =>
      readTaskOrder(
        order,
        isReopening(order) ? await findSubjects(state, { hasDone: true }) : await subjects(),
        state,
      ),
    ),
  };
}

/** A function that computes its value at its first call. */
function once<Value>(compute: () => Value): () => Value {
  let computed: { value: Value } | undefined;
  return () => (computed ??= { value: compute() }).value;
}

/** The newest subject, without the calculations in between. */
export const withoutResults = (subjects: readonly Subject[]): Subject | undefined =>
  subjects.find(({ kind }) => kind !== "result");

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
const TOPIC = new RegExp(
  [
    String.raw`^(?:(?:and|now|so|ok|okay|right|well|oh|then)[,\s]+)*(?:back\s+to|as\s+for|about|in|on|for)\s+`,
    String.raw`(?:the|my|our)\s+(?<topic>\p{L}[^:,]{1,40}?)(?:\s+again)?`,
    String.raw`(?:\s*[:,]\s+|(?<=back\s+to\s[^:,]{1,60})\s+(?=(?:add|put|remove|take|tick|cross|change|make|what['’]?s?|how\s+many|show)\s))`,
    String.raw`(?<order>\S.*)$`,
  ].join(""),
  "iu",
);

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
