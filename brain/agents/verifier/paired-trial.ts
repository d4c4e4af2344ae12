import type { FunctionContent, FunctionExample } from "@metahuman/core/contract/function";
import type { CheckEvent, FunctionCheck } from "@metahuman/core/contract/verification";
import { regionOf, type Region } from "@metahuman/core/contract/region";
import { TRIAL_CHECK } from "@metahuman/core/functions/verify/proof";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import { ModelError } from "@metahuman/models/model-error";
import type { Skill } from "@metahuman/skills/define-skill";
import type { Planner } from "../operator/planner.ts";
import { isContained } from "./scratch-call.ts";
import { runTrial, type TrialRun } from "./trial-run.ts";

export interface TrialDependencies {
  skill: (id: string) => Skill | undefined;
  /** What a run may call now. */
  skills: () => readonly Skill[];
  /** That which plans runs; undefined when there is no model, missing where guides are never tried. */
  modelPlanner?: () => Promise<Planner | undefined>;
  embedder: Embedder;
  clock: () => Date;
  /** The profile's region: where examples took place that do not say so themselves. */
  region: () => Promise<Region>;
}

/** All trials of one guide take no longer, in milliseconds. */
const LONGEST_MS = 90_000;
/** Each is two runs with a model. */
const MOST_EXAMPLES = 2;

/**
 * Has a model carry out the guide's examples in shadows, without the guide and with it, and tells both (design 5.5). It
 * fails a guide with which less came of an example than without, or that saved no call; a person may promote it with a
 * reason. What could not be tried, timed out or came to no result decides nothing. Rejects
 * with the signal's reason.
 */
export async function pairedTrials(
  content: FunctionContent,
  parts: TrialDependencies,
  signal: AbortSignal,
  tell: (event: CheckEvent) => void = () => undefined,
): Promise<FunctionCheck[]> {
  const checks: FunctionCheck[] = [];
  const told = (check: FunctionCheck): FunctionCheck[] => {
    tell({ type: "check-ended", check });
    checks.push(check);
    return checks;
  };
  const { skill } = parts;
  const planner = await parts.modelPlanner?.();
  if (!planner) return told(untried("no model"));
  if (content.examples.length < 2)
    return told(untried("a trial needs two examples: one to learn from, and another to try"));
  const tried = mostTelling(content.examples.filter((example) => !isHeldBy(content, example)));
  if (tried.length === 0) return told(untried("it holds what every one of its examples came to"));
  const outside = content.skillsUsed.find((id) => {
    const used = skill(id);
    return used && !isTryable(used);
  });
  if (outside !== undefined) return told(untried(`${outside} is not run in a scratch`));

  const skills = parts.skills().filter(isTryable);
  const limit = AbortSignal.timeout(LONGEST_MS);
  const limited = AbortSignal.any([signal, limit]);
  const profileRegion = await parts.region();
  for (const [at, example] of tried.entries()) {
    // A guide that was written by hand is tried in an empty workspace.
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
    tell({ type: "check-started", name: `${TRIAL_CHECK} ${at + 1}` });
    try {
      const without = await runTrial(trial, limited);
      const guided = await runTrial({ ...trial, guide: content }, limited);
      // Without a result on both sides there is nothing to compare.
      const open = [guided, without].find(({ outcome }) => outcome !== "answered" && outcome !== "stuck");
      told(
        open
          ? untried(`a run ended as ${open.outcome}, without a result`)
          : comparison(at + 1, example.prompt, guided, without),
      );
    } catch (error) {
      signal.throwIfAborted();
      if (limit.aborted) return told(untried(`it was not finished within ${LONGEST_MS / 1_000} s`));
      if (!(error instanceof ModelError)) throw error;
      return told(untried(error.message));
    }
  }
  return checks;
}

/** Those whose state before the run is known first, then the newest. */
function mostTelling(examples: readonly FunctionExample[]): FunctionExample[] {
  const newest = examples.toReversed();
  const known = newest.filter(({ fixture }) => fixture);
  return [...known, ...newest.filter(({ fixture }) => !fixture)].slice(0, MOST_EXAMPLES);
}

/** Whether the guide holds what an example came to, so that trying it would show nothing. */
function isHeldBy(
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

function untried(reason: string): FunctionCheck {
  return { name: TRIAL_CHECK, ok: true, detail: `Not tried: ${reason}. It decides nothing.` };
}

function comparison(number: number, prompt: string, guided: TrialRun, without: TrialRun): FunctionCheck {
  const isWorse = guided.met < without.met;
  const ok =
    guided.met > without.met || (guided.met === without.met && guided.planningCalls < without.planningCalls);
  const shown = prompt.length > 100 ? `${prompt.slice(0, 100).toWellFormed()}…` : prompt;
  return {
    name: `${TRIAL_CHECK} ${number}`,
    ok,
    detail: [
      `“${shown}”${ok ? "" : isWorse ? ": less came of it with the guide than without." : ": it saved no call."}`,
      `With the guide (${guided.followed ? "followed" : "not followed"}): ${told(guided)}`,
      `Without it: ${told(without)}`,
    ].join("\n"),
  };
}

function told({ outcome, steps, planningCalls, met, expected, durationMs }: TrialRun): string {
  return `${outcome}, ${counted(steps, "step")}, ${counted(planningCalls, "planning call")}, ${met} of ${counted(expected, "expectation")} met, ${Math.round(durationMs)} ms.`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
