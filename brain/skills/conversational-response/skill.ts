import { ResponseStyle } from "@metahuman/core/contract/run";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";

/** Models may be slow; the run can be cancelled at any time. */
const TIMEOUT_MS = 180_000;
const MAX_TEXT = 200_000;

export const conversationalResponse = defineSkill({
  id: "conversational_response",
  summary: "Answer the person",
  category: "agent",
  input: z.strictObject({
    goal: z.string().min(1).max(MAX_TEXT).describe("What the answer should achieve"),
    context: z
      .string()
      .max(MAX_TEXT)
      .default("")
      .describe("Material for the answer besides the observations"),
    style: ResponseStyle.default("default").describe(
      "strict: the data alone; summary: two or three sentences",
    ),
  }),
  output: z.strictObject({ response: z.string() }),
  effects: "agent",
  risk: "low",
  cost: "medium",
  idempotent: true,
  timeoutMs: TIMEOUT_MS,
  // Only the operator calls this skill, so it has no phrases.
  phrases: [],
  narrate: ({ response }) => response,
  structure: ({ response }) => response,
  run: async ({ goal, context, style }, { ports, scratchpad, signal }) => ({
    response: await ports.answerWriter.respond({ goal, context, style, scratchpad }, signal),
  }),
});
