import { FunctionKind } from "@metahuman/core/contract/function";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { inline, table } from "../markdown.ts";
import { count, named } from "../support/wording.ts";
import * as speech from "./phrases.ts";

export const functionSearch = defineSkill({
  id: "function_search",
  summary: "Search the verified functions for one that fits",
  category: "functions",
  input: z.strictObject({
    query: z.string().trim().min(1).max(2_000).describe("What is to be done, in plain words"),
    limit: z.int().min(1).max(20).default(5),
  }),
  output: z.strictObject({
    functions: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        title: z.string(),
        summary: z.string(),
        kind: FunctionKind,
        parameters: z.array(z.string()).describe("Required ones end in *"),
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
  notes: "Finds nothing when nothing fits. Read one with function_load; run code with function_run.",
  ...speech,
  narrate: ({ functions }) =>
    functions.length === 0
      ? "No verified function fits."
      : `Found ${count(functions.length, "function")}: ${named(functions.map(({ title }) => title))}.`,
  structure: ({ functions }) =>
    functions.length === 0
      ? "No verified function fits."
      : table(
          ["function", "kind", "takes", "why"],
          functions.map(({ name, title, kind, parameters, why }) => [
            `${inline(title)} (${name})`,
            kind,
            parameters.join(", "),
            inline(why),
          ]),
        ),
  run: async ({ query, limit }, { ports, signal }) => {
    const { items } = await ports.functions().queryFunctions(query, { limit, signal });
    const functions = items.map(({ function: found, score, explanation }) => ({
      id: found.id,
      name: found.name,
      title: found.title,
      summary: found.summary,
      kind: found.kind,
      parameters: found.parameters.map(({ name, required }) => `${name}${required ? "*" : ""}`),
      skillsUsed: found.skillsUsed,
      score,
      why: explanation.text,
    }));
    return { functions, total: functions.length };
  },
});
