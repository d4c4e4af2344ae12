import type { ErrorDetail } from "@metahuman/core/contract/problem";
import type { Action, Observation } from "@metahuman/core/contract/run";
import { formatBytes, formatCount } from "@metahuman/core/text/format";
import type { ErrorDescription } from "../../lib/api/api-problem.ts";
import { formatDuration } from "../../lib/format/format.ts";
import { describeDone, isKnownCall } from "./call-phrases.ts";
import { copy } from "./copy.ts";
import { withCount } from "./trace-text.ts";

/** The error of a call as a person reads it. Advice about a denied call is for planners and left out. */
export function errorForPerson({ code, message, suggestions = [], context }: ErrorDetail): ErrorDescription {
  if (code !== "APPROVAL_DENIED") return { text: message, suggestions };
  const isDecided = context?.["isDecided"] === true;
  return { text: isDecided ? copy.denied(context["reason"]) : message, suggestions: [] };
}

/** The outcome of a call in one line: the sentence of the skill, or its action and outputs. */
export function observationSentence(
  { mode, content, outputs, error }: Observation,
  action: Action | undefined,
): string {
  if (error) return errorForPerson(error).text;
  // The answer itself stands below the steps.
  if (action?.tool === "conversational_response") return `${describeDone(action)}.`;
  if (mode === "narrative" || !outputs) return content;
  if (!action || !isKnownCall(action)) return outputsSummary(outputs);
  if (typeof outputs["total"] === "number") return `${withCount(action, outputs)}.`;
  const given = Object.values(action.args);
  // The sentence already contains the path of a file that was read.
  const others = Object.entries(outputs).filter(
    ([, value]) =>
      !given.some((one) => typeof value === "string" && one !== "" && value.endsWith(String(one))),
  );
  return `${describeDone(action)}: ${outputsSummary(Object.fromEntries(others))}`;
}

/** The outcome of a call in one line of names and values; long values by their size. What was not cut is not mentioned. */
export function outputsSummary(outputs: Record<string, unknown>): string {
  const parts = Object.entries(outputs).flatMap(([key, value]) => {
    if (key === "truncated" && value === false) return [];
    if (key === "bytes" && typeof value === "number") return formatBytes(value);
    const name = nameInWords(key);
    if (Array.isArray(value)) return `${name} (${value.length})`;
    if (typeof value === "number" && key.endsWith("Ms"))
      return `${name.slice(0, -" ms".length)} ${formatDuration(value)}`;
    if (typeof value === "string" && isLongValue(value))
      return `${name} (${formatCount(value.length, "character")})`;
    return typeof value === "object" && value !== null ? `${name} {…}` : `${name} ${valueText(value)}`;
  });
  return parts.join(" · ") || "nothing";
}

/** "exit code" for `exitCode`. */
const nameInWords = (name: string): string =>
  name.replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);

/** A value of a call or an outcome, as short exact text. */
export function valueText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** Whether a value needs its own lines. */
export function isLongValue(value: unknown): boolean {
  const text = valueText(value);
  return text.length > 96 || text.includes("\n");
}

/**
 * The reason for which a memory was given or left out, in words: "has 50 % of the words of the request, similar in meaning" for
 * "words (has 50 % of the words of the request), meaning (similar in meaning (0.65 of 1))".
 */
export function reasonInWords(reason: string): string {
  return reason
    .replaceAll(/\s*\(\d+(?:\.\d+)? of 1\)/gu, "")
    .replaceAll(/\bimportance \d+(?:\.\d+)?/gu, "importance")
    .replaceAll(/(?<=^|, )\p{L}+ \(([^()]*)\)/gu, "$1");
}
