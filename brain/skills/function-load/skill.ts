import { FunctionContent, type FunctionMemory, FunctionTrust } from "@metahuman/core/contract/function";
import { PolicyDeniedError } from "@metahuman/core/errors/access-errors";
import { FunctionNotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import { callableName } from "@metahuman/core/functions/called-functions";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { escapeInline } from "../markdown.ts";
import { FunctionReference, assertUsable, findFunction, MAX_TITLES } from "../support/function-reference.ts";
import { linePreview } from "../support/phrasing.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const phrases: readonly (string | Phrase)[] = [
  "(show|open|read|load|explain|describe) [the|my] =function [called] {id}",
  "what does [the|my] =function [called] {id} do|what does [the|my] {id} =function do",
];

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
    const found = await findByWords(ports.functions(), id);
    if (!isDirect && found.trust === "draft")
      throw new PolicyDeniedError(
        `“${found.title}” is a draft. Look at it on the page Functions; once promoted, it can be used here.`,
      );
    assertUsable(found, isDirect);
    return { function: loadedFrom(found) };
  },
});

/** The function with this id, name or title, or the only one with all words of the reference in its title. */
async function findByWords(functions: FunctionsPort, reference: string): Promise<FunctionMemory> {
  try {
    return await findFunction(functions, reference);
  } catch (error) {
    if (!(error instanceof FunctionNotFoundError)) throw error;
    const words = wordsOf(reference);
    const { items } = await functions.listFunctions({ query: words.join(" "), limit: MAX_TITLES });
    const titled = items.filter(({ title }) => {
      const inTitle = new Set(wordsOf(title));
      return words.length > 0 && words.every((word) => inTitle.has(word));
    });
    const [only, ...others] = titled;
    if (only === undefined || others.length > 0) throw error;
    return only;
  }
}

/** The words of a text in lower case, without articles. */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter(
    (word) => !/^(?:an?|the|my|our|this|that)$/u.test(word),
  );

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
