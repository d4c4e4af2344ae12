import type { FunctionContent, FunctionExample, FunctionFixture } from "@metahuman/core/contract/function";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import {
  fillArgs,
  optionalNames,
  unmetExpectations,
  withDefaults,
} from "@metahuman/core/functions/recipe/instantiate";
import type { Embedder } from "@metahuman/core/vectors/embedder";
import { WaitForPerson } from "@metahuman/skills/define-skill";
import type { Skill } from "@metahuman/skills/define-skill";
import type { SkillPorts } from "@metahuman/skills/ports";
import { openShadow } from "./shadow.ts";
import { callInShadow, isContained } from "./shadow-call.ts";

/** What replaying one example showed; `unplayable` decides nothing. */
export type ReplayOutcome =
  | { kind: "held"; durationMs: number }
  | { kind: "broken"; problem: string }
  | { kind: "unplayable"; reason: string };

export interface ReplayParts {
  skill: (id: string) => Skill | undefined;
  embedder: Embedder;
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
  const bound = withDefaults(parameters, example.parameters ?? {}, fixture.at.slice(0, 10));
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
      const problem = await replay(
        { content, example, fixture, values: bound.values },
        shadow.ports,
        parts,
        signal,
      );
      return problem === undefined
        ? { kind: "held", durationMs: performance.now() - started }
        : { kind: "broken", problem };
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

/** Undefined when everything came as expected. */
async function replay(
  { content, example, fixture, values }: Replayed,
  ports: SkillPorts,
  parts: ReplayParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const outputs: Record<string, unknown>[] = [];
  const bindings = { parameters: values, outputs, today: fixture.at.slice(0, 10) };
  const optional = optionalNames(content.parameters);
  for (const [at, action] of (content.recipe?.actions ?? []).entries()) {
    const place = `Action ${at + 1} (${action.skill})`;
    const skill = parts.skill(action.skill);
    if (!skill) return `${place}: there is no such skill.`;
    const filled = fillArgs(action, bindings, optional);
    if (!filled.ok) return `${place}: nothing stands for ${filled.missing.join(", ")}.`;
    try {
      outputs.push(
        await callInShadow(skill, filled.args, {
          step: at + 1,
          request: example.prompt,
          now: new Date(fixture.at),
          ports,
          signal,
        }),
      );
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof WaitForPerson) return `${place} asks a person: ${error.question}`;
      return `${place}: ${toErrorDetail(error).message}`;
    }
    const unmet = unmetExpectations(action.expect, outputs[at] ?? {}, bindings);
    if (unmet.length > 0) return `${place}: ${unmet.join(" ")}`;
  }
  if (example.resultPath === undefined) return undefined;
  const state = await ports.files.existing(example.resultPath, signal).catch(() => undefined);
  return state === undefined ? `${example.resultPath} is not there afterwards.` : undefined;
}
