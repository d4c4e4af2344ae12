import type { FunctionContent, FunctionExample } from "@metahuman/core/contract/function";
import type { CheckEvent, FunctionCheck } from "@metahuman/core/contract/verification";
import { regionOf, type Region } from "@metahuman/core/contract/region";
import { TRIAL_CHECK } from "@metahuman/core/functions/verify/proof";
import { formatCount, truncate } from "@metahuman/core/text/format";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import { ModelError } from "@metahuman/models/model-error";
import type { Skill } from "@metahuman/skills/define-skill";
import type { Planner } from "../operator/planner.ts";
import { isContained } from "./scratch-call.ts";
import { runTrial, type TrialRun } from "./trial-run.ts";

export interface TrialDependencies {
  skill: (id: string) => Skill | undefined;
  /** The skills that a run may call now. */
  skills: () => readonly Skill[];
  /** The planner of runs with a model; undefined when there is no model, missing where guides are never tried. */
  modelPlanner?: () => Promise<Planner | undefined>;
  embedder: Embedder;
  clock: () => Date;
  /** The region of the profile, for examples that record none. */
  region: () => Promise<Region>;
}

/** The time limit for all trials of one guide, in milliseconds. */
const TIME_LIMIT_MS = 90_000;
/** Each example takes two runs with a model. */
const MAX_EXAMPLES = 2;

/**
 * Runs the examples of a guide with a model in scratch environments, without the guide and with it, and reports both
 * results. A guide fails when an example meets fewer expectations with it than without, or when it saves no planning
 * call; a person may still promote it with a reason. A trial that is not possible, times out or ends without a result
 * decides nothing. Rejects with the reason of the signal.
 */
export async function pairedTrials(
  content: FunctionContent,
  parts: TrialDependencies,
  signal: AbortSignal,
  report: (event: CheckEvent) => void = () => undefined,
): Promise<FunctionCheck[]> {
  const checks: FunctionCheck[] = [];
  const withCheck = (check: FunctionCheck): FunctionCheck[] => {
    report({ type: "check-ended", check });
    checks.push(check);
    return checks;
  };
  const { skill } = parts;
  const planner = await parts.modelPlanner?.();
  if (!planner) return withCheck(notTried("no model"));
  if (content.examples.length < 2)
    return withCheck(notTried("a trial needs two examples: one to learn from, and another to try"));
  const tried = mostInformative(content.examples.filter((example) => !containsResult(content, example)));
  if (tried.length === 0) return withCheck(notTried("it contains the result of each of its examples"));
  const outside = content.skillsUsed.find((id) => {
    const used = skill(id);
    return used && !isTryable(used);
  });
  if (outside !== undefined) return withCheck(notTried(`${outside} is not run in a scratch environment`));

  const skills = parts.skills().filter(isTryable);
  const limit = AbortSignal.timeout(TIME_LIMIT_MS);
  const limited = AbortSignal.any([signal, limit]);
  const profileRegion = await parts.region();
  for (const [index, example] of tried.entries()) {
    // A guide written by hand is tried in an empty workspace.
    const fixture = example.fixture ?? {
      paths: [],
      tasks: [],
      memories: [],
      at: parts.clock().toISOString(),
    };
    const trial = {
      example,
      fixture,
      region: regionOf(fixture, profileRegion),
      planner,
      skills,
      embedder: parts.embedder,
    };
    report({ type: "check-started", name: `${TRIAL_CHECK} ${index + 1}` });
    try {
      const without = await runTrial(trial, limited);
      const guided = await runTrial({ ...trial, guide: content }, limited);
      // Only two runs with a result can be compared.
      const open = [guided, without].find(({ outcome }) => outcome !== "answered" && outcome !== "stuck");
      withCheck(
        open
          ? notTried(`a run ended as ${open.outcome}, without a result`)
          : comparison(index + 1, example.prompt, guided, without),
      );
    } catch (error) {
      signal.throwIfAborted();
      if (limit.aborted) return withCheck(notTried(`it was not finished within ${TIME_LIMIT_MS / 1_000} s`));
      if (!(error instanceof ModelError)) throw error;
      return withCheck(notTried(error.message));
    }
  }
  return checks;
}

/** The newest examples, those with a recorded fixture first. */
function mostInformative(examples: readonly FunctionExample[]): FunctionExample[] {
  const newest = examples.toReversed();
  const known = newest.filter(({ fixture }) => fixture);
  return [...known, ...newest.filter(({ fixture }) => !fixture)].slice(0, MAX_EXAMPLES);
}

/** Whether the guide contains the result of the example, so that a trial would prove nothing. */
function containsResult(
  { steps, parameters }: FunctionContent,
  { resultPath, parameters: given }: FunctionExample,
): boolean {
  const guide = [...steps, ...parameters.map(({ default: preset }) => JSON.stringify(preset ?? ""))].join(
    "\n",
  );
  const results = [resultPath, ...Object.values(given ?? {})].filter((value) => typeof value === "string");
  return results.some((result) => result.length > 3 && guide.includes(result));
}

function isTryable(skill: Skill): boolean {
  return isContained(skill) && skill.category !== "agent" && skill.category !== "functions";
}

function notTried(reason: string): FunctionCheck {
  const detail = `Not tried: ${reason}. This does not affect the verdict.`;
  return { name: TRIAL_CHECK, ok: true, detail, inconclusive: true };
}

function comparison(number: number, prompt: string, guided: TrialRun, without: TrialRun): FunctionCheck {
  const isWorse = guided.met < without.met;
  const isOk =
    guided.met > without.met || (guided.met === without.met && guided.planningCalls < without.planningCalls);
  return {
    name: `${TRIAL_CHECK} ${number}`,
    ok: isOk,
    detail: [
      `“${truncate(prompt, 100)}”${isOk ? "" : isWorse ? ": the result was worse with the guide than without." : ": it saved no call."}`,
      `With the guide (${guided.followed ? "followed" : "not followed"}): ${inWords(guided)}`,
      `Without it: ${inWords(without)}`,
    ].join("\n"),
  };
}

function inWords({ outcome, steps, planningCalls, met, expected, durationMs }: TrialRun): string {
  return `${outcome}, ${formatCount(steps, "step")}, ${formatCount(planningCalls, "planning call")}, ${met} of ${formatCount(expected, "expectation")} met, ${Math.round(durationMs)} ms.`;
}
