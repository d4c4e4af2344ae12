import { CodeCalls } from "@metahuman/core/contract/curation";
import { FunctionKind, type FunctionMemory } from "@metahuman/core/contract/function";
import type { CodeOutcome } from "../ports.ts";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { hostsReached, pathsGiven } from "@metahuman/core/contract/code-grants";
import { FunctionError } from "@metahuman/core/errors/sandbox-errors";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import type { CalledFunction } from "@metahuman/core/functions/called-functions";
import { isOwnFailure, usageEvent } from "@metahuman/core/functions/upkeep/function-use";
import { requireParameters, parseParameters, withReadValues } from "@metahuman/core/functions/parameters";
import { z } from "zod";
import { type Assessment, defineSkill, type SkillCall } from "../define-skill.ts";
import { effectsOf, effectsOfCalled, usePreview, withCalled } from "../support/code-effects.ts";
import { callsInOutputs, resultMarkdown, describeCodeResult } from "../support/code-outcome.ts";
import { FunctionReference, assertUsable, findFunction } from "../support/function-reference.ts";
import { linePreview } from "../support/phrasing.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const phrases: readonly (string | Phrase)[] = [
  "(run|execute|call|use|start|do) [the|my] =function [called] {id}",
  "(run|execute|call|use|start) [the|my] {id} =function",
];

const slots: Record<string, SlotType | Slot> = { id: { type: "text", sample: "weekly-report" } };

export const functionRun = defineSkill({
  id: "function_run",
  summary: "Run a function, code or recipe, with these parameters",
  category: "functions",
  input: z.strictObject({
    id: FunctionReference,
    parameters: z
      .record(z.string(), z.unknown())
      .default({})
      .describe("By name, as listed by function_load")
      .meta({ examples: [{ name: "value" }], gathers: true }),
  }),
  output: z.strictObject({
    function: z.strictObject({
      id: z.string(),
      title: z.string(),
      kind: FunctionKind.optional().describe("recipe or code"),
    }),
    result: z
      .unknown()
      .describe(
        "JSON; null if it returned nothing; for a recipe {steps}, the outputs of its actions in order",
      ),
    logs: z.array(z.string()),
    durationMs: z.number().nonnegative(),
    calls: CodeCalls.optional().describe("The calls that changed something, in order"),
  }),
  effects: "write",
  risk: "low",
  timeoutMs: 60_000,
  notes: "Its calls of skills stay within its grants and what the profile allows.",
  phrases,
  slots,
  assess: async ({ id, parameters: given }, { functions, catalog, code }, region) => {
    const found = await findFunction(functions(), id);
    const parameters = withReadValues(found.parameters, given, { now: new Date(), ...region });
    // A run that cannot start is rejected before approval.
    requireParameters(found, parameters);
    if (found.code) parseParameters(found.parameters, parameters);
    return assessmentOf(found, parameters, catalog(), await code.calledFunctions(found));
  },
  // The calls that changed something are undone one by one.
  reverse: ({ outputs }) => (callsInOutputs(outputs).length > 0 ? [] : undefined),
  // The log of a recipe has a sentence for each of its actions.
  narrate: ({ function: { title, kind }, ...outcome }) =>
    kind === "recipe" && outcome.logs.length > 0
      ? outcome.logs.join("\n")
      : describeCodeResult(`“${linePreview(title)}”`, outcome),
  structure: resultMarkdown,
  run: async ({ id, parameters: given }, call) => {
    const found = await findFunction(call.ports.functions(), id);
    const parameters = withReadValues(found.parameters, given, call);
    assertUsable(found, call.isDirect);
    const execute = executorFor(found, parameters, call);
    const startedAt = performance.now();
    const elapsedMs = () => Math.round(performance.now() - startedAt);
    try {
      const outcome = await execute();
      const { result } = outcome;
      await recordUse(
        found,
        call,
        { outcome: "succeeded", executionTimeMs: elapsedMs() },
        { parameters, result },
      );
      const { title, kind } = found;
      return { function: { id: found.id, title, kind }, ...outcome, durationMs: elapsedMs() };
    } catch (error) {
      // Invalid parameters are not a failure of the function and do not count as a use.
      if (call.signal.aborted || error instanceof InvalidArgsError) throw error;
      const { message } = toErrorDetail(error);
      const outcome = isOwnFailure(error) ? "failed" : "followed";
      const updated = await recordUse(
        found,
        call,
        { outcome, error: message, executionTimeMs: elapsedMs() },
        { parameters },
      );
      if (outcome === "failed" && updated.status === "disabled" && found.status !== "disabled")
        throw disabledError(error, updated);
      throw error;
    }
  },
});

/** Runs a function. Throws `InvalidArgsError` for a guide and for parameters that code does not accept. */
function executorFor(
  found: FunctionMemory,
  parameters: Record<string, unknown>,
  { ports, signal }: SkillCall,
): () => Promise<CodeOutcome> {
  const { code, recipe } = found;
  if (code) {
    const given = parseParameters(found.parameters, parameters);
    return () => ports.code.run(code, given, signal, found);
  }
  if (recipe) return () => ports.recipes.run(found, parameters, signal);
  throw new InvalidArgsError(`“${found.title}” is a guide, which cannot run by itself.`, {
    suggestions: ["Read it with function_load, and follow its steps."],
  });
}

/** Returns the failure that disabled a function, with a message for the caller. */
function disabledError(error: unknown, { title, statusReason = "" }: FunctionMemory): FunctionError {
  const { message, suggestions = [] } = toErrorDetail(error);
  return new FunctionError(message, {
    suggestions: [
      `The function “${title}” was disabled. ${statusReason} Enable it on the Functions page.`,
      ...suggestions,
    ],
    cause: error,
  });
}

type UseResult = { outcome: "succeeded" | "failed" | "followed"; error?: string; executionTimeMs: number };

/** Records the use. Returns the updated function. */
async function recordUse(
  { id, title }: FunctionMemory,
  { ports, runId, isNested = false }: SkillCall,
  ended: UseResult,
  { parameters, result }: { parameters: Record<string, unknown>; result?: unknown },
): Promise<FunctionMemory> {
  const counted = await ports.functions().recordFunctionUse({ functionId: id, runId, ...ended });
  // Only the outer function's call is recorded as a memory; it may call others many times.
  if (isNested) return counted;
  const outputs = result === undefined ? {} : { result };
  const event = usageEvent({ ...ended, function: { id, title }, inputs: parameters, outputs });
  await ports.memory.add(event, { source: { kind: "operator", runId }, trust: "untrusted" });
  return counted;
}

/** Returns the highest risk among its grants; at least high if a secret is sent with a request. */
function assessmentOf(
  { title, version, parameters, code, recipe }: FunctionMemory,
  given: Record<string, unknown>,
  cards: readonly SkillCard[],
  called: readonly CalledFunction[],
): Assessment {
  const source = recipe ? JSON.stringify(recipe.actions) : "";
  const { grants } = code ?? { grants: [...new Set(recipe?.actions.map(({ skill }) => skill))] };
  const own = effectsOf(grants, hostsReached(code ?? { source, grants }, given), cards);
  const effects = withCalled(own, effectsOfCalled(called, cards));
  const usesFiles = grants.some((grant) =>
    cards.some(({ id, category }) => id === grant && category === "files"),
  );
  return {
    ...effects,
    preview: {
      title: `Run “${title}”?`,
      facts: [
        { label: "version", value: String(version) },
        ...usePreview(grants, effects.nested, usesFiles ? pathsGiven(parameters, given) : [], called),
        { label: "takes", value: parameters.map(({ name }) => name).join(", ") || "no parameters" },
      ],
    },
    paths: [],
    hosts: [],
  };
}
