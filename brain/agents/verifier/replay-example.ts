import type { FunctionContent, FunctionExample, FunctionFixture } from "@metahuman/core/contract/function";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { regionOf, type Region } from "@metahuman/core/contract/region";
import { type Bindings, withDefaults } from "@metahuman/core/functions/recipe/instantiate";
import { dayOf } from "@metahuman/core/functions/recipe/match-recipe";
import { isInfrastructureFailure } from "@metahuman/core/functions/verify/proof";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import { WaitForPerson } from "@metahuman/skills/define-skill";
import type { Skill } from "@metahuman/skills/define-skill";
import type { SkillPorts } from "@metahuman/skills/ports";
import { afterAction, nextAction } from "../operator/planners/replay/next-action.ts";
import { openShadow } from "./shadow.ts";
import { callInShadow, isContained } from "./shadow-call.ts";

/** What replaying one example showed; `unplayable` and `inconclusive` decide nothing. */
export type ReplayOutcome =
  | { kind: "held"; durationMs: number; calls: ReplayedCall[] }
  | { kind: "broken"; problem: string }
  | { kind: "unplayable"; reason: string }
  | { kind: "inconclusive"; reason: string };

/** One call as it was made, and what it gave. */
export interface ReplayedCall {
  args: Record<string, unknown>;
  outputs: Record<string, unknown>;
}

export interface ReplayParts {
  skill: (id: string) => Skill | undefined;
  embedder: Embedder;
  /** The profile's region: where examples took place that do not say so themselves. */
  region: () => Promise<Region>;
}

/**
 * Runs a recipe on one of its examples, in a shadow set up from the example's fixture, with the real skills. Every call
 * must succeed and bring what the recipe expects; the result must stand where the example says.
 */
export async function replayExample(
  content: FunctionContent,
  example: FunctionExample,
  parts: ReplayParts,
  signal: AbortSignal,
): Promise<ReplayOutcome> {
  const { recipe, parameters } = content;
  const { fixture } = example;
  if (!recipe) return { kind: "unplayable", reason: "the function has no recipe" };
  if (!fixture) return { kind: "unplayable", reason: "the state before the run was not recorded" };
  const region = regionOf(fixture, await parts.region());
  const today = dayOf({ now: new Date(fixture.at), timeZone: region.timeZone });
  const bound = withDefaults(parameters, example.parameters ?? {}, today);
  if (!bound.ok) return { kind: "unplayable", reason: `nothing is recorded for ${bound.missing.join(", ")}` };
  const skills = recipe.actions.map(({ skill }) => parts.skill(skill));
  const unsafe = skills.find((skill) => skill && !isContained(skill));
  if (unsafe)
    return {
      kind: "unplayable",
      reason: `${unsafe.id} reaches outside the workspace, which a shadow refuses`,
    };

  const usesMemory = fixture.memories.length > 0 || skills.some((skill) => skill?.category === "memory");
  const started = performance.now();
  try {
    const shadow = await openShadow({ fixture, usesMemory, embedder: parts.embedder });
    try {
      const replayed = await replay(
        { content, example, fixture, region, today, values: bound.values },
        shadow.ports,
        parts,
        signal,
      );
      return replayed.kind === "held" ? { ...replayed, durationMs: performance.now() - started } : replayed;
    } finally {
      await shadow.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    const { code, message } = toErrorDetail(error);
    // A fixture that leads out of the workspace is the example's fault; what else keeps the replay from starting is not.
    if (code === "PATH_OUTSIDE_WORKSPACE") return { kind: "broken", problem: message };
    return { kind: "inconclusive", reason: message };
  }
}

interface Replayed {
  content: FunctionContent;
  example: FunctionExample;
  fixture: FunctionFixture;
  region: Region;
  today: string;
  values: Readonly<Record<string, unknown>>;
}

/** The calls when everything came as expected, else what did not. */
async function replay(
  { content, example, fixture, region, today, values }: Replayed,
  ports: SkillPorts,
  parts: ReplayParts,
  signal: AbortSignal,
): Promise<
  Exclude<ReplayOutcome, { kind: "held" | "unplayable" }> | { kind: "held"; calls: ReplayedCall[] }
> {
  const calls: ReplayedCall[] = [];
  const skills = (content.recipe?.actions ?? []).flatMap(({ skill }) => parts.skill(skill) ?? []);
  let bindings: Bindings = { parameters: values, outputs: [], today };
  for (;;) {
    const next = nextAction(content, bindings, skills);
    if (next.kind === "done") break;
    const step = calls.length + 1;
    const place = `Action ${step} (${content.recipe?.actions[calls.length]?.skill ?? ""})`;
    if (next.kind === "surprise") return broken(`${place}: ${next.reason}`);
    const skill = parts.skill(next.skill);
    if (!skill) return broken(`${place}: there is no such skill.`);
    try {
      const outputs = await callInShadow(skill, next.args, {
        step,
        request: example.prompt,
        now: new Date(fixture.at),
        region,
        ports,
        signal,
      });
      calls.push({ args: next.args, outputs });
      const after = afterAction(content, bindings, outputs);
      if (after.surprise !== undefined) return broken(`${place}: ${after.surprise}`);
      ({ bindings } = after);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof WaitForPerson) return broken(`${place} asks a person: ${error.question}`);
      const problem = `${place}: ${toErrorDetail(error).message}`;
      return isInfrastructureFailure(error) ? { kind: "inconclusive", reason: problem } : broken(problem);
    }
  }
  if (example.resultPath === undefined) return { kind: "held", calls };
  const state = await ports.files.existing(example.resultPath, signal).catch(() => undefined);
  return state === undefined
    ? broken(`${example.resultPath} is not there afterwards.`)
    : { kind: "held", calls };
}

function broken(problem: string): { kind: "broken"; problem: string } {
  return { kind: "broken", problem };
}
