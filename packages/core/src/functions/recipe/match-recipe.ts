import { dayOf } from "../../language/dates/clock.ts";
import type { Interpretation, PlannedCall } from "../../language/grammar/plan.ts";
import { readRequest } from "../../language/read-request.ts";
import { NO_VALUES } from "../matching/match-by-rules.ts";
import { MATCH_WEIGHTS } from "../matching/match-weights.ts";
import { isAcceptedRequest, isRefused } from "../matching/request-templates.ts";
import { isNegated, type ReadableRequest, readUnits } from "../matching/request-units.ts";
import { tokenizeRequest } from "./bind-template.ts";
import { explainedByPlan, haveSameCalls, onlyRepeats, recipeCalls } from "./compare-plan.ts";
import { findMatch, RANK_OF_EXACT_TEMPLATE } from "./find-match.ts";
import { arePossible, doubtOf, mayAskModel, rejectionOf } from "./match-checks.ts";
import type {
  Matching,
  MatchOptions,
  ParsedRequest,
  RankedMatch,
  RecipeFunction,
  RecipeMatch,
} from "./match-types.ts";
import { mistakenValue } from "./mistaken-values.ts";
import { joinMatchings, readStepTexts, type RequestWithStepTexts, withStepTexts } from "./step-texts.ts";
import {
  LOG_ODDS,
  MARGIN_OF_REPLAY,
  weighFunction,
  type WeighedMatch,
  type WeighOptions,
} from "./weigh-function.ts";

/** The minimum difference in rank between the best match and any other with different calls. */
const MARGIN_OF_RANK = 1;
/**
 * Finds the recipe that a request certainly means, or the likely ones. A certain match binds every required parameter
 * and explains every content word, the installed skills do not read the request as something else, and no other recipe
 * matches nearly as well. Precision comes before coverage: a person or a model decides about the rest.
 */
export function matchRecipe<Candidate extends RecipeFunction>(
  request: string,
  candidates: readonly Candidate[],
  options: MatchOptions,
): Matching<Candidate> {
  const texts = new Map(
    candidates.flatMap((candidate) => {
      const found = readStepTexts(request, candidate);
      return found === undefined ? [] : [[candidate, found] as const];
    }),
  );
  let matching = matchWords(
    request,
    candidates.filter((one) => !texts.has(one)),
    options,
  );
  // A request that repeats texts of a function's steps is read without them.
  for (const [candidate, stepTexts] of texts) {
    // What the skills make of the request is about all of its words.
    const interpretation = options.reading ?? readRequest(request, options.skillGrammars, options);
    const known = { ...options, reading: interpretation };
    const found = matchWords(stepTexts.request, [candidate], known);
    const offered =
      found.match !== undefined || found.likely.length > 0 ? found : possibleMatch(found, stepTexts, known);
    matching = joinMatchings(matching, withStepTexts(offered, stepTexts));
  }
  return matching;
}

/**
 * The match by rules as an offer, however unlikely the words alone make it: a request that contains the texts of a function's steps
 * word for word means that function, unless it forbids or disputes something.
 */
function possibleMatch<Candidate extends RecipeFunction>(
  matching: Matching<Candidate>,
  { request }: RequestWithStepTexts,
  options: MatchOptions,
): Matching<Candidate> {
  const parsed = parseRequest(request, options);
  const [found] = rankMatches(matching.doubtful, parsed).ranked;
  const isDenied =
    parsed.interpretation.kind === "refrain" || (parsed.units !== undefined && isNegated(parsed.units));
  if (found === undefined || isDenied || (found.certainty === "disputed" && found.containsMore !== true))
    return matching;
  return { ...matching, likely: [asMatch(found)], doubtful: [] };
}

function matchWords<Candidate extends RecipeFunction>(
  request: string,
  candidates: readonly Candidate[],
  options: MatchOptions,
): Matching<Candidate> {
  const parsed = parseRequest(request, options);
  const { ranked, rejected } = rankMatches(candidates, parsed);
  const [best] = ranked.filter(({ certainty }) => certainty === "certain");
  if (best === undefined || hasRival(best, ranked, parsed.today))
    return weighMatches(candidates, parsed, { ranked, rejected }, options);
  rejected.push(
    ...ranked
      .filter((one) => one !== best)
      .map(({ function: { id } }) => ({ id, reason: "Another fits better." })),
  );
  return { match: asMatch(best), likely: [], doubtful: [], open: [], rejected };
}

/** Whether another function with different calls is certain and nearly as good, or clearly better and not certain. */
function hasRival<Candidate extends RecipeFunction>(
  best: RankedMatch<Candidate>,
  ranked: readonly RankedMatch<Candidate>[],
  today: string,
): boolean {
  return ranked.some(
    (other) =>
      other !== best &&
      (other.certainty === "certain" || other.rank > best.rank + MARGIN_OF_RANK) &&
      best.rank - other.rank < MARGIN_OF_RANK &&
      !haveSameCalls(best, other, today),
  );
}

/** The likeliest functions by the fitted weights, where the rules alone decide nothing. */
function weighMatches<Candidate extends RecipeFunction>(
  candidates: readonly Candidate[],
  parsed: ParsedRequest,
  { ranked, rejected }: ReturnType<typeof rankMatches<Candidate>>,
  options: MatchOptions,
): Matching<Candidate> {
  const { units, interpretation } = parsed;
  const offerFrom = options.offeredFrom ?? LOG_ODDS.offer;
  const weighed = candidatesToWeigh(candidates, parsed, ranked)
    .flatMap(
      ({ candidate, found, options: facts }) =>
        weighFunction(candidate, found, options.weights ?? MATCH_WEIGHTS, facts) ?? [],
    )
    .filter(({ logOdds }) => logOdds >= Math.min(LOG_ODDS.askModel, offerFrom))
    .toSorted((one, other) => other.logOdds - one.logOdds);
  const certain = ranked.filter(({ certainty }) => certainty === "certain");
  const confirmed = certain.length === 0 ? confirmedOf(weighed, ranked, rejected) : undefined;
  const isMistaken =
    confirmed !== undefined &&
    mistakenValue(parsed.tokenized.request, confirmed.values, confirmed.function) !== undefined;
  if (confirmed !== undefined && !isMistaken)
    return { match: confirmed, likely: [], doubtful: [], open: [], rejected };
  const offered = weighed.filter(({ logOdds }) => logOdds >= offerFrom).map(withPrecedence);
  // A model is asked about a request that the skills understand only if the words of a function explain it, too, or
  // the function is likelier.
  const asksModel = units !== undefined && isUnclear(units, interpretation);
  const possible = [
    ...weighed.filter(({ logOdds }) => asksModel || logOdds >= LOG_ODDS.askModelIfUnderstood),
    ...ranked,
  ].map((one) => one.function);
  return {
    // If two are certain, the person chooses.
    likely: [...certain.map(asMatch), ...offered],
    doubtful: [...new Set(possible)].filter((one) => !offered.some((other) => other.function === one)),
    open: candidates.filter(
      (one) => units !== undefined && rejected.some(({ id }) => id === one.id) && mayAskModel(one, units),
    ),
    rejected,
  };
}

/**
 * A match as likely as one that is replayed is offered instead of what the skills make of the request, unless they make the
 * same calls at once.
 */
const withPrecedence = <Candidate extends RecipeFunction>(
  match: WeighedMatch<Candidate>,
): WeighedMatch<Candidate> =>
  match.logOdds >= LOG_ODDS.replay && match.plan !== "same" ? { ...match, explainsAsMuch: true } : match;

/**
 * The likeliest function, if the weights leave no doubt about it: every word is explained, no value is doubtful, and no
 * other function comes near. The match by rules doubts only the positions of its values, or finds no match while
 * the weights are certain.
 */
function confirmedOf<Candidate extends RecipeFunction>(
  weighed: readonly WeighedMatch<Candidate>[],
  ranked: readonly RankedMatch<Candidate>[],
  rejected: readonly { id: string; reason: string }[],
): RecipeMatch<Candidate> | undefined {
  const [likeliest, second] = weighed;
  if (likeliest === undefined || likeliest.logOdds < LOG_ODDS.replay) return undefined;
  if (!likeliest.isUnambiguous || !likeliest.namesAction) return undefined;
  if (second !== undefined && likeliest.logOdds - second.logOdds < MARGIN_OF_REPLAY) return undefined;
  const found = ranked.find((one) => one.function === likeliest.function);
  const isUnread = rejected.some(({ id, reason }) => id === likeliest.function.id && reason === NO_VALUES);
  const isUndisputed =
    found === undefined ? isUnread : likeliest.agreesWithRules && found.certainty !== "disputed";
  const isSure = likeliest.logOdds >= LOG_ODDS.replayUnread && likeliest.explainsAsMuch && isUndisputed;
  if (!isSure && (found?.certainty !== "confirmable" || !likeliest.agreesWithRules)) return undefined;
  return {
    function: likeliest.function,
    values: likeliest.values,
    score: likeliest.score,
    explainsAsMuch: true,
    reason: "It explains every word, and its values stand where such values stand.",
  };
}

/** Reads a request once for all functions. This and the next two are exported for fitting the weights. */
export function parseRequest(request: string, options: MatchOptions): ParsedRequest {
  const interpretation = options.reading ?? readRequest(request, options.skillGrammars, options);
  return {
    tokenized: tokenizeRequest(request),
    units: readUnits(request, options),
    interpretation,
    options,
    today: dayOf(options),
  };
}

/** The functions that match a request by rules, the best first, and why each of the others does not match. */
export function rankMatches<Candidate extends RecipeFunction>(
  candidates: readonly Candidate[],
  parsed: ParsedRequest,
): { ranked: RankedMatch<Candidate>[]; rejected: { id: string; reason: string }[] } {
  const rejected: { id: string; reason: string }[] = [];
  const found = candidates.flatMap((candidate): RankedMatch<Candidate>[] => {
    const reject = (reason: string): [] => {
      rejected.push({ id: candidate.id, reason });
      return [];
    };
    const match = findMatch(candidate, parsed);
    if (typeof match === "string") return reject(match);
    const isExact = match.rank === RANK_OF_EXACT_TEMPLATE;
    if (isExact && isAcceptedRequest(parsed.tokenized.request, candidate))
      return [{ function: candidate, ...match }];
    const reason = rejectionOf(candidate, match, parsed);
    if (reason !== undefined) return reject(reason);
    const doubt = doubtOf(candidate, match, parsed);
    return [
      {
        function: candidate,
        ...match,
        ...(doubt !== undefined && { ...doubt, certainty: "disputed" as const }),
      },
    ];
  });
  return { ranked: found.toSorted((one, other) => other.rank - one.rank), rejected };
}

/** The weighed functions, with the facts about each; none for a question or a prohibition. */
export function candidatesToWeigh<Candidate extends RecipeFunction>(
  candidates: readonly Candidate[],
  parsed: ParsedRequest,
  ranked: readonly RankedMatch<Candidate>[],
): { candidate: Candidate; found: RankedMatch<Candidate> | undefined; options: WeighOptions }[] {
  const {
    tokenized: { request },
    units,
    interpretation,
    today,
  } = parsed;
  if (units === undefined) return [];
  const isForbidden = interpretation.kind === "refrain" && isNegated(units);
  const plan = interpretation.kind === "plan" ? interpretation.calls : undefined;
  const explainedBySkills = plan === undefined ? 0 : explainedByPlan(request, plan);
  const words = request.trim().split(/\s+/u).length;
  return candidates.flatMap((candidate) => {
    const found = ranked.find((one) => one.function === candidate);
    if (found?.certainty === "certain" || isRefused(units, candidate)) return [];
    // Only a marked value may contain a prohibition: "journal: never again".
    if (isForbidden && found === undefined) return [];
    const makesPlan = plan?.every(({ skill }) => recipeCalls(candidate, skill)) ?? false;
    const options: WeighOptions = {
      units,
      today,
      words,
      explainsMore: (explained) =>
        plan === undefined || (makesPlan && plan.length === 1) || explained > explainedBySkills,
      isPossible: (values) => arePossible(candidate, units, values, parsed),
      isRepeated: (values) => plan !== undefined && onlyRepeats(plan, values, request),
      plan: planFor(candidate, plan),
    };
    return [{ candidate, found, options }];
  });
}

/** The skills' interpretation of the request, compared with the function's calls. */
function planFor(candidate: RecipeFunction, plan: readonly PlannedCall[] | undefined): WeighOptions["plan"] {
  if (plan === undefined) return "none";
  if (!plan.every(({ skill }) => recipeCalls(candidate, skill))) return "other";
  return plan.length < (candidate.recipe?.actions.length ?? 0) ? "part" : "same";
}

/** The skills do not understand the request, and it forbids nothing. */
const isUnclear = (units: ReadableRequest, { kind }: Interpretation): boolean =>
  (kind === "not-understood" || kind === "capabilities") && !isNegated(units);

function asMatch<Candidate extends RecipeFunction>({
  certainty: _certainty,
  containsMore: _containsMore,
  isExplained: _explained,
  rank: _rank,
  ...match
}: RankedMatch<Candidate>): RecipeMatch<Candidate> {
  return match;
}
