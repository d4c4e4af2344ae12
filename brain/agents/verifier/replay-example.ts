import type { FunctionContent, FunctionExample, FunctionFixture } from "@metahuman/core/contract/function";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { regionOf, type Region } from "@metahuman/core/contract/region";
import { type Bindings, withDefaults } from "@metahuman/core/functions/recipe/instantiate";
import { dayOf } from "@metahuman/core/functions/recipe/match-recipe";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import { WaitForPerson } from "@metahuman/skills/define-skill";
import type { Skill } from "@metahuman/skills/define-skill";
import type { SkillPorts } from "@metahuman/skills/ports";
import { afterAction, nextAction } from "../operator/planners/replay/next-action.ts";
import { openShadow } from "./shadow.ts";
import { callInShadow, isContained } from "./shadow-call.ts";

/** What replaying one example showed; `unplayable` decides nothing. */
export type ReplayOutcome =
  | { kind: "held"; durationMs: number; calls: ReplayedCall[] }
  | { kind: "broken"; problem: string }
  | { kind: "unplayable"; reason: string };

/** One call as it was made, and what it gave. */
export interface ReplayedCall {
  args: Record<string, unknown>;
  outputs: Record<string, unknown>;
}

export interface ReplayParts {
  skill: (id: string) => Skill | undefined;
  embedder: Embedder;
  /** Where examples took place, for words like "today"; this machine's region when left out. */
  region?: Region;
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
  const bound = withDefaults(parameters, example.parameters ?? {}, dayIn(fixture, parts));
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
        { content, example, fixture, values: bound.values },
        shadow.ports,
        parts,
        signal,
      );
      return typeof replayed === "string"
        ? { kind: "broken", problem: replayed }
        : { kind: "held", durationMs: performance.now() - started, calls: replayed };
    } finally {
      await shadow.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "broken", problem: toErrorDetail(error).message };
  }
}

interface Replayed {
  content: FunctionContent;
  example: FunctionExample;
  fixture: FunctionFixture;
  values: Readonly<Record<string, unknown>>;
}

function dayIn({ at }: FunctionFixture, { region }: ReplayParts): string {
  return dayOf({ now: new Date(at), timeZone: regionOf(region ?? {}).timeZone });
}

/** The calls when everything came as expected, else what did not. */
async function replay(
  { content, example, fixture, values }: Replayed,
  ports: SkillPorts,
  parts: ReplayParts,
  signal: AbortSignal,
): Promise<string | ReplayedCall[]> {
  const calls: ReplayedCall[] = [];
  const skills = (content.recipe?.actions ?? []).flatMap(({ skill }) => parts.skill(skill) ?? []);
  let bindings: Bindings = { parameters: values, outputs: [], today: dayIn(fixture, parts) };
  for (;;) {
    const next = nextAction(content, bindings, skills);
    if (next.kind === "done") break;
    const step = calls.length + 1;
    const place = `Action ${step} (${content.recipe?.actions[calls.length]?.skill ?? ""})`;
    if (next.kind === "surprise") return `${place}: ${next.reason}`;
    const skill = parts.skill(next.skill);
    if (!skill) return `${place}: there is no such skill.`;
    try {
      const outputs = await callInShadow(skill, next.args, {
        step,
        request: example.prompt,
        now: new Date(fixture.at),
        ...(parts.region && { region: parts.region }),
        ports,
        signal,
      });
      calls.push({ args: next.args, outputs });
      const after = afterAction(content, bindings, outputs);
      if (after.surprise !== undefined) return `${place}: ${after.surprise}`;
      ({ bindings } = after);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof WaitForPerson) return `${place} asks a person: ${error.question}`;
      return `${place}: ${toErrorDetail(error).message}`;
    }
  }
  if (example.resultPath === undefined) return calls;
  const state = await ports.files.existing(example.resultPath, signal).catch(() => undefined);
  return state === undefined ? `${example.resultPath} is not there afterwards.` : calls;
}
