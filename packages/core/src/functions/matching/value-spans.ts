import {
  DEADLINES,
  DESCRIBING,
  DETERMINERS,
  familyOf,
  kindsOfVerb,
  LIGHT_VERBS,
  MEASURES,
  NEUTRAL,
  PREPOSITIONS,
  PRONOUNS,
} from "./families.ts";
import { Evidence, type Features } from "./evidence.ts";
import type { Slot } from "./function-concepts.ts";
import { followsReceiver, isPartyInTransfer } from "./giving-and-receiving.ts";
import { isPronounOne, numberOfWord } from "./number-words.ts";
import { startsClause } from "./clauses.ts";
import { isNumberWord, type Unit } from "./request-units.ts";
import {
  digitsOf,
  enumCandidates,
  framedCandidates,
  isOfOtherThing,
  isOtherMeasure,
  isQuotedPath,
  mistypedOptions,
  pathCandidates,
} from "./typed-candidates.ts";
import { isCodeAt } from "./value-forms.ts";
import { isCapital, isPhrase, precedesName, valueBetween } from "./value-borders.ts";
import { followsOwnStart, isExceptionAt, isMoreThanIdentifier, isReferring } from "./value-doubts.ts";
import { followOf, contextBefore } from "./value-context.ts";
import type { AnnotatedRequest } from "./word-roles.ts";
import {
  isFreeLabel,
  isWithinName,
  type Position,
  type SlotTraits,
  wordInside,
  isFiniteVerb,
} from "./words-inside.ts";

/** Units that may be the value of one slot, with the evidence for and against it. */
export interface Span {
  from: number;
  to: number;
  value: string | number;
  evidence: Evidence;
}

/** The maximum number of words of a text if no longer example is known. */
const MAX_WORDS = 8;
/** A word that introduces any text may introduce a long one. */
const MAX_WORDS_INTRODUCED = 30;

/** Every run of units that may be the value of a slot. */
export function spansOf(slot: Slot, annotated: AnnotatedRequest): Span[] {
  switch (slot.type) {
    case "date":
    case "time":
    case "number":
    case "url":
    case "email":
      return typedSpans(slot, annotated);
    case "path":
      return [
        ...certainPositions(pathCandidates(slot, annotated), slot, annotated),
        ...(slot.isFolder ? textSpans(slot, annotated, 4) : []),
      ];
    case "enum":
      return [
        ...certainPositions(enumCandidates(slot, annotated), slot, annotated),
        ...mistypedSpans(slot, annotated),
      ];
    case "name":
      return [
        ...certainPositions(framedCandidates(slot, annotated), slot, annotated),
        ...textSpans(slot, annotated, 4),
      ];
    case "text":
      return textSpans(slot, annotated, MAX_WORDS);
    default:
      return slot.type satisfies never;
  }
}

/** Positions that the form of a value makes certain. */
function certainPositions(
  found: readonly { from: number; to: number; value: string | number }[],
  slot: Slot,
  annotated: AnnotatedRequest,
): Span[] {
  return found.map(({ from, to, value }) => ({
    from,
    to,
    value,
    evidence: Evidence.of({ typed: 1, ...boundaryFeatures(slot, annotated, { from, to }, "t") }),
  }));
}

const mistypedSpans = (slot: Slot, annotated: AnnotatedRequest): Span[] =>
  mistypedOptions(slot, annotated.request.units).map(({ at, to, value }) => {
    const features = { typed: 1, mistyped: 1, ...boundaryFeatures(slot, annotated, { from: at, to }, "t") };
    return { from: at, to, value, evidence: Evidence.of(features) };
  });

const ORDINALS: ReadonlyMap<string, number> = new Map(
  "first second third fourth fifth sixth seventh eighth ninth tenth"
    .split(" ")
    .map((word, index) => [word, index + 1]),
);

function typedSpans(slot: Slot, annotated: AnnotatedRequest): Span[] {
  const { request, words, families, concepts } = annotated;
  return request.units.flatMap((unit, index): Span[] => {
    // "In the third round" means the same as "in round 3".
    const place =
      slot.type === "number" && slot.labels.has(families[index + 1] ?? "")
        ? ORDINALS.get(unit.text)
        : undefined;
    if (place !== undefined)
      return [
        {
          from: index,
          to: index + 1,
          value: place,
          evidence: Evidence.of({ typed: 1, "t:before:label": 1, "t:after:own": 1 }),
        },
      ];
    const isSpelled = slot.type === "number" && isNumberWord(unit) && !isPronounOne(words, index);
    if ((unit.kind !== slot.type && !isSpelled) || unit.isHarmless) return [];
    if (isOtherMeasure(slot, annotated, index)) return [];
    const next = words[index + 1] ?? "";
    const isOwnMeasure = [...slot.after].some((word) => familyOf(word) === families[index + 1]);
    const features: Features = {
      typed: 1,
      ...boundaryFeatures(slot, annotated, { from: index, to: index + 1 }, "t"),
    };
    if (isSpelled) features["spelled"] = 1;
    if (slot.type === "number" && isOwnMeasure) features["own-measure"] = 1;
    if (slot.type === "number" && !isOwnMeasure && MEASURES.has(next)) features["other-measure"] = 1;
    if (!unit.isSure) features["unsure"] = 1;
    if (slot.type === "number" && isOfOtherThing(slot, annotated, index)) features["of-other-thing"] = 1;
    const isOthers = concepts.slots.some(
      (other) =>
        other !== slot &&
        other.type === slot.type &&
        [...other.after].some((word) => familyOf(word) === families[index + 1]),
    );
    if (isOthers && !isOwnMeasure) features["measure-of-other"] = 1;
    const number = (isSpelled ? numberOfWord(unit.text) : unit.value) ?? unit.text;
    const value = slot.isDigits ? digitsOf(unit, number) : number;
    return [{ from: index, to: index + 1, value, evidence: Evidence.of(features) }];
  });
}

function textSpans(slot: Slot, annotated: AnnotatedRequest, usual: number): Span[] {
  const { units, text } = annotated.request;
  const found: Span[] = [];
  const isCode = (index: number): boolean => isCodeAt(text, units[index], slot.values);
  const holdsCode = units.some((_, index) => isCode(index));
  const isOthersCode = (index: number): boolean =>
    !slot.isCode &&
    annotated.concepts.slots.some((other) => other.isCode && isCodeAt(text, units[index], other.values));
  const traits = traitsOf(slot, annotated);
  const follows: string[] = [];
  const ends: Ends = [];
  const follow = (to: number): string => (follows[to] ??= `x:after:${followOf(slot, annotated, to)}`);
  const holdsOwnQuotation =
    slot.isQuoted &&
    units.some((unit) => unit.kind === "quoted" && !(slot.frames.length > 0 && isQuotedPath(unit)));
  for (const [from, first] of units.entries()) {
    if (first.kind === "quoted") {
      if (slot.frames.length > 0 && isQuotedPath(first)) continue;
      const features = {
        [slot.isQuoted
          ? "quoted-as-own"
          : annotated.concepts.slots.some((other) => other !== slot && other.isQuoted)
            ? "quoted-as-other"
            : "quoted"]: 1,
        ...boundaryFeatures(slot, annotated, { from, to: from + 1 }, "q"),
      };
      found.push({ from, to: from + 1, value: first.text, evidence: Evidence.of(features) });
      continue;
    }
    // If the templates have quotation marks, a quotation is the value.
    if (holdsOwnQuotation) continue;
    // A code is recognized by its form, and is not another value.
    if ((slot.isCode && holdsCode && !isCode(from)) || isOthersCode(from)) continue;
    // "Past Bruno" and "1 hour" are not proper names.
    if (slot.isProper && (precedesName(annotated, from) || first.kind === "number")) continue;
    if (!mayBegin(annotated, from) || isWithinName(units, from) || isOrderAt(slot, annotated, from)) continue;
    if (isReferring(slot, annotated, from) || followsOwnStart(slot, annotated, from)) continue;
    const before = followsReceiver(annotated, slot.name, from)
      ? "x:before:own"
      : `x:before:${contextBefore(slot, annotated, from)}`;
    const isIntroduced = /colon|that/u.test(before);
    const beginsPart = /^x:before:(?:start|start-proper|comma|own-comma)$/u.test(before);
    const most = isIntroduced ? MAX_WORDS_INTRODUCED : Math.max(usual, 2 * traits.typical);
    let hasContent = false;
    const isLong = traits.typical >= 4 || isIntroduced;
    const wordAt = (index: number, isLast: boolean): string =>
      evidenceOfWord(
        slot,
        annotated,
        index,
        { isFirst: index === from, isLast, isLong, isIntroduced },
        traits,
      );
    // The evidence of the words before the last one.
    let begun: Evidence | undefined;
    for (let to = from + 1; to <= Math.min(units.length, from + most); to += 1) {
      if (to - from > 1) {
        begun = new Evidence(begun);
        begun.add(wordAt(to - 2, false));
      }
      const last = units[to - 1];
      if (last === undefined || last.kind === "quoted" || endsSentence(units, to - 1)) break;
      // "Rename out/old.txt to …": if no earlier value contained a path or an address, this one does not join one with other words.
      if (to - from > 1 && !isIntroduced && !traits.holdsTyped && (isTyped(first) || isTyped(last))) break;
      if (isExceptionAt(annotated, to - 1)) break;
      // "Kwame has got my …": the verb ends the name.
      if (slot.isProper && to - from > 1 && /^(?:has|is|was)$/u.test(annotated.words[to - 1] ?? "")) break;
      hasContent ||= isContent(annotated, to - 1);
      if (!hasContent || !mayEnd(annotated, from, to, ends) || isPhrase(annotated, from, to)) continue;
      if (isWithinName(units, to) || isMoreThanIdentifier(slot, annotated, { from, to })) continue;
      const value = valueBetween(annotated, from, to);
      if (value === "") continue;
      const evidence = new Evidence(begun);
      evidence.add(wordAt(to - 1, true));
      addWhole(evidence, slot, annotated, { from, to, isLong }, traits);
      const isParty = isPartyInTransfer(annotated, slot.name, { from, to });
      const after = isParty ? "x:after:own" : follow(to);
      evidence.add(isParty ? "x:before:own" : before);
      evidence.add(after);
      // "Lathe broken, chuck jammed, …": in haste, marks separate the values.
      if (beginsPart && /^x:after:(?:mark|own-mark|end)$/u.test(after)) evidence.add("fills-part");
      found.push({ from, to, value, evidence });
    }
  }
  return found;
}

const isTyped = ({ kind }: Unit): boolean => kind === "path" || kind === "url" || kind === "email";
const HOLDS_TYPED = /[/@]|\w\.\w{2,}/u;

function mayBegin({ request: { units }, words }: AnnotatedRequest, from: number): boolean {
  const unit = units[from];
  // "Lent me his drill": "his" refers to the person, not to the thing.
  if (/^(?:me|us|him|them|it)$/u.test(words[from] ?? "") && units[from - 1]?.text !== ":") return false;
  if (unit === undefined || unit.kind === "mark") return false;
  if (unit.kind !== "word") return /^(?:number|date|time)$/u.test(unit.kind);
  return !/^(?:a|an|and|or|then|that|which|who|of|please|thanks|is|are|was|were|be|been|whether|if|because|called|named|titled|saying)$/u.test(
    words[from] ?? "",
  );
}

/**
 * "…, book it", "declare the drill …": an order, not a value, unless the earlier values are orders, too ("call the
 * bank").
 */
const isOrderAt = (
  { values, isProper }: Slot,
  { request: { units }, words, plain, roles }: AnnotatedRequest,
  index: number,
): boolean => {
  // "I lent the drill": a clause, and no name.
  if (isProper && /^(?:i|we|he|she|they)$/u.test(words[index] ?? "")) return true;
  const isFirstWord = units.slice(0, index).every(({ kind, isHarmless }) => kind === "mark" || isHarmless);
  const mayOrder = values.some(
    (value) => kindsOfVerb(/^\p{L}+/u.exec(value)?.[0].toLowerCase() ?? "").size > 0,
  );
  // "Save link …": the verb that the request begins with is the order itself.
  if (isFirstWord && roles[index] === "same-kind" && values.length > 0 && !mayOrder) return true;
  if (!startsClause(units, index) || units[index - 1]?.text === ":" || plain[index] !== words[index])
    return false;
  const next = words[index + 1] ?? "";
  const isVerb = kindsOfVerb(plain[index] ?? "").size > 0;
  if (isVerb && /^(?:it|them|that|this)$/u.test(next)) return true;
  const isFollowedByThing = /^(?:the|an?|my|our|your)$/u.test(next);
  return (
    isFollowedByThing &&
    (isVerb || roles[index] === "unknown") &&
    values.length > 0 &&
    !values.some((value) => ORDER.test(value))
  );
};

const ORDER = /^\p{L}+ (?:the|an?|my|our|your|it|them|some|for|to|up|about)\b/iu;

const endsSentence = (units: readonly Unit[], index: number): boolean =>
  units[index]?.kind === "mark" && /^[.;?!]$/u.test(units[index].text) && units[index + 1] !== undefined;

function mayEnd(
  { request: { units }, words }: AnnotatedRequest,
  from: number,
  to: number,
  ends: Ends,
): boolean {
  const unit = units[to - 1];
  if (unit?.kind === "mark") return to - from > 1 && /^[)%€$!?]$/u.test(unit.text);
  if (unit?.kind !== "word") return true;
  const end = (ends[to] ??= endAt(words, to, units.length));
  // "We had the day off": nothing follows the particle.
  return end === "any" || (end === "particle" && to - from > 2);
}

/** Whether a text may end before each place, whatever it begins with; for a particle, only a longer one may. */
type Ends = ("any" | "none" | "particle" | undefined)[];

function endAt(words: readonly string[], to: number, length: number): "any" | "none" | "particle" {
  const word = words[to - 1] ?? "";
  // "…, so no repair task": the negation belongs to what follows.
  if (/^(?:so|but)$/u.test(word)) return "none";
  // "Kofi Mensah still has the book".
  if (/^(?:still|already|yet)$/u.test(word) && to < length) return "none";
  if (word === "no" && /^(?:so|but)$/u.test(words[to - 2] ?? "") && to < length) return "none";
  const isEnd =
    !/^(?:and|or|then|that|which|who|where|when|while|as|because|since|is|are|was|were|has|will|would|be|been|to|for|please|thanks)$/u.test(
      word,
    ) &&
    !DETERMINERS.has(word) &&
    !PREPOSITIONS.has(word) &&
    !DEADLINES.has(word);
  if (isEnd) return "any";
  return to === length && PARTICLE.test(word) ? "particle" : "none";
}

const PARTICLE = /^(?:off|out|in|on|up|down|over|through|around|about|along|by|past|across)$/u;

/** "Everything", "them", "give" and "the right one" alone name nothing. */
const isContent = (annotated: AnnotatedRequest, index: number): boolean => {
  const unit = annotated.request.units[index];
  const word = annotated.words[index] ?? "";
  if (unit === undefined || unit.kind === "mark") return false;
  if (unit.kind !== "word" || (unit.isProper && !DETERMINERS.has(word.toLowerCase()))) return true;
  return !(
    PRONOUNS.has(word) ||
    DETERMINERS.has(word) ||
    DESCRIBING.has(word) ||
    NEUTRAL.has(word) ||
    (LIGHT_VERBS.has(word) && !isCapital(annotated, index)) ||
    /^(?:another|everything|everyone|everybody|nothing|all|both|each|more|other|others|no|yes|not|ok|okay)$/u.test(
      word,
    )
  );
};

const typicalWords = ({ values }: Slot): number =>
  values.length === 0
    ? 2
    : values.reduce((sum, value) => sum + value.trim().split(/\s+/u).length, 0) / values.length;

const traitsOf = (slot: Slot, annotated: AnnotatedRequest): SlotTraits => {
  const { slots } = annotated.concepts;
  return {
    typical: typicalWords(slot),
    takesDate: slots.some(({ type }) => type === "date"),
    takesNumber: slots.some(({ type }) => type === "number"),
    otherSlotsBefore: new Set(slots.flatMap((other) => (other === slot ? [] : [...other.before]))),
    holdsCapitals: annotated.request.units.some((_, index) => index > 0 && isCapital(annotated, index)),
    holdsTyped: slot.values.some((value) => HOLDS_TYPED.test(value)),
    end: endOf(slot),
    endsInVerb: slot.values.some((value) => isFiniteVerb(lastWordOf(value), { isCapital: false })),
    inside: [],
  };
};

const lastWordOf = (value: string): string => value.toLowerCase().split(/\s+/u).at(-1) ?? "";

function endOf({ values }: Slot): string | undefined {
  const ends = new Set(
    values.map((value) => {
      const words = value.toLowerCase().split(/\s+/u);
      return words.length > 1 ? familyOf(words.at(-1) ?? "") : "";
    }),
  );
  const [end] = ends;
  return ends.size === 1 && end !== "" ? end : undefined;
}

/** The features before and after a value. */
function boundaryFeatures(
  slot: Slot,
  annotated: AnnotatedRequest,
  { from, to }: { from: number; to: number },
  kind: "t" | "q",
): Features {
  return {
    [`${kind}:before:${contextBefore(slot, annotated, from)}`]: 1,
    [`${kind}:after:${followOf(slot, annotated, to)}`]: 1,
  };
}

/** Titles, also with a small letter: "mister Tanaka". */
const TITLE =
  /^(?:mister|mr|mrs|ms|miss|madam|madame|mme|sir|dr|doctor|prof|professor|herr|frau|señor|señora|signor|signora|monsieur|aunt|uncle|grandma|grandpa)$/u;

/** The evidence of one word within a text; the same for many texts that may be the value. */
function evidenceOfWord(
  slot: Slot,
  annotated: AnnotatedRequest,
  index: number,
  position: Position,
  traits: SlotTraits,
): string {
  const { isFirst, isLast, isIntroduced } = position;
  const place = 8 * index + (isFirst ? 4 : 0) + (isLast ? 2 : 0) + (isIntroduced ? 1 : 0);
  return (traits.inside[place] ??= wordInside(slot, annotated, index, position, traits));
}

/** Adds the evidence of a text as a whole, compared with the function's examples. */
function addWhole(
  evidence: Evidence,
  slot: Slot,
  annotated: AnnotatedRequest,
  { from, to, isLong }: { from: number; to: number; isLong: boolean },
  traits: SlotTraits,
): void {
  const {
    request: { units, text },
    words,
    roles,
    families,
    concepts,
  } = annotated;
  const { typical, holdsCapitals, end } = traits;
  const add = (name: string, amount?: number): void => evidence.add(name, amount);
  add(isLong ? "long:words" : "words", Math.log((to - from) / typical) ** 2);
  if (to - from > typical) add(isLong ? "long:more-words" : "more-words", to - from - typical);
  const isAfterFirst = (DETERMINERS.has(words[from] ?? "") || TITLE.test(words[from] ?? "")) && to - from > 1;
  const first = isAfterFirst ? from + 1 : from;
  const isStart = first === 0;
  if (slot.isProper && isCapital(annotated, first) && !isStart) add("proper");
  if (slot.isProper && !isCapital(annotated, first) && holdsCapitals) add("not-proper");
  if (slot.isProper && isCapital(annotated, first) && !isCapital(annotated, to - 1)) add("proper-and-more");
  if (slot.isProper && isCapital(annotated, to) && isCapital(annotated, to - 1)) add("proper-cut");
  if (!slot.isProper && !slot.isCapital && isCapital(annotated, first) && !isStart) add("other-proper");
  const isCode = to - from === 1 && isCodeAt(text, units[from], slot.values);
  if (slot.isCode) add(isCode ? "code" : "no-code");
  else if (isCode) add("other-code");
  if (slot.hasNumberFirst) add(units[from]?.kind === "number" ? "number-first" : "no-number-first");
  else if (units[from]?.kind === "number" && to - from > 1 && !slot.hasDigit) add("other-number-first");
  if (end !== undefined && families[to] === end) add("end-cut");
  if (roles[to] === "label" && isFreeLabel(slot, annotated, to)) add("label-cut");
  if (slot.isQuoted) add("not-quoted");
  const family = families[to - 1] ?? "";
  if (to - from > 1 && concepts.nouns.has(family) && family !== end) add("ends-with-thing");
}
