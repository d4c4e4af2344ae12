import { formatCount } from "@metahuman/core/text/format";
import type { CodeOutcome } from "../ports.ts";
import { linePreview } from "./phrasing.ts";

/** Returns "The code returned 3, and said 2 lines." */
export function returnedWords(subject: string, { result, logs }: CodeOutcome): string {
  const said = logs.length > 0 ? `, and said ${formatCount(logs.length, "line")}` : "";
  return `${subject} returned ${linePreview(JSON.stringify(result))}${said}.`;
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
