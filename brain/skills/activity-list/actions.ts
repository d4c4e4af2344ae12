import type { Region } from "@metahuman/core/contract/region";
import { formatMoment } from "@metahuman/core/language/dates/clock";
import { verbStem } from "@metahuman/core/language/tokens/irregular-verbs";
import { FUNCTION_WORDS, stem } from "@metahuman/core/language/tokens/words";
import type { DoneChange, DoneRequest } from "@metahuman/core/runs/activity";
import { formatCount, truncateLine } from "@metahuman/core/text/format";
import { plainWords } from "@metahuman/core/text/words";
import { escapeInline } from "../markdown.ts";
import { endSentence } from "../support/phrasing.ts";
import { describeEmptyPeriod } from "./describe.ts";
import { VERBS } from "./phrases.ts";
import type { ActionKind, Activity } from "./activity.ts";

/** What skills do to a thing. Others only change something. */
const ACTIONS: Readonly<Record<string, ActionKind>> = {
  task_create: "create",
  fs_write: "create",
  fs_copy: "create",
  fs_mkdir: "create",
  memory_remember: "create",
  schedule_create: "create",
  remind: "create",
  web_watch: "create",
  fs_delete: "delete",
  task_delete: "delete",
  schedule_delete: "delete",
  memory_forget: "delete",
};
/** Skills whose calls may add to what is there, so that “did you add …” is about them, too. */
const MAY_ADD: ReadonlySet<string> = new Set([
  "fs_append",
  "fs_edit",
  "json_update",
  "table_edit",
  "memory_remember",
  "git_commit",
]);
const FINISHES = /\b(?:done|finished|completed?|cancelled)\b/iu;

/** The kinds of things that a question names, and how the ids of their skills begin. */
const KINDS: Readonly<Record<string, RegExp>> = {
  task: /^(?:task_|remind)/u,
  todo: /^(?:task_|remind)/u,
  reminder: /^(?:task_|schedule_|remind)/u,
  schedule: /^schedule_/u,
  file: /^(?:fs_|json_|table_)/u,
  folder: /^fs_/u,
  list: /^(?:task_|fs_|table_|remind)/u,
  note: /^(?:fs_|memory_)/u,
  fact: /^memory_/u,
  memory: /^memory_/u,
};

/** What a call did to a thing. */
export function actionOf(skill: string, text: string): ActionKind {
  if (skill === "task_update_status") return FINISHES.test(text) ? "finish" : "change";
  return ACTIONS[skill] ?? "change";
}

function isMeant({ skill, sentence: text }: DoneChange, did: ActionKind | undefined): boolean {
  const action = actionOf(skill, text);
  if (did === undefined || action === did) return true;
  return (did === "create" && MAY_ADD.has(skill)) || (did === "change" && skill === "fs_write");
}

interface Asked {
  /** Paths as they are written. */
  paths: readonly string[];
  words: readonly string[];
  kinds: readonly RegExp[];
}

const PATH = /[^\s"“”]*[./][^\s"“”]*\p{L}/gu;

/** The words of a question without those that name the kind of thing: “the dentist task” is a task with “dentist”. */
function wordsOf(query: string): Asked {
  const paths = [...query.matchAll(PATH)].map(([path]) => path.toLowerCase());
  const words = plainWords(query.replaceAll(PATH, " "))
    .filter((word) => !FUNCTION_WORDS.has(word))
    .map(stem);
  const kinds = words.flatMap((word) => KINDS[word] ?? []);
  const own = words.filter((word) => KINDS[word] === undefined);
  return { paths, words: own, kinds };
}

function mentions(text: string, { words, paths }: Asked): boolean {
  const there = new Set(plainWords(text).map(stem));
  const plain = text.toLowerCase();
  return words.every((word) => there.has(word)) && paths.every((path) => plain.includes(path));
}

/** The requests that have the words, or a change that has them. */
export function matchingRequests(requests: readonly DoneRequest[], query: string): DoneRequest[] {
  const asked = wordsOf(query);
  return requests.flatMap((request) => {
    const changes = request.changes.filter(
      (change) =>
        (asked.kinds.length === 0 || asked.kinds.some((kind) => kind.test(change.skill))) &&
        mentions(`${change.sentence}\n${request.changes.length === 1 ? request.request : ""}`, asked),
    );
    const isNamed = asked.words.length + asked.paths.length > 0 && mentions(request.request, asked);
    return changes.length > 0 || isNamed ? [{ ...request, changes }] : [];
  });
}

const PARTICIPLES: Readonly<Record<ActionKind, string>> = {
  create: "added or created",
  change: "changed",
  delete: "deleted",
  finish: "finished",
};

const MAX_LINES = 5;
const momentOf = ({ at }: DoneRequest, region: Region): string => formatMoment(at, region);
const quoteRequest = ({ request }: DoneRequest): string => `“${escapeInline(truncateLine(request, 160))}”`;

interface Performed {
  done: DoneRequest[];
  later: DoneRequest[];
}

/** The requests that did it, oldest first, and those that did something else to the same thing afterwards. */
function actionsOf({ requests, did }: Activity): Performed {
  const oldestFirst = requests.toReversed().map((request) => ({
    meant: { ...request, changes: request.changes.filter((change) => isMeant(change, did)) },
    other: { ...request, changes: request.changes.filter((change) => !isMeant(change, did)) },
  }));
  const done = oldestFirst.map(({ meant }) => meant).filter(({ changes }) => changes.length > 0);
  const last = done.at(-1);
  const later = oldestFirst
    .map(({ other }) => other)
    .filter(({ at, changes }) => changes.length > 0 && last !== undefined && at > last.at);
  return { done, later };
}

const linesOf = (requests: readonly DoneRequest[], region: Region): string[] =>
  requests.flatMap((request) =>
    request.changes.map(
      ({ sentence: text }) => `${momentOf(request, region)}: ${endSentence(escapeInline(text))}`,
    ),
  );

function describePerformed({ done, later }: Performed, region: Region): string {
  const lines = linesOf(done, region);
  const shown = lines.slice(-MAX_LINES);
  const rest = lines.length - shown.length;
  const all = [...shown, ...(rest > 0 ? [`${formatCount(rest, "earlier time")} not shown.`] : [])];
  const after = linesOf(later, region).slice(-MAX_LINES);
  const list = (items: readonly string[]): string =>
    items.length === 1 ? (items[0] ?? "") : `\n${items.map((line) => `- ${line}`).join("\n")}`;
  return [list(all).trimStart(), ...(after.length > 0 ? [`After that: ${list(after)}`] : [])].join("\n\n");
}

/** Verbs that order an action and do not ask whether it was done. */
const ORDERS: Readonly<Record<ActionKind, string>> = {
  create: "remind|append|copy|jot|record|new|log|start|watch|book|generate",
  change:
    "append|add|replace|set|put|bump|rewrite|adjust|increase|raise|lower|postpone|swap|sort|insert|convert|write",
  delete: "clear|drop|erase|discard|trash|throw",
  finish: "mark|tick|check|do",
};
const verbsOf = (action: ActionKind): ReadonlySet<string> =>
  new Set(
    `${VERBS[action]}|${ORDERS[action]}`
      .split("|")
      .filter((verb) => !verb.includes(" "))
      .map(verbStem),
  );
const ORDERING: Readonly<Record<ActionKind, ReadonlySet<string>>> = {
  create: verbsOf("create"),
  change: verbsOf("change"),
  delete: verbsOf("delete"),
  finish: verbsOf("finish"),
};

/** True for a request with a verb of the action: "run the tests of package.json" asks for no change of the file. */
const orders = (request: string, did: ActionKind): boolean =>
  plainWords(request).some((word) => ORDERING[did].has(verbStem(word)));

/** Says what was asked and not done, and otherwise how much was looked at. */
function notDone(activity: Activity, region: Region): string {
  const { requests, query = "", did = "change", total, oldest } = activity;
  const failed = requests.filter(
    ({ outcome, changes, request }) =>
      changes.length === 0 &&
      outcome !== "answered" &&
      outcome !== undefined &&
      !/\?\s*$/u.test(request) &&
      orders(request, did),
  );
  const [last] = failed;
  if (last !== undefined)
    return `It was asked for on ${momentOf(last, region)}, ${quoteRequest(last)}, and not done.`;
  if (total === 0) return describeEmptyPeriod(activity, region);
  const since = oldest === undefined ? "" : `, since ${formatMoment(oldest, region)}`;
  const where =
    activity.period === undefined
      ? `the ${formatCount(total, "request")} that ${total === 1 ? "is" : "are"} stored${since}`
      : `the ${formatCount(total, "request")} ${activity.period.label}`;
  return `Nothing that fits “${escapeInline(query)}” was ${PARTICIPLES[did]} in ${where}.`;
}

/** Answers “did you add the dentist task?”. */
export function answerWhetherDone(activity: Activity, region: Region): string {
  const performed = actionsOf(activity);
  return performed.done.length === 0
    ? `No. ${notDone(activity, region)}`
    : `Yes. ${describePerformed(performed, region)}`;
}

/** Answers “when did you add the dentist task?”. */
export function whenDone(activity: Activity, region: Region): string {
  const performed = actionsOf(activity);
  return performed.done.length === 0 ? notDone(activity, region) : describePerformed(performed, region);
}
