import { formatCount, oneLine, truncate } from "@metahuman/core/text/format";
import type { CodeCall, CodeOutcome } from "../ports.ts";
import { CodeCalls } from "@metahuman/core/contract/curation";
import { z } from "zod";
import { linePreview } from "./phrasing.ts";

const WithCalls = z.object({ calls: CodeCalls });

/** The calls by which code or a recipe changed something, from the outputs of any call; empty for outputs without. */
export function callsInOutputs(outputs: unknown): CodeCall[] {
  return WithCalls.safeParse(outputs).data?.calls ?? [];
}

/** The length of the changes in a sentence about code, in characters. */
const CHANGES_LENGTH = 400;
/** How many calls of code a text lists. */
const LISTED_CALLS = 30;

/** What the calls did, as a list with an item each; the last counts those beyond what a text lists. */
export function callBullets(calls: readonly CodeCall[]): string[] {
  const lines = calls.slice(0, LISTED_CALLS).map(({ skill, sentence }) => `- ${skill}: ${oneLine(sentence)}`);
  const more = calls.length - lines.length;
  return more > 0 ? [...lines, `- and ${formatCount(more, "more call")}`] : lines;
}

/** Returns "The code returned 3, and said 2 lines." */
export function describeCodeResult(subject: string, { result, logs, calls = [] }: CodeOutcome): string {
  const logNote = logs.length > 0 ? `, and said ${formatCount(logs.length, "line")}` : "";
  const changes = calls.map(({ sentence }) => oneLine(sentence)).join(" ");
  const changeNote = changes === "" ? "" : ` ${truncate(changes, CHANGES_LENGTH)}`;
  return `${subject} returned ${linePreview(JSON.stringify(result))}${logNote}.${changeNote}`;
}

/** Returns the complete result and log output of code, and what its calls changed, as Markdown. */
export function resultMarkdown({ result, logs, calls = [] }: CodeOutcome): string {
  return [
    "```json",
    JSON.stringify(result, undefined, 2),
    "```",
    ...(logs.length > 0 ? ["", "```text", ...logs, "```"] : []),
    ...(calls.length > 0
      ? ["", `${formatCount(calls.length, "call")} changed something:`, ...callBullets(calls)]
      : []),
  ].join("\n");
}
