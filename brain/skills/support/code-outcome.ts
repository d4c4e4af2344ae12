import { isRecord } from "@metahuman/core/text/is-record";
import { formatCount, oneLine, truncate } from "@metahuman/core/text/format";
import type { CodeCall, CodeOutcome } from "../ports.ts";
import { CodeCalls } from "@metahuman/core/contract/curation";
import { z } from "zod";
import { linePreview } from "./phrasing.ts";

const WithCalls = z.object({ calls: CodeCalls });

/** The calls by which code or a recipe changed something, from the outputs of any call; empty for outputs without. */
export function changesByCode(outputs: unknown): CodeCall[] {
  return WithCalls.safeParse(outputs).data?.calls ?? [];
}

const Shape = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
});
/** How deep a shape of a result is shown. */
const SHOWN_DEPTH = 3;

/** The fields of what a skill returns to code: `{query, matches: [{id, score, task: {id, title}}]}`. */
export function resultShape(output: z.ZodObject): string {
  return shapeText(z.toJSONSchema(output, { io: "output", unrepresentable: "any" }), SHOWN_DEPTH);
}

function shapeText(schema: unknown, depth: number): string {
  const { properties, items, anyOf = [] } = Shape.safeParse(schema).data ?? {};
  const branch = anyOf.map((one) => shapeText(one, depth)).find((text) => text !== "");
  if (branch !== undefined) return branch;
  if (items !== undefined) return `[${shapeText(items, depth) || "…"}]`;
  if (properties === undefined || depth === 0) return "";
  const fields = Object.entries(properties).map(([name, field]) => {
    const inner = shapeText(field, depth - 1);
    return inner === "" ? name : `${name}: ${inner}`;
  });
  return `{${fields.join(", ")}}`;
}

/** The length of the changes in a sentence about code, in characters. */
const CHANGES_LENGTH = 400;
/** How many calls of code a text lists. */
const LISTED_CALLS = 30;

/** What the calls did, a line each, with their number when there are more than a text lists. */
export function callLines(calls: readonly CodeCall[]): string[] {
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

/** Returns what the actions of a recipe said about their outcomes; undefined for the outcome of code. */
export function recipeWords({ result, logs }: CodeOutcome): string | undefined {
  const isOfRecipe =
    isRecord(result) && Array.isArray(result["steps"]) && result["steps"].length === logs.length;
  return isOfRecipe && logs.length > 0 ? logs.join("\n") : undefined;
}

/** Returns the complete result and log output of code, and what its calls changed. */
export function returnedBlocks({ result, logs, calls = [] }: CodeOutcome): string {
  return [
    "```json",
    JSON.stringify(result, undefined, 2),
    "```",
    ...(logs.length > 0 ? ["", "```text", ...logs, "```"] : []),
    ...(calls.length > 0 ? ["", `It made ${formatCount(calls.length, "change")}:`, ...callLines(calls)] : []),
  ].join("\n");
}
