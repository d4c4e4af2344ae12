import type { Expectation, FunctionContent, FunctionParameter } from "@metahuman/core/contract/function";

/** The content of a function as text, complete, for line-by-line comparison. */
export function functionText({
  name,
  title,
  summary,
  tags,
  steps,
  skillsUsed,
  parameters,
  examples,
  kind,
  recipe,
  code,
}: FunctionContent): string {
  return [
    title,
    ...summary.split("\n"),
    `${kind}, called ${name}`,
    ...(tags.length > 0 ? [`tags: ${tags.join(", ")}`] : []),
    `skills: ${skillsUsed.join(", ") || "none"}`,
    ...block(
      "Steps",
      // Not numbered: an inserted step would change all later lines.
      steps.flatMap((step) => `· ${step}`.split("\n")),
    ),
    ...block("Parameters", parameters.map(parameterText)),
    ...block(
      "Examples",
      examples.flatMap(({ prompt }) => `“${prompt}”`.split("\n")),
    ),
    ...(recipe
      ? [
          ...block(
            "Triggers",
            recipe.promptTemplates.map((template) => `“${template}”`),
          ),
          ...block("Calls", recipe.actions.flatMap(actionLines)),
        ]
      : []),
    ...(code
      ? [
          ...block("Code", code.source.trimEnd().split("\n")),
          ...block("Tests", code.tests.trim() === "" ? [] : code.tests.trimEnd().split("\n")),
          ...block("May use", code.grants),
        ]
      : []),
  ].join("\n");
}

function block(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines];
}

function parameterText({ name, type, required, description, default: preset }: FunctionParameter): string {
  const missing = required
    ? "required"
    : preset === undefined
      ? "optional"
      : `default ${JSON.stringify(preset)}`;
  return `${name}: ${type}, ${missing}${description === "" ? "" : ` (${description})`}`;
}

function actionLines(
  { skill, args, expect }: NonNullable<FunctionContent["recipe"]>["actions"][number],
  index: number,
): string[] {
  return [
    `${index + 1}. ${skill}`,
    ...Object.entries(args).map(([name, value]) => `   ${name} = ${JSON.stringify(value)}`),
    ...expect.map((one) => `   then ${expectationText(one)}`),
  ];
}

/** What an expectation says about a field, before its value. */
export const EXPECTATION_WORDS: Readonly<Record<Expectation["is"], string>> = {
  equals: "equals",
  matches: "matches",
  type: "is of type",
  present: "is there",
};

/** "path equals …": an expectation about the outcome of a call. */
export function expectationText({ field, is, value }: Expectation): string {
  const words = `${field} ${EXPECTATION_WORDS[is]}`;
  if (is === "present") return words;
  return `${words} ${is === "type" ? String(value) : JSON.stringify(value)}`;
}

/** A learned step: its summary, its skill in parentheses, and its arguments. */
const LEARNED_STEP = /^(?<summary>.+?) \([a-z][a-z0-9_]*\)(?:: (?<args>.+))?$/su;

/**
 * A step as a person reads it, without the names of skills and code: "Create a task: call ${name}, due ${due}" for "Create a task (task_create):
 * title = call ${name}, due = ${due}". A step in other words stays as it is.
 */
export function stepText(step: string): string {
  const { summary, args } = LEARNED_STEP.exec(step)?.groups ?? {};
  if (summary === undefined) return step;
  const texts = (args ?? "").split(/, (?=\w+ = )/u).flatMap((arg) => {
    const [, name = "", value = ""] = /^(\w+) = (.*)$/su.exec(arg) ?? [];
    if (value === "") return [];
    return SAYS_ITSELF.has(name) || value === `\${${name}}` ? [value] : [`${name} ${value}`];
  });
  return texts.length === 0 ? summary : `${summary.replace(/\.$/u, "")}: ${texts.join(", ")}`;
}

/** Arguments whose values need no label. */
const SAYS_ITSELF: ReadonlySet<string> = new Set(["path", "content", "text", "title"]);
