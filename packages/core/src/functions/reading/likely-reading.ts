import { GENERIC_THINGS } from "./families.ts";
import { meaningFeatures } from "./meaning-features.ts";
import { placements, type PlacementOptions, type Weights } from "./placements.ts";
import type { Features } from "./value-spans.ts";
import type { RoledRequest } from "./word-roles.ts";

/** The likeliest reading of a request as a call of one function. */
export interface LikelyReading {
  values: Record<string, unknown>;
  /** What its words say about whether the function is meant with these values. */
  features: Features;
  /** Nothing outside the values is unknown or speaks against it. */
  isExplained: boolean;
  /** No value stands after a word that leads to something else: "the meeting about Bob" for the meeting with somebody. */
  isWellLed: boolean;
  /** How many words of the request are no value and are explained. */
  explained: number;
}

/**
 * Reads a request as a call of one function whatever its words are: the likeliest values, and how likely it is that they are meant.
 * The source is a log-linear model: of what stands around and within each value, and of what the other words say.
 * Undefined when a value has no place, or when no word names the function.
 */
export function readLikely(
  roled: RoledRequest,
  weights: Weights,
  options?: PlacementOptions,
): LikelyReading | undefined {
  if (!namesAnything(roled)) return undefined;
  const all = placements(roled, weights, options);
  const [best] = all;
  if (best === undefined) return undefined;
  const features = meaningFeatures(roled, all);
  if (FORBIDDING.some((name) => (features[name] ?? 0) > 0)) return undefined;
  const isValue = (at: number): boolean =>
    best.placed.some(({ span: { from, to } }) => from <= at && at < to);
  return {
    values: Object.fromEntries(best.placed.map(({ slot, span }) => [slot.name, span.value])),
    features,
    isExplained: (features["explained"] ?? 0) > 0,
    isWellLed: best.placed.every(({ span }) =>
      Object.keys(span.features).every((name) => !BELONGS_ELSEWHERE.test(name)),
    ),
    explained: roled.roles.filter((role, at) => !isValue(at) && !UNEXPLAINED.has(role)).length,
  };
}

/**
 * What never goes with the function, however much else does: the opposite, a negation, what must be so first, another thing in its
 * place, two of what it takes one of.
 */
const FORBIDDING = [
  "taken-out",
  "blocking:condition",
  "blocking:negation",
  "value:other-thing",
  "value:other-way",
  "value:two-names",
];

const BELONGS_ELSEWHERE = /^[qtx]:before:(?:preposition|other-own|other-way|pronoun)$/u;

const UNEXPLAINED: ReadonlySet<string> = new Set([
  "none",
  "unknown",
  "blocking",
  "other-verb",
  "other-light",
]);

const NAMING: ReadonlySet<string> = new Set(["thing", "deed", "near", "label"]);

/**
 * Without a word for what the function is about, it is not looked at closer. A function whose templates name no thing is told
 * by its own verb, or by the form of a value.
 */
function namesAnything({ request: { units }, roles, families, plain, concepts }: RoledRequest): boolean {
  const isDescribed = (at: number): boolean =>
    roles[at] === "known" && !GENERIC_THINGS.has(families[at] ?? "");
  if (concepts.nouns.size > 0) return roles.some((role, at) => NAMING.has(role) || isDescribed(at));
  return units.some(
    ({ kind }, at) =>
      roles[at] === "deed" ||
      roles[at] === "near" ||
      concepts.verbs.has(plain[at] ?? "") ||
      !/^(?:word|mark|number)$/u.test(kind),
  );
}
