import { HALF_HOUR } from "../../text/clock-words.ts";
import { withoutTrailing } from "../../text/words.ts";
import { relativeDatesAt } from "../dates/relative-dates.ts";
import { optionFromReply } from "../grammar/choose-option.ts";
import { conversationTopic } from "../grammar/clauses.ts";
import { rulesFrom } from "../grammar/grammar.ts";
import { withNewIndexes } from "../grammar/merge-calls.ts";
import { matchClause, type InterpretationContext } from "../grammar/match.ts";
import type { Correction, FollowingCall, SkillGrammar } from "../grammar/phrase.ts";
import type { PlannedCall, PlannedValue } from "../grammar/plan.ts";
import { isIdleRemark, leadingWords } from "../grammar/small-talk.ts";
import { textBetween } from "../slots/slot-reader.ts";
import { trailingFiller } from "../tokens/filler-phrases.ts";
import { requestsWithCalls } from "./antecedent.ts";
import { listedBy, type EarlierCall } from "./earlier-calls.ts";
import { interpretOneMore } from "./one-more.ts";
import {
  callOf,
  callsWithPhrases,
  fromRequest,
  planFollowing,
  planOf,
  type PlannedRequest,
} from "./planned.ts";
import { reverseLastRequest } from "./undo.ts";

/** First words of a correction of the last message or action. */
const CORRECTIONS: readonly (readonly string[])[] = [
  "no, nope, nah, no wait, wait, wait no, sorry, i am sorry, i am so sorry, oops, ups, whoops",
  "typo, correction, my mistake, my bad, wrong, wrong one, wrong file, wrong name, actually",
  "rather, or rather, i mean, i meant, i meant to say, i meant to write, i wanted, make that",
  "make it, that should be, it should be, that should have been, it should have been, should be",
  "should have been, change it to, change that to, not that, not that one, hold on, hang on, scratch that, it is",
]
  .flatMap((line) => line.split(", "))
  .map((words) => words.split(" "));

/** Last words of a correction that belong to no value: "it's Wednesday actually". */
const RETRACTIONS: readonly (readonly string[])[] =
  "actually, sorry, oops, my mistake, my bad, i mean, i meant, i wanted to say, after all"
    .split(", ")
    .map((words) => words.split(" "));

/** First words of a request to repeat the last action with another value. */
const SAME: readonly (readonly string[])[] = [
  "same",
  "the same",
  "do the same",
  "and the same",
  "same thing",
  "the same thing",
  "do the same thing",
  "likewise",
  "ditto",
].map((words) => words.split(" "));
const SAME_JOINING = /^(?:for|with|to|in|on|at|into)$/u;

/** A correction with more words is a request of its own. */
const MAX_WORDS = 12;
const CONTRAST = /^(?:,|;|:|-|–|—|but)$/u;
const PREPOSITION = /^(?:on|at|by|for|until|till|to|before)$/u;
const BARE_NUMBER = /^\d+$/u;
const JOINING = /^(?:,|\.|!|;|:|-|–|—|and|but|oh|please|um|uh)$/u;

/** Returns the index after "not tomorrow, " or "not tomorrow but ", which names the wrong value before the right one. */
function afterContrast({ tokens }: InterpretationContext, from: number): number {
  if (tokens[from]?.text !== "not") return from;
  const joint = tokens.findIndex(({ text }, index) => index > from + 1 && CONTRAST.test(text));
  if (joint < 0) return from;
  let at = joint;
  while (at < tokens.length && JOINING.test(tokens[at]?.text ?? "")) at++;
  return at < tokens.length ? at : from;
}

/** Returns the index after the words that introduce a correction; `from` if there are none. */
function afterCorrection({ tokens }: InterpretationContext, from: number): number {
  let index = from;
  for (;;) {
    if (index > from || JOINING.test(tokens[index]?.text ?? ""))
      while (index < tokens.length && JOINING.test(tokens[index]?.text ?? "")) index++;
    const words = leadingWords(tokens, index, tokens.length, CORRECTIONS);
    if (words === 0) return index > from && leadingWords(tokens, from, index, CORRECTIONS) > 0 ? index : from;
    if (index === from && words > 0 && from > 0) from = index;
    index += words;
  }
}

/** The number of tokens of a retraction that begins here: ", sorry" has two. */
function retractionLength({ tokens }: InterpretationContext, from: number): number {
  const marks = tokens[from]?.kind === "mark" ? 1 : 0;
  const words = leadingWords(tokens, from + marks, tokens.length, RETRACTIONS);
  return words === 0 ? 0 : marks + words;
}

/** The end of the words without courtesy, retraction and final marks. */
function withoutEnding(context: InterpretationContext, from: number): number {
  const { tokens } = context;
  for (let end = from + 1; end < tokens.length; end++)
    if (trailingFiller(tokens, end + retractionLength(context, end), tokens.length) !== undefined) return end;
  return tokens.length;
}

/** True if the words from here are a request of their own. */
function isRequest(context: InterpretationContext, from: number, to: number): boolean {
  if (conversationTopic(context, from, to) !== undefined) return true;
  const first = context.tokens[from];
  return (
    first !== undefined &&
    rulesFrom(context.grammar, first).length > context.grammar.beginningWithSlot.length &&
    matchClause(context, from, to).length > 0
  );
}

/**
 * Interprets a request that only makes sense after an earlier one: a correction ("no, light"), the same for something
 * else, the other one of two, or what an unfinished request left out. Undefined for any other request.
 */
export function followUpOf(context: InterpretationContext): PlannedRequest | undefined {
  const { request, tokens } = context;
  if (context.earlier.length === 0) return undefined;
  if (tokens.length === 0 || tokens.length > MAX_WORDS || isIdleRemark(request)) return undefined;
  const from = afterContrast(context, afterCorrection(context, 0));
  const isCorrection = from > 0 && from < tokens.length;
  const same = leadingWords(tokens, from, tokens.length, SAME);
  let start = from + same;
  if (same > 0 && SAME_JOINING.test(tokens[start]?.text ?? "")) start++;
  const to = withoutEnding(context, start);
  if (start > 0) start = afterNoun(context, start, to);
  // "Until Christmas" limits what the request before it set.
  const isLimit =
    /^(?:until|till?)$/u.test(tokens[start]?.text ?? "") && dateIn(context, start, to) !== undefined;
  if (start >= to || (!isLimit && isRequest(context, start, to))) return undefined;
  const words = withoutTrailing(textBetween(request, tokens, start, to), /[\s.,;:!?]/u);
  const first = tokens[start];
  const named = first?.kind === "quoted" && to - start === 1 ? first.text : words;
  const isOther = /^the other(?: one)?$/iu.test(named);
  const isPath = to - start === 1 && first?.kind === "path";
  const isShort = to - start <= MAX_WORDS / 2;
  const counted = HOW_MANY.test(request) ? countOfLast(context) : undefined;
  if (counted !== undefined) return counted;
  const completed = isShort ? completedRequest(context, named) : undefined;
  if (completed !== undefined) return completed;
  if (isOther) return otherOne(context);
  if (same > 0 && isPath) return sameWithPath(context, named);
  const more = interpretOneMore(context);
  if (more !== undefined || same > 0) return more;
  const date = dateIn(context, start, to);
  const isRetracted = date !== undefined && to < tokens.length && retractionLength(context, to) > 0;
  // "No wait, not tomorrow" names only the wrong value, and "half 5" is two times.
  if (date === undefined && HALF_HOUR.exec(named)?.[0] === named) return undefined;
  // "It's a mess here" is a remark, "it's 17:00" gives another value.
  if (date === undefined && !/^[€$£]?\d/u.test(named) && /^\W*it(?:['’]?s| is)\b/iu.test(request))
    return undefined;
  if (!(isCorrection || isRetracted || isLimit) || (date === undefined && NO_VALUE.test(named)))
    return undefined;
  const correction = { words: named, timeZone: context.clock.timeZone, ...(date !== undefined && { date }) };
  return (
    correctLastCall(context, correction, isPath) ?? (isLimit ? undefined : withOtherWords(context, named))
  );
}

/** "Not that", and news about something: "wait, mum says the cat is Monday". */
const NO_VALUE =
  /^(?:(?:not|never|no|do not|don['’]?t)\b|\p{L}+(?:\s\p{L}+)?\s(?:says?|said|thinks?|reckons?|wants?)\s)/iu;
const VALUE_NOUN = /^(?:text|words?|content|line|name|title|value|number|sentence|message)$/u;

/** The index after "the text" in "I meant the text milk and eggs": it says what the value is, and belongs to none. */
function afterNoun({ tokens }: InterpretationContext, from: number, to: number): number {
  if (tokens[from]?.text !== "the" || !VALUE_NOUN.test(tokens[from + 1]?.text ?? "")) return from;
  let at = from + 2;
  while (at < to && /^(?:[^\p{L}\p{N}]|is|should|be|to)$/u.test(tokens[at]?.text ?? "")) at++;
  return at < to ? at : from;
}

const HOW_MANY =
  /^(?:(?:and|so|but)\s+)?how many(?: (?:of them|are there|are they|is that|in total|all in all|altogether))*\W*$/iu;

/** The last list again, counted. */
function countOfLast(context: InterpretationContext): PlannedRequest | undefined {
  const last = lastCall(context);
  if (last?.skill.reads !== true || last.skill.views?.["count"] === undefined) return undefined;
  const call = callOf(last.skill.id, fromRequest(last.call.args), context.request);
  return planOf([{ ...call, view: { name: "count", values: {} } }], context.grammar.skills);
}

/** The day, time or duration that the words are, with a preposition or without; undefined for other words. */
function dateIn({ tokens, dates }: InterpretationContext, start: number, to: number): string | undefined {
  const from = PREPOSITION.test(tokens[start]?.text ?? "") ? start + 1 : start;
  const relative = relativeDatesAt(tokens, { from, to, dates: dates() }).find(
    ({ length }) => from + length === to,
  );
  if (relative && (from > start || !BARE_NUMBER.test(tokens[start]?.text ?? ""))) return relative.value;
  return dates().find(
    (span) => span.question === undefined && [start, from].includes(span.from) && span.to === to,
  )?.value;
}

/** The last call of the last request that has succeeded, and its skill. */
function lastCall(
  context: InterpretationContext,
): { call: EarlierCall; skill: SkillGrammar; outputs: Record<string, unknown> } | undefined {
  const [last] = requestsWithCalls(context);
  const { skills } = context.grammar;
  const call = last && callsWithPhrases(last, skills).at(-1);
  const skill = skills.find(({ id }) => id === call?.skill);
  return call?.outputs && skill && { call, skill, outputs: { ...call.outputs } };
}

/** Puts the corrected value in place of the one that the last call set. */
function correctLastCall(
  context: InterpretationContext,
  correction: Correction,
  isPath: boolean,
): PlannedRequest | undefined {
  const { words } = correction;
  const last = lastCall(context);
  if (last === undefined) return undefined;
  const { call, skill, outputs } = last;
  const { skills } = context.grammar;
  const place = outputs[skill.results?.path ?? ""];
  if (isPath && !skill.reads && typeof place === "string") {
    const mover = skills.find(({ moves }) => moves !== undefined);
    return (
      mover?.moves &&
      planFollowing(
        [{ skill: mover.id, args: { [mover.moves.from]: place, [mover.moves.to]: words } }],
        words,
        skills,
      )
    );
  }
  if (isPath) return sameWithPath(context, words, true);
  const amended = skill.amend?.({ args: call.args, outputs }, correction);
  return amended && planFollowing(amended, words, skills);
}

/** The last call again, for another path; with `isInPlace`, what it changed is reversed first. */
function sameWithPath(
  context: InterpretationContext,
  path: string,
  isInPlace = false,
): PlannedRequest | undefined {
  const last = lastCall(context);
  const name = Object.entries(last?.skill.slots ?? {}).find(([slot, declared]) => {
    const type = typeof declared === "string" ? declared : declared.type;
    return (type === "path" || type === "folder") && typeof last?.call.args[slot] === "string";
  })?.[0];
  if (last === undefined || name === undefined) return undefined;
  const back =
    isInPlace && !last.skill.reads
      ? last.skill.reverse?.({ args: last.call.args, outputs: last.outputs })
      : [];
  if (back === undefined) return undefined;
  return planFollowing(
    [...back, { skill: last.skill.id, args: { ...last.call.args, [name]: path } }],
    path,
    context.grammar.skills,
  );
}

/** The last request again with other words for the one item that it looked up; its change is reversed first. */
function withOtherWords(context: InterpretationContext, words: string): PlannedRequest | undefined {
  const [last] = requestsWithCalls(context);
  if (last === undefined) return undefined;
  const older = context.earlier.slice(context.earlier.indexOf(last) + 1);
  const before = context.read(last.request, older);
  const lookUps = before.kind === "plan" ? before.calls.flatMap(({ lookup }) => lookup ?? []) : [];
  const [number, ...numbers] = BARE_NUMBER.test(words)
    ? [...last.request.matchAll(/(?<![\d.,:-])\d+(?![\d.,:-])/gu)]
    : [];
  const [lookedUp] = numbers.length === 0 && number !== undefined ? number : lookUps;
  const place = lookedUp === undefined ? -1 : last.request.indexOf(lookedUp);
  if (lookedUp === undefined || lookUps.length > 1 || place < 0) return undefined;
  const request = `${last.request.slice(0, place)}${words}${last.request.slice(place + lookedUp.length)}`;
  const again = context.read(request, older);
  const back = reverseLastRequest(context);
  if (before.kind !== "plan" || again.kind !== "plan" || back?.kind !== "plan") return undefined;
  const isSame =
    again.calls.map(({ skill }) => skill).join() === before.calls.map(({ skill }) => skill).join();
  if (!isSame) return undefined;
  const date = onlyOtherDate(before.calls, again.calls, context.grammar.skills);
  const { timeZone } = context.clock;
  const moved = date === undefined ? undefined : correctLastCall(context, { words, date, timeZone }, false);
  if (moved !== undefined) return moved;
  const offset = back.calls.length;
  const shifted = again.calls.map((call) => withNewIndexes(call, (index) => index + offset));
  return planOf([...back.calls, ...shifted], context.grammar.skills);
}

/** The date of the one call in which the readings differ, if they differ in nothing else: "actually 30" after "in 20 minutes". */
function onlyOtherDate(
  before: readonly PlannedCall[],
  again: readonly PlannedCall[],
  skills: readonly SkillGrammar[],
): string | undefined {
  const changed = again.flatMap(({ skill: id, args }, index) =>
    Object.entries(args)
      .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[index]?.args[name]))
      .map(([name, value]) => ({ value, slot: skills.find((skill) => skill.id === id)?.slots?.[name] })),
  );
  const [only, ...others] = changed;
  const type = typeof only?.slot === "string" ? only.slot : only?.slot?.type;
  if (others.length > 0 || type !== "date" || only?.value.from !== "request") return undefined;
  return typeof only.value.value === "string" ? only.value.value : undefined;
}

/** "The other one": of two listed items, the one that the last call did not use. A change is reversed first. */
function otherOne(context: InterpretationContext): PlannedRequest | undefined {
  const last = lastCall(context);
  if (last === undefined) return undefined;
  const { skills } = context.grammar;
  for (const [name, used] of Object.entries(last.call.args)) {
    for (const { calls } of requestsWithCalls(context)) {
      for (const { skill: id, outputs } of calls) {
        const skill = skills.find((candidate) => candidate.id === id);
        if (skill === undefined || outputs === undefined) continue;
        const kinds = [skill.results?.items?.kind, skill.finds?.kind].flatMap((kind) => kind ?? []);
        for (const kind of kinds) {
          const things = listedBy(skill, { ...outputs }, kind);
          const other = things.find((thing) => thing.id !== used);
          if (things.length !== 2 || !things.some((thing) => thing.id === used) || other === undefined)
            continue;
          const again: FollowingCall = {
            skill: last.skill.id,
            args: { ...last.call.args, [name]: other.id },
          };
          const back = last.skill.reads
            ? []
            : last.skill.reverse?.({ args: last.call.args, outputs: last.outputs });
          return back && planFollowing([...back, again], other.label, skills);
        }
      }
    }
  }
  return undefined;
}

/** What an answer says before the value: "to out/cv.txt", "call it plan.md". */
const ANSWER_BEFORE = /^(?:call it|name it|it is|it['’]s|to|into|as)\s+(?=\S)/iu;

/** Fills in what the last request left out: "delete the file", then "out/old.txt". */
function completedRequest(context: InterpretationContext, words: string): PlannedRequest | undefined {
  // "Oh, never mind" is not a value.
  if (optionFromReply(words, []) === "none") return undefined;
  const [last] = context.earlier;
  const { skills } = context.grammar;
  const hasChanged = last?.calls.some(
    ({ skill, outputs }) => outputs !== undefined && skills.find(({ id }) => id === skill)?.reads !== true,
  );
  if (last === undefined || hasChanged) return undefined;
  const before = context.read(last.request, context.earlier.slice(1));
  if (before.kind !== "plan" || before.readOnly) return undefined;
  const narrowed = narrowedLookUp(before.calls, words, skills);
  if (narrowed !== undefined) return planOf(narrowed, skills);
  const state = { isFilled: false };
  const fill = (value: PlannedValue): PlannedValue => {
    if (state.isFilled || value.from !== "answer") return value;
    state.isFilled = true;
    const given = words.replace(ANSWER_BEFORE, "");
    return { from: "request", value: value.within?.replace("{}", () => given) ?? given };
  };
  const calls = before.calls.map((call): PlannedCall => ({
    ...call,
    args: Object.fromEntries(Object.entries(call.args).map(([name, value]) => [name, fill(value)])),
  }));
  return state.isFilled ? planOf(calls, context.grammar.skills) : undefined;
}

const ONE_OF_THEM =
  /^(?:no,?\s+)?(?:the|that) (?:one|task|file|memory)?\s*(?:for|about|with|called|named|in|on|from|of|to)?\s*/iu;

/** Adds words to the look-up that left several candidates: "the one for Lund". */
function narrowedLookUp(
  calls: readonly PlannedCall[],
  words: string,
  skills: readonly SkillGrammar[],
): PlannedCall[] | undefined {
  const more = words.replace(ONE_OF_THEM, "");
  const index = calls.findIndex(({ lookup }) => lookup !== undefined);
  const lookUp = calls[index];
  const by = skills.find(({ id }) => id === lookUp?.skill)?.finds?.by;
  if (lookUp?.lookup === undefined || by === undefined || more === "" || more === words) return undefined;
  const asked = `${lookUp.lookup} ${more}`;
  return calls.with(index, {
    ...lookUp,
    lookup: asked,
    args: { ...lookUp.args, [by]: { from: "request", value: asked } },
  });
}
