import { oneOf } from "@metahuman/core/text/patterns";
import { describeCall } from "@metahuman/core/language/grammar/describe-call";
import type { Skill } from "@metahuman/skills/define-skill";
import type { PlanState } from "../../planner.ts";
import { grammarsOf, interpretAlone } from "./interpret-request.ts";
import { ASKS, ASKS_IF, NOT } from "./word-lists.ts";

// The requests that a statement may become, which an answer suggests: a task, or something to remember.

type Clock = Pick<PlanState, "requestedAt" | "timeZone">;

const MUST_DO_WORDS = oneOf(
  "got to|gotta|need to|have to|must|should|ought to|want to",
  "(?:can['’]?t|must ?n['’]t|should ?n['’]t|cannot|must not) forget to",
);
/** A statement that the person must do something: "I need to renew my passport by next Friday". */
const MUST_DO = new RegExp(
  String.raw`^(?:actually,? |so |well,? )?(?:i|we)(?:['’]ve| have)? (?:still |also |really )?${MUST_DO_WORDS} (\S.*)$`,
  "isu",
);

/** The request that makes a task of it; undefined for any other statement. */
export function requestForTask(
  statement: string,
  skills: readonly Skill[],
  clock: Clock,
): string | undefined {
  const [, work] = MUST_DO.exec(statement) ?? [];
  const request = `add a task to ${work ?? ""}`;
  const reading = work === undefined ? undefined : interpretAlone({ request, skills, ...clock });
  return reading?.kind === "plan" && reading.calls.length === 1 ? request : undefined;
}

/** The request that makes a task of words that name a day: "order more mugs by Tuesday". Undefined for any others. */
export function requestForDatedTask(
  words: string,
  skills: readonly Skill[],
  clock: Clock,
): string | undefined {
  if (!/^\p{L}/u.test(words) || NO_TASK.test(words) || words.split(/\s+/u).length > MAX_TITLE_WORDS)
    return undefined;
  const request = `add a task to ${words}`;
  const reading = interpretAlone({ request, skills, ...clock });
  const [only, ...others] = reading.kind === "plan" ? reading.calls : [];
  return only?.args["due"]?.from === "request" && others.length === 0 ? request : undefined;
}

/** A question, a condition, or words about what the operator handles are not work of the person. */
const NO_TASK = new RegExp(
  [
    String.raw`\?\W*$|\.\p{L}{2,4}\b`,
    String.raw`^(?:${ASKS}|${ASKS_IF}|can|could|if|unless|every|each|on|in|at|the|my|our|i|we|it|that|this|no|${NOT}|don['’]?t)\b`,
    String.raw`\b(?:files?|folders?|tasks?|memor(?:y|ies)|notes?|schedules?|reminders?|functions?)\b`,
  ].join("|"),
  "iu",
);
const MAX_TITLE_WORDS = 12;

const NO_SUBJECT = [
  "add|make|put|take|show|what|who|when|where|how|why|which|if|is|are|was|it|that|this|there|he|she",
  "they|we|i|you|not|no|and|so|but|please",
].join("|");
const FACT_VERB = [
  "is|are|lives?|works?|likes?|loves?|hates?|prefers?|has|have|drives?|plays?|speaks?|costs?|weighs?",
  "belongs?|opens?|closes?|starts?|takes|reacts?|moved",
].join("|");
/** "Jess is allergic to nuts": a name or a thing, and something about it. */
export const FACT = new RegExp(
  String.raw`^(?!(?:${NO_SUBJECT})\b)(?:(?:the|my|our|his|her)\s+)?\p{L}[\p{L}'’-]*(?:\s\p{L}[\p{L}'’-]*){0,2}?\s+(?:${FACT_VERB})\s+[^?]{2,120}$`,
  "iu",
);

/** The request that stores a statement; undefined if no skill stores statements. */
export function requestToRemember(
  statement: string,
  skills: readonly Skill[],
  clock: Clock,
): string | undefined {
  const skill = skills.find(({ keeps }) => keeps !== undefined);
  // Without quotation marks, several facts become several memories.
  const several = `remember that ${statement}`;
  const reading = interpretAlone({ request: several, skills, ...clock });
  if (
    reading.kind === "plan" &&
    reading.calls.length > 1 &&
    reading.calls.every((call) => call.skill === skill?.id)
  )
    return several;
  return skill?.keeps === undefined
    ? undefined
    : describeCall(skill.id, { [skill.keeps]: statement }, grammarsOf(skills));
}
