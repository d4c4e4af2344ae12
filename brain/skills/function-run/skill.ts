import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { CodeOutcome } from "../ports.ts";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { type Effect, Risk } from "@metahuman/core/contract/trust";
import { CancelledError } from "@metahuman/core/errors/cancelled-error";
import { InvalidArgsError } from "@metahuman/core/errors/invalid-args-error";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { usageEvent } from "@metahuman/core/functions/evidence/usage-event";
import { parseParameters } from "@metahuman/core/functions/parameters";
import { z } from "zod";
import { type Assessment, defineSkill, type SkillCall } from "../define-skill.ts";
import { returnedBlocks, returnedWords } from "../support/code-outcome.ts";
import { FunctionReference, grantedSkills, mustServe, theFunction } from "../support/the-function.ts";
import { glimpse } from "../support/wording.ts";
import * as speech from "./phrases.ts";

const EFFECTS: readonly Effect[] = ["read", "write", "network", "execute"];

export const functionRun = defineSkill({
  id: "function_run",
  summary: "Run a function, code or recipe, with these parameters",
  category: "functions",
  input: z.strictObject({
    id: FunctionReference,
    parameters: z
      .record(z.string(), z.unknown())
      .default({})
      .describe("By name, as function_load tells")
      .meta({ examples: [{ name: "value" }] }),
  }),
  output: z.strictObject({
    function: z.strictObject({ id: z.string(), title: z.string() }),
    result: z
      .unknown()
      .describe(
        "JSON; null when it returned nothing; of a recipe {steps}, the outputs of its actions in order",
      ),
    logs: z.array(z.string()),
    durationMs: z.number().nonnegative(),
  }),
  effects: "write",
  risk: "low",
  timeoutMs: 60_000,
  notes: "Its calls of skills stay within its grants and what the profile allows.",
  ...speech,
  assess: async ({ id }, { functions, catalog }) =>
    assessmentOf(await theFunction(functions(), id), catalog()),
  narrate: (outcome) => returnedWords(`“${glimpse(outcome.function.title)}”`, outcome),
  structure: returnedBlocks,
  run: async ({ id, parameters }, call) => {
    const found = await theFunction(call.ports.functions(), id);
    mustServe(found, call.isDirect);
    const work = workOf(found, parameters, call);
    const began = performance.now();
    const spent = () => Math.round(performance.now() - began);
    try {
      const outcome = await work();
      const { result } = outcome;
      await record(found, call, { outcome: "succeeded", executionTimeMs: spent() }, { parameters, result });
      return { function: { id: found.id, title: found.title }, ...outcome, durationMs: spent() };
    } catch (error) {
      // Being stopped, or given what it does not take, says nothing about the function.
      const isItsOwn = !(error instanceof CancelledError || error instanceof InvalidArgsError);
      if (!call.signal.aborted && isItsOwn) {
        const { message } = toErrorDetail(error);
        const failed = { outcome: "failed" as const, error: message, executionTimeMs: spent() };
        await record(found, call, failed, { parameters });
      }
      throw error;
    }
  },
});

/** What running a function comes to. Throws `InvalidArgsError` for a guide, and for parameters that code does not take. */
function workOf(
  found: FunctionMemory,
  parameters: Record<string, unknown>,
  { ports, signal }: SkillCall,
): () => Promise<CodeOutcome> {
  const { code, recipe } = found;
  if (code) {
    const given = parseParameters(found.parameters, parameters);
    return () => ports.code.run(code, given, signal);
  }
  if (recipe) return () => ports.recipes.carryOut(found, parameters, signal);
  throw new InvalidArgsError(`“${found.title}” is a guide: there is nothing in it to run.`, {
    suggestions: ["Read it with function_load, and follow its steps."],
  });
}

type Ended = { outcome: "succeeded" | "failed"; error?: string; executionTimeMs: number };

/** Counts the use, and remembers it. */
async function record(
  { id, title }: FunctionMemory,
  { ports, runId }: SkillCall,
  ended: Ended,
  { parameters, result }: { parameters: Record<string, unknown>; result?: unknown },
) {
  await ports.functions().recordFunctionUse({ functionId: id, runId, ...ended });
  const outputs = result === undefined ? {} : { result };
  const event = usageEvent({ ...ended, function: { id, title }, inputs: parameters, outputs });
  await ports.memory.add(event, { source: { kind: "operator", runId }, trust: "untrusted" });
}

/** As risky as the riskiest thing it was granted; a secret that leaves with a request is never less than high. */
function assessmentOf(
  { title, version, parameters, code, recipe }: FunctionMemory,
  cards: readonly SkillCard[],
): Assessment {
  const grants = code?.grants ?? [...new Set(recipe?.actions.map(({ skill }) => skill))];
  const used = grantedSkills(grants).flatMap((skill) => cards.filter(({ id }) => id === skill));
  const secrets: Risk[] = grants.length > used.length ? ["high"] : [];
  const risk = strongest<Risk>(Risk.options, ["low", ...used.map((card) => card.risk), ...secrets]);
  return {
    risk,
    effect: strongest<Effect>(EFFECTS, [
      "read",
      ...used.map(({ effect }) => (effect === "agent" ? "write" : effect)),
    ]),
    preview: {
      title: `Run “${title}”?`,
      facts: [
        { label: "version", value: String(version) },
        { label: "may use", value: grants.length === 0 ? "nothing: it only computes" : grants.join(", ") },
        { label: "takes", value: parameters.map(({ name }) => name).join(", ") || "no parameters" },
      ],
    },
    paths: [],
    hosts: [],
  };
}

function strongest<Level>(order: readonly Level[], levels: readonly Level[]): Level {
  return levels.reduce((most, level) => (order.indexOf(level) > order.indexOf(most) ? level : most));
}
