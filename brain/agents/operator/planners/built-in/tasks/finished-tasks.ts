import { oneOf } from "@metahuman/core/text/patterns";
import { isOpenStatus, Task } from "@metahuman/core/contract/task";
import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { plainOfPast } from "@metahuman/core/language/tokens/irregular-verbs";
import { isTypo } from "@metahuman/core/language/tokens/spelling";
import { contentStems, inflection, stem } from "@metahuman/core/language/tokens/words";
import type { Skill } from "@metahuman/skills/define-skill";
import { records } from "@metahuman/skills/outputs";
import type { PlannerDecision, PlanState } from "../../../planner.ts";
import { decideByReply } from "../conversation/ask-person.ts";
import { MAX_ORDER } from "../conversation/limits.ts";
import { lookUp } from "../follow.ts";
import { interpretAlone } from "../interpret-request.ts";
import { stepOf } from "../next-step.ts";
import { sentences, THOUGHTS, YES_OR_NO } from "../phrasing.ts";
import { phraseTaskOrder, withTitle } from "./task-order.ts";
import { anyOf, CONDITIONS, deniesOr, NOT } from "../word-lists.ts";

// Decides statements about tasks that are done, if an open task is about the same. "I called the chimney sweep" ticks off the task to
// call him, or asks whether it does.

const NONE_OF_THEM = "None of them";

/**
 * Marks the task that a statement says is done: "I called the chimney sweep". Asks if it may be one of several, or one with
 * another verb; undefined for any other request, and if no open task is about it.
 */
export function decideFinishedTask(state: PlanState): PlannerDecision | undefined {
  const statement = readDoneStatement(state.request, state.skills);
  if (statement === undefined) return undefined;
  const looked = lookUp(statement.search, state);
  if (looked.kind === "act") return { ...looked, thought: THOUGHTS.done };
  if (looked.outcome?.kind !== "done") return undefined;
  const { certain, possible } = findDoneTasks(statement, looked.outcome.done.outputs);
  const titles = certain.length > 0 ? certain : possible;
  const [only, ...others] = titles;
  if (only === undefined) return undefined;
  const marked = (title: string): PlannerDecision | undefined => {
    const request = phraseTaskOrder({ kind: "finish", task: withTitle(title) });
    const reading = interpretAlone({ ...state, request });
    return reading.kind === "plan" ? stepOf(reading.calls, state) : undefined;
  };
  if (certain.length === 1) return marked(only);
  const question =
    others.length === 0
      ? { question: sentences.isDone(only), options: YES_OR_NO }
      : { question: sentences.whichIsDone, options: [...titles, NONE_OF_THEM] };
  return decideByReply(question, { thought: THOUGHTS.done }, state, (reply) => {
    const title = (others.length === 0 ? [only] : titles)[Number(optionFromReply(reply, question.options))];
    return title === undefined ? undefined : marked(title);
  });
}

/** What a person says that they did: "I called the chimney sweep". */
interface DoneStatement {
  /** The stem of the verb: "call". Empty for one that says only that it is done: "I've done the gutters". */
  verb: string;
  /** The stems of the other content words. */
  object: readonly string[];
  /** True for a thing that is said to be done: "the oil change is finished". */
  isState: boolean;
  /** True for a thing with what was done to it: the task has to be to do the same. */
  isPassive: boolean;
  /** True if the person asks for the task to be ticked off. */
  isOrdered: boolean;
  /** The call that looks for such tasks. */
  search: PlannedCall;
}

const STATEMENT =
  /^(?:(?:ok|okay|so|well|done|good news|fyi|right|yes|yay|phew)[,:.!]?\s+)?(?:(?:i|we)(?:['’]ve|\s+have)?\s+)?(?:(?:just|already|now|finally|also)\s+)*(?<verb>\p{L}+)\s+(?<object>\S[^.!?\n]*?)[\s.!]*$/iu;
/** "The fridge is fixed": what was done to a thing. */
const IS_PAST =
  /^(?:(?:ok|okay|so|well|good news|fyi|right)[,:.!]?\s+)?(?<object>\p{L}[^.!?\n,;:=]*?)\s+(?:is|are|has been|have been)\s+(?:(?:now|all|already|finally)\s+)*(?<verb>\p{L}+)(?:\s+(?:now|already|at last|too))*[\s.!]*$/iu;
const NOW_DONE = oneOf(
  "done|finished|complete|completed|sorted(?: out)?|over|dealt with|taken care of|through",
);
/** "Oil change it is finished", "maths homework = done": a thing, and that it is done. */
const IS_DONE = new RegExp(
  [
    String.raw`^(?:(?:ok|okay|so|well|good news|fyi|right)[,:.!]?\s+)?(?<object>\p{L}[^.!?\n,;:=]*?)`,
    String.raw`(?:,?\s+(?:it\s+)?(?:is|['’]s|are|has been|have been)|['’]s|\s*=|\s*:)\s+(?:(?:now|all|already|finally)\s+)*${NOW_DONE}`,
    String.raw`(?:\s+(?:now|already|at last|too))*(?:[,;.]?\s+(?:i|we|he|she|they|it)\s+[^?]{2,60})?[\s.!]*$`,
  ].join(""),
  "iu",
);
const THAT_TASK = "it|that(?: one)?|(?:the|that|this) task";
const TICK_ORDER = oneOf(
  String.raw`(?:tick|check|cross|strike|mark|scratch|take)\s+(?:it|that(?: one)?|this(?: one)?|(?:the|that|this) task)\s*(?:off|out|through|as (?:done|finished|complete|completed)|done)?(?: (?:the|my) (?:list|tasks?))?`,
  "(?:tick|check|cross|mark) off (?:it|that|this)",
  String.raw`(?:close|complete|finish)\s+(?:${THAT_TASK})`,
  `(?:${THAT_TASK}) (?:you )?(?:can|may|could|should)(?: now)?(?: be)? (?:closed?|ticked off|crossed (?:off|out)|checked off|marked (?:as )?(?:done|finished)|tick off|cross off)`,
  "(?:that|it)(?:['’]s| is) (?:sorted|done|that done|off the list|finished)",
);
/** "…, so you can tick that off": the order that a statement of something done is for. */
const TICKS_OFF = new RegExp(
  [
    String.raw`\s*(?:[,.;!–—-]|\s)\s*(?:(?:so|and|please|pls|now|then|also)\s+)*`,
    String.raw`(?:(?:can |could |would |will |may )?you(?: (?:can|may|could|should))?\s+)?(?:please\s+)?`,
    String.raw`${TICK_ORDER}(?:\s+(?:please|pls|now|then|for me|thanks))*[\s.!?]*$`,
  ].join(""),
  "iu",
);
const THIS_DAY_WORDS = oneOf(
  "today|now|just now|already|earlier|this (?:morning|afternoon|evening)|earlier today",
  "a (?:minute|moment) ago|an hour ago|at last",
);
/** When it was done. Another time than this day may be an earlier occasion. */
const THIS_DAY = new RegExp(String.raw`[,\s]+${THIS_DAY_WORDS}$`, "iu");
const OTHER_TIME = anyOf(
  `${NOT}|${CONDITIONS}|before|because|but`,
  String.raw`yesterday|ago|last|always|often|usually|in\s\d{4}`,
);
const ONLY_DONE = /^(?:do|finish|complet|get|sort)$/u;
/** What these verbs tell is a fact or a thought. */
const NO_ACTION =
  /^(?:be|have|know|think|mean|feel|forget|lose|find|hear|see|like|love|want|need|decid|hope|wish|use|live)$/u;

/** A statement of something that was done; undefined for any other request, and without skills for tasks. */
function readDoneStatement(request: string, skills: readonly Skill[]): DoneStatement | undefined {
  if (request.length > MAX_ORDER) return undefined;
  const statement = request.trim().replace(TICKS_OFF, "");
  const state = IS_DONE.exec(statement);
  const passive = state === null ? IS_PAST.exec(statement) : null;
  const { verb: past = "", object: rest = "" } =
    (state ?? passive ?? STATEMENT.exec(statement))?.groups ?? {};
  const object = rest.replace(THIS_DAY, "").replace(/\s+one$/iu, "");
  const verb = state === null ? stemOfPastVerb(past.toLowerCase()) : "";
  const finder = skills.find(({ finds }) => finds?.kind === "task");
  const content = contentStems(object);
  if (verb === undefined || NO_ACTION.test(verb) || finder?.finds === undefined || OTHER_TIME.test(object))
    return undefined;
  if (content.length === 0 || NO_TASK.test(object)) return undefined;
  const args = fromRequest({ ...finder.finds.args, [finder.finds.by]: object });
  return {
    verb: ONLY_DONE.test(verb) ? "" : verb,
    object: content,
    isState: state !== null,
    isPassive: passive !== null,
    // "The wholesaler one" means an existing task.
    isOrdered: statement !== request.trim() || /\sone$/iu.test(rest.replace(THIS_DAY, "")),
    search: { ...callOf(finder.id, args, request), lookup: object },
  };
}

/** A question, a denial or something that is not a task. */
const NO_TASK = new RegExp(
  String.raw`\?|${deniesOr("no|nothing|nobody").source}|^(?:it|that|this|everything|all|they|these|those)$|\.\p{L}{2,4}\b`,
  "iu",
);

/** The stem of a verb in the past; undefined for another form. */
function stemOfPastVerb(verb: string): string | undefined {
  if (isTypo(verb, "finished") || isTypo(verb, "completed")) return "finish";
  const irregular = plainOfPast(verb);
  if (irregular !== undefined) return stem(irregular);
  return inflection(verb) === "past" ? stem(verb) : undefined;
}

/**
 * The titles of the open tasks, of those that were found, that a statement may say are done. `certain`: with the same verb about
 * the same, where one of both may say more. `possible`: about the same with another verb.
 */
function findDoneTasks(
  { verb, object, isState, isPassive, isOrdered }: DoneStatement,
  outputs: Record<string, unknown>,
): { certain: readonly string[]; possible: readonly string[] } {
  const certain: string[] = [];
  const possible: string[] = [];
  const orderedTitles: string[] = [];
  for (const { task } of records(outputs, "matches")) {
    const { data } = Task.safeParse(task);
    if (data === undefined || !isOpenStatus(data.status)) continue;
    const title = contentStems(data.title);
    const isWhole = object.length > 0 && object.every((word) => title.includes(word));
    const isInside =
      title.some((word) => object.includes(word)) &&
      title.every((word) => word === verb || object.includes(word));
    // "The kitchen is finished" may be about another task than to clean it.
    const isSame = isOrdered || title.every((word) => object.includes(word)) || object.length > 1;
    const isOfState = isWhole && (!isState || isSame);
    if (verb === "" ? isOfState : (isWhole || isInside) && title.includes(verb)) certain.push(data.title);
    else if (isWhole && !isPassive) (isOrdered ? orderedTitles : possible).push(data.title);
  }
  return certain.length === 0 && orderedTitles.length === 1
    ? { certain: orderedTitles, possible }
    : { certain, possible: [...orderedTitles, ...possible] };
}
