import { posix } from "node:path";
import type { Interpretation, PlannedCall } from "@metahuman/core/language/grammar/plan";
import { lastWasNotMade } from "@metahuman/core/language/references/antecedent";
import { stem } from "@metahuman/core/language/tokens/words";
import { plainWords, withoutTrailing } from "@metahuman/core/text/words";
import type { PlanState } from "../../../planner.ts";
import { interpretAlone, interpretRequest } from "../interpret-request.ts";
import { ofJson } from "../files/json-orders.ts";
import { ofTextAtHand } from "../text/line-orders.ts";
import { asksWhatIsLeft, questionOfLines, questionOfWhole } from "../text/line-questions.ts";
import { changeOfWords } from "../text/line-changes.ts";
import { areNamed, linesNamed } from "../text/lines-named.ts";
import { withFileOfSeveral } from "../files/files-meant.ts";
import { newText } from "../text/new-texts.ts";
import { furtherFact } from "../facts/statements.ts";
import { changeOfSchedule, excludesDays } from "../tasks/schedule-orders.ts";
import {
  type OrderContext as Context,
  hasOnlyNumber,
  ofSchedules,
  ofTasks,
  thingMeant,
} from "../tasks/task-orders.ts";
import { type Continued, PRONOUN, type ShortOrder, shortOrders, withoutFiller } from "./short-orders.ts";
import {
  nameStems,
  nameMentioned,
  type Subject,
  type SubjectOf,
  subjectsOf,
  withoutRemindersOfTasks,
} from "./subjects.ts";
import { isReopening, orderOfThings, otherMeant, questionOfThings } from "../tasks/thing-orders.ts";
import { ofTable } from "../table/reader.ts";
import { FURTHER_ORDER, placedLine } from "../text/text-orders.ts";

// Short orders and questions that are only understood after earlier requests, carried out on what the conversation was about.

/**
 * What a request means after those before it: the same order in plain words, or an order for a subject of the conversation.
 * Undefined if no subject can be meant. Only for requests that are not understood by themselves, or that found nothing.
 * With `isAsWritten` no word is left out: what forbids something, or found nothing, is not read again in plainer words.
 */
export async function continuation(
  state: PlanState,
  { isAsWritten = false, isPart = false }: { isAsWritten?: boolean; isPart?: boolean } = {},
): Promise<Continued | undefined> {
  const subjects = await subjectsOf(state);
  const withFile = isAsWritten ? undefined : await withFileOfSeveral(state);
  if (withFile !== undefined) return { request: withFile };
  const { order: asked, topic } = withTopic(state.request.trim());
  const recent =
    topic === undefined
      ? subjects
      : subjects.filter((subject) => isCalled(subject, topic)).map((subject) => ({ ...subject, age: 0 }));
  const text = textOf(recent);
  const ofLines = text && (await ofTextAtHand({ ...state, request: asked }, text));
  if (ofLines !== undefined) return ofLines;
  const stated = withoutDenial(state);
  if (stated !== undefined) return { request: stated };
  const several = isPart ? undefined : await inTurn(state, text);
  if (text !== undefined && asksWhatIsLeft(state.request)) return questionOfLines(state.request, text, state);
  const ofWhole = text && questionOfWhole(state.request, text, state);
  if (ofWhole !== undefined) return ofWhole;
  if (several !== undefined) return several;
  const written = isAsWritten ? undefined : ((await inPlainWords(state)) ?? newText(state, text?.path));
  if (written !== undefined) return written;
  const orders = shortOrders(asked);
  if (recent.length === 0 && !isReopening(asked)) return undefined;
  if (orders.some(({ verb }) => verb === "undo")) return { request: "undo that" };
  const rescheduled = otherSchedule({ ...state, request: asked }, recent);
  if (rescheduled !== undefined) return rescheduled;
  const other = await otherMeant(asked, recent, state);
  if (other !== undefined) return other;
  const answered = questionOfThings(asked, recent, state);
  if (answered !== undefined) return answered;
  // A calculation in between is about its figures.
  const newest = recent.find(({ kind }) => kind !== "result");
  const ofThings = orderOfThings(
    asked,
    isReopening(asked) ? await subjectsOf(state, { hasDone: true }) : recent,
    state,
  );
  const isAboutThings = isReopening(asked) || newest?.kind === "task" || newest?.kind === "schedule";
  if (ofThings !== undefined && isAboutThings) return ofThings;
  const isNotMade = lastWasNotMade((await state.earlier?.()) ?? []);
  for (const order of orders) {
    if (isNotMade && order.verb === "add") continue;
    const continued = ofSubjects(order, recent, state);
    if (continued !== undefined) return continued;
  }
  if (ofThings !== undefined) return ofThings;
  if (newest?.kind === "file") return ofJson(asked, newest, state);
  return newest?.kind === "text" ? questionOfLines(asked, newest, state) : undefined;
}

/** "Remove tuna and add chicken", "make the candle 22 and tell me the new total": two orders for what the conversation is about. */
const TWO_ORDERS =
  /^(?<one>(?:remove|delete|take|drop|cross|tick|add|put|change|swap|replace|exchange|make|create|start|write|note|remember|remind|set|rename|move|show|read|what|how|who)\b[^.!?\n]{2,80}?)\s*(?:,\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?)(?<two>(?:remove|delete|take|drop|cross|tick|add|put|change|swap|replace|exchange|make|create|start|write|note|remember|remind|set|rename|move|tell\s+me|say\s+(?=how|what|who)|show\s+me|show\s+it|what['’]?s?|how|where|who)\b[^.!?\n]{2,80}?)[\s.!?]*$/iu;

const MAKES = /^(?:make|create|start|write)\s+(?:me\s+)?(?:an?|another|some|the\s+new|new)\s/iu;
const REFERS = /\b(?:it|that|there|them|this|these|those)\b/iu;

/** The calls of two orders, if both are understood, and one of them at least only after the requests before. */
async function inTurn(state: PlanState, text: SubjectOf<"text"> | undefined): Promise<Continued | undefined> {
  const { one, two } = TWO_ORDERS.exec(withoutFiller(state.request).text)?.groups ?? {};
  if (one === undefined || two === undefined) return undefined;
  // "Make a folder and put both letters in it" is about what only the first order makes.
  if (MAKES.test(one) && REFERS.test(two)) return undefined;
  const parts: (readonly PlannedCall[])[] = [];
  let isContinued = false;
  for (const request of [one, two.replace(/^(?:tell\s+me|say)\s+/iu, "")]) {
    const reading = await interpretRequest({ ...state, request });
    const inTable = text === undefined ? await ofTable(reading, { ...state, request }) : undefined;
    if (inTable !== undefined) {
      parts.push(inTable);
      isContinued = true;
      continue;
    }
    const isOfLine = text !== undefined && linesNamed(request, text.lines).length > 0;
    const isWhole = reading.kind === "plan" && !isOfLine && !isRecalled(reading.calls, state);
    const continued = isWhole ? undefined : await continuation({ ...state, request }, { isPart: true });
    isContinued ||= continued !== undefined;
    const further =
      continued !== undefined && "request" in continued
        ? await interpretRequest({ ...state, request: continued.request })
        : reading;
    const calls = continued !== undefined && "calls" in continued ? continued.calls : callsOf(further);
    if (calls === undefined) return undefined;
    parts.push(calls);
  }
  return isContinued ? { calls: parts.flat() } : undefined;
}

const callsOf = (reading: Interpretation): readonly PlannedCall[] | undefined =>
  reading.kind === "plan" ? reading.calls : undefined;

/** The text that the conversation was about last, apart from calculations. */
function textOf(subjects: readonly Subject[]): SubjectOf<"text"> | undefined {
  const newest = subjects.find(({ kind }) => kind !== "result");
  return newest?.kind === "text" ? newest : undefined;
}

/** The same request without the words that ask for nothing, if that is understood. */
async function inPlainWords(state: PlanState): Promise<Continued | undefined> {
  const { request } = state;
  if (request.length > MAX_LENGTH || shortOrders(request).some(({ context }) => context !== undefined))
    return undefined;
  const { text } = withoutFiller(request.replace(PLEASE_WITHIN, "$1 "));
  if (text === "" || text === request.trim().replace(/[\s.!?]+$/u, "")) return undefined;
  const reading = await interpretRequest({ ...state, request: text });
  return reading.kind === "plan" && !isRecalled(reading.calls, state) ? { request: text } : undefined;
}

/** "Clara lives in Nantes now, not in Lyon": what is no longer so comes last. */
const DENIED_END = /^(?<statement>[^,;:?!]{3,120}?),\s+(?:and\s+)?(?:not|no\s+longer)\s+[^,;:?!]{2,60}$/iu;

/** A statement without what it denies, if the person states something; undefined for an order. */
function withoutDenial(state: PlanState): string | undefined {
  const statement = DENIED_END.exec(withoutTrailing(state.request.trim(), /[.\s]/u))?.groups?.["statement"];
  if (statement === undefined) return undefined;
  const reading = interpretAlone({ ...state, request: statement });
  return reading.kind === "not-understood" && reading.statement !== undefined ? statement : undefined;
}

const MAX_LENGTH = 200;
/** "Calculate please 3 times 12", without "please". */
const PLEASE_WITHIN = /^(\p{L}+),?\s+(?:please|pls|kindly)[,:]?\s+/iu;

/** True if memory only is asked. */
const isRecalled = (calls: readonly PlannedCall[], { skills }: Pick<PlanState, "skills">): boolean =>
  calls.every(({ skill: id }) => skills.some((skill) => skill.id === id && skill.answers !== undefined));

/**
 * True for a question that means what the request before was about, whatever else its words could ask: "what's on the list?" after a
 * list, "what's the biggest one?" after a table.
 */
async function isAboutNewest(state: PlanState): Promise<boolean> {
  const isShown = shortOrders(state.request).some(
    ({ verb, what }) => verb === "show" && /\bthe\s+(?:list|file|table)$/iu.test(what),
  );
  const isLeft = asksWhatIsLeft(state.request);
  if (!isShown && !isLeft) return false;
  const [newest] = await subjectsOf(state);
  return (!isLeft && newest?.kind === "table") || (newest?.kind === "text" && newest.isList);
}

/**
 * True for a change that the tasks of this conversation make certain: "the piano tuner is done" needs no question, and "make it 5" is
 * no time where the title has the only number.
 */
async function isOfKnownTask(reading: Plan, state: PlanState): Promise<boolean> {
  // "No, the dentist at 10" is a time, and no title.
  const isRenamed =
    reading.calls.some(({ skill, args }) => skill === "task_update" && Object.hasOwn(args, "title")) ||
    ["task_delete", "task_create"].every((id) => reading.calls.some(({ skill }) => skill === id));
  if (isRenamed) return orderOfThings(state.request, await subjectsOf(state), state) !== undefined;
  // Two dates for two tasks, a day of the month in which a task is due, and a date that corrects a task and no memory.
  const isDated = reading.calls.some(
    ({ args }) =>
      Object.hasOwn(args, "due") || Object.hasOwn(args, "when") || Object.hasOwn(args, "replaces"),
  );
  const dated = isDated ? orderOfThings(state.request, await subjectsOf(state), state) : undefined;
  if (dated !== undefined && "request" in dated && dated.request.startsWith("set the task")) return true;
  // "The garage is called, check it off": what the statement is about, and not what was made last.
  const isReferring = reading.calls.some(({ args }) =>
    Object.values(args).some(({ from }) => from === "earlier"),
  );
  if (isReferring && STATES_AND_ORDERS.test(state.request)) {
    const meant = orderOfThings(state.request, await subjectsOf(state), state);
    if (meant !== undefined) return true;
  }
  const orders = shortOrders(state.request).filter(({ verb }) => verb === "done" || verb === "set");
  if (orders.length === 0) return false;
  const subjects = await subjectsOf(state);
  const tasks = subjects.filter((subject) => subject.kind === "task");
  return orders.some((order) => {
    const task = thingMeant(order, tasks);
    if (order.verb === "done") return task !== undefined && !PRONOUN.test(order.what);
    return task !== undefined && subjects[0] === task && hasOnlyNumber(task, order.value ?? "");
  });
}

const STATES_AND_ORDERS =
  /[,;.!]\s+\S.*\b(?:it|that|this)\b|\s(?:tick|cross|check|mark|scratch)\s+(?:it|that|this)\b/iu;

type Plan = Extract<Interpretation, { kind: "plan" }>;

/** True for a reading that the conversation may complete or replace. */
export async function mayContinue(reading: Interpretation, state: PlanState): Promise<boolean> {
  // "Remove bells from it" after a JSON file is about its keys.
  if (reading.kind === "ambiguous") return (await subjectsOf(state))[0]?.kind === "file";
  if (reading.kind !== "plan") return reading.kind === "not-understood" || reading.kind === "refrain";
  if (isRecalled(reading.calls, state)) return true;
  if (reading.readOnly) return isAboutNewest(state);
  // "Remove beta" after a JSON file is about its lists, before any file is looked for.
  if (reading.calls.every(deletesName)) return (await subjectsOf(state))[0]?.kind === "file";
  const changes = reading.calls.filter(({ lookup }) => lookup === undefined);
  if (excludesDays(state.request) || changes.every(({ skill }) => skill === "schedule_update"))
    return (
      otherSchedule(state, await subjectsOf(state)) !== undefined || (await isOfKnownTask(reading, state))
    );
  return (
    (await isSameForLine(state)) ||
    (await isForListAtHand(reading, state)) ||
    (await isOfKnownLine(reading, state)) ||
    isOfKnownTask(reading, state)
  );
}

/** True for the deletion of a file that is named without an ending. */
const deletesName = ({ skill, args }: PlannedCall): boolean =>
  skill === "fs_delete" && args["path"]?.from === "request" && !/[./]/u.test(String(args["path"].value));

/** True for a change of words that holds another order, and for one that the text at hand shows to be of other words. */
async function isOfKnownLine({ calls }: Plan, state: PlanState): Promise<boolean> {
  const edits = calls.flatMap(({ skill, args }) => (skill === "fs_edit" ? [args] : []));
  if (edits.length === 0) return false;
  const textIn = (arg: PlannedCall["args"][string] | undefined): string | undefined =>
    arg?.from === "request" && typeof arg.value === "string" ? arg.value : undefined;
  if (edits.some(({ text }) => FURTHER_ORDER.test(textIn(text) ?? ""))) return true;
  const text = textOf(await subjectsOf(state));
  // "Put KARD at the top of the list" moves a line that the list has.
  if (text !== undefined && edits.some(({ line }) => line?.from === "request" && line.value === 1))
    return placedLine(state.request, text, state) !== undefined;
  const change = text && changeOfWords(state.request.trim(), text, state);
  const [known] = change !== undefined && "calls" in change ? change.calls : [];
  const line = textIn(known?.args["line"]);
  const find = textIn(edits[0]?.["find"]);
  return line !== undefined && find !== undefined && !line.includes(find);
}

/** True for "and the trash too" after another line was ticked, if the text at hand has such a line. */
async function isSameForLine(state: PlanState): Promise<boolean> {
  const { text: asked, isJoined } = withoutFiller(state.request);
  if (!isJoined || state.request.length > MAX_LENGTH) return false;
  const [newest] = await subjectsOf(state);
  return newest?.kind === "text" && newest.isChanged && areNamed(asked, newest.lines);
}

const TO_LIST = /\s(?:to|on|onto|in)\s+(?:the|that|this|our)\s+list\b/iu;

/** True for "add bread to the list" after a list that is no list of tasks. */
async function isForListAtHand({ calls }: Plan, state: PlanState): Promise<boolean> {
  const isTask = calls.length === 1 && calls[0]?.skill === "task_create";
  if (!isTask || !TO_LIST.test(state.request)) return false;
  const newest = (await subjectsOf(state)).find(({ kind }) => kind !== "result");
  return newest?.kind === "text" && newest.isList;
}

/** What a request changes of a schedule: of the newest subject, or of another one that it names. */
function otherSchedule(state: PlanState, subjects: readonly Subject[]): Continued | undefined {
  const schedules = withoutRemindersOfTasks(subjects).filter((subject) => subject.kind === "schedule");
  const isMeant =
    subjects[0]?.kind === "schedule" ||
    nameMentioned(
      state.request,
      schedules.map(({ title }) => title),
    ) !== undefined;
  return isMeant ? changeOfSchedule(state.request, schedules, state) : undefined;
}

/** "Back to the packing list: add a scarf": which subject the order after it is for. */
const TOPIC =
  /^(?:(?:and|now|so|ok|okay|right|well|oh|then)[,\s]+)*(?:back\s+to|as\s+for|about|in|on|for)\s+(?:the|my|our)\s+(?<topic>\p{L}[^:,]{1,40}?)(?:\s+again)?(?:\s*[:,]\s+|(?<=back\s+to\s[^:,]{1,60})\s+(?=(?:add|put|remove|take|tick|cross|change|make|what['’]?s?|how\s+many|show)\s))(?<order>\S.*)$/iu;

function withTopic(request: string): { order: string; topic?: string } {
  const { topic, order } = TOPIC.exec(request)?.groups ?? {};
  return topic === undefined || order === undefined ? { order: request } : { order, topic };
}

/** True if a subject has all words of a name. */
function isCalled(subject: Subject, name: string): boolean {
  const has = nameStems(nameOf(subject).replaceAll(/[/._-]/gu, " "));
  const asked = nameStems(name);
  return asked.length > 0 && asked.every((word) => has.includes(word));
}

function nameOf(subject: Subject): string {
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

/** Carries out an order on the first subject that it can be for, the newest first. */
function ofSubjects(
  order: ShortOrder,
  subjects: readonly Subject[],
  state: PlanState,
): Continued | undefined {
  // Something new goes to what came last; what exists is found where it is.
  const able = order.verb === "add" ? subjects.filter(({ age }) => age === 0) : subjects;
  const seen = new Set<Subject["kind"]>();
  for (const subject of able) {
    const continued = ofSubject(order, subject, { subjects: able, state, isFirst: !seen.has(subject.kind) });
    seen.add(subject.kind);
    if (continued !== undefined && isUnderstood(continued, state)) return continued;
  }
  return undefined;
}

const isUnderstood = (continued: Continued, state: PlanState): boolean =>
  "calls" in continued || interpretAlone({ ...state, request: continued.request }).kind === "plan";

function ofSubject(order: ShortOrder, subject: Subject, context: Context): Continued | undefined {
  switch (subject.kind) {
    case "text":
    case "table":
    case "file":
    case "folder":
      return ofPath(order, subject);
    case "task":
      return context.isFirst ? ofTasks(order, context) : undefined;
    case "schedule":
      return context.isFirst ? ofSchedules(order, context) : undefined;
    case "fact":
      return furtherFact(order, subject, context.state);
    case "result":
      return undefined;
    default:
      return subject satisfies never;
  }
}

/** What a thing with a path is called besides its name. */
const GENERIC_NAME =
  /^(?:(?:the|that|this|my)\s+)?(?:(?:new|same)\s+)?(?:whole\s+)?(?<noun>it|that|them|there|list|file|folder|table|thing|copy|lot)$/iu;
/** "On it" and "it say" are what is asked of it. */
const WITHIN = /^(?:on|in|inside)\s+|\s+say$/giu;

/** Orders for a file or a folder as a whole. */
function ofPath(
  { verb, what, value = "" }: ShortOrder,
  subject: SubjectOf<"text" | "table" | "file" | "folder">,
): Continued | undefined {
  const { kind, path } = subject;
  const named = what.replace(WITHIN, "");
  const noun = GENERIC_NAME.exec(named)?.groups?.["noun"]?.toLowerCase();
  const words = plainWords(path.replaceAll(/[/._-]/gu, " ")).map(stem);
  const isMeant =
    noun === undefined
      ? named === "" ||
        plainWords(named)
          .slice(1)
          .every((word) => words.includes(stem(word)))
      : noun === "list"
        ? kind === "text" && subject.isList
        : noun === "folder"
          ? kind === "folder" || verb === "show"
          : noun === "copy"
            ? /\bcopy\b/iu.test(subject.request)
            : noun !== "table" || kind === "table";
  const isReference = noun !== undefined || /^(?:it|that|them|there|the|this|my|)(?:\s|$)/iu.test(named);
  if (!isMeant || !isReference) return undefined;
  switch (verb) {
    case "show":
      return kind === "folder" || noun === "folder"
        ? { request: `list the files in ${kind === "folder" ? path : posix.dirname(path)}` }
        : { request: `show ${path}` };
    case "copy":
      // Words without an ending name a folder.
      return kind === "folder"
        ? undefined
        : { request: `copy ${path} to ${/[/.]/u.test(value) ? value : `${value}/`}` };
    case "move":
      return { request: `move ${path} to ${value}` };
    case "rename": {
      // A file keeps its ending only if the person says so.
      if (kind !== "folder" && !/^\S+\.\p{L}\S*$/u.test(value)) return undefined;
      const name = value.replaceAll(" ", "-");
      const folder = posix.dirname(path.replace(/\/$/u, ""));
      return { request: `rename ${path} to ${name.includes("/") ? name : posix.join(folder, name)}` };
    }
    case "remove":
      if (noun === "copy" && kind !== "folder") return { request: `delete ${path}` };
      // "Delete the shopping list" means the file that was just made or shown, unless one of its lines is called so.
      return noun === undefined && named !== "" && subject.age === 0 && !hasLine(subject, named)
        ? { request: `delete ${path}` }
        : undefined;
    case "add":
    case "set":
    case "done":
    case "count":
    case "where":
    case "when":
    case "undo":
      return undefined;
    default:
      return verb satisfies never;
  }
}

function hasLine(subject: Subject, words: string): boolean {
  const wanted = words.toLowerCase().replace(/^(?:the|that|this|my)\s+/u, "");
  return subject.kind === "text" && subject.lines.some((line) => line.toLowerCase().includes(wanted));
}
