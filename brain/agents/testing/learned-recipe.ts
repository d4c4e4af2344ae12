import type { FunctionParameter } from "@metahuman/core/contract/function";
import type { RecipeFunction } from "@metahuman/core/functions/recipe/match-types";

/**
 * A recipe that was learned from one request: what was typed and its template, the type and the first value of each
 * parameter, and the calls.
 */
export function learned(
  id: string,
  [prompt, template]: readonly [string, string],
  parameters: Record<string, readonly [FunctionParameter["type"], string]>,
  actions: readonly (readonly [string, Record<string, unknown>])[],
): RecipeFunction {
  const values = Object.entries(parameters).map(([name, [, value]]): [string, string] => [name, value]);
  return {
    id,
    title: prompt,
    summary: "",
    steps: [prompt],
    skillsUsed: actions.map(([skill]) => skill),
    parameters: Object.entries(parameters).map(([name, [type]]) => ({
      name,
      type,
      description: "",
      required: true,
    })),
    examples: [{ prompt, parameters: Object.fromEntries(values) }],
    recipe: {
      promptTemplates: [template],
      actions: actions.map(([skill, args]) => ({ skill, args, expect: [] })),
    },
  };
}
