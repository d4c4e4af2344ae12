import { z } from "zod";
import { FunctionMatchReason } from "./function-search.ts";
import { FunctionMemory } from "./function.ts";
import { RecalledMemory } from "./memory.ts";
import { Persona } from "./profile.ts";
import { Task } from "./task.ts";
import { CognitiveMode } from "./trust.ts";

/** One message of a conversation as later requests see it. */
export const ConversationTurn = z.strictObject({
  role: z.enum(["person", "operator"]),
  /** Citations of earlier steps are removed; a long text is clipped, and says so. */
  text: z.string(),
  at: z.string(),
  /** How the run behind an operator's turn ended, unless it was answered. */
  outcome: z.enum(["stopped", "stuck", "failed", "cancelled"]).optional(),
});
export type ConversationTurn = z.infer<typeof ConversationTurn>;

/**
 * What was said in a conversation before a request, within `budgets.conversation`: the newest turns, and a summary of
 * the `omittedTurns` before them. All fields but `turns`, `topics` and `omittedTurns` are absent where there is nothing
 * to say.
 */
export const ConversationContext = z.strictObject({
  /** Oldest first. */
  turns: z.array(ConversationTurn),
  summary: z.string().optional(),
  /** What the person is at, in their own words: the newest turn that names a subject of its own. */
  focus: z.string().optional(),
  /** Names, files and nouns of the last turns, the most prominent first. */
  topics: z.array(z.string()),
  /** Turns that are not among `turns`. */
  omittedTurns: z.int().nonnegative(),
  /** The text that the request continues from (`taskContext`), possibly clipped. */
  taskContext: z.string().optional(),
});
export type ConversationContext = z.infer<typeof ConversationContext>;

/** The parts of a prompt's context, in their order. */
export const ContextSectionName = z.enum([
  "persona",
  "focus",
  "tasks",
  "conversation",
  "functions",
  "tools",
  "memories",
  "patterns",
]);
export type ContextSectionName = z.infer<typeof ContextSectionName>;

/** What each part of a prompt's context may cost, in tokens. */
export const ContextBudgets = z.strictObject({
  persona: z.int().nonnegative().default(150),
  tasks: z.int().nonnegative().default(200),
  conversation: z.int().nonnegative().default(500),
  functions: z.int().nonnegative().default(400),
  tools: z.int().nonnegative().default(120),
  memories: z.int().nonnegative().default(400),
});
export type ContextBudgets = z.infer<typeof ContextBudgets>;

/** What a planner is told of a function. */
export const FunctionGuide = FunctionMemory.pick({
  title: true,
  summary: true,
  kind: true,
  skillsUsed: true,
  steps: true,
  parameters: true,
  examples: true,
}).extend({
  /** Of code: `main(words: list) → { longest: string }`. */
  signature: z.string().optional(),
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
  /** Memories that were found and not shown. */
  rejectedMemories: z.array(z.strictObject({ id: z.string(), reason: z.string() })).optional(),
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
  /** What each part of the context costs in a prompt, of how much it may cost, and what was left out for that. */
  sections: z
    .array(
      z.strictObject({
        name: ContextSectionName,
        tokens: z.int().nonnegative(),
        budgetTokens: z.int().nonnegative(),
        leftOut: z.string().optional(),
      }),
    )
    .optional(),
  /** What the planner sees of the conversation. */
  conversation: z
    .strictObject({
      turns: z.int().nonnegative(),
      omittedTurns: z.int().nonnegative(),
      summary: z.string().optional(),
    })
    .optional(),
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
  /** Who answers. */
  persona: Persona,
  /** The display name of who asks. */
  person: z.string().optional(),
  activeTasks: z.array(Task),
  currentFocus: z.string().optional(),
  recentTopics: z.array(z.string()),
  patterns: z.array(z.string()),
  conversationSummary: z.string().optional(),
  conversation: ConversationContext.optional(),
  mode: CognitiveMode,
  /** `sections` holds the limit of each part; the defaults count where it is absent. */
  budget: z.strictObject({
    tokens: z.int().nonnegative(),
    used: z.int().nonnegative(),
    sections: ContextBudgets.optional(),
  }),
  explanation: ContextExplanation,
});
export type ContextPackage = z.infer<typeof ContextPackage>;
