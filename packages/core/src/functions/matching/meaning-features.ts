import { joinedNouns } from "./align-request.ts";
import { blockingKind } from "./blocking-kinds.ts";
import { startsClause } from "./clauses.ts";
import { isContainer, isOtherNumber, isReplaced } from "./explain-words.ts";
import {
  DETERMINERS,
  familyOf,
  GENERIC_THINGS,
  plainForm,
  PREPOSITIONS,
  PRONOUNS,
  type VerbKind,
} from "./families.ts";
import { FUNCTION_WORDS } from "../../language/tokens/words.ts";
import { stemOf } from "../../text/words.ts";
import type { Unit } from "./request-units.ts";
import { certaintyOf, type Placement } from "./placements.ts";
import { isCapital } from "./value-borders.ts";
import { isPast } from "./value-context.ts";
import type { Features } from "./evidence.ts";
import { valueFeatures } from "./value-features.ts";
import { findReasons } from "./reasons.ts";
import { findExclusions } from "./ruled-out.ts";
import { isRemovalRequest } from "./taken-away.ts";
import { describesAddress, isHeaded, isReportToNote, questionIn } from "./ways-of-asking.ts";
import { addCoverage, type FeatureCounts } from "./template-coverage.ts";
import type { AnnotatedRequest, WordRole } from "./word-roles.ts";

/**
 * Evidence that always excludes the function: the opposite, a condition, another noun or person
 * in place of its own, two of what it takes one of, a day or an address without a parameter, and what recurs, is over or
 * is only a part.
 */
const FORBIDDING = [
  "blocking:condition",
  "aside:blocking:condition",
  "left:date",
  "left:time",
  "left:option",
  "left:typed",
  "unknown:other-name",
  "value:all",
  "value:choice",
  "value:other-thing",
  "value:other-way",
  "value:own-thing",
  "value:report",
  "value:two-names",
];

const isRuledOut = (features: Features): boolean => FORBIDDING.some((name) => (features[name] ?? 0) > 0);

/**
 * The evidence in the words of a request outside the values of its likeliest match; undefined if it rules the function out.
 */
export function meaningFeatures(
  annotated: AnnotatedRequest,
  all: readonly Placement[],
): Features | undefined {
  const [best] = all;
  // "Claudia" and "Weiss" of "Claudia Weiss" are one value.
  if (best === undefined || (best.features["split-name"] ?? 0) > 0) return undefined;
  const features: Features = {};
  const counts: FeatureCounts = {
    features,
    add: (name, value = 1) => {
      features[name] = (features[name] ?? 0) + value;
    },
    things: new Set(),
    verbs: new Set(),
    knownWords: new Set(),
    roles: new Set(),
    inValue: (at) => best.placed.some(({ span: { from, to } }) => from <= at && at < to),
  };
  const {
    request: { units },
  } = annotated;
  const inPhrase = phrasesIn(annotated, counts);
  const reasons = findReasons(annotated, counts.inValue);
  for (const [index, { kind, isHarmless }] of units.entries()) {
    if (counts.inValue(index) || inPhrase.has(index) || reasons.without.has(index)) continue;
    if (reasons.withValue.has(index) && IN_PASSING.has(annotated.roles[index] ?? "none")) continue;
    if (kind !== "word") {
      if (kind !== "mark" && !isHarmless) unplacedValue(annotated, counts, index, best);
    } else wordFeatures(annotated, counts, index);
  }
  if (isRuledOut(features) || isRemovalRequest(annotated, counts.inValue)) return undefined;
  const exclusions = findExclusions(annotated, counts.inValue, best.placed);
  if (exclusions.some((reason) => reason !== "further-order")) return undefined;
  addCoverage(annotated, counts, best.placed);
  addSmallWords(annotated, counts);
  if (questionIn(annotated) === "question:read") counts.add("question:read");
  for (const reason of exclusions) counts.add(reason);
  valueFeatures(annotated, counts, best);
  if (isRuledOut(features)) return undefined;
  if (isHeaded(annotated, counts)) counts.add("headed");
  if (isReportToNote(annotated, counts)) counts.add("report-to-note");
  if (counts.knownWords.size > 0) {
    counts.add("described", Math.min(2, counts.knownWords.size));
    if (counts.things.size === 0) counts.add("only-described");
  }
  if ((best.features["unseparated"] ?? 0) > 0) counts.add("value:unseparated");
  counts.add("certainty", Math.log(certaintyOf(all)));
  counts.add("value-score", best.score / Math.max(1, best.placed.length));
  if (best.placed.length === 1) counts.add("one-value");
  if (best.placed.length === 0) counts.add("no-values");
  if (best.placed.some(({ span }) => span.evidence.features["spelled"] === 1)) counts.add("spelled");
  if (best.placed.some(({ slot }) => slot.type !== "text" && slot.type !== "name")) counts.add("typed-value");
  return features;
}

/**
 * Adds each word of grammar or courtesy and each mark that is in no value and no template: "says:please", "says:from". They tell an
 * order from a remark, and a further circumstance from none, whatever the request is about.
 */
function addSmallWords(
  { request: { units }, concepts: { literals } }: AnnotatedRequest,
  { features, inValue }: FeatureCounts,
): void {
  for (const [index, { kind, text }] of units.entries()) {
    const word = text.toLowerCase();
    if (inValue(index) || literals.has(word) || (kind === "word" ? !SMALL_WORDS.has(word) : kind !== "mark"))
      continue;
    features[`says:${word}`] = SMALL;
  }
}

const SMALL_WORDS: ReadonlySet<string> = new Set([
  ...FUNCTION_WORDS,
  ..."pls plz kindly thanks thank thx ta cheers hey hi ok okay got gets gave give let need want new old still yet already once".split(
    " ",
  ),
]);
/** Half of other evidence, because there are many of them, and each says little. */
const SMALL = 0.5;

/** Words that only give the reason in a statement whose value the order uses: "we're nearly out of filters, list them". */
const IN_PASSING: ReadonlySet<WordRole> = new Set<WordRole>([
  "blocking",
  "unknown",
  "other-light",
  "other-verb",
]);

/** Words with a joint meaning: of the function's own kind, or of another. */
function phrasesIn(
  { request: { units, phrases }, concepts, roles, plain }: AnnotatedRequest,
  { add, inValue, roles: seenRoles }: FeatureCounts,
): Set<number> {
  const inPhrase = new Set<number>();
  for (const { kind, from, to } of phrases) {
    if (inValue(from) || inValue(to - 1)) continue;
    if (concepts.kinds.has(kind)) seenRoles.add("same-kind");
    else if (units[from]?.isHarmless === true || concepts.alsoKinds.has(kind)) continue;
    // "Note it down", for a function that notes.
    else if (isWeak(kind) && concepts.verbs.has(plain[from] ?? "")) continue;
    else add(isWeak(kind) ? "phrase:weak" : "phrase:other");
    // "Get rid of": with two words, others may stand between them.
    const fixed = to - from === 3 ? [from, from + 1, to - 1] : [from, to - 1];
    for (const at of fixed) if (roles[at] !== "thing" && roles[at] !== "verb") inPhrase.add(at);
  }
  return inPhrase;
}

const isWeak = (kind: VerbKind): boolean => kind === "record" || kind === "show";

/** A typed value without a slot in the function. */
function unplacedValue(
  { request: { units }, concepts }: AnnotatedRequest,
  { add, things }: FeatureCounts,
  index: number,
  best: Placement,
): void {
  const unit = units[index];
  if (unit === undefined) return;
  const isRepeated = best.placed.some(({ span }) => String(span.value) === String(unit.value ?? unit.text));
  const filled = best.placed.map(({ slot, span }) => ({ slot, candidate: span }));
  const today = unit.kind === "date" ? /^today|^tonight/u.exec(unit.text)?.[0] : undefined;
  if (today !== undefined && concepts.nouns.has(familyOf(today))) {
    things.add(familyOf(today));
    return;
  }
  if (isRepeated || concepts.literals.has(unit.text.toLowerCase()) || isReplaced(units, index, filled))
    return;
  if (unit.kind === "date") add(PART_OF_TODAY.test(unit.text) ? "left:today" : "left:date");
  else if (unit.kind === "time") add("left:time");
  else add(unit.kind === "number" ? "left:number" : "left:typed");
}

/** "This morning", "tonight", and not "friday evening". */
const PART_OF_TODAY = /^(?:(?:this|in the|earlier|later) )*(?:morning|evening|afternoon|tonight|today)/u;

function wordFeatures(annotated: AnnotatedRequest, counts: FeatureCounts, index: number): void {
  const {
    request: { units },
    words,
    families,
    roles,
    plain,
    concepts,
  } = annotated;
  const { add, features, things, verbs, knownWords } = counts;
  const [word, role] = [words[index] ?? "", roles[index] ?? "none"];
  const isStart = startsClause(units, index);
  const isAside = isUnrelatedAt(annotated, counts, index);
  counts.roles.add(role);
  switch (role) {
    case "thing":
      for (const family of [families[index] ?? "", ...joinedNouns(word, concepts)]) things.add(family);
      if (isSeveral(annotated, counts, index)) add("several");
      break;
    case "near":
      things.add("");
      add("near");
      break;
    case "label":
      break;
    case "known":
      if (!GENERIC_THINGS.has(families[index] ?? "")) knownWords.add(families[index] ?? "");
      break;
    case "verb":
      verbs.add(plain[index] ?? "");
      things.add(families[index] ?? "");
      for (const verb of concepts.verbs)
        if (stemOf(verb) === stemOf(plain[index] ?? "")) things.add(familyOf(verb));
      if (isStart && plain[index] === word && !concepts.literals.has(word)) add("ordered");
      break;
    case "same-kind":
    case "light":
      verbs.add(plain[index] ?? "");
      // "Gave": the templates may contain only a light verb.
      for (const verb of concepts.verbs)
        if (plainForm(verb) === plain[index]) {
          verbs.add(verb);
          things.add(familyOf(verb));
        }
      break;
    case "other-light":
      add(isStart ? "other-light" : "other-light-inside");
      break;
    case "other-verb":
      if (isAside) add("aside:verb");
      else add(isStart && plain[index] === word ? "other-order" : "other-verb");
      break;
    case "blocking": {
      const kind = blockingKind(word);
      add(
        `${isAside ? "aside:" : ""}blocking:${kind}${kind === "past" && concepts.isRecord ? ":record" : ""}`,
      );
      break;
    }
    case "unknown":
      // "…, put it in the list": where a function that notes something puts it.
      if (concepts.isRecord && NOTED_IN.test(word) && isContainer(units, index)) break;
      // However many words a remark has, it is one.
      if (isAside) features["aside:unknown"] = 1;
      else unknownFeature(annotated, counts, index);
      break;
    case "plain":
      if (/^(?:must|should|will|would|may|might|could|shall)$/u.test(word) && !units[index]?.isHarmless)
        add(concepts.isRecord ? "modal:record" : "modal");
      break;
    default:
  }
}

const NOTED_IN = /^(?:list|log|book|notes?|file|sheet|table|records?|journal|register)$/u;

/** "Invoices" where the function is about one, unless the one is named besides: "keys: laundry key to Pavel". */
const isSeveral = (
  { request: { units }, words, families, concepts }: AnnotatedRequest,
  { inValue }: FeatureCounts,
  index: number,
): boolean =>
  isOtherNumber(words[index] ?? "", concepts) &&
  !isContainer(units, index) &&
  !isNamedContainer({ units, inValue }, index) &&
  words[index - 1] !== "of" &&
  !families.some(
    (family, position) =>
      position !== index && family === families[index] && concepts.literals.has(words[position] ?? ""),
  );

/** "Into rust links": the place where items are stored, with a value before it. */
function isNamedContainer(
  { units, inValue }: { units: readonly Unit[]; inValue: (index: number) => boolean },
  position: number,
): boolean {
  let first = position;
  while (inValue(first - 1)) first -= 1;
  return first < position && isContainer(units, first);
}

/** True in a clause without a word or value of the function: a reason, or another thought. */
function isUnrelatedAt(
  { clauses, roles }: AnnotatedRequest,
  { inValue }: FeatureCounts,
  index: number,
): boolean {
  return clauses.every(
    (clause, position) =>
      clause !== clauses[index] ||
      (!inValue(position) &&
        !["thing", "verb", "near", "label", "same-kind", "light"].includes(roles[position] ?? "")),
  );
}

/** "Has received", "to lay it", "I managed": a verb that no list contains does not name another task. */
function isVerbAt({ words, request: { units } }: AnnotatedRequest, index: number): boolean {
  const [before, word, next] = [words[index - 1] ?? "", words[index] ?? "", words[index + 1] ?? ""];
  if (before === "to") return DETERMINERS.has(next) || PRONOUNS.has(next);
  const hasSubject =
    /^(?:has|have|had|been|i|we|he|she|they|it)$/u.test(before) ||
    /['’]s$/u.test(units[index - 1]?.text ?? "");
  return hasSubject && isPast(word);
}

function unknownFeature(annotated: AnnotatedRequest, counts: FeatureCounts, index: number): void {
  if (describesAddress(annotated, counts.inValue, index)) return;
  const { add, inValue } = counts;
  const {
    words,
    roles,
    request: { units },
  } = annotated;
  const isVerb = (index: number): boolean => ["verb", "same-kind", "light"].includes(roles[index] ?? "");
  const isThing = (index: number): boolean => roles[index] === "thing" && !inValue(index);
  const previous = DETERMINERS.has(words[index - 1] ?? "") ? index - 2 : index - 1;
  // "Maud's bike and Ruben's", "Birger's boat": somebody else's, or a second one.
  const isOwner = /['’]s$/u.test(units[index]?.text ?? "");
  const isJoined = [index - 1, index + 1].some((near) => /^(?:and|or|&|plus)$/u.test(words[near] ?? ""));
  if (isCapital(annotated, index) && (index > 0 || isOwner))
    add(isOwner || isJoined ? "unknown:other-name" : "unknown:name");
  if (/(?:ing|ed|ly)$/u.test(words[index] ?? "")) add("unknown:form");
  if (isVerbAt(annotated, index)) add("unknown:verb");
  else if (words[index - 1] === "to" && startsClause(units, index)) add("unknown:first");
  else if (startsClause(units, index) && DETERMINERS.has(words[index + 1] ?? "") && isThing(index + 2))
    add("unknown:order");
  else if (isThing(index + 1)) add("unknown:before-thing");
  else if (isThing(index - 1) && units[index + 1]?.kind !== "word") add("unknown:after-thing");
  else if (isVerb(previous)) add("unknown:object");
  else if (PREPOSITIONS.has(words[previous] ?? "") || /^(?:to|for|on)$/u.test(words[previous] ?? ""))
    add("unknown:place");
  else if (words[previous] === "and") add("unknown:and");
  else if (startsClause(units, index)) add("unknown:first");
  else add("unknown");
}
