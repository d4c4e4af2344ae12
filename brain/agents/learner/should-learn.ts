import { oneOf } from "@metahuman/core/text/patterns";
import { namesEveryOccasion } from "@metahuman/core/context/relevant-memories";
import type { Run, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { FactsOf, LearnableRun, SkillFacts } from "@metahuman/core/functions/learning/learnable-run";
import { leavesOf } from "@metahuman/core/functions/learning/leaves";
import { NEGATIONS } from "@metahuman/core/language/grammar/small-talk";
import { readRequest } from "@metahuman/core/language/read-request";
import { tokenize } from "@metahuman/core/language/tokens/tokens";
import { anaphorIn } from "@metahuman/core/policy/target-words";
import { contentWords, plainWords, stemOf } from "@metahuman/core/text/words";
import type { Skill } from "@metahuman/skills/define-skill";
import { skillCard } from "@metahuman/skills/skill-card";
import { z } from "zod";
import { UNCONFIRMED } from "../operator/answer/answer-gate.ts";
import { omittedItems } from "../operator/answer/list-items.ts";
import { grammarsOf } from "../operator/planners/built-in/interpret-request.ts";
import type { EndedRun } from "./run-learner.ts";

/** Phrases of a thought or answer which say that something was not done. */
const SAYS_NOT_DONE = new RegExp(
  [
    String.raw`\bnot (?:yet |been )*(?:done|finished|completed?|possible|tried)\b`,
    String.raw`\b(?:could|can|did|was|were|do|does)(?: not|n['’]t)(?: be)? (?:do|done|finish|complete|create|write|written|delete|move|read|send|sent|add|carry|carried|reach|manage)`,
    String.raw`\bcannot (?:do|be|finish|complete|create|write|delete|move|read|send|add|carry|reach)|\bunable to\b`,
    String.raw`\bfailed to\b|\bis (?:still )?missing\b|\bincomplete\b|\bleft undone\b|\bno steps? (?:is|are) left\b`,
  ].join("|"),
  "i",
);

const REFUSED: ReadonlySet<string | undefined> = new Set(["APPROVAL_DENIED", "POLICY_DENIED"]);

/** Skills that change or run functions. A run with them shows no new procedure. */
const WORKS_ON_FUNCTIONS = /^function_(?!search$|load$|list$)/;

/** The reason why a run is not learned automatically; undefined if it is a candidate. */
export function reasonNotToLearn(ended: EndedRun): string | undefined {
  const { config, trustLevel } = ended;
  if (!config.autoLearn) return "Learning is switched off.";
  if (trustLevel === "observe" || trustLevel === "suggest")
    return "The profile's trust level does not allow it.";
  const { run, skills } = ended;
  const made = run.scratchpad
    .filter((entry) => hasSucceeded(entry, skills))
    .map(({ action }) => action?.args ?? {});
  if (revertsOrForbids(run.goal, made)) return "It takes something back or leaves something out.";
  const reason = reasonNothingToLearn(ended, config.minSkillCalls);
  if (reason !== undefined) return reason;
  return isOneOrder(ended)
    ? "The skills understand it as one order: a function would save nothing."
    : undefined;
}

const TAKES_BACK = /^\W*(?:please\W+)?(?:undo|revert|reverse|take\W+(?:that|this|it)\W+back)\b/iu;

/**
 * True for a request that takes something back, or that forbids or excludes a part which its calls do not contain. As
 * the title of a function, it would say the opposite of what the function does.
 */
export function revertsOrForbids(goal: string, made: readonly Readonly<Record<string, unknown>>[]): boolean {
  if (TAKES_BACK.test(goal)) return true;
  const given = leavesOf(made).flatMap(({ value }) =>
    tokenize(String(value)).flatMap(({ kind, text }) => (kind === "word" ? [text] : [])),
  );
  return tokenize(goal.replaceAll(STATEMENT, " ")).some(
    ({ kind, text }) => kind === "word" && NEGATIONS.has(text) && !given.includes(text),
  );
}

/** "Hamish can't come" tells what is so; it forbids nothing. */
const STATEMENT =
  /(?<!\p{L})(?!(?:i|we|you|it|that|this|please|and|but|or)\s)\p{L}+\s+(?:can(?:['’]t|not)|won['’]t|(?:is|are|was|were|could|has|have|does|did)n['’]t)(?!\p{L})/giu;

/** True if the built-in planner read the request as one order: one call besides look-ups. */
export function isOneOrder({
  run,
  skills,
}: {
  run: Pick<Run, "planner" | "goal" | "createdAt">;
  skills: readonly Skill[];
}): boolean {
  if (run.planner !== "built-in") return false;
  const read = readRequest(run.goal, grammarsOf(skills), { now: new Date(run.createdAt) });
  // It was read by what the conversation or the names of files say, so the words alone are not an order.
  if (read.kind === "not-understood") return true;
  if (read.kind !== "plan" || new Set(read.calls.map(({ clause }) => clause)).size > 1) return false;
  const looksUp = (id: string): boolean => skills.find((skill) => skill.id === id)?.effects === "read";
  return read.calls.filter(({ skill }) => !looksUp(skill)).length <= 1;
}

/** The reason why a run cannot be learned, even on request; undefined if it can. */
export function reasonNothingToLearn(
  { run, outcome, answer, role, mode, skills, replay, isDirect, isScheduled = false }: EndedRun,
  minSkillCalls: number,
): string | undefined {
  if (outcome !== "answered") return "The run was not answered.";
  if (role !== "owner" && role !== "member") return "Guests teach nothing.";
  if (mode === "emulation") return "Nothing is learned in emulation.";
  if (replay && replay.deviation === undefined) return "It replayed a function.";
  if (run.continues !== undefined) return "It continues another run: its steps are only a part of the work.";
  if (isScheduled) return "A schedule started it, and nothing is learned from schedules.";
  if (isDirect) return "It was a single direct call.";
  if (run.scratchpad.some(({ action }) => WORKS_ON_FUNCTIONS.test(action?.tool ?? "")))
    return "It ran or wrote a function.";
  if (statesRule(run)) return "It states a rule for later requests.";
  if (run.scratchpad.some(({ observation }) => REFUSED.has(observation?.error?.code)))
    return "Part of it was refused.";
  if (run.scratchpad.some(({ action }) => action?.args["replaces"] !== undefined))
    return "It corrects one memory, and the next one will be another.";
  if (hasUnfinishedAction(run.scratchpad, skills)) return "Part of what was asked was not done.";
  if (answer?.includes(UNCONFIRMED)) return "Its answer contains claims that no result confirms.";
  if (statesUnfinished(answer) || statesUnfinished(run.scratchpad.at(-1)?.thought))
    return "It says that part of what was asked was not done.";
  if (droppedPart(run, skills) !== undefined) return "None of its calls covers part of the request.";
  const calls = run.scratchpad.filter((entry) => hasSucceeded(entry, skills));
  const condition = unusedCondition(
    run.goal,
    calls.map(({ action }) => action?.args ?? {}),
  );
  if (condition !== undefined) return `None of its calls has the condition “${condition}” of the request.`;
  if (calls.length < minSkillCalls) return "It took too few calls.";
  return referenceToEarlier(run, skills) === "pronoun" ? DEPENDS_ON_EARLIER : undefined;
}

export const DEPENDS_ON_EARLIER = "It depends on earlier messages.";

/**
 * How the request refers to something that it does not name: by a pronoun, or by words that may describe something mentioned
 * before ("the items"), which they can only if there are earlier messages. Undefined if it does not.
 */
export function referenceToEarlier(
  { goal, createdAt }: Pick<Run, "goal" | "createdAt">,
  skills: readonly Skill[],
): "pronoun" | "description" | undefined {
  if (REPEATS_EARLIER.test(goal) && goal.split(/\s+/u).length <= MAX_WORDS_OF_REPEAT) return "pronoun";
  const alone = readRequest(goal, grammarsOf(skills), { now: new Date(createdAt) });
  if (alone.kind !== "not-understood" || alone.dangling === undefined) return undefined;
  return anaphorIn(alone.dangling) === undefined ? "description" : "pronoun";
}

const REPEATS_EARLIER_WORDS = oneOf(
  String.raw`(?:do|make|run|repeat|try)\s+(?:that|this|it|the same(?: thing)?)(?!\p{L})`,
  String.raw`(?:the\s+)?same(?: thing| again)?(?: but)?\s+(?:for|with|in|of)\s`,
  String.raw`(?:once more|again)(?: but)?\s+(?:for|with)\s`,
  String.raw`mach(?:e|st)?\s+(?:das|es|dasselbe|das gleiche)(?!\p{L})`,
  String.raw`(?:das\s+(?:gleiche|selbe)|dasselbe|genauso)\s`,
  String.raw`(?:re)?fais(?:-le)?\s+(?:ça|cela|la même chose|pareil|de même)(?!\p{L})|la même chose\s`,
  String.raw`(?:haz|repite)\s+(?:eso|esto|lo mismo)(?!\p{L})|lo mismo\s`,
);
const POLITE_BEGINNINGS = oneOf(
  "ok(?:ay)?|good|great|thanks|perfect|now|and|then|please|(?:can|could|would) you|und|jetzt|bitte|dann",
  "et|maintenant|y|ahora",
);
/** "Do that again but for May", "the same for Bergen": only an earlier message says what to do. */
const REPEATS_EARLIER = new RegExp(
  String.raw`^\W*(?:${POLITE_BEGINNINGS}[\s,.!]+)*${REPEATS_EARLIER_WORDS}`,
  "iu",
);

/** A longer request may say itself what to do: "do this for every note: …" */
const MAX_WORDS_OF_REPEAT = 12;

/** True for a request that states a rule for every later occasion, which the run remembered: it does not repeat itself. */
const statesRule = ({ goal, scratchpad }: Pick<Run, "goal" | "scratchpad">): boolean =>
  namesEveryOccasion(goal) &&
  scratchpad.some(
    ({ action, observation }) => action?.tool === "memory_remember" && observation?.success === true,
  );

/**
 * True if the last effective call failed, or a person refused one, and no later call of the same skill succeeded. The
 * title of a function would then promise more than the run did.
 */
function hasUnfinishedAction(scratchpad: readonly ScratchpadEntry[], skills: readonly Skill[]): boolean {
  const calls = scratchpad.filter((entry) => entry.observation && doesSomething(entry, skills));
  return calls.some(({ action, observation }, index) => {
    if (observation?.success) return false;
    const isLast = index === calls.length - 1;
    if (!isLast && observation?.error?.code !== "APPROVAL_DENIED") return false;
    return !calls
      .slice(index + 1)
      .some((later) => later.action?.tool === action?.tool && later.observation?.success);
  });
}

function statesUnfinished(text: string | undefined): boolean {
  if (text === undefined) return false;
  // Quotations and code were read or requested; they do not describe the run.
  return SAYS_NOT_DONE.test(text.replaceAll(/```[\s\S]*?```|`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|^>.*$/gm, ""));
}

/** A path or quotation of the request that occurs in no call or result, so that this part was dropped. */
function droppedPart({ goal, scratchpad }: Run, skills: readonly Skill[]): string | undefined {
  const made = scratchpad
    .filter((entry) => hasSucceeded(entry, skills))
    .map(({ action, observation }) => [action?.args, observation?.outputs]);
  const texts = leavesOf(made)
    .flatMap(({ place, value }) => [place, String(value)])
    .join("\n")
    .toLowerCase();
  return tokenize(goal)
    .filter(({ kind, text }) => (kind === "quoted" || kind === "path") && /[\p{L}\p{N}]/u.test(text))
    .map(({ start, end, kind, text }) => (kind === "path" ? goal.slice(start, end) : text))
    .find((mention) => {
      const bare = mention
        .toLowerCase()
        .trim()
        .replace(/^(?:\.\/|out\/)/, "")
        .replace(/\/$/, "");
      return !texts.includes(bare);
    });
}

const CONDITION_WORDS = oneOf(
  "(?:older|newer|younger|larger|bigger|smaller|longer|shorter|more|less|fewer|later|earlier|higher|lower) than",
  "except(?: for)?|excluding|apart from|unless|älter als|neuer als|größer als|kleiner als|außer|sauf",
  "excepto|salvo",
);
/** Words that restrict what is ordered, with what they say: "older than this month", "except the receipts". */
const CONDITION = new RegExp(
  String.raw`(?<!\p{L})${CONDITION_WORDS}\s+([^,.;:!?\n]{2,60}?)(?=\s+(?:to|into|in|from|on|onto)\s|[,.;:!?\n]|$)`,
  "giu",
);

/** A condition of the request of which no word or number is in a call: the calls would do more than was asked. */
export function unusedCondition(
  goal: string,
  made: readonly Readonly<Record<string, unknown>>[],
): string | undefined {
  const given = leavesOf(made)
    .map(({ value }) => String(value))
    .join("\n");
  const stems = new Set(plainWords(given.replaceAll("_", " ")).map(stemOf));
  const unquoted = goal.replaceAll(/"[^"]*"|“[^”]*”/gu, " ");
  for (const [condition, said = ""] of unquoted.matchAll(CONDITION))
    if (!contentWords(said).some((word) => stems.has(stemOf(word)))) return condition.trim();
  return undefined;
}

/**
 * An item of a list that led to no call, while others did: "the bank" in "add tasks to ring Ida, Oskar and the bank".
 * Undefined if there is none.
 */
export function omittedItem({ request, calls }: LearnableRun): string | undefined {
  const given = calls.flatMap(({ skill, args }) => [
    skill,
    ...leavesOf(args).map(({ value }) => String(value)),
  ]);
  const stems = new Set(plainWords(given.join(" ").replaceAll("_", " ")).map(stemOf));
  const isGiven = (word: string): boolean => stems.has(stemOf(word));
  const values = calls.flatMap(({ args }) => leavesOf(args)).map(({ value }) => String(value));
  const valueStems = new Set(plainWords(values.join(" ")).map(stemOf));
  // "append" of `fs_append` is an order; "call" of the title "call Oskar" belongs to an item.
  const isOrder = ([verb = ""]: readonly string[]): boolean => isGiven(verb) && !valueStems.has(stemOf(verb));
  for (const [, first = "", second = "", last = ""] of request.matchAll(LIST)) {
    const before = [contentWords(first).slice(-1), contentWords(second)];
    const item = contentWords(last);
    if (isOrder(plainWords(second))) continue;
    const isCovered = before.every((words) => words.length > 0 && words.every(isGiven));
    if (isCovered && item.length > 0 && !item.some(isGiven)) return last.trim();
  }
  const made = calls.map(({ skill, args }) => ({
    tool: skill,
    text: leavesOf(args)
      .map(({ value }) => String(value))
      .join("\n"),
  }));
  return omittedItems(request, made)[0];
}

/** A list of three with a comma and "and"; its last item ends at a preposition. */
const LIST =
  /([^,.;:]+),\s*([^,.;:]+?)\s*,?\s+and\s+((?:(?!\b(?:on|at|in|into|to|for|by|with|from|before|after|until)\b)[^,.;:])+)/giu;

/**
 * Returns a path, short text or figure of a call that occurs in an earlier message of the conversation but not in the request:
 * without that message, the value would be a wrong constant. Undefined if there is none.
 */
export function earlierValue(
  { request, calls }: LearnableRun,
  earlierTexts: readonly string[],
  factsOf: FactsOf,
): string | undefined {
  const earlier = earlierTexts.join("\n").toLowerCase();
  const known: string[] = [request.toLowerCase()];
  for (const { skill, args, success, outputs } of calls) {
    const paths = factsOf(skill)?.pathArgs ?? [];
    const values = leavesOf(args).flatMap(({ place, value }) => {
      if (typeof value !== "string") return [];
      const text = value.toLowerCase().trim();
      return paths.includes(place) ? [text.replace(/^(?:\.\/|out\/)/u, "")] : [text, ...figuresIn(text)];
    });
    const found = values.find(
      (value) =>
        value.length >= MIN_VALUE &&
        value.length <= MAX_VALUE &&
        earlier.includes(value) &&
        !known.some((text) => text.includes(value)),
    );
    if (success && found !== undefined) return found;
    known.push(...leavesOf(outputs).map(({ value }) => String(value).toLowerCase()));
  }
  return undefined;
}

/** Numbers of three digits or with a fraction; not those of dates. */
const figuresIn = (text: string): string[] =>
  (text.replaceAll(/\d{4}-\d{2}-\d{2}|\b(?:19|20)\d{2}\b/gu, " ").match(/\d[\d.,]*\d/gu) ?? []).filter(
    (figure) => /[.,]/u.test(figure) || figure.length > 2,
  );

/** The lengths, in characters, of values that are looked for in earlier messages. */
const MIN_VALUE = 3;
const MAX_VALUE = 200;

/** True for a call that does more than ask, answer or search functions. */
function doesSomething({ action }: ScratchpadEntry, skills: readonly Skill[]): boolean {
  const skill = skills.find(({ id }) => id === action?.tool);
  return skill !== undefined && !controlsRun(skill);
}

/** True for an effective, successful call. */
export function hasSucceeded(entry: ScratchpadEntry, skills: readonly Skill[]): boolean {
  return entry.observation?.success === true && doesSomething(entry, skills);
}

/** The names of arguments that are paths. */
const PATH_ARGUMENTS = /^(?:path|from|to|folder)$/;

/** The names of arguments that are prose. */
const TEXT_ARGUMENTS = /^(?:content|text)$/;

/** The properties of each skill that generalization needs. */
export function factsAbout(skills: readonly Skill[]): FactsOf {
  const known = new Map(skills.map((skill) => [skill.id, factsOf(skill)]));
  return (id) => known.get(id);
}

/** True for skills that ask, answer or search functions; they neither change nor read data of the task. */
function controlsRun({ category, id }: Pick<Skill, "category" | "id">): boolean {
  return category === "agent" || (category === "functions" && id !== "execute_code");
}

function factsOf(skill: Skill): SkillFacts {
  const { inputs, category, effect, summary, id } = skillCard(skill);
  return {
    id,
    summary,
    controlsRun: controlsRun(skill),
    reads: effect === "read",
    finds: effect === "read" || effect === "network",
    defaults: Object.fromEntries(
      inputs.flatMap((input) => (input.default === undefined ? [] : [[input.name, input.default]])),
    ),
    fixedArgs: inputs.flatMap(({ name, allowed, type }) => (allowed || type === "boolean" ? [name] : [])),
    pathArgs:
      category === "files" ? inputs.flatMap(({ name }) => (PATH_ARGUMENTS.test(name) ? [name] : [])) : [],
    textArgs:
      effect === "write" ? inputs.flatMap(({ name }) => (TEXT_ARGUMENTS.test(name) ? [name] : [])) : [],
    optionalOutputs: optionalIn(skill.output),
    ...(id === "calculate" && { calculates: true }),
    ...(skill.results?.path !== undefined && { resultPath: skill.results.path }),
  };
}

const optionalIn = (output: Skill["output"]): string[] =>
  output instanceof z.ZodObject
    ? Object.entries(output.shape).flatMap(([name, field]) => (field instanceof z.ZodOptional ? [name] : []))
    : [];
