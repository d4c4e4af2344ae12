import type { FunctionContent, FunctionExample, FunctionFixture } from "@metahuman/core/contract/function";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { regionOf, type Region } from "@metahuman/core/contract/region";
import { withDefaults } from "@metahuman/core/functions/recipe/instantiate";
import { composeSteps } from "@metahuman/core/functions/recipe/compose-steps";
import { dayOf } from "@metahuman/core/language/dates/clock";
import { isInfrastructureFailure } from "@metahuman/core/functions/verify/proof";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import { WaitForPerson, type Skill } from "@metahuman/skills/define-skill";
import type { AnswerPort, SkillPorts } from "@metahuman/skills/ports";
import { followRecipe } from "../operator/planners/replay/follow-recipe.ts";
import type { Composer } from "../operator/composer.ts";
import {
  effectsBetween,
  unexpectedEffect,
  type ScratchEffect,
  type ScratchState,
} from "./scratch-effects.ts";
import { openScratchEnvironment, type ScratchEnvironment } from "./scratch-environment.ts";
import { callInScratch, isContained } from "./scratch-call.ts";

/** The result of replaying one example; `not-replayable` and `inconclusive` do not affect the verdict. */
export type ReplayOutcome =
  | { kind: "passed"; durationMs: number; calls: ReplayedCall[]; state: ScratchState }
  | { kind: "failed"; problem: string; calls: ReplayedCall[] }
  /** A call changed something that neither a parameter nor the recipe names. */
  | { kind: "unexpected-effect"; problem: string }
  | { kind: "not-replayable"; reason: string }
  | { kind: "inconclusive"; reason: string };

/** One call, its effects, and its outputs unless it failed. */
export interface ReplayedCall {
  args: Record<string, unknown>;
  effects: ScratchEffect[];
  outputs?: Record<string, unknown>;
}

export interface ReplayDependencies {
  skill: (id: string) => Skill | undefined;
  embedder: Embedder;
  /** The region of the profile, for examples that record none. */
  region: () => Promise<Region>;
  /** Composes the texts of recipes; without it, examples of such recipes are not replayed. */
  composer?: Pick<Composer, "isAvailable" | "compose">;
}

/**
 * Replays a recipe on one of its examples with the real skills, in a scratch environment set up from the fixture of the
 * example. Every call must succeed and meet its expectations, and the result must exist at the path of the example.
 */
export async function replayExample(
  content: FunctionContent,
  example: FunctionExample,
  dependencies: ReplayDependencies,
  signal: AbortSignal,
): Promise<ReplayOutcome> {
  const { recipe, parameters } = content;
  const { fixture } = example;
  const region = regionOf(fixture ?? {}, await dependencies.region());
  if (!recipe) return { kind: "not-replayable", reason: "the function has no recipe" };
  if (!fixture) return { kind: "not-replayable", reason: "the state before the run was not recorded" };
  const today = dayOf({ now: new Date(fixture.at), timeZone: region.timeZone });
  const bound = withDefaults(parameters, example.parameters ?? {}, today);
  if (!bound.ok)
    return { kind: "not-replayable", reason: `nothing is recorded for ${bound.missing.join(", ")}` };
  const composedSteps = composeSteps(recipe);
  if (composedSteps.size > 0 && (await dependencies.composer?.isAvailable()) !== true)
    return { kind: "not-replayable", reason: "a model composes its text, and there is none" };
  const skills = recipe.actions.flatMap(({ skill }, index) =>
    composedSteps.has(index) ? [] : [dependencies.skill(skill)],
  );
  const unsafe = skills.find((skill) => skill && !isContained(skill));
  if (unsafe)
    return {
      kind: "not-replayable",
      reason: `${unsafe.id} reaches outside the workspace, which a scratch environment refuses`,
    };

  const usesMemory = fixture.memories.length > 0 || skills.some((skill) => skill?.category === "memory");
  const started = performance.now();
  try {
    const scratch = await openScratchEnvironment({
      fixture,
      usesMemory,
      embedder: dependencies.embedder,
      ...(dependencies.composer && { answerWriter: answerWriterFor(dependencies.composer) }),
    });
    try {
      const replayed = await runRecipe(
        { content, example, fixture, region, today, values: bound.values },
        scratch,
        dependencies,
        signal,
      );
      return replayed.kind === "passed" ? { ...replayed, durationMs: performance.now() - started } : replayed;
    } finally {
      await scratch.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = toErrorDetail(error);
    // A fixture with a path outside the workspace is an error of the example; other errors say nothing about the function.
    if (code === "PATH_OUTSIDE_WORKSPACE") return { kind: "failed", problem: message, calls: [] };
    return { kind: "inconclusive", reason: message };
  }
}

/** The day of an example in the time zone of the person. */
export async function dayOfExample(
  fixture: FunctionFixture,
  dependencies: Pick<ReplayDependencies, "region">,
): Promise<string> {
  const { timeZone } = regionOf(fixture, await dependencies.region());
  return dayOf({ now: new Date(fixture.at), timeZone });
}

function answerWriterFor(composer: NonNullable<ReplayDependencies["composer"]>): AnswerPort {
  return { respond: ({ goal, context }, signal) => composer.compose({ goal, context }, { signal }) };
}

interface PreparedReplay {
  content: FunctionContent;
  example: FunctionExample;
  fixture: FunctionFixture;
  region: Region;
  today: string;
  values: Readonly<Record<string, unknown>>;
}

/** The calls when every expectation is met, else the first problem. */
async function runRecipe(
  { content, example, fixture, region, today, values }: PreparedReplay,
  { ports, state: readState }: ScratchEnvironment,
  dependencies: ReplayDependencies,
  signal: AbortSignal,
): Promise<
  | Exclude<ReplayOutcome, { kind: "passed" | "not-replayable" }>
  | Omit<Extract<ReplayOutcome, { kind: "passed" }>, "durationMs">
> {
  const calls: ReplayedCall[] = [];
  const failed = (problem: string) => ({ kind: "failed", problem, calls }) as const;
  let before = await readState();
  const actions = content.recipe?.actions ?? [];
  const placeOf = (step: number) => `Action ${step} (${actions[step - 1]?.skill ?? ""})`;
  const skills = actions.flatMap(({ skill }) => dependencies.skill(skill) ?? []);
  const recipe = followRecipe(content, { parameters: values, today }, skills);
  let next = recipe.next();
  while (!next.done) {
    const { step, skill: id, args } = next.value;
    const place = placeOf(step);
    const skill = dependencies.skill(id);
    if (!skill) return failed(`${place}: there is no such skill.`);
    const call: ReplayedCall = { args, effects: [] };
    calls.push(call);
    let problem: ReturnType<typeof failed> | { kind: "inconclusive"; reason: string } | undefined;
    try {
      call.outputs = await callInScratch(skill, args, {
        step,
        request: example.prompt,
        now: new Date(fixture.at),
        region,
        ports,
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      const reason = `${place}: ${toErrorDetail(error).message}`;
      if (error instanceof WaitForPerson) problem = failed(`${place} asks a question: ${error.question}`);
      else problem = isInfrastructureFailure(error) ? { kind: "inconclusive", reason } : failed(reason);
    }
    const after = await readState();
    call.effects = effectsBetween(before, after);
    before = after;
    const action = actions[step - 1];
    const unexpected = action && unexpectedEffect(action, args, call.effects, canonicalPath(ports));
    if (unexpected)
      return {
        kind: "unexpected-effect",
        problem: `${place} would have ${unexpected.change} ${unexpected.target}, which neither a parameter nor the recipe names.`,
      };
    if (!call.outputs) return problem ?? failed(`${place} returned nothing.`);
    next = recipe.next(call.outputs);
  }
  const end = next.value;
  if (end.kind === "deviation") return failed(`${placeOf(end.step)}: ${end.reason}`);
  const passed = { kind: "passed", calls, state: before } as const;
  if (example.resultPath === undefined) return passed;
  const result = await ports.files.state(example.resultPath, signal);
  return result.kind === "absent" ? failed(`${example.resultPath} does not exist afterwards.`) : passed;
}

/** The canonical form of a path; undefined for text that is not a path in the workspace. */
function canonicalPath({ files }: SkillPorts): (path: string) => string | undefined {
  return (path) => {
    try {
      return files.resolve(path).path.replace(/\/$/, "");
    } catch (error) {
      if (error instanceof MetahumanError) return undefined;
      throw error;
    }
  };
}
