import type { FunctionMemory } from "../../contract/function.ts";
import type { Clock } from "../../language/dates/clock.ts";
import type { SkillGrammar } from "../../language/grammar/phrase.ts";
import type { Interpretation } from "../../language/grammar/plan.ts";
import { NEGATIONS } from "../../language/grammar/small-talk.ts";
import { conceptsOf, isReadable } from "../reading/function-concepts.ts";
import { readInvocation } from "../reading/read-invocation.ts";
import type { ReadableRequest } from "../reading/request-units.ts";
import { bindByTaughtTemplate, isRefused } from "../reading/request-templates.ts";
import { bindByPlan } from "./bind-plan.ts";
import { bindByTemplate, type Bound, type TokenizedRequest } from "./bind-template.ts";
import { withDefaults } from "./instantiate.ts";
import { explainedByPlan, type RecipeFunction, type RecipeMatch } from "./likely-matches.ts";
import {
  isAbout,
  isOwnTemplate,
  onlyAsks,
  valueWithOtherMeaning,
  plausibleValues,
  containsOnlyCallWords,
  sharesNames,
} from "./plausible.ts";

/** A match with its rank. */
export interface Found<Candidate extends RecipeFunction> extends RecipeMatch<Candidate> {
  isCertain: boolean;
  isExplained: boolean;
  /** Certain if the weights leave no doubt about the positions of its values, either. */
  mayBeConfirmed?: boolean;
  /**
   * A problem that no weights can outweigh: the request forbids something, the skills read it as other calls, or a
   * value has another form or kind.
   */
  isDisputed?: boolean;
  /** More is better. */
  rank: number;
}

/** The rank of a match by the grammar alone, per share of explained words. */
const RANK_OF_SHARE = 10;
/** The rank of a request that is equal to a template of the function. */
export const RANK_OF_WHOLE = 100;

/** The rank of a request in words of the skills alone that the skills read as the calls of the function. */
const RANK_OF_CALLS = 90;

/** A request as it is read before any function is looked at. */
export interface RequestReading {
  /** `YYYY-MM-DD` in the time zone of the request. */
  today: string;
  tokenized: TokenizedRequest;
  /** Undefined for a request that is too long to be a repeated one. */
  units: ReadableRequest | undefined;
  /** The skills' interpretation of it. */
  reading: Interpretation;
  options: Clock & { skillGrammars: readonly SkillGrammar[] };
}

/** The match of a request with a recipe, or a sentence with the reason why there is none. */
export function findReading(
  candidate: RecipeFunction,
  asked: RequestReading,
): Omit<Found<RecipeFunction>, "function"> | string {
  const { tokenized, units, reading, options, today } = asked;
  const { request } = tokenized;
  if (units !== undefined && isRefused(units, candidate)) return "A person did not want it for these words.";
  const words = request.trim().split(/\s+/).length;
  const share = (literals: number): number => Math.min(1, Math.max(0, literals / words));
  const taught = units && bindByTaughtTemplate(units, candidate);
  if (taught !== undefined) {
    const complete = withDefaults(candidate.parameters, taught, today);
    if (complete.ok)
      return certain({
        values: complete.values,
        score: 1,
        rank: RANK_OF_WHOLE,
        reason: "Read as words it was taught.",
      });
  }
  const concepts = units && isReadable(candidate) ? conceptsOf(candidate) : undefined;
  if (units === undefined || concepts === undefined) {
    const byGrammar = readByGrammar(candidate, asked);
    if (typeof byGrammar === "string") return byGrammar;
    const score = share(byGrammar.literals);
    return certain({
      values: byGrammar.values,
      score,
      rank: RANK_OF_SHARE * score,
      reason: `Read as ${byGrammar.how}.`,
    });
  }
  const isForbidden = reading.kind === "refrain" && isNegated(units);
  const byWords = readInvocation(units, concepts);
  // Words that the skills read as a prohibition may be part of a marked value: "journal: never again".
  if (isForbidden && (typeof byWords === "string" || (byWords.marked.size === 0 && !units.isCorrected)))
    return FORBIDDEN;
  if (typeof byWords === "string") {
    // Its own words without values request it, whatever they mean elsewhere: "do the fern round".
    const isOwn = isOwnTemplate(request, candidate);
    const isPlanned = reading.kind === "plan" && isForSameCalls(request, candidate, options.skillGrammars);
    if (!isOwn && !isPlanned) return byWords;
    const byGrammar = readByGrammar(candidate, asked);
    if (typeof byGrammar === "string") return byWords;
    return certain({
      values: byGrammar.values,
      score: 1,
      rank: isOwn ? RANK_OF_WHOLE : RANK_OF_CALLS,
      reason: `Read as ${byGrammar.how}.`,
    });
  }
  const complete = withDefaults(candidate.parameters, byWords.values, today);
  if (!complete.ok) return `The request does not say ${complete.missing.join(", ")}.`;
  const { score: rank, explained } = byWords;
  const score = share(explained);
  if (byWords.isGuessed)
    return {
      values: complete.values,
      score,
      rank,
      isCertain: false,
      isDisputed: true,
      explainsAsMuch: false,
      isExplained: false,
      reason: byWords.reason,
    };
  const byGrammar = readByGrammar(candidate, asked);
  if (typeof byGrammar !== "string" && agree(byGrammar.values, complete.values))
    return certain({
      values: byGrammar.values,
      score,
      rank,
      reason: `Read as ${byGrammar.how}.`,
    });
  const plan = reading.kind === "plan" ? reading.calls : undefined;
  const planned =
    plan &&
    isAbout(request, candidate, options.skillGrammars) &&
    bindByPlan(plan, withCopies(candidate), { ...options, today });
  if (planned && agree(planned.values, complete.values))
    return certain({ values: complete.values, score, rank, reason: `Read as ${planned.how}.` });
  const makesPlan = plan?.every(({ skill }) => makes(candidate, skill)) ?? true;
  const explainsMore = plan === undefined || explained > explainedByPlan(request, plan);
  const doubtful = Object.fromEntries(
    Object.entries(byWords.values).filter(([name]) => !byWords.marked.has(name)),
  );
  const isDisputed =
    isForbidden ||
    !(makesPlan || explainsMore) ||
    typeof plausibleValues(tokenized, doubtful, candidate, options) === "string" ||
    (!explainsMore && valueWithOtherMeaning(doubtful, plan) !== undefined);
  const isSound = (byWords.isCertain || byWords.isPlacedInDoubt) && !isDisputed;
  return {
    values: complete.values,
    score,
    rank,
    isCertain: byWords.isCertain && isSound,
    mayBeConfirmed: isSound,
    isDisputed,
    // A request that the skills read as several calls is executed without a question.
    explainsAsMuch: byWords.isExplained && (explainsMore || (makesPlan && plan.length === 1)),
    isExplained: byWords.isExplained,
    reason: byWords.reason,
  };
}

/** A reading that explains every word. */
const certain = (
  read: Pick<Found<RecipeFunction>, "values" | "score" | "rank" | "reason">,
): Omit<Found<RecipeFunction>, "function"> => ({
  ...read,
  isCertain: true,
  explainsAsMuch: true,
  isExplained: true,
});

/** Whether a recipe calls this skill. */
export const makes = (candidate: RecipeFunction, skill: string): boolean =>
  withCopies(candidate).recipe?.actions.some((action) => action.skill === skill) === true;

/**
 * Treats a file that is read and written unchanged to another path as a copy, because the skills read the request as
 * one call.
 */
function withCopies<Candidate extends Pick<FunctionMemory, "recipe">>(candidate: Candidate): Candidate {
  const { recipe } = candidate;
  const [read, write, ...others] = recipe?.actions ?? [];
  if (recipe === undefined || read?.skill !== "fs_read" || write?.skill !== "fs_write" || others.length > 0)
    return candidate;
  if (write.args["content"] !== "${steps.1.content}") return candidate;
  const args = { from: read.args["path"], to: write.args["path"] };
  return { ...candidate, recipe: { ...recipe, actions: [{ skill: "fs_copy", args, expect: [] }] } };
}

/** The same values, apart from articles and marks at the end. */
function agree(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const plain = (value: unknown): string =>
    String(value)
      .toLowerCase()
      .replace(/^(?:the|an?|my|our)\s+/u, "")
      .replace(/[.!]+$/u, "")
      .trim();
  return Object.keys(other).every((name) => plain(one[name]) === plain(other[name]));
}

/** Matches a request with the function's templates, or with the skills' plan for it. */
function readByGrammar(candidate: RecipeFunction, asked: RequestReading): Bound | string {
  const { tokenized, reading } = asked;
  const turned = onlyAsks(tokenized.request) ? "The request only asks." : forbids(reading, tokenized);
  return turned ?? bindRecipe(candidate, asked);
}

/**
 * The values that a request gives to a recipe's parameters, with defaults, or a sentence with the reason why it gives
 * none.
 */
function bindRecipe(
  candidate: RecipeFunction,
  { tokenized, reading, options, today }: RequestReading,
): Bound | string {
  const { request } = tokenized;
  if (candidate.recipe === undefined) return "It has no recipe.";
  const plan = reading.kind === "plan" ? reading.calls : undefined;
  const bound =
    bindByTemplate(tokenized, candidate, options) ??
    (plan &&
    (isAbout(request, candidate, options.skillGrammars) ||
      isForSameCalls(request, candidate, options.skillGrammars))
      ? bindByPlan(plan, candidate, { skillGrammars: options.skillGrammars, today })
      : undefined);
  if (bound === undefined) return "Its templates do not explain every word of the request.";
  const unknown = Object.keys(bound.values).find(
    (name) => !candidate.parameters.some((parameter) => parameter.name === name),
  );
  if (unknown !== undefined) return `It has no parameter ${unknown}.`;
  const others = plan?.find((call) => !candidate.recipe?.actions.some(({ skill }) => skill === call.skill));
  if (others !== undefined) return `The request asks for ${others.skill}, which it does not call.`;
  const values = plausibleValues(tokenized, bound.values, candidate, options);
  if (typeof values === "string") return values;
  const word = valueWithOtherMeaning(values, plan);
  if (word !== undefined) return `“${word}” may be no part of a value.`;
  const complete = withDefaults(candidate.parameters, values, today);
  if (!complete.ok) return `The request does not say ${complete.missing.join(", ")}.`;
  return { ...bound, values: complete.values };
}

/**
 * If a function is requested in words of the skills alone, so it is by another request for the same calls about the
 * same things.
 */
const isForSameCalls = (
  request: string,
  candidate: RecipeFunction,
  skillGrammars: readonly SkillGrammar[],
): boolean =>
  containsOnlyCallWords(candidate, skillGrammars) && sharesNames(request, candidate, skillGrammars);

const FORBIDDEN = "The request says that something is not to be done.";

function forbids(reading: Interpretation, { tokens }: TokenizedRequest): string | undefined {
  switch (reading.kind) {
    case "refrain":
      return FORBIDDEN;
    case "ambiguous":
      return "The request can be read in more than one way.";
    case "empty":
      return "There is no request.";
    // Words that the skills read as a question or small talk may be an order for a function; its templates decide.
    case "plan":
    case "capabilities":
    case "clock":
    case "small-talk":
      return undefined;
    // Words that the skills do not understand may still negate an order: "pack for Rome but not for Paris".
    case "not-understood":
      return isNegatedCommand(tokens) ? FORBIDDEN : undefined;
    default:
      return reading satisfies never;
  }
}

const isNegatedCommand = (tokens: TokenizedRequest["tokens"]): boolean =>
  tokens.some((token) => token.kind === "word" && NEGATIONS.has(token.text));

/** "Don't forget …" negates nothing. */
export const isNegated = ({ units }: ReadableRequest): boolean =>
  units.some(({ kind, text, isHarmless }) => kind === "word" && !isHarmless && NEGATIONS.has(text));
