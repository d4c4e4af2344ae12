import { FunctionContent, type FunctionMemory, FunctionTrust } from "@metahuman/core/contract/function";
import { callableName } from "@metahuman/core/functions/called-functions";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { escapeInline } from "../markdown.ts";
import { FunctionReference, assertUsable, findFunction } from "../support/function-reference.ts";
import { linePreview } from "../support/phrasing.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const phrases: readonly (string | Phrase)[] = ["(show|open|read|load) [the|my] =function [called] {id}"];

const slots: Record<string, SlotType | Slot> = { id: { type: "text", sample: "weekly-report" } };

const Loaded = z.strictObject({
  id: z.string(),
  version: z.int().positive(),
  trust: FunctionTrust,
  ...FunctionContent.pick({
    name: true,
    title: true,
    summary: true,
    kind: true,
    steps: true,
    skillsUsed: true,
    parameters: true,
    recipe: true,
    code: true,
  }).shape,
  callAs: z.string().optional().describe("How code in execute_code calls it"),
  /** Requests for which the function was useful. */
  examples: z.array(z.string()),
});
type Loaded = z.infer<typeof Loaded>;

export const functionLoad = defineSkill({
  id: "function_load",
  summary: "Read one function in full: steps, parameters, code",
  category: "functions",
  input: z.strictObject({ id: FunctionReference }),
  output: z.strictObject({ function: Loaded }),
  effects: "read",
  risk: "low",
  idempotent: true,
  phrases,
  slots,
  narrate: ({ function: { title, kind, steps } }) => {
    const head = `Read the ${kind} “${linePreview(title)}”`;
    return steps.length === 0 ? `${head}.` : `${head}: ${linePreview(steps.join("; "))}`;
  },
  structure: ({ function: loaded }) => formatLoaded(loaded),
  run: async ({ id }, { ports, isDirect }) => {
    const found = await findFunction(ports.functions(), id);
    assertUsable(found, isDirect);
    return { function: loadedFrom(found) };
  },
});

function loadedFrom(found: FunctionMemory): Loaded {
  const { id, version, trust, name, title, summary, kind, steps, skillsUsed, parameters, recipe, code } =
    found;
  return {
    id,
    version,
    trust,
    name,
    title,
    summary,
    kind,
    steps,
    skillsUsed,
    parameters,
    ...(recipe && { recipe }),
    ...(code && { code, callAs: callOf(name, parameters) }),
    examples: found.examples.map(({ prompt }) => prompt),
  };
}

function callOf(name: string, parameters: FunctionMemory["parameters"]): string {
  const args = parameters.length === 0 ? "" : `{ ${parameters.map((one) => one.name).join(", ")} }`;
  return `skills.function.${callableName(name)}(${args})`;
}

function formatLoaded({
  name,
  title,
  summary,
  steps,
  parameters,
  examples,
  recipe,
  code,
  callAs,
}: Loaded): string {
  const part = (head: string, lines: readonly string[]) => (lines.length === 0 ? [] : ["", head, ...lines]);
  return [
    `**${escapeInline(title)}** (${name})`,
    escapeInline(summary),
    ...part(
      "Parameters:",
      parameters.map(
        (one) => `- ${one.name}${one.required ? "*" : ""} (${one.type}): ${escapeInline(one.description)}`,
      ),
    ),
    ...part(
      "Steps:",
      steps.map((step, index) => `${index + 1}. ${escapeInline(step)}`),
    ),
    ...part(
      "Asked before:",
      examples.slice(0, 2).map((prompt) => `- ${escapeInline(prompt)}`),
    ),
    ...(recipe ? part("Calls:", ["```json", JSON.stringify(recipe.actions, undefined, 2), "```"]) : []),
    ...(callAs === undefined ? [] : part("In code:", [`\`await ${callAs}\``])),
    ...(code ? part("Code:", ["```ts", code.source, "```"]) : []),
  ].join("\n");
}
