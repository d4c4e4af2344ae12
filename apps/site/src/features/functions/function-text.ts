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

/** "path equals …": an expectation about the outcome of a call. */
export function expectationText({ field, is, value }: Expectation): string {
  return is === "present" ? `${field} is there` : `${field} ${is} ${JSON.stringify(value)}`;
}
