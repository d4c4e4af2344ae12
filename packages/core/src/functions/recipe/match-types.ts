import type { FunctionMemory } from "../../contract/function.ts";
import type { Clock } from "../../language/dates/clock.ts";
import type { SkillGrammar } from "../../language/grammar/phrase.ts";
import type { Interpretation } from "../../language/grammar/plan.ts";
import type { MatchWeights } from "../matching/match-weights.ts";
import type { ReadableRequest } from "../matching/request-units.ts";
import type { TokenizedRequest } from "./bind-template.ts";

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
  /** Likely enough to be offered, the likeliest first; empty if there is a match. */
  likely: RecipeMatch<Candidate>[];
  /** Less likely, but enough for a model to be asked, the likeliest first; empty if there is a match. */
  doubtful: Candidate[];
  /**
   * Recipes that do not match, although the request contains values of the types that they take; a model may decide.
   * Empty if there is a match.
   */
  open: Candidate[];
  /** The reason why each of the others is not replayed. */
  rejected: { id: string; reason: string }[];
}

/**
 * How sure a match by rules is.
 * - `certain`: it needs no confirmation.
 * - `confirmable`: only the positions of its values are uncertain, and the fitted weights may confirm it.
 * - `open`: words or values are left unexplained.
 * - `disputed`: the request forbids something, the skills read it as other calls, or a value has another form or kind; the
 *   weights cannot confirm it.
 */
export type Certainty = "certain" | "confirmable" | "open" | "disputed";

/** A match by rules, with its rank. */
export interface RankedMatch<Candidate extends RecipeFunction> extends RecipeMatch<Candidate> {
  certainty: Certainty;
  /** No word of the request is left unexplained. */
  isExplained: boolean;
  /** It is disputed only because the request contains more than the values. */
  containsMore?: boolean;
  /** More is better. */
  rank: number;
}

/** The parts of a request that do not depend on a function. */
export interface ParsedRequest {
  /** `YYYY-MM-DD` in the time zone of the request. */
  today: string;
  tokenized: TokenizedRequest;
  /** Undefined if the request is longer than `MAX_UNITS`. */
  units: ReadableRequest | undefined;
  /** The skills' interpretation of the request. */
  interpretation: Interpretation;
  options: Clock & { skillGrammars: readonly SkillGrammar[] };
}

export interface MatchOptions {
  now: Date;
  timeZone: string;
  /** The grammars of the installed skills. */
  skillGrammars: readonly SkillGrammar[];
  /** Other weights than the fitted ones: for fitting them. */
  weights?: MatchWeights;
  /** Another threshold of offers than the fitted one, in log-odds: for fitting it. */
  offeredFrom?: number;
  /** The interpretation of the request by these skills, if the caller has it already. */
  reading?: Interpretation;
}
