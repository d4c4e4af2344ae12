import type { FunctionMemory } from "../../contract/function.ts";
import type { PlannedCall } from "../../language/grammar/plan.ts";
import { fillArgs, optionalNames, withDefaults } from "./instantiate.ts";
import { alignRequest } from "../reading/align-request.ts";
import { conceptsOf, isReadable } from "../reading/function-concepts.ts";
import { readLikely } from "../reading/likely-reading.ts";
import { scoreOf } from "../reading/placements.ts";
import type { ReadingWeights } from "../reading/reading-weights.ts";
import type { ReadableRequest } from "../reading/request-units.ts";
import { assignRoles } from "../reading/word-roles.ts";
import type { Features } from "../reading/evidence.ts";

export type RecipeFunction = Pick<
  FunctionMemory,
  | "id"
  | "title"
  | "summary"
  | "steps"
  | "parameters"
  | "recipe"
  | "examples"
  | "skillsUsed"
  | "taught"
  | "refused"
>;

/** A recipe that carries out a request, with the values of its parameters. */
export interface RecipeMatch<Candidate extends RecipeFunction> {
  function: Candidate;
  values: Record<string, unknown>;
  /** The share of the request's words that the recipe itself explains, 0–1. */
  score: number;
  /** Whether it explains every word, and at least as much of the request as the skills do by themselves. */
  explainsAsMuch: boolean;
  reason: string;
}

export interface Matching<Candidate extends RecipeFunction> {
  /** The certain match. */
  match?: RecipeMatch<Candidate>;
  /** Likely enough to be offered, the likeliest first; empty beside a match. */
  likely: RecipeMatch<Candidate>[];
  /** Less likely, but enough for a model to be asked, the likeliest first; empty beside a match. */
  doubtful: Candidate[];
  /**
   * Recipes that do not match, although the request contains values of the types that they take; a model may decide.
   * Empty beside a match.
   */
  open: Candidate[];
  /** The reason why each of the others is not replayed. */
  rejected: { id: string; reason: string }[];
}

/** A reading of the request with the number of words that it explains. */
export interface ExplainedReading {
  values: Record<string, unknown>;
  /** No word is left unexplained. */
  isExplained: boolean;
  explainsAsMuch: boolean;
  reason: string;
}

/** A function with how likely it is that it is meant. */
export interface WeighedMatch<Candidate extends RecipeFunction> extends RecipeMatch<Candidate> {
  logOdds: number;
  /** The values are those of the reading by rules. */
  isSame: boolean;
  /** Every word is explained, and no other values are as likely. */
  isClear: boolean;
  /** Its words say what is to be done: "water the tomatoes" does not ask for the log of watering. */
  saysWhat: boolean;
}

/**
 * How likely a function must be to be offered, in log-odds: rather than not. Of labelled requests whose set had no part in the
 * weights, about 3 of 100 look-alikes then get a wrong first offer (`npm run bench -- reuse --part=refine`).
 */
export const OFFERED = 0;
/**
 * How likely a function must be to be replayed where the rules doubt the places of its values: 92 times out of 100, and how much
 * likelier than any other. None of the look-alikes of all labelled sets is, when its set has no part in the weights.
 */
export const CONFIRMED = Math.log(0.92 / 0.08);
export const CONFIRMED_MARGIN = 2;
/** How likely it must be where the rules do not explain all of the request: 97 times out of 100. */
export const SURE = Math.log(0.97 / 0.03);
/** The minimum share of the likeliest values among all placements, as a logarithm, and the minimum score of a value. */
const CLEAR = { certainty: -0.2, valueScore: 3 };
/** A heading, and a report with an order to note it, need no verb of the function. */
const SAYING = ["headed", "report-to-note"];
const WITHOUT_VERB = ["verb:none", "verb:other"];
/** Features of words and values that exclude a reading, however likely it is. */
const AGAINST = /^(?:value:|left|question|blocking|unknown|other-|further-order|several|phrase|aside)/u;
/** How likely it must be for a model to be asked. */
export const DOUBTFUL = Math.log(0.1 / 0.9);
/** How likely it must be for a model to be asked although the skills understand the request by themselves. */
export const DOUBTFUL_IF_UNDERSTOOD = Math.log(0.3 / 0.7);

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

/** Weighs a function by its likeliest reading; undefined when a value is missing. */
export function weighFunction<Candidate extends RecipeFunction>(
  candidate: Candidate,
  explained: ExplainedReading | undefined,
  weights: ReadingWeights,
  options: WeighOptions,
): WeighedMatch<Candidate> | undefined {
  const { units, today, words, explainsMore, isRepeated, isPossible } = options;
  if (!isReadable(candidate)) return undefined;
  const likely = readLikely(assignRoles(alignRequest(units, conceptsOf(candidate))), weights.values);
  if (likely === undefined) return undefined;
  const isSame = explained !== undefined && isEqual(likely.values, explained.values);
  const complete = withDefaults(candidate.parameters, likely.values, today);
  if (!complete.ok || !isPossible(isSame ? explained.values : complete.values)) return undefined;
  const features = { bias: 1, ...likely.features, ...contextFeatures(likely.values, explained, options) };
  const logOdds = scoreOf(features, weights.meaning);
  return {
    function: candidate,
    values: isSame ? explained.values : complete.values,
    score: Math.min(1, likely.explained / words),
    explainsAsMuch:
      (isSame && explained.explainsAsMuch) ||
      ((likely.isExplained || isRepeated(likely.values)) && explainsMore(likely.explained)),
    reason: isSame ? explained.reason : "Its words and values make it likely.",
    logOdds,
    isSame,
    isClear: likely.isWellLed && isClear(likely.features),
    saysWhat:
      SAYING.some((name) => (likely.features[name] ?? 0) > 0) ||
      !WITHOUT_VERB.some((name) => (likely.features[name] ?? 0) > 0),
  };
}

function isClear(features: Features): boolean {
  const valueOf = (name: string): number => features[name] ?? 0;
  return (
    valueOf("whole") > 0 &&
    valueOf("certainty") >= CLEAR.certainty &&
    valueOf("value-score") >= CLEAR.valueScore &&
    !Object.entries(features).some(([name, value]) => value > 0 && AGAINST.test(name))
  );
}

/** How the reading by rules and the skills agree with the likeliest reading. */
export function contextFeatures(
  values: Readonly<Record<string, unknown>>,
  explained: Pick<ExplainedReading, "values" | "isExplained"> | undefined,
  { plan, isRepeated }: Pick<WeighOptions, "plan" | "isRepeated">,
): Features {
  const made = plan !== "none" && plan !== "same" && isRepeated(values) ? "text" : plan;
  const isSame = explained !== undefined && isEqual(values, explained.values);
  return {
    ...(isSame && { [explained.isExplained ? "agreed:whole" : "agreed"]: 1 }),
    ...(explained !== undefined && !isSame && { "read-otherwise": 1 }),
    ...(made !== "none" && { [`plan:${made}`]: 1 }),
  };
}

/** The same values, articles aside. */
const isEqual = (one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(one).every((name) => plain(one[name]) === plain(other[name]));

const plain = (value: unknown): string =>
  String(value)
    .toLowerCase()
    .replace(/^(?:the|an?)\s+/u, "");

/** The number of words of a request that the skills explain. Free text counts as repeated, not explained. */
export function explainedByPlan(request: string, plan: readonly PlannedCall[]): number {
  const texts = new Set(textsOfPlan(plan));
  const count = (text: string): number => text.trim().split(/\s+/u).length;
  return count(request) - [...texts].reduce((sum, text) => sum + count(text), 0);
}

/** The parts of the request that a plan takes as free text. */
const textsOfPlan = (plan: readonly PlannedCall[]): string[] =>
  plan.flatMap(({ args, freeText }) =>
    freeText.flatMap((name) => {
      const value = args[name];
      return value?.from === "request" && typeof value.value === "string" ? [value.value] : [];
    }),
  );

/** Whether a plan only repeats these values, as parts of longer texts: "note it" of "got 30 euros from Kurt, note it". */
export function onlyRepeats(
  plan: readonly PlannedCall[],
  values: Readonly<Record<string, unknown>>,
  request: string,
): boolean {
  const texts = textsOfPlan(plan).filter((text) => request.includes(text));
  const written = Object.values(values).filter((value) => typeof value === "string");
  return (
    written.length > 0 &&
    written.every((value) => texts.some((text) => text !== value && text.includes(value)))
  );
}

/** Whether two matches would make the same calls. */
export function makeSameCalls(
  one: RecipeMatch<RecipeFunction>,
  other: RecipeMatch<RecipeFunction>,
  today: string,
): boolean {
  return JSON.stringify(calls(one, today)) === JSON.stringify(calls(other, today));
}

function calls({ function: { recipe, parameters }, values }: RecipeMatch<RecipeFunction>, today: string) {
  const optional = optionalNames(parameters);
  return recipe?.actions.map((action) => {
    const steps = { parameters: values, outputs: [], today };
    const filled = fillArgs(action, steps, optional);
    return [action.skill, filled.ok ? filled.args : action.args];
  });
}

/** True if a recipe calls this skill; reading a file and writing its content elsewhere counts as `fs_copy`. */
export const recipeCalls = (candidate: RecipeFunction, skill: string): boolean =>
  withCopies(candidate).recipe?.actions.some((action) => action.skill === skill) === true;

/**
 * Replaces “read a file, write its content to another path” by `fs_copy`, because the skills plan such a request as a
 * copy.
 */
export function withCopies<Candidate extends Pick<FunctionMemory, "recipe">>(
  candidate: Candidate,
): Candidate {
  const { recipe } = candidate;
  const [read, write, ...others] = recipe?.actions ?? [];
  if (recipe === undefined || read?.skill !== "fs_read" || write?.skill !== "fs_write" || others.length > 0)
    return candidate;
  if (write.args["content"] !== "${steps.1.content}") return candidate;
  const args = { from: read.args["path"], to: write.args["path"] };
  return { ...candidate, recipe: { ...recipe, actions: [{ skill: "fs_copy", args, expect: [] }] } };
}
