import { DESCRIBING, PLACES } from "./families.ts";
import { endOfQuestion } from "./clauses.ts";
import { explainUnits } from "./explain-words.ts";
import { type ExplainedWords, findMissingParts } from "./missing-parts.ts";
import { isOtherWayRound } from "./giving-and-receiving.ts";
import { alignNearWords } from "./near-words.ts";
import type { FunctionConcepts, SlotType } from "./function-concepts.ts";
import { isNumberWord, type ReadableRequest, type Unit } from "./request-units.ts";
import { isCapital, isIntroduced, precedesOwnPlace, type AlignedRequest } from "./value-borders.ts";
import { assignments } from "./slot-candidates.ts";
import type { FilledSlots } from "./typed-candidates.ts";
import { alignRequest } from "./align-request.ts";

/** The match of a request with one function, found by rules. */
export interface RuleMatch {
  values: Record<string, unknown>;
  /**
   * Certain: every word is explained and every value is in a position that must hold one. Likely: some words are not
   * explained.
   */
  isCertain: boolean;
  isExplained: boolean;
  /**
   * True if every word is explained and every part and the action are named; only the end of a value, or the choice
   * between placements, is in doubt.
   */
  isPlacedInDoubt: boolean;
  /** True if synonyms replaced words of the function: it may be offered, and is never certain. */
  isGuessed: boolean;
  /** The score for comparing matches; higher is better. */
  score: number;
  /** The number of explained words of the request outside the values. */
  explained: number;
  /** Values in quotation marks, or after a colon or "saying": they may contain any words. */
  marked: ReadonlySet<string>;
  /** The explanation for the inspector. */
  reason: string;
}

/** One placement of the values, with the explanation of the words around them. */
interface ScoredPlacement {
  filled: FilledSlots;
  score: number;
  /** The words without an explanation. */
  unknown: string[];
  /** Why the request does not call this function. */
  problem?: string;
  /** True if a verb or a label names the action. */
  hasVerb: boolean;
  /** True if every part of the function is mentioned, outside the values. */
  isWhole: boolean;
}

/** Why the rules find no match although nothing in the request rules the function out. */
export const NO_VALUES = "The request does not name every value.";

/** The minimum lead of the best match over one with other values. */
const MARGIN = 1;

/**
 * The weights of a match in addition to the scores of its values, which range from 3 (a guess) to 8 (introduced by
 * the words of a template, and typed). An explained word is worth half a well-introduced value; an unexplained one
 * costs less, so that a right value next to an unknown word wins over a wrong value that contains the word.
 */
const GAINED_BY_THING = 2;
const GAINED_BY_VERB = 2;
const LOST_BY_UNKNOWN_WORD = 1.5;
/** A noun of the function inside a value is a word of the request that the value contains by mistake. */
const LOST_BY_SWALLOWED_THING = 2;

/**
 * True if a request contains as many dates, numbers, addresses and paths as the function requires: otherwise it does
 * not call it.
 */
export function hasRequiredForms({ units }: ReadableRequest, { slots }: FunctionConcepts): boolean {
  const countUnits = (type: Unit["kind"]): number =>
    units.filter((unit) => unit.kind === type || (type === "number" && isNumberWord(unit))).length;
  const countRequiredSlots = (type: SlotType): number =>
    slots.filter((slot) => slot.type === type && !slot.isOptional).length;
  // A folder may be named by a bare word, a file by a quotation.
  const isAnyPath = slots.some(({ isFolder }) => isFolder) || countUnits("quoted") > 0;
  return (
    (["date", "time", "number", "url", "email"] as const).every(
      (type) => countUnits(type) >= countRequiredSlots(type),
    ) &&
    (isAnyPath || countUnits("path") >= countRequiredSlots("path"))
  );
}

/**
 * Matches a request with one function, or returns why it does not match. Scores every placement of the values by the
 * explanation of the words around them: the function's own words and their families, politeness and reasons, or
 * nothing. A word that negates, limits or questions the request (outside a value) rules the match out.
 */
export function matchByRules(request: ReadableRequest, concepts: FunctionConcepts): RuleMatch | string {
  const question = questionIn(request, concepts);
  if (question !== undefined) return question;
  const plain = alignRequest(request, concepts);
  const match = matchAligned(plain);
  if (typeof match !== "string" && match.isExplained) return match;
  const near = alignNearWords(plain);
  const guessed = near && matchAligned(near);
  return typeof guessed === "object" && isLikelier(guessed, match)
    ? { ...guessed, isCertain: false, isExplained: false, isPlacedInDoubt: false, isGuessed: true }
    : match;
}

const isLikelier = (guessed: RuleMatch, match: RuleMatch | string): boolean =>
  typeof match === "string" || guessed.score > match.score;

/** Matches a request whose words were replaced by those of the function. */
function matchAligned(aligned: AlignedRequest): RuleMatch | string {
  const { request } = aligned;
  const scored = scoreLikelyPlacements(aligned).toSorted((one, other) => other.score - one.score);
  const possible = scored.filter(({ problem }) => problem === undefined);
  const [best] = possible;
  if (best === undefined) return scored[0]?.problem ?? NO_VALUES;
  const values = valuesOf(best.filled);
  const rival = possible.find((other) => !isSame(valuesOf(other.filled), values));
  const isClear = rival === undefined || best.score - rival.score >= MARGIN;
  const isCertain =
    best.unknown.length === 0 &&
    best.isWhole &&
    best.hasVerb &&
    isClear &&
    best.filled.every(({ candidate }) => candidate.isSure);
  const isValue = (index: number): boolean =>
    best.filled.some(({ candidate: { from, to } }) => from <= index && index < to);
  const wordCount = request.units.filter(({ kind }, index) => kind !== "mark" && !isValue(index)).length;
  return {
    values,
    isCertain,
    isExplained: best.unknown.length === 0,
    isPlacedInDoubt: !isCertain && best.unknown.length === 0 && best.isWhole && best.hasVerb,
    isGuessed: false,
    score: best.score,
    explained: wordCount - best.unknown.length,
    marked: new Set(
      best.filled
        .filter(
          ({ candidate: { from } }) => request.units[from]?.kind === "quoted" || isIntroduced(aligned, from),
        )
        .map(({ slot }) => slot.name),
    ),
    reason: reasonOf(best, { isCertain, isClear }),
  };
}

/** Why the match is certain, or the first condition that it fails. */
function reasonOf(
  { unknown, isWhole, hasVerb, filled }: ScoredPlacement,
  { isCertain, isClear }: { isCertain: boolean; isClear: boolean },
): string {
  if (isCertain) return "It explains every word.";
  if (unknown.length > 0) return `It does not explain ${unknown.map((word) => `“${word}”`).join(", ")}.`;
  if (!isWhole) return "The request does not name every part of what the function does.";
  if (!hasVerb) return "The request does not say what is to be done.";
  const unsure = filled.find(({ candidate }) => !candidate.isSure);
  if (!isClear) return "Its words can be taken for values in several ways.";
  return unsure
    ? `“${String(unsure.candidate.value)}” may not be the whole of ${unsure.slot.name}.`
    : "It is not certain.";
}

/** True for the same values without articles: the words do not show which articles belong to a value. */
const isSame = (one: Record<string, unknown>, other: Record<string, unknown>): boolean =>
  Object.keys(one).every((name) => plain(one[name]) === plain(other[name]));

const plain = (value: unknown): string => String(value).replace(/^(?:the|an?)\s+/iu, "");

function valuesOf(filled: FilledSlots): Record<string, unknown> {
  return Object.fromEntries(filled.map(({ slot, candidate }) => [slot.name, candidate.value]));
}

const ORDERING = /^(?:can|could|would|will)$/u;
const QUESTION_WORD = /^(?:who|whom|whose|when|why|how|what|which|where)$/u;
const AUXILIARY = /^(?:did|does|do|is|are|was|were|has|have|had|should|shall|may|might|am)$/u;
const SUBJECT = /^(?:i|you|we|he|she|it|they|there|any|anyone|anything|someone|somebody)$/u;

/** The words of a request after greetings and politeness, without marks; empty if nothing follows them. */
function firstWords({ units }: Pick<ReadableRequest, "units">): Unit[] {
  const words = units.filter(({ kind }) => kind !== "mark");
  const index = words.findIndex(({ isHarmless }) => !isHarmless);
  return index < 0 ? [] : words.slice(index, index + 2);
}

/** Why the request is a question rather than a task; undefined if it may be a task. */
function questionIn(
  { units, text }: ReadableRequest,
  { isReadOnly, literals, kinds }: FunctionConcepts,
): string | undefined {
  const question = "The request asks a question.";
  const words = units.filter(({ kind }) => kind !== "mark");
  const [first, second] = firstWords({ units });
  if (first === undefined) return "There is no request.";
  if (isReadOnly && endOfQuestion(units, kinds) >= 0) return undefined;
  const isOrder =
    words.some((unit) => unit.isHarmless && ORDERING.test(unit.text)) || ORDERING.test(first.text);
  const isAsking =
    QUESTION_WORD.test(first.text) ||
    (AUXILIARY.test(first.text) &&
      second !== undefined &&
      SUBJECT.test(second.text) &&
      first.text !== "do") ||
    (first.text === "do" && /^(?:i|you|we|they)$/u.test(second?.text ?? "")) ||
    /^(?:is|are|was|were|did|does|should|shall|has)$/u.test(first.text);
  // "Does storm appear in …" asks to search.
  if (kinds.has("search") && /^(?:does|do|where|is|whether)$/u.test(first.text)) return undefined;
  // "How many …" requests the function if its templates contain it.
  const isOwn = literals.has(first.text) && (isReadOnly || literals.has(second?.text ?? ""));
  if (
    isAsking &&
    !isOwn &&
    (!isReadOnly || /^(?:who|why|when|how|did|does|was|were|should|had|whose)$/u.test(first.text))
  )
    return question;
  if (isReadOnly || isOrder || !/\?\s*$/u.test(text)) return undefined;
  return question;
}

/** The number of ruled-out placements after which no other is tried. */
const MAX_IMPOSSIBLE = 24;

/**
 * Evaluates the placements of the values, the best first, until no other can come near the best: the remaining criteria
 * have a limited weight.
 */
function scoreLikelyPlacements(aligned: AlignedRequest): ScoredPlacement[] {
  const { families, concepts } = aligned;
  const named = new Set(families.filter((family) => concepts.nouns.has(family)));
  const placed = assignments(aligned)
    .map((filled) => ({
      filled,
      most:
        filled.reduce(
          (sum, { candidate }) => sum + candidate.score + GAINED_BY_THING * candidate.impliedFamilies.length,
          0,
        ) +
        GAINED_BY_THING * named.size +
        GAINED_BY_VERB,
    }))
    .toSorted((one, other) => other.most - one.most);
  const scored: ScoredPlacement[] = [];
  let best = -Infinity;
  for (const { filled, most } of placed) {
    if (most < best - MARGIN || (best === -Infinity && scored.length >= MAX_IMPOSSIBLE)) break;
    const one = scorePlacement(aligned, filled);
    if (one.problem === undefined) best = Math.max(best, one.score);
    scored.push(one);
  }
  return scored;
}

/** Evaluates one placement of the values. */
function scorePlacement(aligned: AlignedRequest, filled: FilledSlots): ScoredPlacement {
  const { request, concepts } = aligned;
  const found = explainUnits(aligned, filled);
  const placed = filled.reduce((sum, { candidate }) => sum + candidate.score, 0);
  const swallowed = aligned.families.filter(
    (family, index) =>
      concepts.nouns.has(family) &&
      !found.covered.has(family) &&
      filled.some(
        ({ candidate: { from, to }, slot }) =>
          slot.type === "text" && from <= index && index < to && to - from > 1,
      ),
  ).length;
  const hasLabel = isLabelled(aligned, filled);
  const saysWhat =
    found.hasVerb ||
    hasLabel ||
    isWish(request) ||
    namesPlace(aligned) ||
    isReport(aligned) ||
    isProgressive(aligned) ||
    isStatement(found, filled) ||
    isEvident(found, filled) ||
    (concepts.isQuestion && QUESTION_WORD.test(firstWords(request)[0]?.text ?? ""));
  const isOtherName = filled.some(
    ({ slot, candidate: { from } }) => slot.isProper && slot.type === "text" && !isCapital(aligned, from),
  );
  const otherName = isOtherName && found.unknownAt.find((at) => isCapital(aligned, at) && at > 0);
  const isMeant = concepts.nouns.size > 0 || isDistinguished(aligned, filled);
  const placedWords = filled.map(({ slot: { name }, candidate: { from, to } }) => ({ name, from, to }));
  const problem =
    found.problem ??
    (isOtherWayRound(aligned, placedWords) ? "The request hands it over the other way." : undefined) ??
    findMissingParts(aligned, filled, found) ??
    (saysWhat ? undefined : "The request does not say what is to be done.") ??
    (found.unknown.length > 0 && filled.some(({ candidate }) => candidate.isOfOther)
      ? "The request names another thing."
      : undefined) ??
    (typeof otherName === "number"
      ? `The request names “${request.units[otherName]?.text ?? ""}”.`
      : undefined) ??
    (isMeant ? undefined : "The request names nothing that only this function is asked for with.");
  return {
    filled,
    score:
      placed -
      LOST_BY_SWALLOWED_THING * swallowed +
      GAINED_BY_THING * found.covered.size +
      (found.hasVerb ? GAINED_BY_VERB : 0) -
      LOST_BY_UNKNOWN_WORD * found.unknown.length,
    unknown: found.unknown,
    ...(problem !== undefined && { problem }),
    hasVerb:
      found.hasVerb ||
      // An event to record is reported: "Svea is hiring the floor sander for 2 days".
      (concepts.isRecord && isStatement(found, filled)) ||
      (hasLabel && !isDescription(aligned, filled)) ||
      (concepts.isQuestion && concepts.isReadOnly),
    isWhole: found.isWhole && swallowed === 0,
  };
}

/**
 * A function whose templates contain no noun is recognized by its own verb, or by the form of a value: "save “…” by …".
 */
function isDistinguished(aligned: AlignedRequest, filled: FilledSlots): boolean {
  const { request, concepts, words } = aligned;
  return (
    words.some((word) => concepts.verbs.has(word)) ||
    filled.some(
      ({ slot: { type }, candidate: { from } }) =>
        (type !== "text" && type !== "name") || request.units[from]?.kind === "quoted",
    )
  );
}

/** "Nordholz sent invoice 2240, 120 euros, by friday": the subject, and several values in the required forms. */
const isEvident = ({ covered }: ExplainedWords, filled: FilledSlots): boolean =>
  covered.size > 0 && filled.filter(({ slot: { type } }) => type !== "text" && type !== "name").length > 1;

/** "The book has been lent to Marta": a record of an event, in the function's own word for it. */
const isReport = ({ concepts: { isRecord, literals }, words }: AlignedRequest): boolean =>
  isRecord &&
  words.some(
    (word, index) => /^(?:is|are|was|were|been|got)$/u.test(word) && literals.has(words[index + 1] ?? ""),
  );

/** "Ingrid is walking the dog" for templates with "somebody walks the dog". */
const isProgressive = ({ request: { units }, concepts: { literals }, words }: AlignedRequest): boolean =>
  words.some(
    (word, index) =>
      units[index]?.text.endsWith("ing") === true &&
      word !== units[index].text &&
      literals.has(word) &&
      /^(?:is|are|am)$/u.test(words[index - 1] ?? ""),
  );

/** "The heating is at 20 degrees": describes a state, which requests only a function that records it. */
function isDescription(
  { concepts: { isRecord, literals }, words }: AlignedRequest,
  filled: FilledSlots,
): boolean {
  const inValue = (index: number): boolean =>
    filled.some(({ candidate: { from, to } }) => from <= index && index < to);
  return (
    !isRecord &&
    !literals.has("is") &&
    words.some((word, index) => /^(?:is|are)$/u.test(word) && !inValue(index))
  );
}

/** "40 miles, into the log please": names the place where the function stores items. */
const namesPlace = (aligned: AlignedRequest): boolean =>
  aligned.concepts.isRecord && aligned.words.some((_, index) => precedesOwnPlace(aligned, index));

/**
 * "On friday 3 visitors from Bosch": names the whole subject of the function, with every value in a required position.
 */
const isStatement = ({ isWhole, covered, unknown }: ExplainedWords, filled: FilledSlots): boolean =>
  isWhole &&
  covered.size > 0 &&
  unknown.length === 0 &&
  filled.length > 0 &&
  filled.every(({ candidate }) => candidate.isSure);

/** Starts with the function's subject: "journal: …", "new contact …", "daily page for monday". */
function isLabelled(aligned: AlignedRequest, filled: FilledSlots): boolean {
  const { request, concepts, families } = aligned;
  const [{ units }, { nouns }] = [request, concepts];
  const inValue = (index: number): boolean =>
    filled.some(({ candidate: { from, to } }) => from <= index && index < to);
  const [one, two, three, four] = units.flatMap(({ kind, isHarmless }, index) =>
    kind === "word" && !isHarmless && !inValue(index) ? [index] : [],
  );
  const isThing = (at: number | undefined): boolean => at !== undefined && nouns.has(families[at] ?? "");
  if (isThing(one)) return true;
  // "There's a parcel from …".
  if (/^there(?:'s| (?:is|are) )/iu.test(request.text.trimStart()) && [three, four].some(isThing))
    return true;
  const opening = units[one ?? -1]?.text ?? "";
  // "On the shopping list: …" adds to it, "current exchange rate of …" asks to see it.
  const isColon = filled.some(({ candidate: { from } }) => isIntroduced(aligned, from));
  if (isColon && PLACES.has(opening) && (isThing(two) || isThing(three))) return true;
  if (concepts.isReadOnly && DESCRIBING.has(opening) && isThing(two)) return true;
  return (
    /^(?:new|another|one|quick|a|the|next|for|my|in|found|noticed|spotted|got|have|had)$/u.test(opening) &&
    (isThing(two) || (opening !== "new" && isThing(three)))
  );
}

/** "X should be Y", "I want …", "can go into …": describes a wish without an order. */
function isWish({ units }: ReadableRequest): boolean {
  return units.some(
    (unit, index) =>
      (unit.isHarmless && /^(?:like|want|need|can|could|would|will)$/u.test(unit.text)) ||
      (unit.kind === "word" && /^(?:should|must|needs|belongs)$/u.test(unit.text)) ||
      (unit.text === "can" && units[index + 1]?.text === "go"),
  );
}
