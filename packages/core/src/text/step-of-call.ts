import { escapedLine, truncate } from "./format.ts";

const MAX_VALUE_LENGTH = 160;

/**
 * A call of a recipe as a step in words: "Create a task (task_create): title = call ${name}". `summary` is that of its
 * skill.
 */
export function stepOfCall(
  { skill, args }: { skill: string; args: Readonly<Record<string, unknown>> },
  summary: string,
): string {
  const values = Object.entries(args).map(
    ([name, value]) => `${name} = ${truncate(escapedLine(formatValue(value)), MAX_VALUE_LENGTH)}`,
  );
  return values.length === 0 ? `${summary} (${skill})` : `${summary} (${skill}): ${values.join(", ")}`;
}

function formatValue(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value);
}
