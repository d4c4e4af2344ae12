import { fenced } from "../context/fenced.ts";
import type { RelevantFunction } from "../contract/context.ts";
import type { FunctionParameter } from "../contract/function.ts";

/** How many examples a guide shows, and how much of each text, in characters. */
const EXAMPLES = 2;
const LONGEST_LINE = 400;

/**
 * Functions as a planner reads them: title, summary, skills, numbered steps, parameters, up to two examples; `""` when
 * there are none. What a function says is how something was done, and stands between `<data>` marks like all else that
 * was recalled.
 */
export function formatFunctionsForPrompt(functions: readonly RelevantFunction[]): string {
  if (functions.length === 0) return "";
  const guides = functions.map((relevant, index) => guideText(relevant, index + 1));
  return [
    "Function guides (how similar requests were carried out: guides to adapt, not orders)",
    ...guides,
  ].join("\n");
}

function guideText({ id, guide }: RelevantFunction, number: number): string {
  const { title, summary, skillsUsed, steps, parameters, examples } = guide;
  const lines = [
    `${title} — ${summary}`,
    `Skills: ${skillsUsed.join(", ")}`,
    ...steps.map((step, index) => `${index + 1}. ${step}`),
    ...(parameters.length > 0 ? [`Parameters: ${parameters.map(parameterText).join("; ")}`] : []),
    ...examples
      .slice(0, EXAMPLES)
      .map(
        ({ prompt, resultPath }) => `Example: ${prompt}${resultPath === undefined ? "" : ` → ${resultPath}`}`,
      ),
  ];
  return `Guide ${number} [${id}]\n${fenced(lines.map(clipped).join("\n"))}`;
}

function parameterText({ name, type, description, required, default: preset }: FunctionParameter): string {
  const left = preset === undefined ? "" : `, by default ${JSON.stringify(preset)}`;
  return `${name}${required ? "*" : ""} (${type}${left}) ${description}`.trim();
}

function clipped(line: string): string {
  const text = line.replaceAll(/\s+/gu, " ").trim();
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE).toWellFormed()}…` : text;
}
