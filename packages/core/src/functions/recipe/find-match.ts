import type { SkillGrammar } from "../../language/grammar/phrase.ts";
import type { Interpretation } from "../../language/grammar/plan.ts";
import { NEGATIONS } from "../../language/grammar/small-talk.ts";
import { conceptsOf, isReadable } from "../matching/function-concepts.ts";
import { type RuleMatch, matchByRules } from "../matching/match-by-rules.ts";
import { isNegated, type ReadableRequest } from "../matching/request-units.ts";
import { bindByTaughtTemplate, isRefused } from "../matching/request-templates.ts";
import { bindByPlan } from "./bind-plan.ts";
import { bindByTemplate, type Bound, type TokenizedRequest } from "./bind-template.ts";
import { withDefaults } from "./instantiate.ts";
import { explainedByPlan, recipeCalls, withCopies } from "./compare-plan.ts";
import type { ParsedRequest, RankedMatch, RecipeFunction } from "./match-types.ts";
import {
  isAbout,
  isOwnTemplate,
  isPlainQuestion,
  valueWithOtherMeaning,
  plausibleValues,
  containsOnlyCallWords,
  sharesNames,
} from "./plausible.ts";

type Match = Omit<RankedMatch<RecipeFunction>, "function">;

/** Multiplied by the share of explained words: the rank of a match by the grammar. */
const RANK_OF_SHARE = 10;
/** The rank of a request that is equal to a template of the function. */
export const RANK_OF_EXACT_TEMPLATE = 100;
/** The rank of a request that uses only words of the skills and is planned as the function's calls. */
const RANK_OF_CALLS = 90;

/**
 * The match of a request with a recipe, or the reason why there is none. Tries, in this order: a wording that a person
 * taught; for a function whose values can be recognized, the words around the values, confirmed by the grammar or by the
 * skills' plan; for any other function, the grammar alone.
 */
export function findMatch(candidate: RecipeFunction, parsed: ParsedRequest): Match | string {
  const { units } = parsed;
  if (units !== undefined && isRefused(units, candidate))
    return "A person rejected this function for the same words.";
  const taughtMatch = matchTaughtTemplate(candidate, parsed);
  if (taughtMatch !== undefined) return taughtMatch;
  if (units !== undefined && isReadable(candidate)) return matchByWords(candidate, parsed, units);
  const grammarMatch = matchByGrammar(candidate, parsed);
  if (typeof grammarMatch === "string") return grammarMatch;
  const score = explainedShare(grammarMatch.literals, parsed);
  return certain({
    values: grammarMatch.values,
    score,
    rank: RANK_OF_SHARE * score,
    reason: grammarMatch.reason,
  });
}

function matchTaughtTemplate(candidate: RecipeFunction, { units, today }: ParsedRequest): Match | undefined {
  const taught = units && bindByTaughtTemplate(units, candidate);
  const complete = taught && withDefaults(candidate.parameters, taught, today);
  if (complete?.ok !== true) return undefined;
  return certain({
    values: complete.values,
    score: 1,
    rank: RANK_OF_EXACT_TEMPLATE,
    reason: "The request matches a wording that a person taught.",
  });
}

function matchByWords(
  candidate: RecipeFunction,
  parsed: ParsedRequest,
  units: ReadableRequest,
): Match | string {
  const isForbidden = parsed.interpretation.kind === "refrain" && isNegated(units);
  const ruleMatch = matchByRules(units, conceptsOf(candidate));
  // A quoted value, or one after a colon, may contain a negation: "journal: never again".
  if (isForbidden && (typeof ruleMatch === "string" || (ruleMatch.marked.size === 0 && !units.isCorrected)))
    return FORBIDDEN;
  if (typeof ruleMatch === "string") return matchExactWords(candidate, parsed) ?? ruleMatch;
  const complete = withDefaults(candidate.parameters, ruleMatch.values, parsed.today);
  if (!complete.ok) return missingValues(complete.missing);
  const match = {
    values: complete.values,
    score: explainedShare(ruleMatch.explained, parsed),
    rank: ruleMatch.score,
    reason: ruleMatch.reason,
  };
  if (ruleMatch.isGuessed)
    return { ...match, certainty: "disputed", explainsAsMuch: false, isExplained: false };
  const confirmation = confirmationOf(candidate, parsed, complete.values);
  if (confirmation !== undefined) return certain({ ...match, ...confirmation });
  return { ...match, ...certaintyOf(candidate, parsed, ruleMatch, isForbidden) };
}

/**
 * The match of an exact template without parameters, or of a request that is planned as the function's calls, even if the
 * words around the values show no match: "do the fern round".
 */
function matchExactWords(candidate: RecipeFunction, parsed: ParsedRequest): Match | undefined {
  const { interpretation, options, tokenized } = parsed;
  const { request } = tokenized;
  const matchesTemplate = isOwnTemplate(request, candidate);
  const hasSameCalls =
    interpretation.kind === "plan" && isForSameCalls(request, candidate, options.skillGrammars);
  if (!matchesTemplate && !hasSameCalls) return undefined;
  const grammarMatch = matchByGrammar(candidate, parsed);
  if (typeof grammarMatch === "string") return undefined;
  return certain({
    values: grammarMatch.values,
    score: 1,
    rank: matchesTemplate ? RANK_OF_EXACT_TEMPLATE : RANK_OF_CALLS,
    reason: grammarMatch.reason,
  });
}

/**
 * The reason why these values are certain: the grammar or the skills' plan gives the same ones. The grammar's values leave
 * out articles.
 */
function confirmationOf(
  candidate: RecipeFunction,
  parsed: ParsedRequest,
  values: Record<string, unknown>,
): Pick<Match, "values" | "reason"> | undefined {
  const { interpretation, options, today, tokenized } = parsed;
  const grammarMatch = matchByGrammar(candidate, parsed);
  if (typeof grammarMatch !== "string" && sameValues(grammarMatch.values, values))
    return { values: grammarMatch.values, reason: grammarMatch.reason };
  const planMatch =
    interpretation.kind === "plan" && isAbout(tokenized.request, candidate, options.skillGrammars)
      ? bindByPlan(interpretation.calls, withCopies(candidate), { ...options, today })
      : undefined;
  return planMatch && sameValues(planMatch.values, values) ? { values, reason: planMatch.reason } : undefined;
}

/** How sure a match by words is that neither the grammar nor the skills' plan confirms. */
function certaintyOf(
  candidate: RecipeFunction,
  { tokenized, interpretation, options }: ParsedRequest,
  ruleMatch: RuleMatch,
  isForbidden: boolean,
): Pick<Match, "certainty" | "explainsAsMuch" | "isExplained"> {
  const plan = interpretation.kind === "plan" ? interpretation.calls : undefined;
  // Without a plan, no call contradicts the function.
  const callsAllOfPlan = plan?.every(({ skill }) => recipeCalls(candidate, skill)) ?? true;
  const explainsMore = plan === undefined || ruleMatch.explained > explainedByPlan(tokenized.request, plan);
  const unmarkedValues = Object.fromEntries(
    Object.entries(ruleMatch.values).filter(([name]) => !ruleMatch.marked.has(name)),
  );
  const isDisputed =
    isForbidden ||
    !(callsAllOfPlan || explainsMore) ||
    typeof plausibleValues(tokenized, unmarkedValues, candidate, options) === "string" ||
    (!explainsMore && valueWithOtherMeaning(unmarkedValues, plan) !== undefined);
  return {
    certainty: isDisputed
      ? "disputed"
      : ruleMatch.isCertain
        ? "certain"
        : ruleMatch.isPlacedInDoubt
          ? "confirmable"
          : "open",
    // If the skills ruleMatch several calls, they execute the request, so this match must explain more words.
    explainsAsMuch: ruleMatch.isExplained && (explainsMore || (callsAllOfPlan && plan.length === 1)),
    isExplained: ruleMatch.isExplained,
  };
}

/** The share of the request's words that these are, 0–1. */
function explainedShare(words: number, { tokenized: { request } }: ParsedRequest): number {
  return Math.min(1, Math.max(0, words / request.trim().split(/\s+/).length));
}

const missingValues = (names: readonly string[]): string =>
  `The request does not give values for ${names.join(", ")}.`;

/** A match that needs no confirmation. */
const certain = (match: Pick<Match, "values" | "score" | "rank" | "reason">): Match => ({
  ...match,
  certainty: "certain",
  explainsAsMuch: true,
  isExplained: true,
});

/** True if the values are equal apart from articles and final punctuation. */
function sameValues(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): boolean {
  const plain = (value: unknown): string =>
    String(value)
      .toLowerCase()
      .replace(/^(?:the|an?|my|our)\s+/u, "")
      .replace(/[.!]+$/u, "")
      .trim();
  return Object.keys(other).every((name) => plain(one[name]) === plain(other[name]));
}

/** Matches a request with the function's templates, or with the skills' plan for it. */
function matchByGrammar(candidate: RecipeFunction, parsed: ParsedRequest): Bound | string {
  const { tokenized, interpretation } = parsed;
  const rejection = isPlainQuestion(tokenized.request)
    ? "The request is a question."
    : rejectionByKind(interpretation, tokenized);
  return rejection ?? bindRecipe(candidate, parsed);
}

/**
 * The values that a request gives to a recipe's parameters, with defaults, or a sentence with the reason why it gives
 * none.
 */
function bindRecipe(
  candidate: RecipeFunction,
  { tokenized, interpretation, options, today }: ParsedRequest,
): Bound | string {
  const { request } = tokenized;
  if (candidate.recipe === undefined) return "The function has no recipe.";
  const plan = interpretation.kind === "plan" ? interpretation.calls : undefined;
  const bound =
    bindByTemplate(tokenized, candidate, options) ??
    (plan &&
    (isAbout(request, candidate, options.skillGrammars) ||
      isForSameCalls(request, candidate, options.skillGrammars))
      ? bindByPlan(plan, candidate, { skillGrammars: options.skillGrammars, today })
      : undefined);
  if (bound === undefined) return "The function's templates do not explain every word of the request.";
  const unknown = Object.keys(bound.values).find(
    (name) => !candidate.parameters.some((parameter) => parameter.name === name),
  );
  if (unknown !== undefined) return `The function has no parameter ${unknown}.`;
  const otherCall = plan?.find(
    (call) => !candidate.recipe?.actions.some(({ skill }) => skill === call.skill),
  );
  if (otherCall !== undefined)
    return `The request also needs ${otherCall.skill}, which the function does not call.`;
  const values = plausibleValues(tokenized, bound.values, candidate, options);
  if (typeof values === "string") return values;
  const word = valueWithOtherMeaning(values, plan);
  if (word !== undefined) return `“${word}” may not belong to the value.`;
  const complete = withDefaults(candidate.parameters, values, today);
  if (!complete.ok) return missingValues(complete.missing);
  return { ...bound, values: complete.values };
}

/**
 * True if the function's templates use only words of the skills and the request names the same things: then the same calls
 * mean this function.
 */
const isForSameCalls = (
  request: string,
  candidate: RecipeFunction,
  skillGrammars: readonly SkillGrammar[],
): boolean =>
  containsOnlyCallWords(candidate, skillGrammars) && sharesNames(request, candidate, skillGrammars);

const FORBIDDEN = "The request says that something is not to be done.";

/** The reason why the grammar does not match a request of this kind. */
function rejectionByKind(interpretation: Interpretation, { tokens }: TokenizedRequest): string | undefined {
  switch (interpretation.kind) {
    case "refrain":
      return FORBIDDEN;
    case "ambiguous":
      return "The request can be read in more than one way.";
    case "empty":
      return "There is no request.";
    // A question or a greeting may still be a template of the function.
    case "plan":
    case "capabilities":
    case "clock":
    case "small-talk":
      return undefined;
    // Words that the skills do not understand may still negate an order: "pack for Rome but not for Paris".
    case "not-understood":
      return isNegatedCommand(tokens) ? FORBIDDEN : undefined;
    default:
      return interpretation satisfies never;
  }
}

const isNegatedCommand = (tokens: TokenizedRequest["tokens"]): boolean =>
  tokens.some((token) => token.kind === "word" && NEGATIONS.has(token.text));
