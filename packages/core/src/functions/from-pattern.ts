import type { FunctionParameter, NewFunction } from "../contract/function.ts";
import { keyTag, type PatternFacts } from "../memory/patterns/pattern-memory.ts";

/** Patterns know what stood in a slot by its form alone. */
const TYPES: Readonly<Record<string, FunctionParameter["type"]>> = {
  file: "path",
  date: "date",
  number: "number",
};

/**
 * The draft of a guide that says how a repeated request was carried out: its skills in order as steps, its slots as
 * parameters, what was asked as examples. `does` words a skill. The tag of the pattern finds the guide again.
 */
export function functionFromPattern(
  { key, template, slots, skills, examples, occurrences }: PatternFacts,
  does: (skill: string) => string,
): NewFunction {
  return {
    title: titled(template),
    summary: `Asked ${occurrences} times: “${template}”.`.slice(0, 2_000),
    tags: [keyTag(key)],
    steps: skills.map((skill) => `${does(skill)} (${skill})`),
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
  return (words.charAt(0).toUpperCase() + words.slice(1)).slice(0, 200);
}
