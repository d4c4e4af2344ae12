import { oneOf } from "../../text/patterns.ts";
import { plainOfPast } from "../../language/tokens/irregular-verbs.ts";
import { NEGATIONS } from "../../language/grammar/small-talk.ts";
import { blockingKind } from "./blocking-kinds.ts";
import { startsClause } from "./clauses.ts";
import { DETERMINERS, familyOf, kindsOfVerb, type VerbKind } from "./families.ts";
import { findFurtherOrder } from "./further-order.ts";
import { isOtherWayRound } from "./giving-and-receiving.ts";
import { isOtherAct } from "./other-act.ts";
import type { PlacedValue } from "./placements.ts";
import { findReasons } from "./reasons.ts";
import { isNumberWord, type Unit } from "./request-units.ts";
import { isPast } from "./value-context.ts";
import { isFormer, type AnnotatedRequest, type WordRole } from "./word-roles.ts";

/**
 * What the words outside the values say about the function's act: it recurs, was so formerly, is taken back, concerns only a part or a
 * difference, is to be remembered, is over, goes the other way, and so on. Each of these rules the function out, except for a further
 * order of its own kind, which only makes it doubtful.
 */
export type Exclusion =
  | "recurring"
  | "former"
  | "given-back"
  | "partial"
  | "relative"
  | "reminder"
  | "over"
  | "turned-around"
  | "other-act"
  | "other-unit"
  | "undecided"
  | "not-yet"
  | "other-event"
  | "correction"
  | "further-order";

/** Auxiliaries, courtesies and adverbs between a negation and the verb that it negates: "not to be", "do not ever". */
const BETWEEN =
  /^(?:to|be|been|being|ever|yet|just|really|actually|have|want|need|like|you|me|us|that|this|please|any|the|an?|my|our|your|more|longer)$/u;

/**
 * True if words outside the values deny what the function does, make it conditional or repeat it: "don't save …", "no note about
 * it", "it is not allergic", "no longer", "but only if …", "for every …". A negation in a reason, in a phrase for the function's own act ("don't need …
 * anymore"), in the function's own words, or of anything else ("not in the house, so …") denies nothing.
 */
export function deniesAct(
  annotated: AnnotatedRequest,
  inValue: (index: number) => boolean,
  isOwnNegation: (index: number) => boolean,
): boolean {
  const { request, words, roles, concepts } = annotated;
  const reasons = findReasons(annotated, inValue);
  const isOwnPhrase = (at: number): boolean =>
    request.phrases.some(({ kind, from, to }) => concepts.kinds.has(kind) && from <= at && at < to);
  return request.units.some(({ kind, isHarmless }, at) => {
    const word = words[at] ?? "";
    if (kind !== "word" || isHarmless || inValue(at)) return false;
    if (reasons.without.has(at) || isOwnPhrase(at)) return false;
    // "Cabin 3 is not kosher, note that": the value is denied.
    if (reasons.withValue.has(at) && !(NEGATIONS.has(word) && inValue(at + 1))) return false;
    if (roles[at] === "blocking" && (blockingKind(word) === "condition" || /^(?:every|each)$/u.test(word)))
      return true;
    if (!NEGATIONS.has(word) || isOwnNegation(at)) return false;
    if (!/^(?:not|never|no|dont)$/u.test(word)) return true;
    let next = at + 1;
    while (!inValue(next) && BETWEEN.test(words[next] ?? "")) next += 1;
    if (isReasonToRemove(annotated, next) || isReasonToReopen(annotated, next)) return false;
    if (words[at + 1] === "longer") return true;
    const unit = request.units[next];
    const isTyped = unit !== undefined && unit.kind !== "word" && unit.kind !== "mark";
    return isTyped || inValue(next) || OWN_ROLES.has(roles[next] ?? "none");
  });
}

/** "No longer needed", for a function that removes or ends something. */
const isReasonToRemove = ({ words, concepts: { kinds } }: AnnotatedRequest, at: number): boolean =>
  /^(?:needed|required|wanted|used)$/u.test(words[at] ?? "") && REMOVING.some((kind) => kinds.has(kind));
const REMOVING: readonly VerbKind[] = ["delete", "move", "cancel", "complete"];

/** "Not done after all", for a function that reopens something. */
const isReasonToReopen = ({ words, concepts: { kinds } }: AnnotatedRequest, at: number): boolean =>
  /^(?:done|finished|complete|completed|closed)$/u.test(words[at] ?? "") && kinds.has("reopen");

const OWN_ROLES: ReadonlySet<WordRole> = new Set<WordRole>([
  "verb",
  "same-kind",
  "near",
  "light",
  "thing",
  "label",
]);

const PERIODS = oneOf(
  "day|morning|afternoon|evening|night|week|weekend|fortnight|month|quarter|year|hour",
  "(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thu(?:rs)?|fri|sat|sun",
  "january|february|march|april|may|june|july|august|september|october|november|december",
);
const PERIOD = new RegExp(`^${PERIODS}s?$`, "u");
const PERIODICAL = /^(?:daily|weekly|fortnightly|monthly|quarterly|yearly|annually)$/u;

/** The reasons in the words outside the values that rule the function out. */
export function findExclusions(
  annotated: AnnotatedRequest,
  inValue: (index: number) => boolean,
  placed: readonly PlacedValue[],
): Exclusion[] {
  const found = new Set<Exclusion>();
  const places = placed.map(({ slot: { name }, span: { from, to } }) => ({ name, from, to }));
  if (isOtherWayRound(annotated, places)) found.add("turned-around");
  if (isOtherAct(annotated, inValue)) found.add("other-act");
  if (findFurtherOrder(annotated, inValue) === "same") found.add("further-order");
  const reasons = findReasons(annotated, inValue);
  const isReason = (index: number): boolean => reasons.without.has(index) || reasons.withValue.has(index);
  for (const [index, { kind }] of annotated.request.units.entries()) {
    if (kind !== "word" || inValue(index)) continue;
    if (isRecurring(annotated, index)) found.add("recurring");
    if (isFormer(annotated, index) || isGivenUp(annotated, index)) found.add("former");
    if (isGivenBack(annotated, index)) found.add("given-back");
    if (isPartial(annotated, index) || isLeftOut(annotated, index)) found.add("partial");
    if (isRelative(annotated, index)) found.add("relative");
    if (isReminder(annotated, index)) found.add("reminder");
    // "The essay is finished, hand it in": the reason for the order.
    if ((isDone(annotated, index) && !isReason(index)) || isDutyDone(annotated, index)) found.add("over");
    if (isOtherUnit(annotated, index)) found.add("other-unit");
    if (isUndecided(annotated, index)) found.add("undecided");
    if (isCorrection(annotated, index)) found.add("correction");
    if (isNotYet(annotated, index)) found.add("not-yet");
    if (!isReason(index) && isOtherEvent(annotated, index, inValue)) found.add("other-event");
    if (isTurnedAround(annotated, index)) found.add("turned-around");
  }
  for (const { kind, from, to } of annotated.request.phrases) {
    const isOutside =
      !inValue(from) && !inValue(to - 1) && annotated.request.units[from]?.isHarmless === false;
    if (
      isOutside &&
      ENDING.has(kind) &&
      !annotated.concepts.kinds.has(kind) &&
      !annotated.concepts.alsoKinds.has(kind)
    )
      found.add("over");
  }
  return [...found];
}

/** "Every monday", "each week", "weekly": done again and again, where the function does it once. */
function isRecurring(
  { request: { units }, words, concepts: { literals } }: AnnotatedRequest,
  index: number,
): boolean {
  const word = words[index] ?? "";
  if (literals.has(word)) return false;
  if (PERIODICAL.test(word)) return true;
  if (!/^(?:every|each)$/u.test(word)) return false;
  const next = /^(?:other|second|third|single)$/u.test(words[index + 1] ?? "") ? index + 2 : index + 1;
  return units[next]?.kind === "date" || PERIOD.test(words[next] ?? "");
}

/**
 * "From signed to drafts" for a function that moves something from the drafts: the way back. "The text of the logbook" for a
 * function that adds something to it is taken from there, too; "to the end of the logbook" is not.
 */
export function isTurnedAround(
  { words, families, concepts: { directions } }: AnnotatedRequest,
  index: number,
): boolean {
  const before = words.slice(Math.max(0, index - WORDS_OF_PLACE), index);
  const isPart =
    words[index] === "of" && !before.some((word) => /^(?:to|into|onto|at|on|in|of)$/u.test(word));
  const way = isPart ? "from" : /^(?:from|to|into)$/u.exec(words[index] ?? "")?.[0];
  if (way === undefined) return false;
  const noun = DETERMINERS.has(words[index + 1] ?? "") ? index + 2 : index + 1;
  const own = directions.get(families[noun] ?? "");
  return own !== undefined && own !== (way === "from" ? "from" : "to");
}

/** The maximum number of words from a preposition to "of": "to the very end of". */
const WORDS_OF_PLACE = 4;

/** "Used to be allergic": this is no longer so. "Is used to cut" states a purpose. */
const isGivenUp = ({ words, concepts: { literals } }: AnnotatedRequest, index: number): boolean =>
  words[index] === "used" &&
  words[index + 1] === "to" &&
  !literals.has("used") &&
  !/^(?:is|are|was|were|be|been|being|get|gets|got)$/u.test(words[index - 1] ?? "");

/** "70 degrees fahrenheit": the number counts in another unit than the function's, which has the metric one or names its own. */
const isOtherUnit = ({ words, concepts: { literals } }: AnnotatedRequest, index: number): boolean =>
  /^(?:fahrenheit|kelvin)$/u.test(words[index] ?? "") && !literals.has(words[index] ?? "");

/** "I might lend it to her": this is undecided. "Might I …" is polite. */
const isUndecided = ({ request: { units }, words, roles }: AnnotatedRequest, index: number): boolean =>
  words[index] === "might" &&
  units[index]?.isHarmless === false &&
  /^(?:i|we|he|she|they)$/u.test(words[index - 1] ?? "") &&
  OWN_ROLES.has(roles[index + 1] ?? "none");

/** "Lea wants to beat Oskar", "row 17 still needs pruning": what the function records has not happened. */
export function isNotYet(annotated: AnnotatedRequest, index: number): boolean {
  const {
    words,
    plain,
    roles,
    concepts: { isRecord, literals },
  } = annotated;
  const word = words[index] ?? "";
  if (!isRecord || literals.has(word) || !/^(?:wants|needs|hopes|plans|intends|tries)$/u.test(word))
    return false;
  const isInfinitive = words[index + 1] === "to";
  const next = isInfinitive ? index + 2 : index + 1;
  if (!OWN_ROLES.has(roles[next] ?? "none") || givesOwnOrder(annotated)) return false;
  // "The well water needs registering": that is what the function does.
  return (
    isInfinitive || (words[next]?.endsWith("ing") === true && !kindsOfVerb(plain[next] ?? "").has("record"))
  );
}

/** "The hearing … has been adjourned": something else has happened to the values than what the function records. */
export function isOtherEvent(
  annotated: AnnotatedRequest,
  index: number,
  inValue: (at: number) => boolean,
): boolean {
  const {
    request: { units },
    words,
    roles,
    clauses,
    concepts: { literals },
  } = annotated;
  if (!/^(?:has|have|had)$/u.test(words[index] ?? "") || /^(?:i|we|you)$/u.test(words[index - 1] ?? ""))
    return false;
  let verb = index + 1;
  while (/^(?:been|just|now|already|also|finally)$/u.test(words[verb] ?? "")) verb += 1;
  return (
    !inValue(verb) &&
    isPast(units[verb]?.text ?? "") &&
    !literals.has(words[verb] ?? "") &&
    ["unknown", "plain", "other-verb", "other-light"].includes(roles[verb] ?? "none") &&
    clauses.some((clause, at) => clause === clauses[index] && inValue(at)) &&
    !givesOwnOrder(annotated)
  );
}

/** "…, please mark it as shipped", "ask you to register": the statement next to it is its reason. */
const givesOwnOrder = ({ request: { units }, words, plain, roles }: AnnotatedRequest): boolean =>
  words.some(
    (word, at) =>
      word === plain[at] &&
      /^(?:verb|same-kind|light)$/u.test(roles[at] ?? "") &&
      (startsClause(units, at) || /^(?:please|pls|to|you|and)$/u.test(words[at - 1] ?? "")),
  );

/** "It should be 5 kilos … instead of 3": corrects what is there, while the function adds something. */
const isCorrection = (
  { request: { units }, words, concepts: { isRecord, kinds, literals } }: AnnotatedRequest,
  index: number,
): boolean =>
  isRecord &&
  words[index] === "instead" &&
  words[index + 1] === "of" &&
  /^(?:number|date|time)$/u.test(units[index + 2]?.kind ?? "") &&
  !literals.has("instead") &&
  !(kinds.has("set") || kinds.has("rename") || kinds.has("move"));

/** "Half of the invoice": less than the whole that the function takes. */
const isPartial = ({ words, concepts: { literals } }: AnnotatedRequest, index: number): boolean =>
  /^(?:half|part|most|some|rest)$/u.test(words[index] ?? "") &&
  words[index + 1] === "of" &&
  !literals.has(words[index] ?? "");

const COMPARING = /^(?:longer|shorter|higher|lower|bigger|smaller|later|earlier|faster|slower)$/u;
const ADDING = /^(?:more|less|fewer|extra)$/u;

/** "5 minutes longer", "two degrees lower", "lost 0.4 kg": a difference, while the function takes the new amount. */
function isRelative(
  { request: { units }, words, families, concepts: { literals, slots } }: AnnotatedRequest,
  index: number,
): boolean {
  const word = words[index] ?? "";
  const isOwnAmount =
    units[index + 1]?.kind === "number" &&
    slots.some(
      ({ type, after }) =>
        type === "number" && [...after].some((one) => familyOf(one) === families[index + 2]),
    );
  if (/^(?:lost|gained)$/u.test(word) && !literals.has(word) && isOwnAmount) return true;
  const [previous, secondPrevious] = [units[index - 1], units[index - 2]];
  if (literals.has(word) || !(COMPARING.test(word) || ADDING.test(word))) return false;
  if (previous?.kind === "number" || secondPrevious?.kind === "number") return true;
  // "One more quote" is another one, "one mark more" a difference.
  const isNumber = (unit: Unit | undefined): boolean => unit !== undefined && isNumberWord(unit);
  return (
    (isNumber(secondPrevious) && previous?.kind === "word") || (COMPARING.test(word) && isNumber(previous))
  );
}

/** "But skip the task this time", "leave out the quote", "leave the quote out": not all that the function does. */
function isLeftOut(
  { request: { units }, words, concepts: { literals, kinds } }: AnnotatedRequest,
  index: number,
): boolean {
  const word = words[index] ?? "";
  if (literals.has(word) || kinds.has("delete") || kinds.has("cancel")) return false;
  const isOrder = startsClause(units, index) || words[index - 1] === "but";
  if (!isOrder || !/^(?:skip|omit|leave)$/u.test(word)) return false;
  const after = words.slice(index + 1, index + 1 + MAX_WORDS_LEFT_OUT);
  return (word !== "leave" || after.includes("out")) && after.some((one) => DETERMINERS.has(one));
}

/** The maximum number of words of what is left out, and of the words around it. */
const MAX_WORDS_LEFT_OUT = 4;

/** "Remind me to feed it": asks for a task, which the function does not make. */
const isReminder = ({ words, concepts: { literals, makesTask } }: AnnotatedRequest, index: number): boolean =>
  words[index] === "remind" &&
  /^(?:me|us)$/u.test(words[index + 1] ?? "") &&
  !makesTask &&
  !literals.has("remind");

/** "Is finished", "has already registered": needs nothing more, unless the function records it. */
const isDone = ({ words, roles, concepts: { literals, kinds } }: AnnotatedRequest, index: number): boolean =>
  !literals.has(words[index] ?? "") &&
  !kinds.has("complete") &&
  ((/^(?:finished|done|over|fixed|solved|settled)$/u.test(words[index] ?? "") &&
    /^(?:is|are)$/u.test(words[index - 1] ?? "")) ||
    (words[index] === "already" &&
      roles[index + 1] === "verb" &&
      !/^(?:i|we|have)$/u.test(words[index - 1] ?? "")));

/** "I chased them" for "I have to chase {who}": it has happened, and the function makes a task of what is to be done. */
const isDutyDone = (
  { words, families, plain, concepts: { literals, makesTask, nouns } }: AnnotatedRequest,
  index: number,
): boolean =>
  makesTask &&
  !literals.has(words[index] ?? "") &&
  (literals.has(plain[index] ?? "") || nouns.has(families[index] ?? "")) &&
  words[index]?.endsWith("ed") === true &&
  literals.has("to") &&
  DUTIES.some((word) => literals.has(word)) &&
  /^(?:i|we|he|she|they|have|has|already|just)$/u.test(words[index - 1] ?? "");

const DUTIES = ["have", "need", "must", "ought", "got"];

/** A phrase for completing, deleting or reopening something tells that it is over. */
const ENDING: ReadonlySet<VerbKind> = new Set<VerbKind>(["complete", "delete", "reopen"]);

/** "Has brought back", "gave it back", "returned": reverses what the function did. */
function isGivenBack(
  { words, plain, concepts: { literals, verbs } }: AnnotatedRequest,
  index: number,
): boolean {
  const word = words[index] ?? "";
  if (literals.has(word) || verbs.has("return") || verbs.has(plain[index] ?? "")) return false;
  const isToCome = /^(?:must|should|will|shall|can|may|to|be|gets?|until|till|is|are)$/u.test(
    words[index - 1] ?? "",
  );
  if (/^(?:returned|handed-back)$/u.test(word) && !isToCome) return true;
  const isPastForm = plainOfPast(word) !== undefined || word.endsWith("ed");
  if (!isPastForm || isToCome || !GIVING.test(plain[index] ?? "")) return false;
  const end = words.slice(index + 1, index + MAX_WORDS_BETWEEN).findIndex((one) => /^[.,;:!?]$/u.test(one));
  const after = words.slice(index + 1, end < 0 ? index + MAX_WORDS_BETWEEN : index + 1 + end);
  return after.some((one, at) => one === "back" && !DETERMINERS.has(after[at - 1] ?? ""));
}

const GIVING = /^(?:bring|give|hand|send|take|put|pay|get|lend)$/u;
/** The maximum number of words between a verb and "back". */
const MAX_WORDS_BETWEEN = 8;
