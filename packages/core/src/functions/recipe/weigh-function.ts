import { withDefaults } from "./instantiate.ts";
import type { RecipeFunction, RecipeMatch } from "./match-types.ts";
import { alignRequest } from "../matching/align-request.ts";
import { conceptsOf, isReadable } from "../matching/function-concepts.ts";
import { findLikelyMatch } from "../matching/likely-match.ts";
import { scoreOf } from "../matching/placements.ts";
import type { MatchWeights } from "../matching/match-weights.ts";
import type { ReadableRequest } from "../matching/request-units.ts";
import { assignRoles } from "../matching/word-roles.ts";
import type { Features } from "../matching/evidence.ts";

/** A match by rules, and what it explains of the request. */
export interface ExplainedMatch {
  values: Record<string, unknown>;
  /** No word is left unexplained. */
  isExplained: boolean;
  explainsAsMuch: boolean;
  reason: string;
}

/** A match with its probability. */
export interface WeighedMatch<Candidate extends RecipeFunction> extends RecipeMatch<Candidate> {
  logOdds: number;
  /** The values are those of the match by rules. */
  agreesWithRules: boolean;
  /** Every word is explained, and no other values are as likely. */
  isUnambiguous: boolean;
  plan: WeighOptions["plan"];
  /** Its words say what is to be done: "water the tomatoes" does not ask for the log of watering. */
  namesAction: boolean;
}

const logit = (probability: number): number => Math.log(probability / (1 - probability));

/** How likely a function must be, in log-odds, for what is done with it. Measured by `npm run bench -- reuse --part=refine`. */
export const LOG_ODDS = {
  /** Of labelled requests whose set had no part in the weights, about 3 of 100 look-alikes then get a wrong first offer. */
  offer: logit(0.5),
  /** To be replayed where the rules doubt only the positions of its values. No look-alike of the labelled sets is so likely. */
  replay: logit(0.92),
  /** To be replayed where the rules find no match. */
  replayUnread: logit(0.97),
  askModel: logit(0.1),
  /** The same for a request that the skills understand. */
  askModelIfUnderstood: logit(0.3),
};
/** How much likelier than any other function, in log-odds, one must be to be replayed. */
export const MARGIN_OF_REPLAY = 2;
/** The minimum share of the likeliest values among all placements, as a logarithm, and the minimum score of a value. */
const UNAMBIGUOUS = { certainty: -0.2, valueScore: 3 };
/** A heading, and a report with an order to note it, need no verb of the function. */
const NAMES_ACTION = ["headed", "report-to-note"];
const WITHOUT_VERB = ["verb:none", "verb:other"];
/** Features of words and values with which a match is never replayed, however likely it is. */
const NEVER_REPLAYED =
  /^(?:value:|left|question|blocking|unknown|other-|further-order|several|phrase|aside)/u;

/** The facts about a request besides its words that weigh in the choice of a function. */
export interface WeighOptions {
  units: ReadableRequest;
  today: string;
  /** How many words the request has. */
  words: number;
  /** Whether this many words, or values without any other words, explain more than the skills do. */
  explainsMore: (explained: number) => boolean;
  /** Whether the skills only repeat these values, as parts of a text. */
  isRepeated: (values: Readonly<Record<string, unknown>>) => boolean;
  /** False for values that cut a name short or belong to an idiom. */
  isPossible: (values: Readonly<Record<string, unknown>>) => boolean;
  /** The skills' interpretation of the request: none, the calls of the function, some of them, or others. */
  plan: "none" | "same" | "part" | "other";
}

/** Weighs a function by its likeliest match; undefined if a value is missing. */
export function weighFunction<Candidate extends RecipeFunction>(
  candidate: Candidate,
  explained: ExplainedMatch | undefined,
  weights: MatchWeights,
  options: WeighOptions,
): WeighedMatch<Candidate> | undefined {
  const { units, today, words, explainsMore, isRepeated, isPossible } = options;
  if (!isReadable(candidate)) return undefined;
  const likely = findLikelyMatch(assignRoles(alignRequest(units, conceptsOf(candidate))), weights.values);
  if (likely === undefined) return undefined;
  const agreesWithRules = explained !== undefined && sameValues(likely.values, explained.values);
  const complete = withDefaults(candidate.parameters, likely.values, today);
  if (!complete.ok || !isPossible(agreesWithRules ? explained.values : complete.values)) return undefined;
  const features = { bias: 1, ...likely.features, ...contextFeatures(likely.values, explained, options) };
  const logOdds = scoreOf(features, weights.meaning);
  const has = (name: string): boolean => (likely.features[name] ?? 0) > 0;
  return {
    function: candidate,
    values: agreesWithRules ? explained.values : complete.values,
    score: Math.min(1, likely.explained / words),
    explainsAsMuch:
      (agreesWithRules && explained.explainsAsMuch) ||
      ((likely.isExplained || isRepeated(likely.values)) && explainsMore(likely.explained)),
    reason: agreesWithRules ? explained.reason : "Its words and values make it likely.",
    logOdds,
    plan: options.plan,
    agreesWithRules,
    isUnambiguous: likely.isWellLed && isUnambiguous(likely.features),
    namesAction: NAMES_ACTION.some((name) => has(name)) || !WITHOUT_VERB.some((name) => has(name)),
  };
}

function isUnambiguous(features: Features): boolean {
  const valueOf = (name: string): number => features[name] ?? 0;
  return (
    valueOf("whole") > 0 &&
    valueOf("certainty") >= UNAMBIGUOUS.certainty &&
    valueOf("value-score") >= UNAMBIGUOUS.valueScore &&
    !Object.entries(features).some(([name, value]) => value > 0 && NEVER_REPLAYED.test(name))
  );
}

/** Whether the match by rules and the plan of the skills agree with the likeliest match. */
export function contextFeatures(
  values: Readonly<Record<string, unknown>>,
  explained: Pick<ExplainedMatch, "values" | "isExplained"> | undefined,
  { plan, isRepeated }: Pick<WeighOptions, "plan" | "isRepeated">,
): Features {
  const made = plan !== "none" && plan !== "same" && isRepeated(values) ? "text" : plan;
  const isSame = explained !== undefined && sameValues(values, explained.values);
  return {
    ...(isSame && { [explained.isExplained ? "agreed:whole" : "agreed"]: 1 }),
    ...(explained !== undefined && !isSame && { "read-otherwise": 1 }),
    ...(made !== "none" && { [`plan:${made}`]: 1 }),
  };
}

/** The same values, articles aside. */
const sameValues = (
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): boolean => Object.keys(one).every((name) => withoutArticle(one[name]) === withoutArticle(other[name]));

const withoutArticle = (value: unknown): string =>
  String(value)
    .toLowerCase()
    .replace(/^(?:the|an?)\s+/u, "");
