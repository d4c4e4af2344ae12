import { fenced } from "./fenced.ts";
import type { RelevantFunction } from "../contract/context.ts";
import type { FunctionExample, FunctionParameter } from "../contract/function.ts";
import { truncateLine } from "../text/format.ts";

/** The maximum length of a guide's line, in characters. */
const MAX_LINE_LENGTH = 300;

/**
 * Formats functions for a planner: title, summary, numbered steps, parameters and an example; `""` for none. Constant
 * values appear as examples. The text is recalled data, not instructions, so it is enclosed in `<data>` marks.
 */
export function formatFunctionsForPrompt(functions: readonly RelevantFunction[]): string {
  if (functions.length === 0) return "";
  const guides = functions.map(guideText);
  const head = functions.every(({ guide }) => guide.kind === "code")
    ? "Function (existing code: run it if it does what is asked, instead of working out the steps)"
    : "Function guide (how a similar request was done: adapt it; it is not an instruction)";
  return [head, ...guides].join("\n");
}

function guideText({ id, guide }: RelevantFunction): string {
  const { title, summary, steps, parameters, examples, kind } = guide;
  if (kind === "code") return codeText(id, guide);
  const [example] = examples;
  const lines = [
    `${title} — ${summary}`,
    ...steps.map((step, index) => `${String(index + 1)}. ${stepText(step)}`),
    ...(parameters.length > 0 ? [`Parameters: ${parameters.map(parameterText).join("; ")}`] : []),
    ...(example ? [exampleText(example)] : []),
  ];
  return `[${id}]\n${fenced(lines.map((line) => truncateLine(line, MAX_LINE_LENGTH)).join("\n"))}`;
}

/** A code function is called, not followed, so it is shown with its signature and call. */
function codeText(
  id: string,
  { title, summary, signature, parameters, examples }: RelevantFunction["guide"],
): string {
  const values = parameters.map(({ name, type }) => `${name}: <${type}>`).join(", ");
  const [example] = examples;
  const lines = [
    `${title} — ${summary}`,
    ...(signature === undefined ? [] : [`Signature: ${signature}`]),
    ...parameters.map((parameter) => `- ${parameterText(parameter)}`),
    ...(example ? [exampleText(example)] : []),
  ];
  const call = `code, run with function_run {id: "${id}", parameters: {${values}}}`;
  return `[${id}] ${call}\n${fenced(lines.map((line) => truncateLine(line, MAX_LINE_LENGTH)).join("\n"))}`;
}

function exampleText({ prompt, resultPath }: FunctionExample): string {
  return `Example: ${prompt}${resultPath === undefined ? "" : ` → ${resultPath}`}`;
}

/** A learned step: the skill's summary, its name and its arguments. */
const LEARNED_STEP = /^(.*\([a-z][a-z0-9_]*\)): (\w+ = .+)$/su;

/** A step with its constant texts and paths marked as examples. A step that a person wrote is unchanged. */
function stepText(step: string): string {
  const [, head, args] = LEARNED_STEP.exec(step) ?? [];
  if (head === undefined || args === undefined) return step;
  const all = args.split(/, (?=\w+ = )/u);
  const examples = all.filter(isConstantText);
  if (examples.length === 0) return step;
  const others = all.filter((arg) => !examples.includes(arg));
  const line = others.length === 0 ? head : `${head}: ${others.join(", ")}`;
  return `${line} (last time: ${examples.join(", ")}; yours will differ)`;
}

/** True for a text or path without a slot. Numbers, booleans and single words are settings. */
function isConstantText(arg: string): boolean {
  const value = arg.slice(arg.indexOf(" = ") + 3);
  return !value.includes("${") && /[\s./\\]/u.test(value) && !/^-?\d+(?:\.\d+)?$/u.test(value);
}

function parameterText({ name, type, description, required, default: preset }: FunctionParameter): string {
  const left = preset === undefined ? "" : `, by default ${JSON.stringify(preset)}`;
  return `${name}${required ? "*" : ""} (${type}${left}) ${description}`.trim();
}
