import { PRONOUNS, DETERMINERS, familyOf, kindsOfVerb, namedCurrencies } from "./families.ts";
import type { Clock } from "../../language/dates/clock.ts";
import { alignRequest } from "./align-request.ts";
import { conceptsOf, type Slot } from "./function-concepts.ts";
import { numberOfWord } from "./number-words.ts";
import { isNumberWord, readUnits, textOfUnits, sourceText } from "./request-units.ts";
import {
  hasPlainEdges,
  hasContentWord,
  isOwn,
  isPhrase,
  nounNamed,
  isMeasured,
  startEvidence,
  mayBeInName,
  mayEndText,
  endEvidence,
  withoutPossessive,
  type AlignedRequest,
} from "./value-borders.ts";
import {
  type Candidate,
  enumCandidates,
  type FilledSlots,
  typedSlotsFirst,
  framedCandidates,
  mistypedOptions,
  pathCandidates,
  quotedCandidates,
  typedCandidates,
} from "./typed-candidates.ts";
import { MIN_SCORE, textCandidates } from "./text-candidates.ts";
import { followsOwnStart, isMoreThanIdentifier, isReferring } from "./value-doubts.ts";

/** The maximum number of positions for one value; more make the number of combinations too large. */
const MAX_CANDIDATES = 8;
const MAX_ASSIGNMENTS = 300;
/** The maximum number of words in a name without quotation marks. */
const NAME_WORDS = 4;

/** A value of a function that a text states in another form, with the text's words for it. */
export interface StatedValue {
  value: string;
  /** As written: "swiss francs" for `CHF`, "notes/plan.md" for `plan`. */
  words: string;
}

/**
 * The values of a function that a text states in their own form: days, numbers, options by their names or with a typing error, and
 * names within the paths that the function makes of them.
 */
export function statedValues(
  text: string,
  content: Parameters<typeof conceptsOf>[0],
  clock: Clock,
): StatedValue[] {
  const request = readUnits(text, clock);
  if (request === undefined) return [];
  const concepts = conceptsOf(content);
  const { units } = request;
  const words = units.map((unit) => unit.text);
  const typed = units.flatMap((unit) => {
    const value = unit.value ?? (isNumberWord(unit) ? numberOfWord(unit.text) : undefined);
    return value === undefined ? [] : [{ value, words: text.slice(unit.start, unit.end) }];
  });
  const aligned = alignRequest(request, concepts);
  const ofSlots = concepts.slots.flatMap((slot) => [
    ...namedCurrencies(slot, words),
    ...mistypedOptions(slot, units),
    ...(slot.type === "name" ? framedCandidates(slot, aligned) : []).map((one) => ({ ...one, at: one.from })),
  ]);
  const named = ofSlots.map(({ at, to, value }) => ({ value, words: textOfUnits(request, at, to) }));
  return [...typed, ...named].map((one) => ({ ...one, value: String(one.value) }));
}

/** All placements of the required values without overlaps, the likeliest candidates first. */
export function assignments(aligned: AlignedRequest): FilledSlots[] {
  const candidatesOfSlots = new Map<Slot, readonly Candidate[]>();
  for (const slot of typedSlotsFirst(aligned.concepts.slots)) {
    const candidates = candidatesOf(slot, aligned)
      .toSorted((one, other) => other.score - one.score)
      .slice(0, MAX_CANDIDATES);
    if (candidates.length === 0 && !slot.isOptional) return [];
    candidatesOfSlots.set(slot, candidates);
  }
  let found: FilledSlots[] = [[]];
  for (const slot of aligned.concepts.slots) {
    const candidates = candidatesOfSlots.get(slot) ?? [];
    const longer: FilledSlots[] = [];
    for (const filled of found) {
      for (const candidate of candidates)
        if (isFree(candidate, filled)) longer.push([...filled, { slot, candidate }]);
      if (slot.isOptional) longer.push(filled);
      if (longer.length >= MAX_ASSIGNMENTS) break;
    }
    found = longer.slice(0, MAX_ASSIGNMENTS);
  }
  // Without two values of one form, no order can be doubtful.
  const forms = aligned.concepts.slots.map(formOf);
  return new Set(forms).size === forms.length ? found : found.map((filled) => inOrder(filled, aligned));
}

const isFree = ({ from, to }: Candidate, filled: FilledSlots): boolean =>
  filled.every(({ candidate }) => to <= candidate.from || candidate.to <= from);

/** The form by which a value is told from others: texts and names have the same. */
const formOf = ({ type }: Slot): Slot["type"] => (type === "name" ? "text" : type);

/** The penalty for a value whose position follows only from its order, if that differs from the templates. */
const LOST_OUT_OF_ORDER = { typed: 8, text: 2, introduced: 2, allIntroduced: 0.5 };
/** The penalty for a value in the position of another one of its form. */
const LOST_IN_PLACE_OF_OTHER = 3;

/**
 * Distinguishes two values of one form by the words before them, else by the order in the function's templates. Another
 * order without such words is doubtful, as is a value after words that introduce the other one.
 */
function inOrder(filled: FilledSlots, aligned: AlignedRequest): FilledSlots {
  const ordered: { slot: Slot; candidate: Candidate }[] = [];
  for (const one of filled)
    ordered.push({ slot: one.slot, candidate: candidateInOrder(one, filled, aligned) });
  return ordered;
}

function candidateInOrder(
  { slot, candidate }: FilledSlots[number],
  filled: FilledSlots,
  aligned: AlignedRequest,
): Candidate {
  const isTyped = formOf(slot) !== "text";
  const sameType = filled.filter(({ slot: other }) => formOf(other) === formOf(slot));
  if (sameType.length < 2) return candidate;
  if (isTyped && isIntroducedForOther(aligned, { slot, candidate }, sameType))
    return doubtful(candidate, LOST_IN_PLACE_OF_OTHER);
  const placed = sameType.toSorted((one, other) => one.candidate.from - other.candidate.from);
  const isPlacedAs = (order: readonly string[]): boolean => {
    const declared = order.filter((name) => sameType.some((one) => one.slot.name === name));
    return (
      declared.length === placed.length && placed.every((one, index) => one.slot.name === declared[index])
    );
  };
  if (aligned.concepts.orders.some(isPlacedAs)) return candidate;
  if (!isTyped)
    return sameType.every((one) => one.candidate.isSure)
      ? lessLikely(candidate, LOST_OUT_OF_ORDER.allIntroduced)
      : doubtful(candidate, LOST_OUT_OF_ORDER.text);
  const introduced = sameType.filter((one) =>
    isIntroducedAsInTemplates(aligned, one.candidate.from, one.slot),
  );
  if (introduced.length === sameType.length) return lessLikely(candidate, LOST_OUT_OF_ORDER.allIntroduced);
  const lost = introduced.length > 0 ? LOST_OUT_OF_ORDER.introduced : LOST_OUT_OF_ORDER.typed;
  return doubtful(candidate, lost);
}

const lessLikely = (candidate: Candidate, lost: number): Candidate => ({
  ...candidate,
  score: candidate.score - lost,
});

const doubtful = (candidate: Candidate, lost: number): Candidate => ({
  ...candidate,
  score: candidate.score - lost,
  isSure: false,
});

/** The word before a value, without articles; and "upper" of "the upper one was". */
function wordBefore({ request: { units }, words }: AlignedRequest, from: number): string {
  let index = from - 1;
  while (units[index]?.kind === "word" && DETERMINERS.has(words[index] ?? "")) index -= 1;
  const noun = /^(?:is|was|at|of|being)$/u.test(words[index] ?? "") ? index - 1 : index;
  const isPronoun = /^(?:one|value|number|reading|figure)$/u.test(words[noun] ?? "");
  return words[isPronoun ? noun - 1 : index] ?? "";
}

/** True if the words before this value in the templates precede it here. "Of" and "for" may precede anything. */
function isIntroducedAsInTemplates(aligned: AlignedRequest, from: number, { before, labels }: Slot): boolean {
  const preceding = wordBefore(aligned, from);
  const label = /^(?:of|for|at|is|to)$/u.test(preceding) ? wordBefore(aligned, from - 1) : preceding;
  return (
    before.has(preceding) || [preceding, label].some((word) => before.has(word) || labels.has(familyOf(word)))
  );
}

/** True if the words before it introduce only another value of the same form. */
function isIntroducedForOther(
  aligned: AlignedRequest,
  { slot, candidate: { from } }: FilledSlots[number],
  sameType: FilledSlots,
): boolean {
  return (
    !isIntroducedAsInTemplates(aligned, from, slot) &&
    sameType.some(({ slot: other }) => other !== slot && isIntroducedAsInTemplates(aligned, from, other))
  );
}

function candidatesOf(slot: Slot, aligned: AlignedRequest): Candidate[] {
  switch (slot.type) {
    case "date":
    case "time":
    case "number":
    case "url":
    case "email":
      return typedCandidates(slot, aligned);
    case "path":
      return [...pathCandidates(slot, aligned), ...(slot.isFolder ? nameCandidates(slot, aligned) : [])];
    case "enum":
      return enumCandidates(slot, aligned);
    case "name":
      return [
        ...framedCandidates(slot, aligned),
        ...(slot.hasExtension ? quotedCandidates(slot, aligned) : nameCandidates(slot, aligned)),
      ];
    case "text":
      return textCandidates(slot, aligned);
    default:
      return slot.type satisfies never;
  }
}

function nameCandidates(slot: Slot, aligned: AlignedRequest): Candidate[] {
  const { units, text } = aligned.request;
  const found = quotedCandidates(slot, aligned);
  const named = nounNamed(slot, aligned);
  if (named === undefined) return found;
  for (const [from, first] of units.entries()) {
    if (!mayBeInName(first, aligned.words[from] ?? "", true, slot.isFolder)) continue;
    const isOwnFirst = isOwn(aligned, from);
    if (isOwnFirst && startEvidence(aligned, from, slot) < 3.5) continue;
    const left = startEvidence(aligned, from, slot);
    const isMailed =
      /^(?:and|then)$/u.test(aligned.words[from - 1] ?? "") && PRONOUNS.has(aligned.words[from + 1] ?? "");
    const isVerb = (from === 0 || isMailed) && kindsOfVerb(aligned.words[from] ?? "").size > 0;
    if (left <= 0 || isVerb || isKindOf(slot, aligned, from)) continue;
    if (isReferring(slot, aligned, from) || followsOwnStart(slot, aligned, from)) continue;
    for (let to = from + 1; to <= Math.min(units.length, from + NAME_WORDS); to += 1) {
      const last = units[to - 1];
      if (
        last === undefined ||
        !mayBeInName(last, aligned.words[to - 1] ?? "", to - 1 === from, slot.isFolder)
      )
        break;
      if (to - from > 1 && isOwn(aligned, to - 1)) break;
      if (isMoreThanIdentifier(slot, aligned, { from, to })) continue;
      const right = endEvidence(aligned, to, slot);
      const value = withoutPossessive(sourceText(text, first, last), aligned, to);
      if (!hasContentWord(aligned, from, to)) continue;
      if (right <= 0 || value === "" || isPhrase(aligned, from, to) || (isOwnFirst && to === from + 1))
        continue;
      const words = to - from;
      const score = left + right - 0.5 * (words - 1) - (last.isHarmless ? 2 : 0);
      if (score < MIN_SCORE || (!slot.hasDigit && isMeasured(aligned, from, to))) continue;
      found.push({
        from,
        to,
        value,
        score,
        isSure:
          named === "same" &&
          !(slot.isOneWord && words > 1) &&
          left >= 2 &&
          right >= 1.5 &&
          left + right >= 4.5 &&
          words <= 3 &&
          hasPlainEdges(aligned, from, to) &&
          mayEndText(aligned, from, to),
        isOfOther: named === "other",
        impliedFamilies: [],
      });
    }
  }
  return found;
}

/** "As a pdf", after a word that introduces the name: the format, not the name. */
const isKindOf = ({ before }: Slot, { words }: AlignedRequest, from: number): boolean =>
  /^an?$/u.test(words[from - 1] ?? "") && words[from - 2] === "as" && before.has("as");
