import { oneOf } from "@metahuman/core/text/patterns";
import { dateSpans } from "@metahuman/core/language/dates/dates";
import { isIdleRemark } from "@metahuman/core/language/grammar/small-talk";
import { isPastForm, verbStem } from "@metahuman/core/language/tokens/irregular-verbs";
import { NOT_OLD } from "@metahuman/core/language/tokens/contrast";
import { isTypo } from "@metahuman/core/language/tokens/spelling";
import { type Token, tokenize } from "@metahuman/core/language/tokens/tokens";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { contentStems, FUNCTION_WORDS, stem, stemSet } from "@metahuman/core/language/tokens/words";
import { plainWords } from "@metahuman/core/text/words";
import type { PlanState } from "../../../planner.ts";
import { interpretAlone, interpretRequest } from "../interpret-request.ts";
import { findLastWithCalls } from "../conversation/last-request.ts";
import { stripFiller } from "../conversation/short-orders.ts";
import { callSkill, orderForTask, type Resolution } from "../conversation/resolution.ts";
import { type Subject, type SubjectOf, dropRemindersOfTasks } from "../conversation/subjects.ts";
import { MAX_ORDER } from "../conversation/limits.ts";
import { readScheduleChange } from "./schedule-orders.ts";
import { orderDueDate } from "./short-task-orders.ts";
import { type TaskReference, withTitle } from "./task-order.ts";
import {
  correctDate,
  type DateWords,
  isNotDone,
  rewriteDayInMonth,
  rewriteInAfternoon,
  rewriteTaskPhrases,
} from "./task-phrases.ts";
import { ASKS, BEFORE_OR_AFTER, CONDITIONS, deniesOr } from "../word-lists.ts";

// Reads an order or a question about the tasks and schedules of the conversation, with its words in any order. "No, the dentist at 10"
// becomes `set the task "dentist" due 10`; "the bank one is done" becomes `mark the task "ring the bank" as done`. Each word belongs
// to an action, to a date, to the title of a task or schedule, or says nothing. It tries two orders in one message before one, and the
// clauses that only give a reason do not count. Orders with their words in a known order are in short-task-orders.ts, the times and
// pauses of schedules in schedule-orders.ts.

export type TaskOrSchedule = SubjectOf<"task"> | SubjectOf<"schedule">;

/** What an order does with a task or schedule. */
type TaskAction = "set" | "later" | "earlier" | "done" | "remove" | "reopen";

/** The words for each action; their stems are compared. */
const ACTION_WORDS: readonly (readonly [TaskAction, string])[] = [
  [
    "set",
    "set make change move shift reschedule put switch update correct edit amend adjust say plan better rather suit fit work take happen bring arrange",
  ],
  ["later", "postpone delay defer push later snooze"],
  ["earlier", "prepone earlier sooner forward advance"],
  ["done", "did do done finish complete tick cross check handle sort settle mark"],
  ["remove", "delete remove cancel drop scrap forget kill erase dump stop"],
  ["reopen", "reopen uncheck untick undone unfinished"],
];
const ACTIONS = new Map(
  ACTION_WORDS.flatMap(([action, words]) => words.split(" ").map((word) => [stem(word), action] as const)),
);

/** Words that name no action and no task. */
const IDLE = stemSet(
  "task tasks reminder reminders alarm appointment appt entry thing todo item date day time due deadline please pls plz kindly sorry wait actually " +
    "instead rather then now again yet still already finally already too ok okay no nope yes yeah mean meant meaning need needs want wanted like prefer " +
    "think guess let lets oh ah hm hmm dear thanks thank ta well good great right fine lovely perfect hey clock supposed already s d ll m ve re t im id ill its thats whats " +
    "correction another way back list off out up clock mine today possible quite sure bit",
);
/** A clause that denies, limits or asks is not an order by its words alone. */
const GUARDED = deniesOr(
  String.raw`no\s+longer|neither|nor|without|except|${CONDITIONS}|till|${BEFORE_OR_AFTER}|while|whether`,
  String.raw`${ASKS}|whats|did|does|do\s+(?:i|we|you)|have\s+(?:i|we)|is\s+(?:it|there|that)|are\s+there`,
  String.raw`show|list|tell|display|read|see|any|anything|remind\s+me|add|create|new|another`,
  "both|all|everything|them|those|these|each",
);
const OTHERS = /\b(?:them|those|these)\b/giu;
/** "Not Thursday" only names what was wrong. */
const CONTRAST = new RegExp(
  String.raw`[,;]?\s*\b${NOT_OLD}\s+(?:on\s+|at\s+|the\s+)?[\p{L}\d:.]+(?:\s?[ap]m)?[\s.!]*$`,
  "iu",
);
const CLAUSES =
  /(?:[,;.!]|\s[-–—])\s+|\s+(?=(?:please\s+|pls\s+)?(?:tick|cross|check|mark|scratch)\s+(?:it|that|this)\b)/iu;
const NEXT_ORDER_WORDS = oneOf(
  "set|make|change|move|shift|reschedule|put|push|postpone|delay|prepone|bring|delete|remove|cancel",
  "drop|scrap|mark|tick|cross|reopen|finish|complete",
);
const NEXT_ORDER = new RegExp(
  String.raw`,?\s+(?:and|then)\s+(?:then\s+)?(?=(?:also\s+|please\s+)?${NEXT_ORDER_WORDS}\s)`,
  "iu",
);

const JOINTS = /,?\s+and\s+|;\s+/iu;

/** Files have orders of their own. */
const PATH = /\.\p{L}{2,4}\b|\//u;

interface TaskClause {
  text: string;
  actions: ReadonlySet<TaskAction>;
  /** True if it only says what was done to a task: "Amma called". */
  isReport: boolean;
  /** How many words of each title it has. */
  mentions: ReadonlyMap<TaskOrSchedule, number>;
  values: readonly DateWords[];
  unknown: readonly string[];
  isGuarded: boolean;
}

/** True for an order for a task that was done: it is not done yet. */
export const isReopening = (request: string): boolean =>
  request.length <= MAX_ORDER &&
  (isNotDone(request) || /\b(?:reopen|uncheck|untick|undone)\b/iu.test(request));

/**
 * What a message about tasks and schedules of the conversation means: "no, the dentist at 10", "the call to Mrs Webb is to be at
 * 11:30", "prepone the call by an hour", "the bank one is done". Several orders are done one after the other. Undefined if a word of
 * it is neither known nor only a reason, or if no task or several may be meant.
 */
export function readTaskOrder(
  request: string,
  subjects: readonly Subject[],
  state: PlanState,
): Resolution | undefined {
  const order = request.trim();
  if (order.length > MAX_ORDER || order.includes("\n") || order.endsWith("?")) return undefined;
  if (PATH.test(order) || isIdleRemark(order)) return undefined;
  const items = dropRemindersOfTasks(subjects).filter(
    (subject) => subject.kind === "task" || subject.kind === "schedule",
  );
  if (items.length === 0) return undefined;
  const context = { items, subjects, state };
  return (
    readOrdersInTurn(order.split(JOINTS), context, true) ??
    readOrdersInTurn(order.split(NEXT_ORDER), context) ??
    readOneTaskOrder(order, context)
  );
}

/** The orders of two parts or more, one after the other; undefined for one part, and if a part is not an order. `isNamed`: each names its task. */
function readOrdersInTurn(
  parts: readonly string[],
  context: TaskContext,
  isNamed = false,
): Resolution | undefined {
  if (parts.length < 2) return undefined;
  const read = parts.map((part) => readOneTaskOrder(part, context, isNamed));
  const orders = read.flatMap((order) => (order?.kind === "task-orders" ? order.orders : []));
  return orders.length === parts.length ? { kind: "task-orders", orders } : undefined;
}

interface TaskContext {
  items: readonly TaskOrSchedule[];
  subjects: readonly Subject[];
  state: PlanState;
}

function readOneTaskOrder(part: string, context: TaskContext, isNamed = false): Resolution | undefined {
  const ordinal = readOrdinal(part, context);
  const clauses = rewriteTaskPhrases(part)
    .replace(ordinal === undefined ? "" : ORDINAL, " ")
    .replace(CONTRAST, "")
    .split(CLAUSES)
    .map((clause) => stripFiller(clause).text)
    .filter((clause) => clause !== "")
    .map((clause) => parseTaskClause(clause, context));
  // A reason with such words limits nothing: "my son will fetch them".
  const isBinding = (clause: TaskClause): boolean =>
    clause.isGuarded && (isFullyKnown(clause) || GUARDED.test(clause.text.replaceAll(OTHERS, " ")));
  if (clauses.some(isBinding)) return undefined;
  const [orders, reasons] = [clauses.filter(isFullyKnown), clauses.filter((clause) => !isFullyKnown(clause))];
  const orderedClauses = orders.filter(({ isReport }) => !isReport);
  const ordersWithAction = orderedClauses.some((order) => order.actions.size > 0) ? orderedClauses : orders;
  const actions = new Set(ordersWithAction.flatMap((order) => [...order.actions]));
  const [first, ...later] = orders.flatMap(({ values }) => values);
  const value = first && later.reduce(correctDate, first);
  if (actions.size === 0 && value === undefined) return undefined;
  // A day alone is only an order after a change; else it may ask what is due on it.
  const isBare = actions.size === 0 && isBareOrder(clauses);
  if (isBare && context.items[0]?.isChanged !== true) return undefined;
  // A clause that is an order of its own is not a reason.
  if (reasons.some(({ text }) => interpretAlone({ ...context.state, request: text }).kind === "plan"))
    return undefined;
  if (ordinal !== undefined) return requestForPlace(ordinal, actions, value);
  const item = findTaskOrSchedule(clauses, context, isNamed);
  const [listed] = context.items;
  // "Cancel it" after a list ends nothing yet: which one is asked.
  if (item === undefined && listed?.kind === "schedule" && isOneOfSeveral(listed, context.items))
    return actions.size === 1 && actions.has("remove") && value === undefined && isBareOrder(clauses)
      ? { kind: "request", request: "delete it" }
      : undefined;
  return (
    item &&
    requestForItem(
      item,
      actions,
      value && rewriteDayInMonth(value, dueOf(item), context.state),
      context.state,
    )
  );
}

/** True if no word of a title is there. */
const isBareOrder = (clauses: readonly TaskClause[]): boolean =>
  clauses.every(({ mentions }) => mentions.size === 0);

const dueOf = (item: TaskOrSchedule): string | undefined => (item.kind === "task" ? item.due : undefined);

const isFullyKnown = ({ unknown }: TaskClause): boolean => unknown.length === 0;

/** "The first one", "task 2", "no. 3" of a list that was shown. */
const ORDINAL =
  /\b(?:(?:the|that|this)\s+(?<word>first|second|third|fourth|fifth|last|other)(?:\s+(?:one|task|reminder))?|(?:(?:the\s+)?(?:task|reminder|item|one)\s+)?(?:number|no\.?|nr\.?|#)\s?(?<number>[1-5])|(?:task|reminder|item)\s+(?<bare>[1-5]))(?![\d:.]*\d)\b/iu;
const PLACES = ["first", "second", "third", "fourth", "fifth"];

/** The words of the grammar for a place in a list: "the second one"; undefined if a message names none, or if a title has its number. */
function readOrdinal(part: string, { items }: TaskContext): string | undefined {
  const { word, number, bare } = ORDINAL.exec(part)?.groups ?? {};
  const digit = number ?? bare;
  if (digit !== undefined && items.some(({ title }) => plainWords(title).includes(digit))) return undefined;
  const place = word?.toLowerCase() ?? PLACES[Number(digit) - 1];
  return place && `the ${place} one`;
}

function requestForPlace(
  place: string,
  actions: ReadonlySet<TaskAction>,
  value: DateWords | undefined,
): Resolution | undefined {
  const task: TaskReference = { kind: "place", place };
  if (value !== undefined)
    return actions.has("remove")
      ? undefined
      : orderForTask({ kind: "set-due", task, due: value.text.replace(PREPOSITION, "") });
  if (actions.has("remove")) return actions.size === 1 ? orderForTask({ kind: "delete", task }) : undefined;
  if (actions.has("reopen")) return orderForTask({ kind: "reopen", task });
  return actions.has("done") ? orderForTask({ kind: "finish", task }) : undefined;
}

const PREPOSITION = /^(?:by|until|till|for|on|at)\s+/iu;

function parseTaskClause(clause: string, { items, state }: TaskContext): TaskClause {
  const tokens = tokenize(clause);
  const clock = { now: state.requestedAt, timeZone: state.timeZone, locale: state.locale };
  const spans = dateSpans(clause, tokens, clock).filter(({ question }) => question === undefined);
  const values = spans.map(({ from, to, time }) => ({
    text: clause.slice(tokens[from]?.start, tokens[to - 1]?.end),
    isTime: time !== undefined,
  }));
  const rest = tokens.filter((_, index) => !spans.some(({ from, to }) => index >= from && index < to));
  const shift = SHIFT.exec(joinTokens(rest));
  const amount = shift?.groups?.["amount"];
  const words = plainWords(joinTokens(rest).replace(shift?.[0] ?? "", " "));
  const actions = new Set<TaskAction>();
  const mentions = new Map<TaskOrSchedule, number>();
  const unknown: string[] = [];
  let isReport = false;
  for (const [index, word] of words.entries()) {
    const named = items.filter((item) => isInTitle(word, item));
    for (const item of named) mentions.set(item, (mentions.get(item) ?? 0) + 1);
    // "The check" is a thing, and no order to tick something off.
    const isNoun = /^(?:the|my|our|an?)$/u.test(words[index - 1] ?? "");
    const action = isNoun ? undefined : (ACTIONS.get(stem(word)) ?? ACTIONS.get(verbStem(word)));
    if (action !== undefined && named.length === 0) actions.add(action);
    else if (named.length > 0 && isPastForm(word)) isReport = true;
    else if (named.length === 0 && !FUNCTION_WORDS.has(word) && !IDLE.has(stem(word))) unknown.push(word);
  }
  isReport &&= actions.size === 0;
  if (isReport) actions.add("done");
  return {
    text: clause,
    actions,
    isReport,
    mentions,
    values: amount === undefined ? values : [...values, { text: amount, isTime: false }],
    unknown,
    isGuarded: GUARDED.test(clause),
  };
}

const joinTokens = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join(" ");
/** "By two days", "an hour": how far something is moved. */
const SHIFT =
  /\b(?:by\s+)?(?<amount>(?:an?|one|two|three|four|five|six|ten|\d{1,3})\s+(?:minute|min|hour|day|week|month)s?)\b/iu;

function isInTitle(word: string, { title }: TaskOrSchedule): boolean {
  if (FUNCTION_WORDS.has(word)) return false;
  const stems = contentStems(title);
  if (stems.includes(stem(word)) || stems.includes(verbStem(word))) return true;
  return (
    word.length >= 5 &&
    plainWords(title).some((titleWord) => titleWord.length >= 5 && isTypo(word, titleWord))
  );
}

/** The task or schedule with most of its words in the message; the newest one if no word of a title is there; undefined if several may be meant. */
function findTaskOrSchedule(
  clauses: readonly TaskClause[],
  { items, subjects }: TaskContext,
  isNamed: boolean,
): TaskOrSchedule | undefined {
  const counts = items.map((item) => ({
    item,
    count: clauses.reduce((sum, { mentions }) => sum + (mentions.get(item) ?? 0), 0),
  }));
  const most = Math.max(...counts.map(({ count }) => count));
  const [best, ...others] = counts.filter(({ count }) => count === most);
  if (most > 0) return others.length === 0 ? best?.item : undefined;
  if (isNamed) return undefined;
  // A calculation in between does not count.
  const newest = subjects.find(({ kind }) => kind !== "result");
  const [item] = items;
  if (newest === undefined || newest !== item || newest.age > 1) return undefined;
  return isOneOfSeveral(item, items) ? undefined : item;
}

/** True for one of several that were only listed: each of them may be meant. */
const isOneOfSeveral = (item: TaskOrSchedule, items: readonly TaskOrSchedule[]): boolean =>
  !item.isChanged &&
  items.some(
    ({ id, kind, age, isChanged }) => id !== item.id && kind === item.kind && age === item.age && !isChanged,
  );

/** "No, I meant the other one", "wrong one" */
const OTHER_MEANT =
  /^(?:(?:no|oh|ah|oops|sorry|wait)[,.!]?\s+){0,3}(?:not\s+(?:that|this)\s+one[,.]?\s+)?(?:(?:but\s+)?(?:i\s+(?:meant?|mean|wanted)\s+)?the\s+other(?:\s+(?:one|task|reminder))?|(?:that\s+(?:was|is)\s+)?(?:the\s+)?wrong\s+(?:one|task|reminder))[\s.!]*$/iu;
/** Only what can be taken back. */
const DONE_TO_ONE = /^(?:task_delete|task_update_status)$/u;

/**
 * Takes back what the last request did to one item, and does it to the only other one: "no, I meant the other one". Undefined for
 * any other message, and if not exactly one other item is known.
 */
export async function readOtherMeant(
  request: string,
  subjects: readonly Subject[],
  state: PlanState,
): Promise<Resolution | undefined> {
  if (request.length > MAX_ORDER || !OTHER_MEANT.test(request)) return undefined;
  const { skill, args, outputs } = (await findLastWithCalls(state))?.calls.at(-1) ?? {};
  if (skill === undefined || outputs === undefined || !DONE_TO_ONE.test(skill)) return undefined;
  const doneId = outputs["id"] ?? args?.["id"];
  const tasks = subjects.filter((subject) => subject.kind === "task");
  const [other, ...more] = tasks.filter(({ id }) => id !== doneId);
  if (other === undefined || more.length > 0) return undefined;
  const back = await interpretRequest({ ...state, request: "undo that" });
  if (back.kind !== "plan") return undefined;
  const status = skill === "task_update_status" ? { status: args?.["status"] } : {};
  return {
    kind: "calls",
    calls: [...back.calls, callOf(skill, fromRequest({ id: other.id, ...status }), state.request)],
  };
}

/** Words of a question when something is. */
const WHEN_WORDS = stemSet(
  "when what which time day date next scheduled happen go come run ring fire alert beep tell confirm exactly once more remind get know show give say repeat",
);
const ASKS_WHEN_WORDS = oneOf(
  String.raw`when|(?:at\s+|on\s+)?(?:what|which)\s+(?:time|day|date)|the\s+(?:time|day|date)`,
  String.raw`(?:and\s+)?what['’]?s\s+the\s+(?:time|date|day)|(?:what['’]?s\s+|what\s+is\s+)?(?:the\s+)?next\b`,
  String.raw`the\s+(?:next\s+)?one\s+after\s+(?:that|it)\b`,
);
const ASKS_WHEN = new RegExp(
  String.raw`^(?:(?:and|so|but|now|then)\s+)*(?:(?:tell\s+me|confirm|remind\s+me|do\s+you\s+know|say|give\s+me)\s+(?:again\s+)?)?${ASKS_WHEN_WORDS}`,
  "iu",
);
const ASKS_IF = /^(?:(?:and|so|but)\s+)*(?:is|are|was|isn['’]?t)\s/iu;
/** "Which one is first", "what's due next": the first of the tasks. */
const FIRST_WORDS = stemSet("which what first earliest soonest next urgent come start begin tell show");
/** A request before, or the one before it, was about these tasks. */
const MAX_AGE = 1;

/**
 * What a question about the tasks and schedules of the conversation means: when one of them is, which of the tasks comes first, and
 * which have no date. Undefined for any other question.
 */
export function readTaskQuestion(
  request: string,
  subjects: readonly Subject[],
  state: PlanState,
): Resolution | undefined {
  if (request.length > MAX_ORDER || request.includes("\n") || PATH.test(request)) return undefined;
  const items = subjects.filter((subject) => subject.kind === "task" || subject.kind === "schedule");
  const text = request.trim().replace(/[\s?.!]+$/u, "");
  const words = plainWords(text).filter((word) => word !== "s");
  const consistsOf = (
    knownStems: ReadonlySet<string>,
    but: (word: string) => boolean = () => false,
  ): boolean =>
    words.every(
      (word) => knownStems.has(stem(word)) || FUNCTION_WORDS.has(word) || IDLE.has(stem(word)) || but(word),
    );
  const areTasks = items.some(({ kind, age }) => kind === "task" && age <= MAX_AGE);
  const isAsked = /^(?:(?:and|so)\s+)*(?:which|what)/iu.test(text);
  if (areTasks && isAsked && /\b(?:first|earliest|soonest)\b/iu.test(text) && consistsOf(FIRST_WORDS))
    return { kind: "request", request: "what is my next task" };
  if (items.length === 0) return undefined;
  const clause = parseTaskClause(text, { items, subjects, state });
  const isWhen = ASKS_WHEN.test(text) && clause.values.length === 0;
  const isStill = ASKS_IF.test(text) && clause.values.length > 0;
  if (!isWhen && !isStill) return undefined;
  if (!clause.unknown.every((word) => WHEN_WORDS.has(stem(word)))) return undefined;
  const item = findTaskOrSchedule([clause], { items, subjects, state }, isStill);
  return item && requestWhenDue(item, state);
}

function requestWhenDue({ kind, id, title }: TaskOrSchedule, state: PlanState): Resolution | undefined {
  if (kind === "schedule") return callSkill("schedule_list", [{ query: id }], state);
  return orderForTask({ kind: "ask-due", task: withTitle(title) });
}

/** The order for a task or schedule; undefined if the actions do not fit it. */
function requestForItem(
  item: TaskOrSchedule,
  actions: ReadonlySet<TaskAction>,
  value: DateWords | undefined,
  state: PlanState,
): Resolution | undefined {
  const { kind, title } = item;
  if (title.includes('"')) return undefined;
  if (actions.has("remove")) {
    if (value !== undefined || actions.size > 1) return undefined;
    return kind === "task"
      ? orderForTask({ kind: "delete", task: withTitle(title) })
      : callSkill("schedule_delete", [{ id: item.id }], state);
  }
  if (kind === "schedule") return value && readScheduleChange(`make it ${value.text}`, [item], state);
  if (actions.has("reopen")) return orderForTask({ kind: "reopen", task: withTitle(title) });
  if (value !== undefined)
    return requestDueDate(title, rewriteInAfternoon(value, dueOf(item), state), actions, state);
  return actions.has("done") ? orderForTask({ kind: "finish", task: withTitle(title) }) : undefined;
}

/** "Shift it a day", without a direction, is later. */
const MOVES = /\b(?:shift|push|move|delay)\b/iu;

function requestDueDate(
  title: string,
  { text }: DateWords,
  actions: ReadonlySet<TaskAction>,
  state: PlanState,
): Resolution | undefined {
  const plain = text.replace(PREPOSITION, "");
  const isAmount =
    /^(?:an?|one|two|three|four|five|six|ten|\d{1,3})\s+(?:minute|min|hour|day|week|month)s?$/iu.test(plain);
  const isMoved = actions.has("later") || actions.has("earlier") || MOVES.test(state.request);
  if (isAmount && !isMoved) return undefined;
  const due = isAmount ? `${plain} ${actions.has("earlier") ? "earlier" : "later"}` : plain;
  return orderDueDate(title, due, state);
}
