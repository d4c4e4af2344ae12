import type { FunctionParameter, NewFunction } from "../contract/function.ts";
import { keyTag, type PatternFacts } from "../memory/patterns/pattern-memory.ts";
import { capitalize } from "../text/format.ts";

/** The parameter type for each form of a pattern's slot. */
const TYPES: Readonly<Record<string, FunctionParameter["type"]>> = {
  file: "path",
  date: "date",
  number: "number",
};

/**
 * The draft of a guide for a repeated request: the skills become steps, the slots parameters, the requests examples.
 * `summaryOf` describes a skill. The pattern's tag identifies the guide later.
 */
export function functionFromPattern(
  { key, template, slots, skills, examples, occurrences }: PatternFacts,
  summaryOf: (skill: string) => string,
): NewFunction {
  return {
    title: titled(template),
    summary: `Asked ${occurrences} times: “${template}”.`.slice(0, 2_000),
    tags: [keyTag(key)],
    steps: skills.map((skill) => `${summaryOf(skill)} (${skill})`),
    skillsUsed: [...new Set(skills)],
    examples: examples.map(({ request }) => ({ prompt: request, skillSequence: skills })),
    parameters: slots.map(({ name, kind, values }) => ({
      name,
      type: TYPES[kind] ?? "string",
      description: values.length > 0 ? `For example: ${values.slice(0, 3).join(", ")}` : "",
      required: true,
    })),
    kind: "guide",
  };
}

function titled(template: string): string {
  const words = template.replaceAll(/\{\w+\}/gu, "…").trim();
  return capitalize(words).slice(0, 200);
}
