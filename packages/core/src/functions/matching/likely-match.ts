import { blockingKind } from "./blocking-kinds.ts";
import { startsClause } from "./clauses.ts";
import { GENERIC_THINGS } from "./families.ts";
import { meaningFeatures } from "./meaning-features.ts";
import { type PlacedValue, type Placement, placements, type PlacementOptions } from "./placements.ts";
import type { Features, Weights } from "./evidence.ts";
import { findReasons } from "./reasons.ts";
import { deniesAct } from "./ruled-out.ts";
import { questionIn } from "./ways-of-asking.ts";
import type { AnnotatedRequest, WordRole } from "./word-roles.ts";

/** The likeliest match of a request with one function. */
export interface LikelyMatch {
  values: Record<string, unknown>;
  /** The evidence in its words for the function with these values. */
  features: Features;
  /** True if nothing outside the values is unknown or contradicts it. */
  isExplained: boolean;
  /**
   * True if no value follows a word that introduces something else: "the meeting about Bob" for the meeting with
   * somebody.
   */
  isWellLed: boolean;
  /** The number of explained words of the request outside the values. */
  explained: number;
}

/**
 * Matches a request in any words with one function: the likeliest values, and the evidence for them. A log-linear
 * model weighs the words around and within each value, and the other words. Undefined if a value has no position, or if
 * neither a word nor the words around the values name the function.
 */
export function findLikelyMatch(
  annotated: AnnotatedRequest,
  weights: Weights,
  options?: PlacementOptions,
): LikelyMatch | undefined {
  const isNamed = namesSubject(annotated);
  if ((!isNamed && annotated.concepts.slots.length < 2) || questionIn(annotated) === "question")
    return undefined;
  const all = placements(annotated, weights, { ...options, onlyLikely: true });
  const [best] = all;
  if (best === undefined || !(isNamed || isFramed(best))) return undefined;
  const features = meaningFeatures(annotated, all);
  if (features === undefined) return undefined;
  const isValue = (index: number): boolean =>
    best.placed.some(({ span: { from, to } }) => from <= index && index < to);
  if (isDenied(annotated, isValue, features)) return undefined;
  return {
    values: Object.fromEntries(best.placed.map(({ slot, span }) => [slot.name, span.value])),
    features,
    isExplained: (features["explained"] ?? 0) > 0,
    isWellLed: best.placed.every((one) => !belongsElsewhere(one, best.placed)),
    explained: annotated.roles.filter((role, index) => !isValue(index) && !UNEXPLAINED.has(role)).length,
  };
}

const NEGATIONS = ["blocking:negation", "aside:blocking:negation"];
const AUXILIARY = /^(?:is|are|was|were|has|have|had|does|do|did|can|could|will|would)$/u;
const ORDERING: ReadonlySet<WordRole> = new Set<WordRole>(["verb", "same-kind", "light"]);

/**
 * True if a negation outside the values denies what the function does. "That is not a good name, make it x", "the quote is not needed,
 * throw it away": if another clause is an order of the function, a negation of something else says why it is given.
 */
function isDenied(
  annotated: AnnotatedRequest,
  inValue: (index: number) => boolean,
  features: Features,
): boolean {
  if (!NEGATIONS.some((name) => (features[name] ?? 0) > 0)) return false;
  const { request, roles, clauses, concepts, words } = annotated;
  const isOrder = (index: number): boolean =>
    ORDERING.has(roles[index] ?? "none") && !inValue(index) && startsClause(request.units, index);
  const hasOrderElsewhere = (at: number): boolean =>
    roles.some((_, index) => clauses[index] !== clauses[at] && isOrder(index));
  const isStated = (at: number): boolean => AUXILIARY.test(words[at - 1] ?? "") && hasOrderElsewhere(at);
  // Few requests have a negation, and reasons take longer to find than all the rest.
  let reasons: ReturnType<typeof findReasons> | undefined;
  const isReason = (at: number): boolean => {
    reasons ??= findReasons(annotated, inValue);
    return reasons.without.has(at) || reasons.withValue.has(at);
  };
  const isAlone = (at: number): boolean =>
    roles[at] === "blocking" &&
    !inValue(at) &&
    blockingKind(words[at] ?? "") === "negation" &&
    !isStated(at) &&
    !isReason(at);
  return (
    roles.some((_, at) => isAlone(at)) ||
    deniesAct(annotated, inValue, (at) => concepts.literals.has(words[at] ?? ""))
  );
}

/** "The heat gun out to Nico till monday": the words around the values are those of the templates, although no noun is said. */
const isFramed = ({ placed }: Placement): boolean =>
  placed.some(({ span }) => span.evidence.features["typed"] === 1) &&
  placed.filter(({ span }) => Object.keys(span.evidence.features).some((name) => OWN_BEFORE.test(name)))
    .length >=
    placed.length - 1;

const OWN_BEFORE = /^[qtx]:before:own/u;
/** A day, a number or an address is known by its form, unless the function takes two of the form. */
const belongsElsewhere = ({ slot, span }: PlacedValue, placed: readonly PlacedValue[]): boolean => {
  const isOnlyOne = placed.every((other) => other.slot === slot || other.slot.type !== slot.type);
  return Object.keys(span.evidence.features).some((name) =>
    (isOnlyOne ? OF_OTHER_TEXT : OF_OTHER).test(name),
  );
};
const OF_OTHER = /^[qtx]:before:(?:preposition|other-own|other-way|pronoun)$/u;
const OF_OTHER_TEXT = /^[qx]:before:(?:preposition|other-own|other-way|pronoun)$|^t:before:other-way$/u;

const UNEXPLAINED: ReadonlySet<string> = new Set([
  "none",
  "unknown",
  "blocking",
  "other-verb",
  "other-light",
]);

const NAMING: ReadonlySet<string> = new Set(["thing", "verb", "near", "label"]);

/**
 * A function without a word for its subject in the request is skipped. A function whose templates contain no noun is
 * recognized by its own verb, or by the form of a value.
 */
function namesSubject({ request: { units }, roles, families, plain, concepts }: AnnotatedRequest): boolean {
  const isDescribed = (index: number): boolean =>
    roles[index] === "known" && !GENERIC_THINGS.has(families[index] ?? "");
  if (concepts.nouns.size > 0) return roles.some((role, index) => NAMING.has(role) || isDescribed(index));
  return units.some(
    ({ kind }, index) =>
      /^(?:verb|near|label)$/u.test(roles[index] ?? "") ||
      concepts.verbs.has(plain[index] ?? "") ||
      !/^(?:word|mark|number)$/u.test(kind),
  );
}
