import { dayOf } from "../../language/dates/clock.ts";
import { readDateText } from "../../language/dates/dates.ts";
import type { SkillGrammar } from "../../language/grammar/phrase.ts";
import type { Interpretation, PlannedCall } from "../../language/grammar/plan.ts";
import { readRequest } from "../../language/read-request.ts";
import { alignRequest } from "../reading/align-request.ts";
import { conceptsOf, isReadable } from "../reading/function-concepts.ts";
import { hasRequiredForms, NO_VALUES } from "../reading/read-invocation.ts";
import { READING_WEIGHTS, type ReadingWeights } from "../reading/reading-weights.ts";
import { isRefused } from "../reading/request-templates.ts";
import { isNegated, type ReadableRequest, readUnits } from "../reading/request-units.ts";
import { containsFurtherOrder, endsInFurtherOrder, findFurtherOrder } from "../reading/further-order.ts";
import { isOtherAct } from "../reading/other-act.ts";
import { isOwnNegation, findContradiction, findRetraction } from "../reading/contradictions.ts";
import { deniesAct, isNotYet, isOtherEvent, isTurnedAround } from "../reading/ruled-out.ts";
import { isRemovalRequest } from "../reading/taken-away.ts";
import { assignRoles } from "../reading/word-roles.ts";
import { tokenizeRequest } from "./bind-template.ts";
import { findReading, type ParsedRequest, RANK_OF_EXACT_TEMPLATE, type RankedMatch } from "./find-reading.ts";
import { joinMatchings, readStepTexts, type RequestWithStepTexts, withStepTexts } from "./step-texts.ts";
import {
  CONFIRMED,
  CONFIRMED_MARGIN,
  makeSameCalls,
  type Matching,
  DOUBTFUL,
  DOUBTFUL_IF_UNDERSTOOD,
  explainedByPlan,
  OFFERED,
  onlyRepeats,
  recipeCalls,
  SURE,
  type RecipeFunction,
  type RecipeMatch,
  weighFunction,
  type WeighedMatch,
  type WeighOptions,
} from "./likely-matches.ts";
import {
  truncatesValue,
  inValuesOf,
  isIdiom,
  isOfOtherKind,
  isIdentifiedByKind,
  isOwnTemplate,
  losesTime,
  hasUnexplainedWords,
} from "./plausible.ts";
import { isShift, mistakenValue } from "./mistaken-values.ts";

export interface MatchOptions {
  now: Date;
  timeZone: string;
  /** The grammars of the installed skills. */
  skillGrammars: readonly SkillGrammar[];
  /** Other weights than the fitted ones: for fitting them. */
  weights?: ReadingWeights;
  /** Another threshold of offers than the fitted one, in log-odds: for fitting it. */
  offeredFrom?: number;
  /** The interpretation of the request by these skills, if the caller has it already. */
  reading?: Interpretation;
}

/** The minimum difference in rank between the best match and any other with different calls. */
const MARGIN = 1;
const CUT_OFF =
  "A mark at the edge of a value may belong to a name: “_plan.md” is another file than “plan.md”.";

const NO_SUCH_DAY = "A value is a day that the calendar does not have.";
const SHIFTS = "The request moves something by a time, and names no day.";
const TAKES_AWAY = "The request removes something or asks for an action that the function does not do.";
const FURTHER_ORDER = "The request asks for a further action with the function's result.";
const LOSES_TIME = "The time of day is not among the values.";
const MORE_THAN_VALUES = "The request contains more than the values.";
const OTHER_KIND = "A value is of another kind than earlier values.";

const UNKNOWN_KIND = "Only a value identifies the function, and the value is new.";

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
  const whole = candidates.flatMap((candidate) => {
    const texts = readStepTexts(request, candidate);
    return texts === undefined ? [] : [{ candidate, texts }];
  });
  const found = matchWords(
    request,
    candidates.filter((one) => whole.every(({ candidate }) => candidate !== one)),
    options,
  );
  return whole.reduce((others, { candidate, texts }) => {
    // What the skills make of the request is about all of its words.
    const reading = options.reading ?? readRequest(request, options.skillGrammars, options);
    const known = { ...options, reading };
    const read = matchWords(texts.request, [candidate], known);
    const offered =
      read.match !== undefined || read.likely.length > 0 ? read : possibleMatch(read, texts, known);
    return joinMatchings(others, withStepTexts(offered, texts));
  }, found);
}

/**
 * The reading by rules as an offer, however unlikely its words alone make it: a request that says the texts of a function's steps word for word means
 * them, unless it forbids or disputes something.
 */
function possibleMatch<Candidate extends RecipeFunction>(
  matching: Matching<Candidate>,
  { request }: RequestWithStepTexts,
  options: MatchOptions,
): Matching<Candidate> {
  const asked = readForAll(request, options);
  const [found] = rankMatches(matching.doubtful, asked).ranked;
  const isDenied =
    asked.interpretation.kind === "refrain" || (asked.units !== undefined && isNegated(asked.units));
  if (found === undefined || isDenied || (found.isDisputed === true && found.reason !== MORE_THAN_VALUES))
    return matching;
  return { ...matching, likely: [asMatch(found)], doubtful: [] };
}

function matchWords<Candidate extends RecipeFunction>(
  request: string,
  candidates: readonly Candidate[],
  options: MatchOptions,
): Matching<Candidate> {
  const asked = readForAll(request, options);
  const { units, interpretation, today } = asked;
  const { ranked, rejected } = rankMatches(candidates, asked);
  const [best, ...others] = ranked.filter(({ isCertain }) => isCertain);
  const rival =
    best &&
    [...others, ...ranked.filter((one) => !one.isCertain && one.rank > best.rank + MARGIN)].find(
      (other) => best.rank - other.rank < MARGIN && !makeSameCalls(best, other, today),
    );
  if (best === undefined || rival !== undefined) {
    const certain = ranked.filter(({ isCertain }) => isCertain);
    const weighed = candidatesToWeigh(candidates, asked, ranked)
      .flatMap(
        ({ candidate, found, options: known }) =>
          weighFunction(candidate, found, options.weights ?? READING_WEIGHTS, known) ?? [],
      )
      .filter(({ logOdds }) => logOdds >= Math.min(DOUBTFUL, options.offeredFrom ?? DOUBTFUL))
      .toSorted((one, other) => other.logOdds - one.logOdds);
    const confirmed = best === undefined ? confirmedOf(weighed, ranked, rejected) : undefined;
    const isMistaken =
      confirmed !== undefined && mistakenValue(request, confirmed.values, confirmed.function) !== undefined;
    if (confirmed !== undefined && !isMistaken)
      return { match: confirmed, likely: [], doubtful: [], open: [], rejected };
    const offered = weighed.filter(({ logOdds }) => logOdds >= (options.offeredFrom ?? OFFERED));
    // A model is asked about a request that the skills understand only if the words of a function explain it, too, or
    // the function is likelier.
    const asksModel = units !== undefined && isUnclear(units, interpretation);
    const others = [
      ...weighed.filter(({ logOdds }) => asksModel || logOdds >= DOUBTFUL_IF_UNDERSTOOD),
      ...ranked,
    ].map((one) => one.function);
    return {
      // If two are certain, the person chooses.
      likely: [...certain.map(asMatch), ...offered],
      doubtful: [...new Set(others)].filter((one) => !offered.some((other) => other.function === one)),
      open: candidates.filter(
        (one) => units !== undefined && rejected.some(({ id }) => id === one.id) && isOpen(units, one),
      ),
      rejected,
    };
  }
  rejected.push(
    ...ranked
      .filter((one) => one !== best)
      .map(({ function: { id } }) => ({ id, reason: "Another fits better." })),
  );
  return { match: asMatch(best), likely: [], doubtful: [], open: [], rejected };
}

/**
 * The likeliest function, if the weights leave no doubt about it: every word is explained, no value is doubtful, and no
 * other function comes near. The reading by rules doubts only the positions of its values, or finds no reading while
 * the weights are certain.
 */
function confirmedOf<Candidate extends RecipeFunction>(
  weighed: readonly WeighedMatch<Candidate>[],
  ranked: readonly RankedMatch<Candidate>[],
  rejected: readonly { id: string; reason: string }[],
): RecipeMatch<Candidate> | undefined {
  const [likeliest, second] = weighed;
  if (likeliest === undefined || likeliest.logOdds < CONFIRMED) return undefined;
  if (!likeliest.isClear || !likeliest.saysWhat) return undefined;
  if (second !== undefined && likeliest.logOdds - second.logOdds < CONFIRMED_MARGIN) return undefined;
  const found = ranked.find((one) => one.function === likeliest.function);
  const isUnread = rejected.some(({ id, reason }) => id === likeliest.function.id && reason === NO_VALUES);
  const isUndisputed = found === undefined ? isUnread : likeliest.isSame && found.isDisputed !== true;
  const isSure = likeliest.logOdds >= SURE && likeliest.explainsAsMuch && isUndisputed;
  if (!isSure && (found?.mayBeConfirmed !== true || !likeliest.isSame)) return undefined;
  return {
    function: likeliest.function,
    values: likeliest.values,
    score: likeliest.score,
    explainsAsMuch: true,
    reason: "It explains every word, and its values stand where such values stand.",
  };
}

/** Reads a request once for all functions. */
export function readForAll(request: string, options: MatchOptions): ParsedRequest {
  const interpretation = options.reading ?? readRequest(request, options.skillGrammars, options);
  return {
    tokenized: tokenizeRequest(request),
    units: readUnits(request, options),
    interpretation,
    options,
    today: dayOf(options),
  };
}

/** The functions that a request is read as, the best first, and why it is read as none of the others. */
export function rankMatches<Candidate extends RecipeFunction>(
  candidates: readonly Candidate[],
  asked: ParsedRequest,
): { ranked: RankedMatch<Candidate>[]; rejected: { id: string; reason: string }[] } {
  const rejected: { id: string; reason: string }[] = [];
  const found = candidates.flatMap((candidate): RankedMatch<Candidate>[] => {
    const reject = (reason: string): [] => {
      rejected.push({ id: candidate.id, reason });
      return [];
    };
    const read = findReading(candidate, asked);
    if (typeof read === "string") return reject(read);
    const reason = rejectionOf(candidate, read, asked);
    if (reason !== undefined) return reject(reason);
    const doubt = doubtOf(candidate, read, asked);
    return [
      {
        function: candidate,
        ...read,
        ...(doubt !== undefined && {
          isCertain: false,
          mayBeConfirmed: false,
          isDisputed: true,
          reason: doubt,
        }),
      },
    ];
  });
  return { ranked: found.toSorted((one, other) => other.rank - one.rank), rejected };
}

/** Why a function whose template or plan fits the words is not what the request asks for. */
function rejectionOf(
  candidate: RecipeFunction,
  { values, rank }: { values: Readonly<Record<string, unknown>>; rank: number },
  { tokenized, units, options }: ParsedRequest,
): string | undefined {
  if (truncatesValue(tokenized.request, values)) return CUT_OFF;
  if (isShift(tokenized.request, values)) return SHIFTS;
  if (endsInFurtherOrder(tokenized.request, values)) return FURTHER_ORDER;
  if (Object.values(values).some((value) => isImpossibleDay(value, options))) return NO_SUCH_DAY;
  if (units === undefined || rank === RANK_OF_EXACT_TEMPLATE) return undefined;
  return isRemoval(units, candidate, values) ? TAKES_AWAY : undefined;
}

/** True for "2026-11-31". */
const isImpossibleDay = (value: unknown, clock: Pick<MatchOptions, "now" | "timeZone">): boolean =>
  typeof value === "string" &&
  /^\d{4}-\d{1,2}-\d{1,2}$/u.test(value) &&
  readDateText(value, clock).kind === "impossible";

/** The reason why a reading is not certain although its words are explained. */
function doubtOf(
  candidate: RecipeFunction,
  { values, rank: rankOfRead }: Pick<RankedMatch<RecipeFunction>, "values" | "rank">,
  { tokenized, units, options }: ParsedRequest,
): string | undefined {
  if (
    !isOwnTemplate(tokenized.request, candidate) &&
    hasUnexplainedWords(tokenized, values, candidate, options)
  )
    return MORE_THAN_VALUES;
  if (units === undefined || rankOfRead === RANK_OF_EXACT_TEMPLATE) return undefined;
  const mistaken = mistakenValue(tokenized.request, values, candidate);
  if (mistaken !== undefined) return mistaken;
  if (hasFurtherOrder(units, candidate, values)) return FURTHER_ORDER;
  if (losesTime(units, candidate, values)) return LOSES_TIME;
  const opposite = oppositeOf(units, candidate, values);
  if (opposite !== undefined) return opposite;
  const concepts = conceptsOf(candidate);
  if (isIdentifiedByKind(units, concepts, values)) return UNKNOWN_KIND;
  return isOfOtherKind(alignRequest(units, concepts), values) ? OTHER_KIND : undefined;
}

/** The weighed functions, with the facts about each; none for a question or a prohibition. */
export function candidatesToWeigh<Candidate extends RecipeFunction>(
  candidates: readonly Candidate[],
  { tokenized: { request }, units, interpretation, today, options }: ParsedRequest,
  ranked: readonly RankedMatch<Candidate>[],
): { candidate: Candidate; found: RankedMatch<Candidate> | undefined; options: WeighOptions }[] {
  if (units === undefined) return [];
  const isForbidden = interpretation.kind === "refrain" && isNegated(units);
  const plan = interpretation.kind === "plan" ? interpretation.calls : undefined;
  const explainedBySkills = plan === undefined ? 0 : explainedByPlan(request, plan);
  const words = request.trim().split(/\s+/u).length;
  return candidates.flatMap((candidate) => {
    const found = ranked.find((one) => one.function === candidate);
    if (found?.isCertain === true || isRefused(units, candidate)) return [];
    // Only a marked value may contain a prohibition: "journal: never again".
    if (isForbidden && found === undefined) return [];
    const makesPlan = plan?.every(({ skill }) => recipeCalls(candidate, skill)) ?? false;
    const explainsMore = (explained: number): boolean =>
      plan === undefined || (makesPlan && plan.length === 1) || explained > explainedBySkills;
    const isPossible = (values: Readonly<Record<string, unknown>>): boolean =>
      !truncatesValue(request, values) &&
      !isShift(request, values) &&
      !Object.values(values).some((value) => isImpossibleDay(value, options)) &&
      !endsInFurtherOrder(request, values) &&
      !containsFurtherOrder(candidate, values) &&
      oppositeOf(units, candidate, values) === undefined &&
      (holdsTypedValue(candidate, values) ||
        !isOfOtherKind(alignRequest(units, conceptsOf(candidate)), values, { singleWordsOnly: true })) &&
      !Object.values(values).some((value) => isIdiom(request, value));
    const isRepeated = (values: Readonly<Record<string, unknown>>): boolean =>
      plan !== undefined && onlyRepeats(plan, values, request);
    const known = { units, today, words, explainsMore, isRepeated, isPossible };
    return [
      {
        candidate,
        found,
        options: { ...known, plan: planFor(candidate, plan) },
      },
    ];
  });
}

/**
 * True if one of the values is known by its form: beside a day or a number in its place, a value of another kind makes a function
 * doubtful and does not exclude it ("reserve the chapel on friday for the tournament").
 */
const holdsTypedValue = (candidate: RecipeFunction, values: Readonly<Record<string, unknown>>): boolean =>
  conceptsOf(candidate).slots.some(
    ({ name, type }) => type !== "text" && type !== "name" && values[name] !== undefined,
  );

/** The skills' interpretation of the request, compared with the function's calls. */
function planFor(candidate: RecipeFunction, plan: readonly PlannedCall[] | undefined): WeighOptions["plan"] {
  if (plan === undefined) return "none";
  if (!plan.every(({ skill }) => recipeCalls(candidate, skill))) return "other";
  return plan.length < (candidate.recipe?.actions.length ?? 0) ? "part" : "same";
}

/** Why the words outside the values say the opposite of the function, or name another value in the place of a fixed one. */
function oppositeOf(
  units: ReadableRequest,
  candidate: RecipeFunction,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  const isInUnits = inValuesOf(units.text, values);
  const annotated = assignRoles(alignRequest(units, conceptsOf(candidate)));
  const inValue = (at: number): boolean => isInUnits(units.units[at]);
  return findContradiction(annotated, inValue, candidate) ?? findRetraction(annotated, inValue);
}

/** Whether a model may be asked about a recipe that does not match the request. */
function isOpen(units: ReadableRequest, candidate: RecipeFunction): boolean {
  const annotated = assignRoles(alignRequest(units, conceptsOf(candidate)));
  return (
    isReadable(candidate) &&
    !isRefused(units, candidate) &&
    !isRemoval(units, candidate) &&
    hasRequiredForms(units, conceptsOf(candidate)) &&
    !deniesAct(
      annotated,
      () => false,
      (at) => isOwnNegation(annotated, at, candidate),
    )
  );
}

/** Whether the words outside the values remove, reverse or do something else than the function. */
function isRemoval(
  units: ReadableRequest,
  candidate: RecipeFunction,
  values: Readonly<Record<string, unknown>> = {},
): boolean {
  const isInUnits = inValuesOf(units.text, values);
  const inValue = (index: number): boolean => isInUnits(units.units[index]);
  const annotated = assignRoles(alignRequest(units, conceptsOf(candidate)));
  if (isOtherAct(annotated, inValue)) return true;
  return (
    isRemovalRequest(annotated, inValue) ||
    units.units.some(
      (_, index) =>
        !inValue(index) &&
        (isTurnedAround(annotated, index) ||
          isNotYet(annotated, index) ||
          isOtherEvent(annotated, index, inValue)),
    )
  );
}

/** Whether an order of the function's own kind follows one that it carries out already. */
function hasFurtherOrder(
  units: ReadableRequest,
  candidate: RecipeFunction,
  values: Readonly<Record<string, unknown>>,
): boolean {
  const isInUnits = inValuesOf(units.text, values);
  const annotated = assignRoles(alignRequest(units, conceptsOf(candidate)));
  return findFurtherOrder(annotated, (index) => isInUnits(units.units[index])) !== undefined;
}

/** The skills do not understand the request, and it forbids nothing. */
const isUnclear = (units: ReadableRequest, { kind }: Interpretation): boolean =>
  (kind === "not-understood" || kind === "capabilities") && !isNegated(units);

function asMatch<Candidate extends RecipeFunction>({
  isCertain: _certain,
  isExplained: _explained,
  rank: _rank,
  ...match
}: RankedMatch<Candidate>): RecipeMatch<Candidate> {
  return match;
}
