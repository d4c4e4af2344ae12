import { alignRequest } from "./align-request.ts";
import type { FunctionConcepts } from "./function-concepts.ts";
import { meaningFeatures } from "./meaning-features.ts";
import { placements, scoreOf } from "./placements.ts";
import { MEANING_WEIGHTS, VALUE_WEIGHTS } from "./reading-weights.ts";
import type { ReadableRequest } from "./request-units.ts";
import { roledRequest, type RoledRequest } from "./word-roles.ts";

/** The likeliest reading of a request as a call of one function. */
export interface LikelyReading {
  values: Record<string, unknown>;
  /** The logarithm of the odds that the function is meant with these values. */
  logOdds: number;
  /** Nothing outside the values is unknown or speaks against it. */
  isExplained: boolean;
  /** How many words of the request are no value and are explained. */
  explained: number;
}

/**
 * Reads a request as a call of one function whatever its words are: the likeliest values, and how likely it is that they are meant.
 * The source is a log-linear model: of what stands around and within each value, and of what the other words say.
 * Undefined when a value has no place, or when no word names the function.
 */
export function readLikely(request: ReadableRequest, concepts: FunctionConcepts): LikelyReading | undefined {
  const roled = roledRequest(alignRequest(request, concepts));
  if (!namesAnything(roled)) return undefined;
  const all = placements(roled, VALUE_WEIGHTS);
  const [best] = all;
  if (best === undefined) return undefined;
  const features = meaningFeatures(roled, all);
  if (FORBIDDING.some((name) => (features[name] ?? 0) > 0)) return undefined;
  const isValue = (at: number): boolean =>
    best.placed.some(({ span: { from, to } }) => from <= at && at < to);
  return {
    values: Object.fromEntries(best.placed.map(({ slot, span }) => [slot.name, span.value])),
    logOdds: scoreOf({ bias: 1, ...features }, MEANING_WEIGHTS),
    isExplained: (features["explained"] ?? 0) > 0,
    explained: roled.roles.filter((role, at) => !isValue(at) && !UNEXPLAINED.has(role)).length,
  };
}

/** What never goes with the function, however much else does: the opposite, another thing in its place, two of what it takes one of. */
const FORBIDDING = ["taken-out", "value:other-thing", "value:two-names"];

const UNEXPLAINED: ReadonlySet<string> = new Set([
  "none",
  "unknown",
  "blocking",
  "other-verb",
  "other-light",
]);

/**
 * Without a word for what the function is about, it is not looked at closer. A function whose templates name no thing is told
 * by its own verb, or by the form of a value.
 */
function namesAnything({ request: { units }, roles, plain, concepts }: RoledRequest): boolean {
  if (concepts.nouns.size > 0)
    return roles.some((role) => role === "thing" || role === "deed" || role === "near" || role === "label");
  return units.some(
    ({ kind }, at) =>
      roles[at] === "deed" ||
      roles[at] === "near" ||
      concepts.verbs.has(plain[at] ?? "") ||
      !/^(?:word|mark|number)$/u.test(kind),
  );
}
