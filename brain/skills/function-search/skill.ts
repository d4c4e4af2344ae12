import { FunctionParameter, FunctionStatus } from "@metahuman/core/contract/function";
import { z } from "zod";
import { formatCount } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { escapeInline, table } from "../markdown.ts";
import { FunctionOverview, overviewOf } from "../support/function-reference.ts";
import { joinNames } from "../support/phrasing.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const phrases: readonly (string | Phrase)[] = [
  "(search|find|look up) [the|my] =functions (for|about|on) {query}",
  "which =functions [are there|do I have] (for|about|on) {query}",
];

const slots: Record<string, SlotType | Slot> = {
  query: { type: "query", sample: "weekly reports" },
};

/** Number of candidates before filters by tag, status and score. */
const MAX_CANDIDATES = 50;

export const functionSearch = defineSkill({
  id: "function_search",
  summary: "Search the learned, verified functions for one that matches",
  category: "functions",
  input: z.strictObject({
    query: z.string().trim().min(1).max(2_000).describe("What should be done, in plain words"),
    limit: z.int().min(1).max(20).default(5),
    tags: z
      .array(z.string().trim().min(1).max(64))
      .max(10)
      .default([])
      .describe("Only functions with all of these"),
    status: FunctionStatus.default("active"),
    minSimilarity: z.number().min(0).max(1).default(0).describe("The minimum score, 0 to 1"),
  }),
  output: z.strictObject({
    functions: z.array(
      z.strictObject({
        ...FunctionOverview.shape,
        tags: z.array(z.string()),
        parameters: z.array(z.string()).describe("Required ones end in *"),
        parameterTypes: z.record(z.string(), FunctionParameter.shape.type),
        skillsUsed: z.array(z.string()),
        score: z.number(),
        why: z.string(),
      }),
    ),
    total: z.int().nonnegative(),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  notes: "Returns nothing if none matches. Read one with function_load; run code with function_run.",
  phrases,
  slots,
  narrate: ({ functions }) =>
    functions.length === 0
      ? "No verified function matches."
      : `Found ${formatCount(functions.length, "function")}: ${joinNames(functions.map(({ title }) => title))}.`,
  structure: ({ functions }) =>
    functions.length === 0
      ? "No verified function matches."
      : table(
          ["function", "kind", "takes", "why"],
          functions.map(({ name, title, kind, parameters, parameterTypes, why }) => [
            `${escapeInline(title)} (${name})`,
            kind,
            parameters.map((one) => `${one}: ${parameterTypes[one.replace("*", "")] ?? "object"}`).join(", "),
            escapeInline(why),
          ]),
        ),
  run: async ({ query, limit, tags, status, minSimilarity }, { ports, signal }) => {
    const isNarrowed = tags.length > 0 || minSimilarity > 0 || status !== "active";
    const { items } = await ports.functions().queryFunctions(query, {
      limit: isNarrowed ? MAX_CANDIDATES : limit,
      signal,
      // A person may inspect functions that are not active; function_load and function_run reject them.
      ...(status !== "active" && { trust: "any" }),
    });
    const fitting = items.filter(
      ({ function: found, score }) =>
        found.status === status && score >= minSimilarity && tags.every((tag) => found.tags.includes(tag)),
    );
    const functions = fitting.slice(0, limit).map(({ function: found, score, explanation }) => ({
      ...overviewOf(found),
      tags: found.tags,
      parameterTypes: Object.fromEntries(found.parameters.map(({ name, type }) => [name, type])),
      parameters: found.parameters.map(({ name, required }) => `${name}${required ? "*" : ""}`),
      skillsUsed: found.skillsUsed,
      score,
      why: explanation.text,
    }));
    return { functions, total: functions.length };
  },
});
