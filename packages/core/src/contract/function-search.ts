import { z } from "zod";
import { FunctionMemory } from "./function.ts";
import { FunctionId } from "./ids.ts";

/** The search method that ranked a function highest. */
export const FunctionMatchReason = z.enum(["semantic", "keyword", "skill"]);
export type FunctionMatchReason = z.infer<typeof FunctionMatchReason>;

/** Why a function was found: every term of its score. */
export const FunctionExplanation = z.strictObject({
  /** A sentence for people: "By title and “make … file”; worked 12 of 13 times." */
  text: z.string(),
  /** The terms of the score. */
  parts: z.array(z.strictObject({ name: z.string(), value: z.number(), detail: z.string() })),
  /** The match score independent of other results; 1 and above is a match. */
  fit: z.number(),
});
export type FunctionExplanation = z.infer<typeof FunctionExplanation>;

/** A function that matches a search, with its score. */
export const FoundFunction = z.strictObject({
  function: FunctionMemory,
  score: z.number().min(0).max(1),
  rank: z.int().positive(),
  matchReason: FunctionMatchReason,
  explanation: FunctionExplanation,
});
export type FoundFunction = z.infer<typeof FoundFunction>;

/** A candidate that was evaluated and not selected. */
export const RejectedFunction = z.strictObject({
  id: FunctionId,
  title: z.string(),
  score: z.number(),
  fit: z.number(),
  reason: z.string(),
});
export type RejectedFunction = z.infer<typeof RejectedFunction>;

/** The functions that match a search, best first, and the rejected candidates. */
export const FunctionSearchAnswer = z.strictObject({
  items: z.array(FoundFunction),
  rejected: z.array(RejectedFunction),
});
export type FunctionSearchAnswer = z.infer<typeof FunctionSearchAnswer>;
