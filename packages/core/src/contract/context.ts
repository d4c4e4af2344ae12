import { z } from "zod";
import { FunctionMatchReason } from "./function-search.ts";
import { FunctionMemory } from "./function.ts";
import { RecalledMemory } from "./memory.ts";
import { Persona } from "./profile.ts";
import { Task } from "./task.ts";
import { CognitiveMode } from "./trust.ts";

/** One message of a conversation in the form that later requests see. */
export const ConversationTurn = z.strictObject({
  role: z.enum(["person", "operator"]),
  /** The text without citations of earlier steps; a long text is clipped, with a notice. */
  text: z.string(),
  at: z.string(),
  /** How the run of an operator's turn ended, if not with an answer; for a person's turn, that they stopped its run. */
  outcome: z.enum(["stopped", "stuck", "failed", "cancelled"]).optional(),
});
export type ConversationTurn = z.infer<typeof ConversationTurn>;

/**
 * The conversation before a request, within `budgets.conversation` and the tokens for a long message: the newest turns, and a summary of the
 * `omittedTurns` before them. Fields other than `turns`, `topics` and `omittedTurns` are absent if they would be empty.
 */
export const ConversationContext = z.strictObject({
  /** Oldest first. */
  turns: z.array(ConversationTurn),
  summary: z.string().optional(),
  /** The person's current subject in their own words: the newest turn that names a subject. */
  focus: z.string().optional(),
  /** Names, files and nouns of the last turns, most prominent first. */
  topics: z.array(z.string()),
  /** The number of turns that are not in `turns`. */
  omittedTurns: z.int().nonnegative(),
  /** The text that the request continues from (`taskContext`), possibly clipped. */
  taskContext: z.string().optional(),
});
export type ConversationContext = z.infer<typeof ConversationContext>;

/** The sections of a prompt's context, in order. */
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

/** The tokens that a prompt may spend on the person's last long message, beyond `budgets.conversation`. */
export const LONG_MESSAGE_TOKENS = 600;

/** The token budget of each section of a prompt's context. */
export const ContextBudgets = z.strictObject({
  persona: z.int().nonnegative().default(150),
  tasks: z.int().nonnegative().default(200),
  conversation: z.int().nonnegative().default(500),
  functions: z.int().nonnegative().default(400),
  tools: z.int().nonnegative().default(120),
  memories: z.int().nonnegative().default(400),
});
export type ContextBudgets = z.infer<typeof ContextBudgets>;

/** The part of a function that a planner sees. */
export const FunctionGuide = FunctionMemory.pick({
  title: true,
  summary: true,
  kind: true,
  skillsUsed: true,
  steps: true,
  parameters: true,
  examples: true,
}).extend({
  /** For code: `main(words: list) → { longest: string }`. */
  signature: z.string().optional(),
});
export type FunctionGuide = z.infer<typeof FunctionGuide>;

/** A verified function that fits the request, with the reason for its selection. */
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

/** Why memories and functions were offered or omitted; shown in the inspector. */
export const ContextExplanation = z.strictObject({
  memories: z.array(z.strictObject({ id: z.string(), score: z.number(), rank: z.int(), reason: z.string() })),
  /** Memories that were found but not offered. */
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
  /** Recurring requests that resemble this one. */
  patterns: z.array(z.string()).default([]),
  /** Functions that were considered but not offered. */
  rejectedFunctions: z
    .array(z.strictObject({ id: z.string(), title: z.string(), score: z.number(), reason: z.string() }))
    .optional(),
  /** The tokens of the offered functions in each prompt. */
  functionTokens: z.int().nonnegative().optional(),
  /** The tokens, budget and omissions of each section of the context. */
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
  /** The part of the conversation that the planner sees. */
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

/** The context that memory contributes for one request. */
export const ContextPackage = z.strictObject({
  request: z.string(),
  memories: z.array(RecalledMemory),
  relevantFunctions: z.array(RelevantFunction),
  recentTools: z.array(
    z.strictObject({ tool: z.string(), summary: z.string(), success: z.boolean(), timestamp: z.string() }),
  ),
  /** The persona of the operator, which answers. */
  persona: Persona,
  /** The display name of the person, who asks. */
  person: z.string().optional(),
  activeTasks: z.array(Task),
  /** The number of open tasks, of which `activeTasks` are the most urgent; absent if they were not counted. */
  openTasks: z.int().nonnegative().optional(),
  currentFocus: z.string().optional(),
  recentTopics: z.array(z.string()),
  patterns: z.array(z.string()),
  conversationSummary: z.string().optional(),
  conversation: ConversationContext.optional(),
  mode: CognitiveMode,
  /** `sections` contains the budget of each section; absent ones use the defaults. */
  budget: z.strictObject({
    tokens: z.int().nonnegative(),
    used: z.int().nonnegative(),
    sections: ContextBudgets.optional(),
  }),
  explanation: ContextExplanation,
});
export type ContextPackage = z.infer<typeof ContextPackage>;
