import { oneOf } from "@metahuman/core/text/patterns";
import { dateSpans } from "@metahuman/core/language/dates/dates";
import { afterFiller } from "@metahuman/core/language/tokens/filler-phrases";
import { tokenize } from "@metahuman/core/language/tokens/tokens";
import type { PlanState } from "../../../planner.ts";
import { rewriteAsCalculation } from "../calculation/calculation-in-words.ts";
import { rewriteFurtherCalculation } from "../calculation/further-calculations.ts";
import { interpretAlone } from "../interpret-request.ts";
import { rewriteWithRemainingDays } from "../tasks/schedule-orders.ts";
import { rewriteOrderBehindTime } from "./rewrite-times.ts";
import { rewriteAboutLastTask, findLastWithCalls } from "./last-request.ts";
import { MAX_CALCULATION, MAX_REQUEST_WITH_TEXT } from "./limits.ts";
import { isMemoryQuestion } from "./resolution.ts";
import { wholeMessage } from "./short-orders.ts";
import { ASKS, ASKS_IF, ASKS_TO } from "../word-lists.ts";
import { onlyAgrees, restAfterYes } from "@metahuman/core/language/grammar/yes-no";

// Rewrites a short request in full, in words that the grammar knows. "Make them tasks" becomes "add tasks: …" with the items of the
// statement before. The first of `REWRITERS` that applies is used, first on the request as it is, then without its polite beginning.

/** The request in full; undefined if it is complete as it is. */
export async function rewriteInFull(original: PlanState): Promise<string | undefined> {
  if (original.request.length > MAX_REQUEST_WITH_TEXT) return undefined;
  // Long runs of spaces would be matched in every possible way.
  const state = {
    ...original,
    request: original.request.replaceAll(/[^\S\n]+/gu, " ").replaceAll(/\n+/gu, "\n"),
  };
  const full = await rewriteAsWritten(state);
  if (full !== undefined) return full;
  const tokens = tokenize(state.request);
  const { at } = afterFiller(tokens, 0, tokens.length);
  const first = tokens[at];
  if (at === 0 || first === undefined || interpretAlone(state).kind === "plan") return undefined;
  return rewriteAsWritten({ ...state, request: state.request.slice(first.start) });
}

async function rewriteAsWritten(state: PlanState): Promise<string | undefined> {
  for (const rewrite of Object.values(REWRITERS)) {
    const full = await rewrite(state);
    if (full !== undefined) return full;
  }
  return undefined;
}

/** "What did I ask you to remind me of": the reminders. */
const REMINDERS = wholeMessage(
  String.raw`what\s+(?:did\s+i\s+(?:ask|tell)\s+you\s+to|are\s+you\s+(?:going|supposed)\s+to|will\s+you)\s+remind\s+me\s+(?:of|about)|(?:what|which)\s+reminders\s+are\s+there|(?:so\s+)?(?:what|which)\s+reminders\s+(?:do\s+)?(?:i|we)\s+(?:still\s+)?(?:have|got)(?:\s+got)?(?:\s+(?:left|still|coming\s+up))?`,
);
/** "Delete a.txt and b.txt in out/tmp": files by their names, and the folder of all. */
const NAMES_IN_FOLDER =
  /^(?<order>(?:please\s+)?(?:delete|remove|read|show|open|copy|move))\s+(?<names>[^\s/,]+\.\p{L}\w*(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+)[^\s/,]+\.\p{L}\w*)+)\s+(?:in|from|inside)\s+(?<folder>(?:out|inbox)(?:\/[^\s/]+)*)\/?(?<rest>\s+to\s+\S+)?[\s.!]*$/iu;
/** "In inbox/fees.csv: who has not paid?": the heading with which the page sends a request about an attached file. */
const ATTACHED = /^in\s(?<path>"inbox\/[^"\n]+"|inbox\/[^\s":]+):\s(?<words>\S.*)$/su;

/** A request about an attached file with the path as its last words, if it is only understood so. */
function rewriteAttachedFile(state: PlanState): string | undefined {
  const { path, words = "" } = ATTACHED.exec(state.request)?.groups ?? {};
  if (path === undefined || interpretAlone(state).kind === "plan") return undefined;
  const full = `${words.replace(/[\s.?!]+$/u, "")} in ${path}`;
  return interpretAlone({ ...state, request: full }).kind === "plan" ? full : undefined;
}

/** True if a calculation in words is a request of its own: no question to memory, and not two calculations. */
function isRequestOfItsOwn(state: PlanState, calculation: string): boolean {
  const reading = interpretAlone(state);
  if (reading.kind !== "plan" || calculation.includes(" and then ")) return false;
  return !isMemoryQuestion(reading.calls, state);
}

/** The request in the words of a phrase that some skill has, for requests in other words; undefined for any other request. */
function rewriteInOtherWords({ request, ...state }: PlanState): string | undefined {
  const trimmed = request.trim();
  const { order, names, folder, rest = "" } = NAMES_IN_FOLDER.exec(trimmed)?.groups ?? {};
  if (order !== undefined && names !== undefined && folder !== undefined)
    return `${order} ${names.replaceAll(/[^\s/,]+\.\p{L}\w*/giu, (name) => `${folder}/${name}`)}${rest}`;
  const rewritten =
    rewriteAttachedFile({ ...state, request: trimmed }) ??
    rewriteWithRemainingDays(trimmed) ??
    rewriteAgendaQuestion(trimmed, { ...state, request });
  if (rewritten !== undefined) return rewritten;
  const calculation = rewriteAsCalculation(trimmed);
  if (calculation !== undefined && !isRequestOfItsOwn({ ...state, request }, calculation)) return calculation;
  return REMINDERS.test(trimmed) ? "list my reminders" : undefined;
}

const AGENDA_WORDS = oneOf(
  "do|i|we|have|got|is|are|am|on|for|there|due|planned|up|coming|tasks?|things?|any|anything|my|me|the",
  "in|still|scheduled?|plans?|agenda|diary|busy|free|to|so|far|all|and",
);
/** "What i have tuesday", "anything on friday": the words of a question for what is due on a day, besides the day. */
const AGENDA = new RegExp(
  String.raw`^(?:(?:and|so|ok|now|hey|please|tell\s+me)\s+)*(?:what(?:['’]?s)?|anything|do|am|is|show(?:\s+me)?|which)\b(?:\s+${AGENDA_WORDS})*$`,
  "iu",
);
const PART_OF_DAY = /\b(?:morning|afternoon|evening|tonight|night)\b/iu;
const MAX_AGENDA = 80;

/** A question about what is due on a day, in full; undefined for any other request. */
function rewriteAgendaQuestion(request: string, state: PlanState): string | undefined {
  if (request.length > MAX_AGENDA) return undefined;
  const text = request.replace(/[\s?.!]+$/u, "");
  const tokens = tokenize(text);
  const clock = { now: state.requestedAt, timeZone: state.timeZone, locale: state.locale };
  const [day, ...others] = dateSpans(text, tokens, clock).filter(({ question }) => question === undefined);
  const [first, last] = [tokens[day?.from ?? -1], tokens[(day?.to ?? 0) - 1]];
  if (day === undefined || others.length > 0 || first === undefined || last === undefined) return undefined;
  const rest = `${text.slice(0, first.start)} ${text.slice(last.end)}`.replaceAll(/\s+/gu, " ").trim();
  if (!AGENDA.test(rest)) return undefined;
  const isPeriod = day.last !== day.value;
  const words = text.slice(first.start, last.end);
  // "This afternoon" is a part of its day.
  const onDay = `what do I have on ${day.value.slice(0, "2026-11-28".length)}`;
  if (day.value.includes("T")) return PART_OF_DAY.test(words) ? onDay : undefined;
  if (isPeriod && /\bscheduled?\b/iu.test(rest)) return `what is scheduled and what is due ${words}`;
  if (interpretAlone(state).kind === "plan") return undefined;
  return isPeriod ? `what is due ${words}` : onDay;
}

/** "Need a list for the trip: stove, gas", "shopping list: milk, eggs": the name of a list and what is on it. */
const NAMED_LIST = new RegExp(
  [
    String.raw`^(?:(?:i|we)\s+)?(?:(?:need|want|start|begin|make|create|write|do|new|here(?:['’]s| is))\s+(?:me\s+)?)?(?:(?:a|an|my|the|our|new)\s+)*`,
    String.raw`(?<name>(?!(?:to-?do|task|tasks)\b)(?:\p{L}+\s+){0,2}list(?:\s+for\s+(?!(?:me|us)\b)[^:,]{1,40}?)?)(?:\s+for\s+(?:me|us))?`,
    String.raw`\s*(?::|\s(?:with|of)\s)\s*(?<items>[^:]+)$`,
  ].join(""),
  "iu",
);

function rewriteNamedList({ request, ...state }: PlanState): string | undefined {
  const { name, items } = NAMED_LIST.exec(request.trim())?.groups ?? {};
  if (name === undefined || items === undefined) return undefined;
  const purpose = /^list\s+for\s+(?:(?:the|my|our|a)\s+)?(?<purpose>.+)$/iu.exec(name)?.groups?.["purpose"];
  const full = `create a ${purpose === undefined ? name : `${purpose} list`} with ${items}`;
  return interpretAlone({ ...state, request: full }).kind === "plan" ? full : undefined;
}

const TASK_LIST_WORDS = oneOf(
  String.raw`(?:my\s+)?to-?\s?dos?|to do|to-?\s?do list|tasks|[^:,.]*\bthings to do[^:]*`,
  String.raw`[^:]*\badd (?:them|these|those) as tasks`,
);
/** "Todo: send the invoice, chase Lena, book the train" lists tasks. */
const TASK_LIST = new RegExp(String.raw`^${TASK_LIST_WORDS}\s*:\s*(?<items>[^,\n]+,[^,\n]+,[^\n]+)$`, "iu");

function rewriteTaskList(state: PlanState): string | undefined {
  const items = TASK_LIST.exec(state.request.trim())?.groups?.["items"];
  if (items === undefined) return undefined;
  // "Todo: fetch the kids, 5 April, twenty past three" is one task with its day.
  const reading = interpretAlone(state);
  const isDated = reading.kind === "plan" && reading.calls.some(({ args }) => Object.hasOwn(args, "due"));
  return isDated ? undefined : `add tasks: ${items}`;
}

const AS_TASK = wholeMessage(
  String.raw`(?:please\s+)?(?:(?:make|turn)\s+(?:it|them|that|those)(?:\s+all)?\s+(?:into\s+)?(?:an?\s+)?(?:tasks?|to-?dos?)|(?:as\s+)?(?:an?\s+)?tasks?|(?:add|put)\s+(?:it|them|that|those)\s+(?:to|on|in)\s+(?:my|the)\s+(?:to-?do\s+list|list|tasks))`,
);
const REMEMBERS = wholeMessage(
  String.raw`(?:please\s+)?(?:remember|note|memori[sz]e|keep|save|store)\s+(?:that|it|this)(?:\s+(?:one|fact))?(?:\s+(?:for me|down|in mind))?`,
);
const OBLIGATION =
  /^(?:(?:so|ok|okay|today|tomorrow)[,\s]+)?(?:i|we)(?:['’]ve|\s+have)?\s+(?:(?:still|also|really)\s+)?(?:(?:got|have|need|ought|want)\s+to|to|must|should)\s+(?<what>\S.*?)[\s.!]*$/iu;
const QUESTION = new RegExp(String.raw`\?\s*$|^(?:${ASKS}|${ASKS_IF}|${ASKS_TO})\s`, "iu");

/** "Next Friday dinner with Lena at 7pm" as an order to add a task; undefined without a day. */
function rewriteAsDatedTask(words: string, state: PlanState): string | undefined {
  const request = `add a task: ${words}`;
  const reading = interpretAlone({ ...state, request });
  const isDated = reading.kind === "plan" && reading.calls.every(({ args }) => Object.hasOwn(args, "due"));
  return isDated ? request : undefined;
}

/** "Make them tasks" and "remember that" after a statement with which nothing was done. */
async function rewriteAboutLastStatement(state: PlanState): Promise<string | undefined> {
  const order = restAfterYes(state.request) ?? state.request;
  const isTask = AS_TASK.test(order);
  if (!isTask && !REMEMBERS.test(order) && !onlyAgrees(state.request)) return undefined;
  const [last] = (await state.earlier?.()) ?? [];
  const isDone = last?.calls.some(
    ({ skill: id }) => state.skills.find((skill) => skill.id === id)?.effects !== "read",
  );
  if (last === undefined || isDone === true || QUESTION.test(last.request)) return undefined;
  // Only a statement that led to nothing is taken up.
  const reading = interpretAlone({ ...state, request: last.request });
  if (reading.kind !== "not-understood") return undefined;
  const what = OBLIGATION.exec(last.request)?.groups?.["what"];
  const task =
    what === undefined
      ? rewriteAsDatedTask(last.request, state)
      : /,/u.test(what)
        ? `add tasks: ${what}`
        : `add a task to ${what}`;
  if (isTask) return task;
  if (REMEMBERS.test(order)) return `remember that ${last.request}`;
  // A bare "yes" answers the one question that such a statement leads to: of a fact with a day, whether to remember it.
  const remembers = `remember that ${last.request}`;
  if (what !== undefined) return undefined;
  return reading.statement === undefined ? (task ?? remembers) : remembers;
}

/** "Save that in balance.txt", after a calculation */
const KEEPS_RESULT = new RegExp(
  [
    String.raw`^(?:(?:and|ok|okay|now|then|please|pls)[,\s]+)*(?<verb>save|write|put|store|note|jot(?:\s+down)?|add|append|keep|log)\s+`,
    String.raw`(?:that|it|this|the\s+(?:result|answer|total|sum|figure))(?:\s+down)?\s+(?:in|into|to|as|under)\s+`,
    String.raw`(?:the\s+file\s+)?(?<path>[\w./-]*[\w-]\.\p{L}\w*)(?:\s+please)?[\s.!]*$`,
  ].join(""),
  "iu",
);

/** The order that writes the last calculation, with its result, into a file. */
async function rewriteSavingResult(state: PlanState): Promise<string | undefined> {
  const { verb, path } = KEEPS_RESULT.exec(state.request)?.groups ?? {};
  if (verb === undefined || path === undefined) return undefined;
  const last = await findLastWithCalls(state);
  const call = last?.calls.at(-1);
  const [expression, result] = [call?.args["expression"], await findLastResult(state)];
  if (call?.skill !== "calculate" || result === undefined || typeof expression !== "string") return undefined;
  const line = `${expression.replace(/[\s?=.!]+$/u, "")} = ${result}`;
  return /^(?:save|store|keep|write)$/iu.test(verb)
    ? `write "${line}" to ${path}`
    : `append "${line}" to ${path}`;
}

/** "What does this function do?" */
const ASKS_ABOUT_FUNCTION = wholeMessage(
  String.raw`(?:what\s+(?:does|did|will|would)|what\s+exactly\s+does|tell\s+me\s+what|explain\s+what)\s+(?:this|that|the|your|my|the\s+last)\s+function\s+(?:do|does)(?:\s+exactly)?|(?:explain|describe|show(?:\s+me)?)\s+(?:this|that|the\s+last)\s+function`,
);

/** The request to show the function that the conversation was about last, or all functions if it was about none. */
async function rewriteAboutLastFunction({ request, earlier }: PlanState): Promise<string | undefined> {
  if (request.length > MAX_CALCULATION || !ASKS_ABOUT_FUNCTION.test(request)) return undefined;
  const last = ((await earlier?.()) ?? []).find(({ functionId }) => functionId !== undefined);
  return last?.functionId === undefined ? "list my functions" : `show the function ${last.functionId}`;
}

const MAY_CALCULATE_WORDS = oneOf(
  "half|halve|third|quarter|double|twice|triple|round(?:ed)?|two|three|four|five|six|seven|eight|nine",
  "ten|eleven|twelve|in|into|to|total|tip|vat|tax|with",
);
const MAY_CALCULATE = new RegExp(String.raw`\d|\b${MAY_CALCULATE_WORDS}\b`, "iu");
/** A quotation or the name of a file. */
const NAMES_TEXT = /["“”]|\S\.\p{L}{2,4}\b/u;

/** The calculation that continues the last result. */
async function rewriteFromLastResult(state: PlanState): Promise<string | undefined> {
  // The requests before are loaded only for words that may go on with a figure.
  const { request } = state;
  if (request.length > MAX_CALCULATION || !MAY_CALCULATE.test(request) || NAMES_TEXT.test(request))
    return undefined;
  const result = await findLastResult(state);
  const last = result === undefined ? undefined : await findLastWithCalls(state);
  if (result === undefined || last === undefined) return undefined;
  const written = last.calls.at(-1)?.args["expression"];
  const expression = typeof written === "string" ? written : "";
  return rewriteFurtherCalculation(state.request.trim(), { request: last.request, expression, result });
}

/** "The sum of kwh in out/readings.csv is 43.1." */
const FIGURE_ANSWER =
  /^The (?:sum|average|highest|lowest)\b[^\n]*? is (?<value>-?\d[\d,]*(?:\.\d+)?)[.:]?$/mu;

/** The result of the last calculation, or the figure of a table, if the request before made or asked for one. */
async function findLastResult(state: PlanState): Promise<string | undefined> {
  const request = await findLastWithCalls(state);
  const last = request?.calls.at(-1);
  if (last?.skill === "fs_read") return FIGURE_ANSWER.exec(request?.answer ?? "")?.groups?.["value"];
  const result = last?.skill === "calculate" ? last.outputs?.["result"] : undefined;
  return typeof result === "string" ? result : undefined;
}

/** The rewriters by what they read, each with the reason for its place. The first that rewrites the request decides. */
const REWRITERS: Readonly<
  Record<string, (state: PlanState) => string | undefined | Promise<string | undefined>>
> = {
  // Whole messages of one meaning, which nothing that was said before can change.
  "request in other words": rewriteInOtherWords,
  // Before the lists: "on Friday remind me of things to do: …" names one reminder.
  "order behind its time": rewriteOrderBehindTime,
  // A list needs nothing that was said before. A list of tasks is no "named list", so either may be first.
  "named list": rewriteNamedList,
  "list of tasks": rewriteTaskList,
  // All below load earlier requests. "Save that in x.txt" writes a calculation with its result; as a further calculation it would lose it.
  "saving a result": rewriteSavingResult,
  "last function": rewriteAboutLastFunction,
  // A figure is more certain than words: these go on only with the result of a calculation or a table.
  "further calculation": rewriteFromLastResult,
  // "Yes" and "make them tasks" may mean the last statement if no calculation goes on.
  "last statement": rewriteAboutLastStatement,
  // "And another one …" fits many messages, so it is tried last.
  "last task": rewriteAboutLastTask,
};
