import { z } from "zod";
import { FunctionMatchReason } from "./function-search.ts";
import { FunctionMemory } from "./function.ts";
import { RecalledMemory } from "./memory.ts";
import { Persona } from "./profile.ts";
import { Task } from "./task.ts";
import { CognitiveMode } from "./trust.ts";

/** What a planner is told of a function. */
export const FunctionGuide = FunctionMemory.pick({
  title: true,
  summary: true,
  kind: true,
  skillsUsed: true,
  steps: true,
  parameters: true,
  examples: true,
});
export type FunctionGuide = z.infer<typeof FunctionGuide>;

/** A verified function that fits the request, with why it was chosen. */
export const RelevantFunction = z.strictObject({
  id: z.string(),
  title: z.string(),
  score: z.number(),
  rank: z.int(),
  matchReason: FunctionMatchReason,
  reason: z.string(),
  guide: FunctionGuide,
});
export type RelevantFunction = z.infer<typeof RelevantFunction>;

/** Why a memory or function was offered, left out, or missing; shown in the inspector. */
export const ContextExplanation = z.strictObject({
  memories: z.array(z.strictObject({ id: z.string(), score: z.number(), rank: z.int(), reason: z.string() })),
  functions: z.array(
    z.strictObject({
      id: z.string(),
      title: z.string(),
      score: z.number(),
      rank: z.int(),
      reason: z.string(),
    }),
  ),
  /** What was asked like this before. */
  patterns: z.array(z.string()).default([]),
  /** Functions that were looked at and not offered. */
  rejectedFunctions: z
    .array(z.strictObject({ id: z.string(), title: z.string(), score: z.number(), reason: z.string() }))
    .optional(),
  /** What the offered functions cost in each prompt. */
  functionTokens: z.int().nonnegative().optional(),
  warnings: z.array(z.string()),
  timingsMs: z.record(z.string(), z.number()),
});
export type ContextExplanation = z.infer<typeof ContextExplanation>;

/** What memory hands the planner for one request. */
export const ContextPackage = z.strictObject({
  request: z.string(),
  memories: z.array(RecalledMemory),
  relevantFunctions: z.array(RelevantFunction),
  recentTools: z.array(
    z.strictObject({ tool: z.string(), summary: z.string(), success: z.boolean(), timestamp: z.string() }),
  ),
  persona: Persona,
  activeTasks: z.array(Task),
  currentFocus: z.string().optional(),
  recentTopics: z.array(z.string()),
  patterns: z.array(z.string()),
  conversationSummary: z.string().optional(),
  mode: CognitiveMode,
  budget: z.strictObject({ tokens: z.int().nonnegative(), used: z.int().nonnegative() }),
  explanation: ContextExplanation,
});
export type ContextPackage = z.infer<typeof ContextPackage>;
