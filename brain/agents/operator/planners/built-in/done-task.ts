import { isOpenStatus, Task } from "@metahuman/core/contract/task";
import { FUNCTION_WORDS, inflection, stem } from "@metahuman/core/language/tokens/words";
import { plainOfPast } from "@metahuman/core/language/tokens/irregular-verbs";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { plainWords } from "@metahuman/core/text/words";
import type { Skill } from "@metahuman/skills/define-skill";
import { records } from "@metahuman/skills/outputs";

/** What a person says that they did: "I called the chimney sweep". */
export interface DoneStatement {
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
export function doneStatement(request: string, skills: readonly Skill[]): DoneStatement | undefined {
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
export function tasksDone(
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
