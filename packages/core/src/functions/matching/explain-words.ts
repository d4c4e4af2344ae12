import {
  CREATING,
  endOfQuestion,
  isAskedForOne,
  isAsking,
  isLabel,
  isOneThingMore,
  isUnknownOrder,
  otherMeaning,
  startsClause,
} from "./clauses.ts";
import { PART_OF_TODAY } from "./days.ts";
import {
  BLOCKING_WORDS,
  DEADLINES,
  DETERMINERS,
  familyOf,
  kindsOfVerb,
  LIGHT_VERBS,
  NEUTRAL,
  plainOfDone,
  PREPOSITIONS,
  PRONOUNS,
  type VerbKind,
} from "./families.ts";
import type { FunctionConcepts, Slot } from "./function-concepts.ts";
import { SPECIFIC_VERB_KINDS, type ExplainedWords, isWhole } from "./missing-parts.ts";
import type { Unit } from "./request-units.ts";
import { type Reasons, findReasons } from "./reasons.ts";
import type { FilledSlots } from "./typed-candidates.ts";
import type { AlignedRequest } from "./value-borders.ts";

/** The share of content words that may be unexplained in an offer. */
const MAX_UNKNOWN_SHARE = 0.5;

/** The results of explaining the words of a request in order. */
interface Findings {
  covered: Set<string>;
  kinds: Set<VerbKind>;
  unknown: { at: number; text: string }[];
  /** Positions of words with a joint meaning. */
  inPhrase: Set<number>;
  /** Verbs without a meaning of their own. */
  light: { word: string; isOwn: boolean }[];
  isOwnVerb: boolean;
  contentWords: number;
  orders: number;
  problem: string | undefined;
  inValue: (index: number) => boolean;
  /** Keeps the first reason that rules the match out. */
  note: (why: string) => void;
}

/** Explains each unit outside the values; the first one that rules the match out is the problem. */
export function explainUnits(aligned: AlignedRequest, filled: FilledSlots): ExplainedWords {
  const { request, concepts, words } = aligned;
  const findings = startFindings(aligned, filled);
  const reasons = findReasons(aligned, findings.inValue);
  explainPhrases(aligned, findings, reasons);
  for (const [index, unit] of request.units.entries()) {
    if (findings.inValue(index) || unit.kind === "mark" || unit.isHarmless || findings.inPhrase.has(index))
      continue;
    if (reasons.without.has(index)) continue;
    if (reasons.withValue.has(index) && BLOCKING_WORDS.has(words[index] ?? "")) {
      findings.unknown.push({ at: index, text: unit.text });
      continue;
    }
    if (unit.kind === "word") {
      if (!explainOrder(aligned, findings, index, filled)) explainWord(aligned, findings, index, filled);
    } else if (isIncidentalDay(unit, concepts)) findings.unknown.push({ at: index, text: unit.text });
    else if (!isConstant(unit, concepts) && !isReplaced(request.units, index, filled))
      findings.note(`The request names “${unit.text}” besides.`);
  }
  const { covered, kinds, unknown, light, isOwnVerb, orders, note, inValue } = findings;
  // "Get the menu from https://…" means to fetch it.
  const isGot = kinds.size > 0 || light.some(({ word }) => word === "get");
  if (isGot && concepts.kinds.has("fetch") && filled.some(({ slot }) => slot.type === "url"))
    kinds.add("fetch");
  const otherLight = light.find(({ isOwn }) => !isOwn);
  if (otherLight && kinds.size === 0 && !isOwnVerb) note(`The request asks to ${otherLight.word}.`);
  // An unknown word means another task only in a clause about the function.
  for (const { at } of unknown)
    if (isOneThingMore(aligned, at, inValue) && !precedesValue(aligned, at, filled))
      note(`The request asks for “${words[at] ?? ""}” as well.`);
    else if (isAsking(aligned, filled, at)) {
      const meaning = otherMeaning(aligned, filled, { at, inValue });
      if (meaning !== undefined) note(meaning);
    }
  if (unknown.length > Math.max(2, (findings.contentWords + covered.size) * MAX_UNKNOWN_SHARE))
    note("Most of the request is not explained.");
  return {
    covered,
    kinds,
    unknown: unknown.map(({ text }) => text),
    unknownAt: unknown.map(({ at }) => at),
    problem: findings.problem,
    isWhole: isWhole(concepts, covered, kinds, words),
    hasVerb: kinds.size > 0 || isOwnVerb || light.some(({ isOwn }) => isOwn),
    orders,
  };
}

/** "… and come back on friday": a value follows in the same clause. */
const precedesValue = ({ request: { units } }: AlignedRequest, index: number, filled: FilledSlots): boolean =>
  filled.some(
    ({ candidate: { from } }) =>
      from > index && units.slice(index, from).every(({ kind }) => kind !== "mark"),
  );

function startFindings({ request: { units }, concepts }: AlignedRequest, filled: FilledSlots): Findings {
  const repeated = repeatedValues(units, filled);
  const impliedFamilies = filled.flatMap(({ candidate }) => candidate.impliedFamilies);
  const findings: Findings = {
    covered: new Set(impliedFamilies.filter((family) => concepts.nouns.has(family))),
    kinds: new Set(),
    unknown: [],
    inPhrase: new Set(),
    light: [],
    isOwnVerb: false,
    contentWords: 0,
    orders: 0,
    problem: undefined,
    inValue: (at) => repeated.has(at) || filled.some(({ candidate: { from, to } }) => from <= at && at < to),
    note: (why) => {
      findings.problem ??= why;
    },
  };
  return findings;
}

/** Explains words with a joint meaning. */
function explainPhrases(
  { request, concepts, words, families }: AlignedRequest,
  findings: Findings,
  reasons: Reasons,
): void {
  const { units } = request;
  const { kinds, inPhrase, inValue, note } = findings;
  const isThing = (index: number): boolean => concepts.nouns.has(families[index] ?? "");
  const isOwnOrder = (index: number): boolean =>
    concepts.verbs.has(words[index] ?? "") && startsClause(units, index);
  for (const { kind, from, to } of request.phrases) {
    const places = Array.from({ length: to - from }, (_, place) => from + place).filter(
      (index) => !inValue(index),
    );
    if (inValue(from) || inValue(to - 1) || reasons.without.has(from)) continue;
    if (kind === "show" && !startsClause(units, from) && !concepts.kinds.has(kind)) continue;
    findings.orders += 1;
    if (concepts.kinds.has(kind)) kinds.add(kind);
    // "Don't forget to …" introduces any task.
    else if (units[from]?.isHarmless) continue;
    else if (concepts.alsoKinds.has(kind)) continue;
    // "Note it down", for a function that notes.
    else if ((kind === "record" || kind === "show") && concepts.verbs.has(words[from] ?? "")) continue;
    // "I am done with the essay, hand it in": the reason for the following order.
    else if (kind === "complete" && units.some((_, index) => index > to && isOwnOrder(index))) {
      for (const at of places) inPhrase.add(at);
      continue;
    }
    // "Get it back" belongs to the function: it does not undo anything.
    else if (kind === "undo" && concepts.literals.has("back")) continue;
    else if (!places.some(isThing) || kind === "undo" || kind === "reopen")
      note(`The request asks to ${kind}.`);
    const ends =
      kind === "undo" || kind === "delete" || kind === "remember" || kind === "move"
        ? [from, to - 1]
        : places;
    for (const at of ends) if (!isThing(at)) inPhrase.add(at);
    if (kind === "delete")
      for (const at of places)
        if (/^(?:do|not|no|longer|need|anymore|any|more|rid|away|out)$/u.test(words[at] ?? ""))
          inPhrase.add(at);
  }
}

/** Explains a verb at the start of an order; false for any other word. */
function explainOrder(
  aligned: AlignedRequest,
  findings: Findings,
  index: number,
  filled: FilledSlots,
): boolean {
  const { request, concepts, words, families } = aligned;
  const { units } = request;
  const done = passiveVerbAt(words, index);
  const word = done ?? words[index] ?? "";
  const family = families[index] ?? "";
  const asksFor = kindsOfVerb(word);
  const isOrder =
    (done !== undefined || startsClause(units, index)) &&
    (asksFor.size > 0 || concepts.verbs.has(word)) &&
    (!isLabel(units[index + 1]) || (concepts.verbs.has(word) && !concepts.nouns.has(family)));
  if (!isOrder) {
    if (!isUnknownOrder(aligned, index)) return false;
    findings.note(`The request asks to ${word}.`);
    return true;
  }
  findings.orders += 1;
  const shared = [...asksFor].filter((kind) => concepts.kinds.has(kind));
  // "Book a table": the verb, not the noun.
  if (concepts.nouns.has(family) && !DETERMINERS.has(words[index + 1] ?? "")) findings.covered.add(family);
  // "Mark", "put" and "make" have no meaning of their own.
  const isLight = LIGHT_VERBS.has(word);
  for (const kind of shared) if (!isLight || !SPECIFIC_VERB_KINDS.has(kind)) findings.kinds.add(kind);
  const isOwn = concepts.verbs.has(word);
  if (isLight)
    findings.light.push({ word, isOwn: shared.length > 0 || isOwn || isAskedForOne(aligned, index) });
  else if (shared.length > 0 || [...asksFor].some((kind) => concepts.alsoKinds.has(kind))) return true;
  else if (isOwn) findings.isOwnVerb = true;
  else if (!isNaming(aligned, index, filled) && !concepts.nouns.has(family))
    findings.note(`The request asks to ${word}.`);
  return true;
}

/** Explains any other word: as a noun of the function, as a word before a value, or as a word without content. */
function explainWord(aligned: AlignedRequest, findings: Findings, index: number, filled: FilledSlots): void {
  const { request, concepts, words, families } = aligned;
  const { units } = request;
  const { note, unknown } = findings;
  const text = units[index]?.text ?? "";
  const [word, next, family] = [words[index] ?? "", words[index + 1] ?? "", families[index] ?? ""];
  const isThingNext = concepts.nouns.has(families[index + 1] ?? "");
  const isCreating = CREATING.some((kind) => concepts.kinds.has(kind));
  if (concepts.nouns.has(family)) {
    if (isOtherNumber(word, concepts) && !isContainer(units, index) && words[index - 1] !== "of")
      note(`The request speaks of several: “${text}”.`);
    findings.covered.add(family);
    return;
  }
  if (word === "new" && isThingNext && !concepts.literals.has("new") && !isCreating)
    note("The request asks for a new one.");
  if (concepts.literals.has(word) || isCue(aligned, index, filled)) return;
  // "One more quote" means another one, which a function that makes or adds creates.
  if (word === "more" && words[index - 1] === "one" && isThingNext && isCreating) return;
  if (word === "another" && isCreating && (isThingNext || concepts.nouns.has(families[index + 2] ?? "")))
    return;
  if (concepts.isReadOnly && index < endOfQuestion(units, concepts.kinds)) return;
  // "Invoice 99 was paid" means the same as "invoice 99 is paid".
  const isStated = /^(?:was|got)$/u.test(word) && concepts.literals.has(next) && /[dnt]$/u.test(next);
  const isRecordedState = concepts.isRecord || concepts.literals.has("is") || concepts.literals.has("been");
  if (isStated && isRecordedState) return;
  // "I took Bruno for a walk": a recorded event has happened.
  const isPastAction = concepts.isRecord && /^(?:took|had|did|made|gave|went)$/u.test(word);
  if (isPastAction && /^(?:i|we)$/u.test(words[index - 1] ?? "")) return;
  // "That I must water it" has not happened.
  const isToCome = /^(?:must|should|shall|will|would|may|might|could|have|need|want|ought)$/u.test(word);
  const isReported = words[index - 2] === "that" && PRONOUNS.has(words[index - 1] ?? "");
  if (BLOCKING_WORDS.has(word) || (isToCome && isReported && concepts.isRecord)) {
    note(`“${text}” changes what is asked.`);
    return;
  }
  if (NEUTRAL.has(word) || DETERMINERS.has(word) || PREPOSITIONS.has(word)) return;
  // "To give Remy a call": the object carries the meaning.
  if (LIGHT_VERBS.has(word) && words[index - 1] === "to") return;
  findings.contentWords += 1;
  if (!concepts.known.has(family)) unknown.push({ at: index, text });
}

/** The verb of something to do ("has to be ordered") or something called off ("is cancelled"). */
function passiveVerbAt(words: readonly string[], index: number): string | undefined {
  const done = plainOfDone(words[index] ?? "");
  const isCalledOff = done !== undefined && [...kindsOfVerb(done)].some((kind) => CALLING_OFF.has(kind));
  return /^(?:be|gets?)$/u.test(words[index - 1] ?? "") ||
    (isCalledOff && /^(?:is|are)$/u.test(words[index - 1] ?? ""))
    ? done
    : undefined;
}

const CALLING_OFF: ReadonlySet<VerbKind> = new Set<VerbKind>(["cancel", "delete", "undo"]);

/** "Call it x", "name: x": introduces a value that has a slot. */
function isNaming(
  { request: { units }, words }: AlignedRequest,
  index: number,
  filled: FilledSlots,
): boolean {
  if (!/^(?:call|name|title|label)$/u.test(words[index] ?? "")) return false;
  const next = units[index + 1];
  // "Call customer Okafor" asks for a call.
  if (words[index] === "call" && !/^(?:it|this|that|them|the|my|:)$/u.test(words[index + 1] ?? ""))
    return false;
  const start = next?.kind === "word" || next?.kind === "mark" ? [index + 1, index + 2] : [index + 1];
  return filled.some(({ candidate: { from } }) => start.includes(from));
}

/** "From 25 to 30": the old value is only mentioned. Two days are a period, unless the request moves something. */
export function isReplaced(
  units: readonly Unit[],
  index: number,
  filled: readonly { slot: Slot; candidate: { from: number } }[],
): boolean {
  const followsFrom = units[index - 1]?.text === "from";
  const mayBeReplaced =
    units[index]?.kind !== "date" || units.some(({ text }) => kindsOfVerb(text).has("move"));
  return (
    followsFrom &&
    mayBeReplaced &&
    filled.some(
      ({ candidate: { from }, slot }) =>
        slot.type === units[index]?.kind && from > index && units[from - 1]?.text === "to",
    )
  );
}

/** A repetition of a value in a position where the function's templates repeat it. */
function repeatedValues(units: readonly Unit[], filled: FilledSlots): ReadonlySet<number> {
  const places = new Set<number>();
  for (const { slot, candidate } of filled) {
    if (!slot.isRepeated) continue;
    const valueUnits = units.slice(candidate.from, candidate.to);
    for (let start = 0; start + valueUnits.length <= units.length; start++) {
      const isAgain = valueUnits.every((unit, index) => {
        const other = units[start + index];
        return other?.kind === unit.kind && other.text === unit.text;
      });
      if (isAgain) for (const at of valueUnits.keys()) places.add(start + at);
    }
  }
  return places;
}

/** "This morning" for a function without a day: mostly when something happened. */
const isIncidentalDay = ({ kind, text }: Unit, { isReadOnly, isRecord }: FunctionConcepts): boolean =>
  kind === "date" &&
  ((PART_OF_TODAY.test(text) && !isReadOnly) || (isRecord && /^today(?:'?s)?$/u.test(text)));

/** A name or word in the constants of the function's calls. */
function isConstant(unit: Unit, { known, literals, isReadOnly }: FunctionConcepts): boolean {
  // A function that only reads, reads now.
  if (unit.kind === "date" && isReadOnly && /^(?:today(?:'?s)?|tonight|now)$/u.test(unit.text)) return true;
  if (unit.kind === "date" || unit.kind === "number") return literals.has(unit.text);
  // A path names a place: even one that the function uses may mean something else here.
  if (unit.kind === "path") return literals.has(unit.text.toLowerCase());
  const parts = unit.text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return parts.length > 0 && parts.every((part) => known.has(familyOf(part)) || literals.has(part));
}

/** "Tasks" for a function about one task. */
export function isOtherNumber(word: string, { literals }: FunctionConcepts): boolean {
  return !literals.has(word) && /[^s]s$/u.test(word) && literals.has(word.slice(0, -1));
}

/** "In the expenses", "to my contacts": the place where items are stored, in singular or plural. */
export function isContainer(units: readonly Unit[], index: number): boolean {
  const isArticle = (at: number): boolean => DETERMINERS.has(units[at]?.text ?? "");
  const isPlace = (at: number): boolean =>
    /^(?:in|into|to|on|onto|among|under|with)$/u.test(units[at]?.text ?? "");
  // "In the meter readings": a noun may stand between.
  return (
    isPlace(index - 1) ||
    (isArticle(index - 1) ? isPlace(index - 2) : isArticle(index - 2) && isPlace(index - 3))
  );
}

/** The last day of something: the function's templates contain "by", "until" or "due". */
const isUntil = ({ type, before }: Slot): boolean =>
  type === "date" && [...before].some((word) => DEADLINES.has(word));

/** A word that introduces a value or names its parameter. */
function isCue({ words, families, concepts }: AlignedRequest, index: number, filled: FilledSlots): boolean {
  return filled.some(
    ({ slot, candidate }) =>
      slot.labels.has(families[index] ?? "") ||
      (index === candidate.from - 1 &&
        /^(?:is|was|are|were|should|be|=)$/u.test(words[index] ?? "") &&
        (slot.labels.has(families[index - 1] ?? "") || slot.type === "number" || slot.type === "date")) ||
      // "The scale said 71".
      (index === candidate.from - 1 &&
        concepts.isRecord &&
        slot.type === "number" &&
        /^(?:sa(?:id|ys)|show(?:s|ed)|reads?)$/u.test(words[index] ?? "")) ||
      // "The meter was at 4901".
      (index === candidate.from - 2 &&
        /^(?:is|was)$/u.test(words[index] ?? "") &&
        words[index + 1] === "at" &&
        slot.type === "number") ||
      (index === candidate.from - 2 &&
        /^(?:is|was|are|were|should)$/u.test(words[index] ?? "") &&
        slot.labels.has(families[index - 1] ?? "")) ||
      ((index === candidate.from - 1 || index === candidate.from - 2) &&
        slot.before.has(words[index] ?? "")) ||
      // "From monday until friday" is "from monday to friday".
      (index === candidate.from - 1 &&
        slot.type === "date" &&
        (slot.before.has("to") || isUntil(slot)) &&
        DEADLINES.has(words[index] ?? "")) ||
      // "Deadline is friday".
      (index === candidate.from - 2 && isUntil(slot) && /^(?:due|deadline)$/u.test(words[index] ?? "")) ||
      (index === candidate.to && slot.after.has(words[index] ?? "")),
  );
}
