import { escapeRegExp, bareWords } from "@metahuman/core/text/words";
import { isRecord } from "@metahuman/core/text/is-record";
import { isOpenStatus } from "@metahuman/core/contract/task";
import { wallTimeOf } from "@metahuman/core/language/dates/clock";
import { type PreparedEvidence, memoize } from "./evidence.ts";
import { type ObservedTask } from "./observed-calls.ts";
import { openFailures } from "./open-failures.ts";
import { blank, contentWords, stem, withoutNames } from "./mentions.ts";
import { doubted, type Problem, refuted } from "./problem.ts";
import { quantitiesIn } from "./quantities.ts";
import {
  ALL,
  CONDITIONAL,
  ELSEWHERE,
  EXCEPT,
  NEGATION,
  NOW,
  OVERDUE,
  RECURRENCE,
  STANDS,
  STATUS_WORDS,
} from "./vocabulary.ts";

/** "Done: …" refers to the request. */
const REPLY =
  /^\W*(?:(?:all|alles) )?(?:done|finished|erledigt|fertig|c['’]est fait|fait|hecho|listo|fatto|klaar|klart)(?=\s*[:!,.–—-])/iu;

export function wrongStatuses(
  answer: string,
  evidence: PreparedEvidence,
  cited: readonly number[],
): Problem[] {
  const text = answer.replace(REPLY, blank);
  const { tasks, today } = evidence;
  if (
    /(?<!\p{L})(?:no|none|not|keine?r?|aucune?|ninguna?)(?!\p{L})/iu.test(text) &&
    OVERDUE.test(text) &&
    !EXCEPT.test(text)
  ) {
    const late = tasks.filter(
      ({ due, status }) =>
        due !== undefined && new Date(due).getTime() / 86_400_000 < today.number && isOpenStatus(status),
    );
    const wasAsked = evidence.calls.some(
      (call) => /overdue true/u.test(call.text) && !/total 0/u.test(call.text),
    );
    if (late.length > 0 || (wasAsked && tasks.length > 0))
      return [refuted("No task is said to be overdue, and observed ones are.")];
  }
  if (
    ALL.test(answer.replaceAll(RECURRENCE, " ")) &&
    STANDS.test(answer) &&
    NOW.test(answer) &&
    !EXCEPT.test(text) &&
    !NEGATION.test(text)
  ) {
    if (openFailures(evidence).some(({ kinds }) => kinds.some((kind) => kind !== "look")))
      return [refuted("All of it is said to be done, and a call failed.")];
  }
  if (
    ELSEWHERE.test(text) &&
    !NEGATION.test(text) &&
    !evidence.text.includes((ELSEWHERE.exec(text)?.[0] ?? "").split(/\s/u).at(-1)?.toLowerCase() ?? "")
  )
    return [doubted(`${ELSEWHERE.exec(text)?.[0] ?? ""} is named, and no skill reaches it.`)];
  if (CONDITIONAL.test(text)) return [];
  const otherDay = dayOfCitedTask(text, evidence, cited);
  if (otherDay !== undefined) return [refuted(otherDay)];
  const lower = text.toLowerCase();
  const named = tasks.filter(({ title }) => title.length > 2 && lower.includes(title.toLowerCase()));
  const problems = [...wrongTicks(text, evidence), ...contradictedStates(text, evidence)].map(refuted);
  const [task] = named;
  if (task !== undefined && named.length === 1) {
    const rest = text.replaceAll(new RegExp(escapeRegExp(task.title), "giu"), blank);
    problems.push(...wrongOf(task, rest, evidence).map(refuted));
  }
  const [only] = tasks;
  const hasActed = evidence.calls.some(
    ({ kinds, success }) => success && kinds.some((kind) => kind !== "look"),
  );
  if (
    only !== undefined &&
    tasks.length === 1 &&
    named.length === 0 &&
    PRONOUN.test(text) &&
    !(hasActed && REQUEST_IS_DONE.test(text))
  )
    // "It" may be something else than the task.
    problems.push(...wrongOf(only, text, evidence).map(doubted));
  if (named.length === 0 && !NEGATION.test(text) && ALL.test(text) && !EXCEPT.test(text)) {
    const isDone = STATUS_WORDS.some(([status, words]) => status === "done" && words.test(text));
    if (
      isDone &&
      /task|aufgabe|tâche|tarea|todo|to-do/iu.test(text) &&
      (tasks.length === 0 || tasks.some(({ status }) => status !== "done"))
    )
      problems.push(
        (tasks.length === 0 ? doubted : refuted)(
          "All tasks are said to be done, and no observation shows it.",
        ),
      );
  }
  return problems;
}

/** "- Friday, 4 December: the boots", "the boots: 4 December" */
const DAY_OF_ITEM = /^[\s*•-]*[^:]{0,40}:\s|:\s[^:]{0,40}$/u;

/** A day that a sentence states of the one task that its citation made, where the task has another day. */
function dayOfCitedTask(
  text: string,
  evidence: PreparedEvidence,
  cited: readonly number[],
): string | undefined {
  const [step, ...others] = cited;
  if (step === undefined || others.length > 0) return undefined;
  const call = evidence.source.scratchpad.find((entry) => entry.step === step);
  if (!/^task_(?:create|update)$/u.test(call?.action?.tool ?? "")) return undefined;
  const made = call?.observation?.outputs?.["task"];
  const title = isRecord(made) ? made["title"] : undefined;
  const task = evidence.tasks.find((one) => one.title === title);
  const [day, ...more] = quantitiesIn(withoutNames(text)).days;
  if (task?.due === undefined || day?.month === undefined || day.day === undefined || more.length > 0)
    return undefined;
  if (!DUE.test(text) && !DAY_OF_ITEM.test(text)) return undefined;
  return daysOf(task.due, evidence).includes(`${String(day.month)}-${String(day.day)}`)
    ? undefined
    : `"${task.title}" has the day ${task.due.slice(0, 10)}.`;
}

const TICK = /^\s*[-*+]\s\[([ x])\]\s+(.+)$/u;

/** Problems with checklist items that are said to be done but are not ticked. */
function wrongTicks(text: string, { lines }: PreparedEvidence): string[] {
  const isDone = STATUS_WORDS.some(([status, words]) => status === "done" && words.test(text));
  if (!isDone || NEGATION.test(text)) return [];
  const textStems = new Set(contentWords(text).map(stem));
  const items = lines.flatMap((line) => {
    const [, tick, item = ""] = TICK.exec(line) ?? [];
    const words = contentWords(item).map(stem);
    return tick !== undefined && words.length > 0 && words.every((word) => textStems.has(word))
      ? [{ tick, item }]
      : [];
  });
  const [item] = items;
  return items.length === 1 && item?.tick === " " ? [`"${item.item}" is not ticked.`] : [];
}

/** Pairs of states that exclude each other. */
const OPPOSITES: readonly (readonly [string, string])[] = [
  ["in stock", "out of stock"],
  ["in stock", "sold out"],
  ["enabled", "disabled"],
  ["active", "inactive"],
  ["approved", "rejected"],
  ["accepted", "declined"],
  ["confirmed", "cancelled"],
  ["refundable", "non-refundable"],
  ["included", "not included"],
  ["auf lager", "ausverkauft"],
  ["aktiv", "inaktiv"],
  ["en stock", "épuisé"],
];

/** Problems with states that nothing shows while the evidence shows the opposite. */
function contradictedStates(text: string, { observedText }: PreparedEvidence): string[] {
  if (NEGATION.test(text)) return [];
  const words = ` ${bareWords(text)} `;
  const shown = memoize(() => ` ${bareWords(observedText)} `);
  return OPPOSITES.flatMap((pair) => {
    const [claimed, other] = words.includes(` ${bareWords(pair[1])} `) ? [pair[1], pair[0]] : pair;
    const has = (state: string): boolean => shown().includes(` ${bareWords(state)} `);
    return words.includes(` ${bareWords(claimed)} `) && has(other) && !has(claimed)
      ? [`${claimed} is stated, and what was observed says ${other}.`]
      : [];
  });
}

/** "It is done [1]." after a successful call refers to the request, not to a task. */
const REQUEST_IS_DONE =
  /^(?:it|that|this)(?:\s+(?:is|was|has been)|['’]s)\s+(?:all\s+|now\s+)?(?:done|finished|completed?|ready)(?:\s*\[\d+\])*\W*$/iu;

/** A sentence that continues about the only task. */
const PRONOUN = /^(?:[-*•]\s*)?(?:it|its|the task|sie|die aufgabe|elle|la tâche|la tarea)(?!\p{L})/iu;

function wrongOf(task: ObservedTask, rest: string, evidence: PreparedEvidence): string[] {
  const problems: string[] = [];
  const claimed = STATUS_WORDS.filter(([, words]) => words.test(rest)).map(([status]) => status);
  const [status] = claimed;
  if (status !== undefined && claimed.length === 1 && !/(?:todo|to-do)\s+list/iu.test(rest)) {
    const holds = status === "open" ? isOpenStatus(task.status) : task.status === status;
    if (holds === NEGATION.test(rest) && !isAsked(rest))
      problems.push(`"${task.title}" is not observed to be so.`);
  }
  const { days } = quantitiesIn(withoutNames(rest));
  const [day] = days;
  if (
    day?.month !== undefined &&
    day.day !== undefined &&
    days.length === 1 &&
    task.due !== undefined &&
    DUE.test(rest)
  ) {
    const due = new Set(daysOf(task.due, evidence));
    if (!due.has(`${String(day.month)}-${String(day.day)}`))
      problems.push(`"${task.title}" is not due on ${day.text}.`);
  }
  const named = NAMED_PRIORITY.exec(rest);
  const level = (named?.[1] ?? named?.[2] ?? "").toLowerCase();
  if (level !== "" && !levelsOf(task, evidence).some((word) => level.startsWith(word)))
    problems.push(`"${task.title}" does not have ${level} priority.`);
  const priorities = [...rest.matchAll(/\bP[0-3]\b/gu)].map(([name]) => name);
  if (priorities.length === 1 && priorities[0] !== task.priority)
    problems.push(`"${task.title}" does not have priority ${priorities[0] ?? ""}.`);
  return problems;
}

/** Words for the priorities of tasks. */
function levelsOf({ title, priority }: ObservedTask, { lines }: PreparedEvidence): string[] {
  const record = lines.find((line) => line.includes(title.toLowerCase()) && line.includes("priority ")) ?? "";
  const priorities = ["high", "low", "medium", "normal", "urgent"].filter((word) =>
    record.includes(`priority ${word}`),
  );
  if (priorities.length > 0) return priorities;
  return {
    P0: ["high", "urgent", "hoh", "haut", "alta"],
    P1: ["high", "hoh", "haut", "alta"],
    P2: ["medium", "normal"],
    P3: ["low", "niedrig", "bass", "baja"],
  }[priority];
}

const isAsked = (text: string): boolean => text.trim().endsWith("?");

const DUE =
  /(?<!\p{L})(?:due|by|until|fällig|bis|échéance|pour le|d['’]ici|avant le|vence|para el|antes del)(?!\p{L})/iu;

/** The day of a due date as written, and in the person's time zone. */
function daysOf(due: string, { source }: PreparedEvidence): string[] {
  const { month, day } = wallTimeOf(new Date(due), source.timeZone);
  const written = `${String(Number(due.slice(5, 7)))}-${String(Number(due.slice(8, 10)))}`;
  return [written, `${String(month)}-${String(day)}`];
}

/** "High priority", "the priority is now low": the level in the first or in the second group. */
const NAMED_PRIORITY = new RegExp(
  [
    String.raw`(?<!\p{L})(high|highest|urgent|low|lowest|medium|normal|hohe|niedrige|haute|basse|alta|baja)\s+(?:priority|priorität|priorité)`,
    String.raw`(?:prioridad|priority|priorität|priorité)\s+(?:(?:is|ist|est|es)\s+)?(?:(?:now|still|set to|jetzt|nun|maintenant|ahora)\s+)*(high|highest|urgent|low|lowest|medium|normal|hoch|niedrig|haute|basse|alta|baja)(?!\p{L})`,
  ].join("|"),
  "iu",
);
