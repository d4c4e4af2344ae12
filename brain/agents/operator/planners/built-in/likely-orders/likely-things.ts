import { oneOf } from "@metahuman/core/text/patterns";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { PlanState } from "../../../planner.ts";
import { interpretAlone } from "../interpret-request.ts";
import { findDateSpans } from "../conversation/rewrite-times.ts";
import { memoryCall } from "../recall.ts";
import { isInstalled, type LikelyOrder } from "./likely-lines.ts";
import { countSharedWords, isNamedWhole, findNamedLines } from "../text/matching-lines.ts";
import type { Subject } from "../conversation/subjects.ts";
import { phraseTaskOrder, withTitle } from "../tasks/task-order.ts";
import { contentWords } from "@metahuman/core/language/tokens/words";
import { OTHER_THING } from "../tasks/task-sentences.ts";

// Orders for tasks and facts of the conversation, and questions about them, read by the tasks, facts and times that a message names.

/** A question as it was read. */
export interface LikelyQuestion {
  /** In plain words: “what do you know about gate code”. */
  says: string;
  call: PlannedCall;
}

/** A message that asks for more things than one word or two can name is another question. */
const MAX_ASKED = 4;
/** The share of the words of a question that a fact or a line must have. */
const MIN_SHARE = 2 / 3;
/** "Can you ring the vicar" asks to do something. */
const ASKS_TO_DO = /^\W*(?:please\s+)?(?:can|could|will|would)\s+(?:you|u)\b/iu;

/** "And the phone from him", "gate code": what to look up, in the facts and then in the file of the conversation. */
export function readFactQuestion(state: PlanState, subjects: readonly Subject[]): LikelyQuestion[] {
  const { request } = state;
  const words = contentWords(request.replaceAll(/\b(?:again|please|pls|now)\b/giu, ""));
  if (words.length === 0 || words.length > MAX_ASKED || /\d/u.test(request) || ASKS_TO_DO.test(request))
    return [];
  const [newest] = subjects;
  const facts = subjects.flatMap((subject) => (subject.kind === "fact" ? [subject.text] : []));
  const asked = words.join(" ");
  const isAbout = (text: string): boolean => countSharedWords(asked, text) >= words.length * MIN_SHARE;
  const isFact = facts.some(isAbout);
  const isInFile = newest?.kind === "text" && newest.lines.some(isAbout);
  const inMemory = isFact ? memoryCall(asked, state) : undefined;
  const questions: LikelyQuestion[] = [];
  if (inMemory !== undefined) questions.push({ says: `what do you know about ${asked}`, call: inMemory });
  if (isInFile) {
    const read = callOf("fs_read", fromRequest({ path: newest.path }), request);
    const call = { ...read, view: { name: "about", values: { about: asked } } };
    questions.push({ says: `what does ${newest.path} say about ${asked}`, call });
  }
  return questions;
}

/** What a fact is about, and its value: "my locker is 218". */
const FACT = /^(?<subject>\S.*?)\s+(?:is|are|was|were)\s+(?<value>\S.*)$/iu;
const FIGURE = /(?<![\p{L}\d])[+#]?\d[\d ./-]*[#\p{L}]?(?![\p{L}\d])/gu;

/**
 * "They moved me, my locker is 305 now" after "my locker is 218": the fact with its new figure, as a statement. It is read again as such,
 * because what is remembered has to be found before it can be replaced.
 */
export function rewriteFact(request: string, subjects: readonly Subject[]): string | undefined {
  if (/\?/u.test(request)) return undefined;
  const facts = subjects.flatMap((subject) => (subject.kind === "fact" ? [subject.text] : []));
  const [fact, ...others] = findNamedLines(request, facts);
  const { subject, value } = FACT.exec(fact ?? "")?.groups ?? {};
  if (others.length > 0 || subject === undefined || value === undefined) return undefined;
  const figuresOf = (text: string): string[] => [...text.matchAll(FIGURE)].map(([figure]) => figure.trim());
  const [old, ...more] = figuresOf(value);
  const [figure, ...further] = figuresOf(request).filter((one) => !figuresOf(subject).includes(one));
  const digitsIn = (text: string): number => text.replaceAll(/\D/gu, "").length;
  // "They changed the gate code 3 times" gives no new code.
  const isAlike = Math.abs(digitsIn(old ?? "") - digitsIn(figure ?? "")) <= 1;
  const isOther = old === value.trim() && more.length === 0 && figure !== old && isAlike;
  if (!isOther || figure === undefined || further.length > 0 || countSharedWords(request, subject) === 0)
    return undefined;
  return `${subject} is ${figure} now`;
}

/** Words by what they say about a task. */
const ENDS = /\b(?:cancel|cancelled|delete|remove|drop|scrap|forget|scratch|off)\b/iu;
const FINISHES =
  /\b(?:done|finished|finish|complete|completed|did|sent|paid|called|rang|bought|booked|sorted|handed|posted|ready)\b/iu;
const MOVES_WORDS = oneOf(
  "mov(?:e[ds]?|ing)|chang(?:e[ds]?|ing)|shift(?:ed)?|push(?:ed)?|postponed?|delayed?",
  "reschedul(?:ed?|ing)|make|put|bring|brought|now|instead|actually|rather|earlier|later",
);
/** "The presents from Rita arrive on the 21st" moves no task to wrap presents; "the Rita one goes to the 21st" does. */
const MOVES = new RegExp(String.raw`\b${MOVES_WORDS}\b`, "iu");
const BEFORE_NEW_TIME = /\b(?:to|till?|until)\s+(?:the\s+)?$/iu;
/** "… as a task: book the hall", "a task to lodge the appeal"; in "todo-list.md: add soap", the word belongs to the name of a file. */
const NEW_TASK =
  /(?<![\p{L}\p{N}/_.-])(?:tasks?|to-?do)\b(?!-?[\p{L}\p{N}_/-]*\.\p{L})(?:\s+list)?\s*(?:[:,–-]+\s*|to\s+|that\s+(?:i|we)\s+(?:must|have\s+to|should)\s+|for\s+)(?!(?:that|this|the\s+same)\s+day\b)(?<title>\S.*?)[\s.!]*$/iu;
/** "Delete the old one and add a": another order precedes the one for the task. */
const SECOND_ORDER =
  /\S\s*(?:;|\band|\bthen)\s+(?:then\s+|also\s+|please\s+)*(?:add|create|make|put|set)\s(?:[\p{L}'’]+\s+){0,3}$/iu;
/** "Delete the old one, add a": a comma also ends a reason, so the words before it must begin like an order. */
const ORDER_BEFORE =
  /^\W*(?:please\s+|pls\s+)?(?:delete|remove|move|rename|copy|cancel|clear|archive|send|print|replace|change)\s+(?:the|my|our|that|this|it|them|all|every)\b[^,]*,/iu;
const BEFORE_TIME = /\s*,?\s*(?:at\s+(?:the\s+)?latest\s+)?(?:on|by|until|till|for|to|at|before|from)?\s*$/iu;

/** "Delete the row weekly report": a thing of another kind than a task is named, if only one with the same title is known. */
const IS_OTHER_THING = new RegExp(
  String.raw`^\W*(?:\p{L}+\s+){1,4}?(?:the|my|our|this|that|a)\s+(?:\p{L}+\s+){0,2}?${OTHER_THING}|^\W*\p{L}+\s+${OTHER_THING}`,
  "iu",
);

/** An order for the one open task that a message names, or for a new one. */
export function guessTaskOrder(state: PlanState, subjects: readonly Subject[]): LikelyOrder | undefined {
  const { request } = state;
  if (/\?\s*$/u.test(request)) return undefined;
  // The words for a day or a time are read by the grammar, which knows what they mean for a task.
  const readAgain = (says: string, evidence: LikelyOrder["evidence"]): LikelyOrder | undefined => {
    const reading = interpretAlone({ ...state, request: says });
    return reading.kind === "plan" ? { says, calls: reading.calls, evidence } : undefined;
  };
  const made = NEW_TASK.exec(request);
  const { title: written } = made?.groups ?? {};
  if (written !== undefined) {
    const before = request.slice(0, made?.index);
    const isSecond = SECOND_ORDER.test(before) || ORDER_BEFORE.test(before);
    return readAgain(`add a task: ${written}`, isSecond ? "part" : "explicit");
  }
  const tasks = subjects.flatMap((subject) => (subject.kind === "task" ? [subject] : []));
  const [title, ...others] = findNamedLines(
    request,
    tasks.map((task) => task.title),
  );
  const task = tasks.find((one) => one.title === title);
  const spans = findDateSpans(request, state);
  const [first, last] = [spans[0], spans.at(-1)];
  const when = first === undefined || last === undefined ? undefined : request.slice(first.start, last.end);
  if (task !== undefined && others.length === 0) {
    const { id } = task;
    const [ends, finishes] = [ENDS.test(request), FINISHES.test(request)];
    const change = (says: string, call: PlannedCall, evidence: LikelyOrder["evidence"]) =>
      task.isOpen && isInstalled(call, state) ? { says, calls: [call], evidence } : undefined;
    if (ends && !finishes) {
      const call = callOf("task_delete", fromRequest({ id }), request);
      return change(
        phraseTaskOrder({ kind: "delete", task: withTitle(task.title) }),
        call,
        isNamedWhole(request, task.title) && !IS_OTHER_THING.test(request) ? "whole" : "part",
      );
    }
    if (finishes && !ends && when === undefined) {
      const call = callOf("task_update_status", fromRequest({ id, status: "done" }), request);
      return change(phraseTaskOrder({ kind: "finish", task: withTitle(task.title) }), call, "whole");
    }
    const by = /\bby\s+(?<amount>(?:an?|one|two|three|\d+)\s+(?:days?|weeks?|hours?))\b/iu.exec(
      request,
    )?.groups;
    if (by !== undefined) return readAgain(`move the task "${task.title}" by ${by["amount"] ?? ""}`, "whole");
    if (when === undefined || first === undefined) return undefined;
    const moves = MOVES.test(request) || BEFORE_NEW_TIME.test(request.slice(0, first.start));
    const evidence = moves || isNamedWhole(request, task.title) ? "whole" : "part";
    return readAgain(`move the task "${task.title}" to ${when}`, evidence);
  }
  // "And Monday 14:30 dentist" after another reminder
  const [newest] = subjects;
  if (when === undefined || first === undefined || last === undefined || newest?.kind !== "task")
    return undefined;
  if (!/^\W*(?:and|also|plus|then)\b/iu.test(request)) return undefined;
  const before = request.slice(0, first.start).replace(BEFORE_TIME, "");
  const rest = `${before} ${request.slice(last.end)}`
    .replace(/^[\s,]*(?:(?:and|also|then|please|pls|ok|oh)\b[\s,]*)*/iu, "")
    .replace(/^(?:to|for)\s+/iu, "")
    .trim();
  if (contentWords(rest).length === 0 || rest.split(/\s+/u).length > MAX_TITLE) return undefined;
  if (NO_TITLE.test(rest)) return undefined;
  return readAgain(
    newest.isReminder ? `remind me ${when} to ${rest}` : `add a task: ${rest} ${when}`,
    "part",
  );
}

const MAX_TITLE = 8;
const NO_TITLE = /\b(?:skip|pause|resume|move|push|cancel|change|delete|remove|make|stop|postpone|shift)\b/iu;
