import { isRecord } from "@metahuman/core/text/is-record";
import { formatCount } from "@metahuman/core/text/format";
import type { CodeOutcome } from "../ports.ts";
import { linePreview } from "./phrasing.ts";

/** Returns "The code returned 3, and said 2 lines." */
export function returnedWords(subject: string, { result, logs }: CodeOutcome): string {
  const logNote = logs.length > 0 ? `, and said ${formatCount(logs.length, "line")}` : "";
  return `${subject} returned ${linePreview(JSON.stringify(result))}${logNote}.`;
}

/** Returns what the actions of a recipe said about their outcomes; undefined for the outcome of code. */
export function recipeWords({ result, logs }: CodeOutcome): string | undefined {
  const isOfRecipe =
    isRecord(result) && Array.isArray(result["steps"]) && result["steps"].length === logs.length;
  return isOfRecipe && logs.length > 0 ? logs.join("\n") : undefined;
}

/** Returns the complete result and log output of code. */
export function returnedBlocks({ result, logs }: CodeOutcome): string {
  return [
    "```json",
    JSON.stringify(result, undefined, 2),
    "```",
    ...(logs.length > 0 ? ["", "```text", ...logs, "```"] : []),
  ].join("\n");
}
