import { isOpenStatus, Task } from "@metahuman/core/contract/task";
import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { plainOfPast } from "@metahuman/core/language/tokens/irregular-verbs";
import { FUNCTION_WORDS, inflection, stem } from "@metahuman/core/language/tokens/words";
import { plainWords } from "@metahuman/core/text/words";
import type { Skill } from "@metahuman/skills/define-skill";
import { records } from "@metahuman/skills/outputs";
import { correctedFacts } from "@metahuman/skills/support/amendment";
import type { PlannerDecision, PlanState } from "../../planner.ts";
import { answerIn, follow } from "./follow.ts";
import { interpretAlone, interpretRequest } from "./interpret-request.ts";
import { ask, stepOf } from "./next-step.ts";
import { REPLACE_OPTIONS, sentences, THOUGHTS } from "./phrasing.ts";

/** A longer text states more than one thing. */
const MAX_STATEMENT = 500;

/** Asks whether a statement replaces what is remembered of its subject; undefined if nothing like it is remembered. */
export function correcting(statement: string, state: PlanState): PlannerDecision | undefined {
  const { scratchpad, skills } = state;
  const search = factsAbout(statement, skills);
  const factSkill = skills.find(({ keeps }) => keeps !== undefined);
  if (search === undefined || factSkill?.keeps === undefined || statement.length > MAX_STATEMENT)
    return undefined;
  const position = follow([search], scratchpad, skills);
  if (position.kind === "act") return { kind: "act", thought: THOUGHTS.statement, action: position.action };
  const [outcome] = position.kind === "end" ? position.outcomes : [];
  const known =
    outcome?.kind === "done" && conflictingFact(statement, outcome.done.outputs, outcome.done.skill);
  if (!known) return undefined;
  const question = { question: sentences.replacesFact(known), options: REPLACE_OPTIONS };
  const reply = answerIn(scratchpad)(question);
  if (reply === undefined) return ask(question, THOUGHTS.correcting);
  const chosen = optionFromReply(reply, REPLACE_OPTIONS);
  if (chosen !== 0 && chosen !== 1)
    return { kind: "answer", thought: THOUGHTS.refrain, style: "default", text: sentences.nothingChosen };
  const args =
    chosen === 0
      ? { [factSkill.keeps]: known.corrected, replaces: known.id }
      : { [factSkill.keeps]: statement };
  return stepOf([search, callOf(factSkill.id, fromRequest(args), statement)], state);
}

/** Words that mark a statement as new, which are not part of the fact. */
const FIRST = /^(?:actually|no|sorry|correction|wait|well|in fact|by the way|btw)[,:]?\s+/iu;
const LAST = /[,\s]+(?:now|by now|these days|nowadays|from now on|instead|actually)$/iu;

/** A look-up of what is remembered about a statement. Undefined if no skill remembers and answers. */
function factsAbout(statement: string, skills: readonly Skill[]): PlannedCall | undefined {
  const search = skills.find(({ answers, finds }) => answers !== undefined && finds !== undefined);
  if (search?.answers === undefined || skills.every(({ keeps }) => keeps === undefined)) return undefined;
  const call = callOf(search.id, fromRequest({ [search.answers]: plainStatement(statement) }), statement);
  return { ...call, lookup: statement };
}

/** A statement without the words that say that it is new: "the boat is at berth 22". */
const plainStatement = (statement: string): string =>
  statement
    .replace(FIRST, "")
    .replace(LAST, "")
    .replace(/\s+now\s+/iu, " ")
    .trim();

/** A remembered fact, and what it says once a statement has corrected it. */
interface KnownFact {
  id: string;
  fact: string;
  corrected: string;
}

/** Returns the first remembered fact that contradicts a statement: the same subject and verb with another value. */
function conflictingFact(
  statement: string,
  outputs: Record<string, unknown>,
  { finds }: Pick<Skill, "finds">,
): KnownFact | undefined {
  const text = plainStatement(statement);
  const talk = new Set(
    records(outputs, "results").flatMap(({ id, type }) => (type === "conversation" ? [id] : [])),
  );
  for (const { id, label: fact } of finds?.candidates(outputs) ?? []) {
    // An exchange is not a fact, although it may have the same words.
    if (talk.has(id)) continue;
    const [corrected, ...others] = correctedFacts(fact, text);
    if (corrected !== undefined && others.length === 0 && corrected !== fact) return { id, fact, corrected };
  }
  return undefined;
}

const YES_OR_NO = ["Yes", "No"];
const NONE_OF_THEM = "None of them";

/**
 * Marks the task that a statement says is done: "I called the chimney sweep". Asks if it may be one of several, or one with
 * another verb; undefined for any other request, and if no open task is about it.
 */
export function finishing(state: PlanState): PlannerDecision | undefined {
  const { scratchpad, skills, request } = state;
  const statement = doneStatement(request, skills);
  if (statement === undefined) return undefined;
  const position = follow([statement.search], scratchpad, skills);
  if (position.kind === "act") return { kind: "act", thought: THOUGHTS.done, action: position.action };
  const [outcome] = position.kind === "end" ? position.outcomes : [];
  if (outcome?.kind !== "done") return undefined;
  const { certain, possible } = tasksDone(statement, outcome.done.outputs);
  const titles = certain.length > 0 ? certain : possible;
  const [only, ...others] = titles;
  if (only === undefined) return undefined;
  const marked = (title: string): PlannerDecision | undefined => {
    const reading = interpretAlone({ ...state, request: `mark the task "${title}" as done` });
    return reading.kind === "plan" ? stepOf(reading.calls, state) : undefined;
  };
  if (certain.length === 1) return marked(only);
  const question =
    others.length === 0
      ? { question: sentences.isDone(only), options: YES_OR_NO }
      : { question: sentences.whichIsDone, options: [...titles, NONE_OF_THEM] };
  const reply = answerIn(scratchpad)(question);
  if (reply === undefined) return ask(question, THOUGHTS.done);
  const chosen = optionFromReply(reply, question.options);
  const title =
    typeof chosen === "number" ? (others.length === 0 ? [only][chosen] : titles[chosen]) : undefined;
  if (title !== undefined) return marked(title);
  return { kind: "answer", thought: THOUGHTS.refrain, style: "default", text: sentences.nothingChosen };
}

/** What a person says that they did: "I called the chimney sweep". */
interface DoneStatement {
  /** The stem of the verb: "call". Empty for one that says only that it is done: "I've done the gutters". */
  verb: string;
  /** The stems of the other content words. */
  object: readonly string[];
  /** The call that looks for such tasks. */
  search: PlannedCall;
}

const STATEMENT =
  /^(?:(?:ok|okay|so|well|done|good news|fyi)[,:.!]?\s+)?(?:i|we)(?:['’]ve|\s+have)?\s+(?:(?:just|already|now|finally|also)\s+)*(?<verb>\p{L}+)\s+(?<object>\S[^.!?\n]*?)[\s.!]*$/iu;
/** When it was done. Another time than this day may be an earlier occasion. */
const THIS_DAY =
  /[,\s]+(?:today|now|just now|already|earlier|this (?:morning|afternoon|evening)|earlier today|a (?:minute|moment) ago|an hour ago|at last)$/iu;
const OTHER_TIME =
  /\b(?:yesterday|ago|last|once|always|never|often|usually|in \d{4}|when|if|before|until|because|but|not)\b/iu;
const ONLY_DONE = /^(?:do|finish|complet|get|sort)$/u;
/** What these verbs tell is a fact or a thought. */
const NO_ACTION =
  /^(?:be|have|know|think|mean|feel|forget|lose|find|hear|see|like|love|want|need|decid|hope|wish|use|live)$/u;
const MAX_LENGTH = 120;

/** A statement of something that was done; undefined for any other request, and without skills for tasks. */
function doneStatement(request: string, skills: readonly Skill[]): DoneStatement | undefined {
  const found = request.length <= MAX_LENGTH ? STATEMENT.exec(request.trim()) : null;
  const { verb: past = "", object: rest = "" } = found?.groups ?? {};
  const object = rest.replace(THIS_DAY, "");
  const verb = stemOfPast(past.toLowerCase());
  const finder = skills.find(({ finds }) => finds?.kind === "task");
  if (verb === undefined || NO_ACTION.test(verb) || finder?.finds === undefined || OTHER_TIME.test(object))
    return undefined;
  const args = fromRequest({ ...finder.finds.args, [finder.finds.by]: object });
  return {
    verb: ONLY_DONE.test(verb) ? "" : verb,
    object: contentOf(object),
    search: { ...callOf(finder.id, args, request), lookup: object },
  };
}

/** The stem of a verb in the past; undefined for another form. */
function stemOfPast(verb: string): string | undefined {
  const irregular = plainOfPast(verb);
  if (irregular !== undefined) return stem(irregular);
  return inflection(verb) === "past" ? stem(verb) : undefined;
}

const contentOf = (text: string): string[] => [
  ...new Set(
    plainWords(text)
      .filter((word) => !FUNCTION_WORDS.has(word))
      .map(stem),
  ),
];

/**
 * The titles of the open tasks, of those that were found, that a statement may say are done. `certain`: with the same verb about
 * the same, where one of both may say more. `possible`: about the same with another verb.
 */
function tasksDone(
  { verb, object }: Pick<DoneStatement, "verb" | "object">,
  outputs: Record<string, unknown>,
): { certain: readonly string[]; possible: readonly string[] } {
  const certain: string[] = [];
  const possible: string[] = [];
  for (const { task } of records(outputs, "matches")) {
    const { data } = Task.safeParse(task);
    if (data === undefined || !isOpenStatus(data.status)) continue;
    const title = contentOf(data.title);
    const isWhole = object.length > 0 && object.every((word) => title.includes(word));
    const isInside =
      title.some((word) => object.includes(word)) &&
      title.every((word) => word === verb || object.includes(word));
    if (verb === "" ? isWhole : (isWhole || isInside) && title.includes(verb)) certain.push(data.title);
    else if (isWhole) possible.push(data.title);
  }
  return { certain, possible };
}

/** "The first one is due on Monday" after tasks were made or listed. */
const DUE =
  /^\W*(?:(?:and|oh|also|so),?\s+)?(?<task>it|that|this|(?:the|that) (?:first|second|third|fourth|fifth|last|other)(?: one| task)?)(?:['’]s| is)(?: (?:now|actually))? due (?:(?:on|by|at) )?(?<due>\S.{0,40}?)[\s.!]*$/iu;

/** Sets the date of the task that a statement refers to; undefined for any other request, and if no task can be meant. */
export async function dated(state: PlanState): Promise<PlannerDecision | undefined> {
  const { task, due } = DUE.exec(state.request)?.groups ?? {};
  if (task === undefined || due === undefined) return undefined;
  const reading = await interpretRequest({ ...state, request: `make ${task} due ${due}` });
  return reading.kind === "plan" ? stepOf(reading.calls, state) : undefined;
}

/** "Chase Lena tomorrow", "and the gas bill by Thursday": a task, and a day for it. */
const MONTH = String.raw`(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\p{L}*`;
const DAY = String.raw`(?:next\s+|this\s+)?(?:\p{L}+day|tomorrow|week|month)|(?:the\s+)?\d{1,2}(?:st|nd|rd|th)?\s+${MONTH}(?:\s+\d{4})?|${MONTH}\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+\d{4})?|\d{4}-\d{2}-\d{2}`;
const TASK_AND_DAY = new RegExp(
  String.raw`^(?:(?:and|oh|also|so|then),?\s+)*(?:the\s+)?(?<task>\p{L}[^.!?:\n]{1,60}?)\s+(?:(?:on|by|for|until|till)\s+)?(?<due>(?:${DAY})(?:\s+(?:morning|afternoon|evening|at\s+\S+(?:\s?[ap]m)?))?)[\s.!]*$`,
  "iu",
);

/**
 * Sets the day of an open task that a message names beside it, after a request about tasks; undefined for any other message, and if
 * not exactly one task is meant.
 */
export async function datedTask(state: PlanState): Promise<PlannerDecision | undefined> {
  const { task, due } = TASK_AND_DAY.exec(state.request.trim())?.groups ?? {};
  if (task === undefined || due === undefined) return undefined;
  const recent = ((await state.earlier?.()) ?? []).slice(0, RECENT_REQUESTS);
  const areTasks = recent.some(({ calls }) => calls.some(({ skill }) => skill.startsWith("task_")));
  if (!areTasks) return undefined;
  const reading = interpretAlone({ ...state, request: `make the ${task} task due ${due}` });
  if (reading.kind !== "plan" || !reading.calls.some(({ lookup }) => lookup !== undefined)) return undefined;
  const decision = stepOf(reading.calls, state);
  return decision.kind === "answer" && decision.outcome === "stuck" ? undefined : decision;
}

/** The requests among which one is about tasks. */
const RECENT_REQUESTS = 4;
