import type { FunctionMemory } from "../../contract/function.ts";
import { isoDay, wallTimeOf } from "../../language/dates/clock.ts";
import type { SkillGrammar } from "../../language/grammar/phrase.ts";
import type { Interpretation } from "../../language/grammar/plan.ts";
import { NEGATIONS } from "../../language/grammar/small-talk.ts";
import { tokenize } from "../../language/tokens/tokens.ts";
import { readRequest } from "../../language/read-request.ts";
import { bindByPlan } from "./bind-plan.ts";
import { bindByTemplate, type Bound, type Said, saidOf } from "./bind-template.ts";
import { withDefaults } from "./instantiate.ts";
import { bindByTaughtTemplate, isRefused } from "../reading/request-templates.ts";
import { conceptsOf, isReadable } from "../reading/function-concepts.ts";
import { holdsForms, readInvocation } from "../reading/read-invocation.ts";
import { type ReadableRequest, readUnits } from "../reading/request-units.ts";
import {
  doTheSame,
  DOUBTFUL,
  explainedByPlan,
  OFFERED,
  type RecipeFunction,
  type RecipeMatch,
  weigh,
  type Weighed,
} from "./likely-matches.ts";
import {
  cutsOff,
  isAbout,
  isIdiom,
  isOwnTemplate,
  isToldByKind,
  onlyAsks,
  otherwiseRead,
  plausibleValues,
} from "./plausible.ts";

export interface MatchOptions {
  now: Date;
  timeZone: string;
  /** The grammars of the installed skills. */
  skillGrammars: readonly SkillGrammar[];
  /** The interpretation of the request by these skills, if the caller has it already. */
  reading?: Interpretation;
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
   * Empty if the skills understand the request, if it is negated, and beside a match.
   */
  open: Candidate[];
  /** The reason why each of the others is not replayed. */
  rejected: { id: string; reason: string }[];
}

/** A match with its rank. */
interface Found<Candidate extends RecipeFunction> extends RecipeMatch<Candidate> {
  isCertain: boolean;
  isExplained: boolean;
  /** More is better. */
  rank: number;
}

/** The minimum difference in rank between the best match and any other with different calls. */
const MARGIN = 1;
/** The rank of a match by the grammar alone, per share of explained words. */
const RANK_OF_SHARE = 10;
/** The rank of a request that is equal to a template of the function. */
const RANK_OF_WHOLE = 100;

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
  const rejected: { id: string; reason: string }[] = [];
  const reading = options.reading ?? readRequest(request, options.skillGrammars, options);
  const units = readUnits(request, options);
  const said = saidOf(request);
  const open: Candidate[] = [];
  const found = candidates.flatMap((candidate): Found<Candidate>[] => {
    const read = findReading(said, candidate, { units, reading, options });
    const told = typeof read !== "string" && cutsOff(request, read.values) ? CUT_OFF : read;
    if (typeof told !== "string") {
      const isDoubtful =
        units !== undefined &&
        told.rank !== RANK_OF_WHOLE &&
        isToldByKind(units, conceptsOf(candidate), told.values);
      return [
        { function: candidate, ...told, ...(isDoubtful && { isCertain: false, reason: UNKNOWN_KIND }) },
      ];
    }
    rejected.push({ id: candidate.id, reason: told });
    if (units && isOpen(units, candidate, reading)) open.push(candidate);
    return [];
  });
  const today = dayOf(options);
  const ranked = found.toSorted((one, other) => other.rank - one.rank);
  const [best, ...others] = ranked.filter(({ isCertain }) => isCertain);
  const rival =
    best &&
    [...others, ...ranked.filter((one) => !one.isCertain && one.rank > best.rank + MARGIN)].find(
      (other) => best.rank - other.rank < MARGIN && !doTheSame(best, other, today),
    );
  if (best === undefined || rival !== undefined) {
    const certain = ranked.filter(({ isCertain }) => isCertain);
    const weighed = weighAll({ request, candidates, ranked, units, reading, options });
    const offered = weighed.filter(({ logOdds }) => logOdds >= OFFERED);
    // What the skills understand, a model is asked about only where the words of a function explain it, too.
    const asksModel = units !== undefined && isUnclear(units, reading);
    const others = [...(asksModel ? weighed : []), ...ranked].map((one) => one.function);
    return {
      // Of two that are both certain, the person chooses.
      likely: [...certain.map(asMatch), ...offered],
      doubtful: [...new Set(others)].filter((one) => !offered.some((other) => other.function === one)),
      open,
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

/** The functions that are not certain, by how likely they are; none for a question or for what is not to be done. */
function weighAll<Candidate extends RecipeFunction>({
  request,
  candidates,
  ranked,
  units,
  reading,
  options,
}: {
  request: string;
  candidates: readonly Candidate[];
  ranked: readonly Found<Candidate>[];
  units: ReadableRequest | undefined;
  reading: Interpretation;
  options: MatchOptions;
}): Weighed<Candidate>[] {
  if (units === undefined) return [];
  const isForbidden = reading.kind === "refrain" && isNegated(units);
  const plan = reading.kind === "plan" ? reading.calls : undefined;
  const explainedBySkills = plan === undefined ? 0 : explainedByPlan(request, plan);
  const today = dayOf(options);
  const words = request.trim().split(/\s+/u).length;
  return candidates
    .flatMap((candidate): Weighed<Candidate>[] => {
      const found = ranked.find((one) => one.function === candidate);
      if (found?.isCertain === true || isRefused(units, candidate)) return [];
      // Only what is marked as a value may hold a prohibition: "journal: never again".
      if (isForbidden && found === undefined) return [];
      const makesPlan = plan?.length === 1 && plan.every(({ skill }) => makes(candidate, skill));
      const weighed = weigh(candidate, found, {
        units,
        today,
        words,
        explainsMore: (explained) => plan === undefined || makesPlan || explained > explainedBySkills,
      });
      if (weighed === undefined || weighed.logOdds < DOUBTFUL || cutsOff(request, weighed.values)) return [];
      if (Object.values(weighed.values).some((value) => isIdiom(request, value))) return [];
      return [weighed];
    })
    .toSorted((one, other) => other.logOdds - one.logOdds);
}

/** Whether a model may be asked about a recipe that does not match the request. */
function isOpen(units: ReadableRequest, candidate: RecipeFunction, reading: Interpretation): boolean {
  return (
    isUnclear(units, reading) &&
    isReadable(candidate) &&
    !isRefused(units, candidate) &&
    holdsForms(units, conceptsOf(candidate))
  );
}

/** The skills do not understand it, and it forbids nothing. */
const isUnclear = (units: ReadableRequest, { kind }: Interpretation): boolean =>
  (kind === "not-understood" || kind === "capabilities") && !isNegated(units);

/** "Don't forget …" negates nothing. */
const isNegated = ({ units }: ReadableRequest): boolean =>
  units.some(({ kind, text, isHarmless }) => kind === "word" && !isHarmless && NEGATIONS.has(text));

function asMatch<Candidate extends RecipeFunction>({
  isCertain: _certain,
  isExplained: _explained,
  rank: _rank,
  ...match
}: Found<Candidate>): RecipeMatch<Candidate> {
  return match;
}

interface Reading {
  units: ReadableRequest | undefined;
  reading: Interpretation;
  options: MatchOptions;
}

/** The match of a request with a recipe, or a sentence with the reason why there is none. */
function findReading(
  said: Said,
  candidate: RecipeFunction,
  { units, reading, options }: Reading,
): Omit<Found<RecipeFunction>, "function"> | string {
  const { request } = said;
  if (units !== undefined && isRefused(units, candidate)) return "A person did not want it for these words.";
  const words = request.trim().split(/\s+/).length;
  const share = (literals: number): number => Math.min(1, Math.max(0, literals / words));
  const taught = units && bindByTaughtTemplate(units, candidate);
  if (taught !== undefined) {
    const complete = withDefaults(candidate.parameters, taught, dayOf(options));
    if (complete.ok)
      return {
        values: complete.values,
        score: 1,
        rank: RANK_OF_WHOLE,
        isCertain: true,
        explainsAsMuch: true,
        isExplained: true,
        reason: "Read as words it was taught.",
      };
  }
  const byGrammar = readByGrammar(said, candidate, reading, options);
  const concepts = units && isReadable(candidate) ? conceptsOf(candidate) : undefined;
  if (units === undefined || concepts === undefined) {
    if (typeof byGrammar === "string") return byGrammar;
    const score = share(byGrammar.literals);
    return {
      values: byGrammar.values,
      score,
      rank: RANK_OF_SHARE * score,
      isCertain: true,
      explainsAsMuch: true,
      isExplained: true,
      reason: `Read as ${byGrammar.how}.`,
    };
  }
  const isForbidden = reading.kind === "refrain" && isNegated(units);
  const byWords = readInvocation(units, concepts);
  // What the skills take for a prohibition may be a part of a value that is marked as one: "journal: never again".
  if (isForbidden && (typeof byWords === "string" || (byWords.marked.size === 0 && !units.isCorrected)))
    return FORBIDDEN;
  if (typeof byWords === "string") {
    // Its own words, which hold no value, ask for it whatever they mean elsewhere: "do the fern round".
    if (typeof byGrammar === "string" || !isOwnTemplate(request, candidate)) return byWords;
    return {
      values: byGrammar.values,
      score: 1,
      rank: RANK_OF_WHOLE,
      isCertain: true,
      explainsAsMuch: true,
      isExplained: true,
      reason: `Read as ${byGrammar.how}.`,
    };
  }
  const complete = withDefaults(candidate.parameters, byWords.values, dayOf(options));
  if (!complete.ok) return `The request does not say ${complete.missing.join(", ")}.`;
  const { score: rank, explained } = byWords;
  const score = share(explained);
  if (byWords.isGuessed)
    return {
      values: complete.values,
      score,
      rank,
      isCertain: false,
      explainsAsMuch: false,
      isExplained: false,
      reason: byWords.reason,
    };
  if (typeof byGrammar !== "string" && agree(byGrammar.values, complete.values))
    return {
      values: byGrammar.values,
      score,
      rank,
      isCertain: true,
      explainsAsMuch: true,
      isExplained: true,
      reason: `Read as ${byGrammar.how}.`,
    };
  const plan = reading.kind === "plan" ? reading.calls : undefined;
  const planned =
    plan &&
    isAbout(request, candidate, options.skillGrammars) &&
    bindByPlan(plan, withCopies(candidate), { ...options, today: dayOf(options) });
  if (planned && agree(planned.values, complete.values))
    return {
      values: complete.values,
      score,
      rank,
      isCertain: true,
      explainsAsMuch: true,
      isExplained: true,
      reason: `Read as ${planned.how}.`,
    };
  const makesPlan = plan?.every(({ skill }) => makes(candidate, skill)) ?? true;
  const explainsMore = plan === undefined || explained > explainedByPlan(request, plan);
  const doubtful = Object.fromEntries(
    Object.entries(byWords.values).filter(([name]) => !byWords.marked.has(name)),
  );
  const isSure =
    byWords.isCertain &&
    !isForbidden &&
    (makesPlan || explainsMore) &&
    typeof plausibleValues(request, doubtful, candidate, options) !== "string" &&
    (explainsMore || otherwiseRead(doubtful, plan) === undefined);
  return {
    values: complete.values,
    score,
    rank,
    isCertain: isSure,
    // Several calls that the skills read are done at once rather than asked about.
    explainsAsMuch: byWords.isExplained && (explainsMore || (makesPlan && plan.length === 1)),
    isExplained: byWords.isExplained,
    reason: byWords.reason,
  };
}

/** Whether a recipe calls this skill. */
const makes = (candidate: RecipeFunction, skill: string): boolean =>
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
function readByGrammar(
  said: Said,
  candidate: RecipeFunction,
  reading: Interpretation,
  options: MatchOptions,
): Bound | string {
  const { request } = said;
  const turned = onlyAsks(request) ? "The request only asks." : forbids(reading, request);
  return turned ?? bindRecipe(said, candidate, reading, options);
}

/**
 * The values that a request gives to a recipe's parameters, with defaults, or a sentence with the reason why it gives
 * none.
 */
function bindRecipe(
  said: Said,
  candidate: RecipeFunction,
  reading: Interpretation,
  options: MatchOptions,
): Bound | string {
  const { request } = said;
  if (candidate.recipe === undefined) return "It has no recipe.";
  const today = dayOf(options);
  const plan = reading.kind === "plan" ? reading.calls : undefined;
  const bound =
    bindByTemplate(said, candidate, options) ??
    (plan && isAbout(request, candidate, options.skillGrammars)
      ? bindByPlan(plan, candidate, { skillGrammars: options.skillGrammars, today })
      : undefined);
  if (bound === undefined) return "Its templates do not explain every word of the request.";
  const unknown = Object.keys(bound.values).find(
    (name) => !candidate.parameters.some((parameter) => parameter.name === name),
  );
  if (unknown !== undefined) return `It has no parameter ${unknown}.`;
  const others = plan?.find((call) => !candidate.recipe?.actions.some(({ skill }) => skill === call.skill));
  if (others !== undefined) return `The request asks for ${others.skill}, which it does not call.`;
  const values = plausibleValues(request, bound.values, candidate, options);
  if (typeof values === "string") return values;
  const word = otherwiseRead(values, plan);
  if (word !== undefined) return `“${word}” may be no part of a value.`;
  const complete = withDefaults(candidate.parameters, values, today);
  if (!complete.ok) return `The request does not say ${complete.missing.join(", ")}.`;
  return { ...bound, values: complete.values };
}

/** The current day in the person's time zone: `2026-11-22`. */
export function dayOf({ now, timeZone }: Pick<MatchOptions, "now" | "timeZone">): string {
  return isoDay(wallTimeOf(now, timeZone));
}

const CUT_OFF =
  "A mark at the edge of a value may belong to a name: “_plan.md” is another file than “plan.md”.";

const UNKNOWN_KIND = "Nothing but a value tells that it is meant, and the value is new.";

const FORBIDDEN = "The request says that something is not to be done.";

function forbids(reading: Interpretation, request: string): string | undefined {
  switch (reading.kind) {
    case "refrain":
      return FORBIDDEN;
    case "ambiguous":
      return "The request can be read in more than one way.";
    case "empty":
      return "There is no request.";
    // Words that are a question or talk to the skills may be an order for a function; its templates tell them apart.
    case "plan":
    case "capabilities":
    case "clock":
    case "small-talk":
      return undefined;
    // What the skills make nothing of may still turn an order around: "pack for Rome but not for Paris".
    case "not-understood":
      return isNegatedCommand(request) ? FORBIDDEN : undefined;
    default:
      return reading satisfies never;
  }
}

const isNegatedCommand = (request: string): boolean =>
  tokenize(request).some((token) => token.kind === "word" && NEGATIONS.has(token.text));
