import type { FunctionMemory } from "../../contract/function.ts";
import { isoDay, wallTimeOf } from "../../language/dates/clock.ts";
import type { SkillGrammar } from "../../language/grammar/phrase.ts";
import type { Interpretation } from "../../language/grammar/plan.ts";
import { NEGATIONS } from "../../language/grammar/small-talk.ts";
import { tokenise } from "../../language/tokens/tokens.ts";
import { readRequest } from "../../language/read-request.ts";
import { bindByPlan } from "./bind-plan.ts";
import { bindByTemplate, type Bound } from "./bind-template.ts";
import { fillArgs, optionalNames, withDefaults } from "./instantiate.ts";
import { isAbout, onlyAsks, otherwiseRead, plausibleValues } from "./plausible.ts";

export interface MatchOptions {
  now: Date;
  timeZone: string;
  /** Of the installed skills. */
  speech: readonly SkillGrammar[];
}

export type RecipeFunction = Pick<
  FunctionMemory,
  "id" | "title" | "parameters" | "recipe" | "examples" | "skillsUsed"
>;

/** A recipe that carries out a request, with what its parameters stand for. */
export interface RecipeMatch<Candidate extends RecipeFunction> {
  function: Candidate;
  values: Record<string, unknown>;
  /** The share of the request's words that the recipe itself explains, 0–1. */
  score: number;
  reason: string;
}

export interface Matching<Candidate extends RecipeFunction> {
  match?: RecipeMatch<Candidate>;
  /** Why each of the others is not replayed. */
  rejected: { id: string; reason: string }[];
}

/** How much more of the request the best must explain than any other that would do something else. */
const MARGIN = 0.1;

/**
 * The one recipe that is certainly meant, or none. It binds every required parameter and explains every content word;
 * the installed skills do not read the request as something else; no other recipe fits nearly as well. Precision before
 * coverage: what is not certain is planned anew.
 */
export function matchRecipe<Candidate extends RecipeFunction>(
  request: string,
  candidates: readonly Candidate[],
  options: MatchOptions,
): Matching<Candidate> {
  const rejected: { id: string; reason: string }[] = [];
  const reading = readRequest(request, options.speech, options);
  const turned = onlyAsks(request) ? "The request only asks." : forbids(reading, request);
  if (turned !== undefined) return { rejected: candidates.map(({ id }) => ({ id, reason: turned })) };
  const today = dayOf(options);
  const words = request.trim().split(/\s+/).length;
  const found = candidates.flatMap((candidate): RecipeMatch<Candidate>[] => {
    const told = bindRecipe(request, candidate, reading, options);
    if (typeof told === "string") {
      rejected.push({ id: candidate.id, reason: told });
      return [];
    }
    const score = Math.min(1, Math.max(0, told.literals / words));
    return [{ function: candidate, values: told.values, score, reason: `Read as ${told.how}.` }];
  });
  const [best, ...others] = found.toSorted((one, other) => other.score - one.score);
  if (best === undefined) return { rejected };
  const rival = others.find((other) => best.score - other.score < MARGIN && !doTheSame(best, other, today));
  if (rival !== undefined) {
    const reason = `“${best.function.title}” and “${rival.function.title}” fit equally well.`;
    return { rejected: [...rejected, ...found.map((match) => ({ id: match.function.id, reason }))] };
  }
  rejected.push(...others.map(({ function: { id } }) => ({ id, reason: "Another fits better." })));
  return { match: best, rejected };
}

/** What a request binds a recipe's parameters to, defaults included; a sentence says why it does not. */
function bindRecipe(
  request: string,
  candidate: RecipeFunction,
  reading: Interpretation,
  options: MatchOptions,
): Bound | string {
  if (candidate.recipe === undefined) return "It has no recipe.";
  const today = dayOf(options);
  const plan = reading.kind === "plan" ? reading.calls : undefined;
  const bound =
    bindByTemplate(request, candidate, options) ??
    (plan && isAbout(request, candidate, options.speech)
      ? bindByPlan(plan, candidate, { speech: options.speech, today })
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

/** The day it is where the person is: `2026-11-22`. */
export function dayOf({ now, timeZone }: Pick<MatchOptions, "now" | "timeZone">): string {
  return isoDay(wallTimeOf(now, timeZone));
}

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
  tokenise(request).some((token) => token.kind === "word" && NEGATIONS.has(token.text));

function doTheSame(
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
