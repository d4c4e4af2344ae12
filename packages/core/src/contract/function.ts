import { z } from "zod";
import { FunctionId, SkillId, Timestamp } from "./ids.ts";

export const FunctionKind = z.enum(["guide", "recipe", "code"]);
export type FunctionKind = z.infer<typeof FunctionKind>;

export const FunctionTrust = z.enum(["draft", "verified"]);
export type FunctionTrust = z.infer<typeof FunctionTrust>;

export const FunctionStatus = z.enum(["active", "pending_approval", "rejected", "disabled"]);
export type FunctionStatus = z.infer<typeof FunctionStatus>;

/** Unique per scope; checked before it touches a path. */
export const FunctionName = z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/);
export type FunctionName = z.infer<typeof FunctionName>;

export const FunctionParameter = z.strictObject({
  name: z.string().regex(/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/),
  type: z.enum(["string", "number", "boolean", "path", "date", "list", "object"]),
  description: z.string(),
  required: z.boolean(),
  default: z.unknown().optional(),
});
export type FunctionParameter = z.infer<typeof FunctionParameter>;

export const FunctionExample = z.strictObject({
  prompt: z.string(),
  resultPath: z.string().optional(),
  skillSequence: z.array(SkillId).optional(),
  executionTimeMs: z.number().nonnegative().optional(),
});
export type FunctionExample = z.infer<typeof FunctionExample>;

export const Expectation = z.strictObject({
  field: z.string(),
  is: z.enum(["equals", "matches", "type", "present"]),
  value: z.unknown().optional(),
});
export type Expectation = z.infer<typeof Expectation>;

/** `args` may hold `${parameter}`, `${steps.N.field}` and `${today}`; success is always expected. */
export const Recipe = z.strictObject({
  promptTemplates: z.array(z.string()),
  actions: z
    .array(
      z.strictObject({
        skill: SkillId,
        args: z.record(z.string(), z.unknown()),
        expect: z.array(Expectation),
      }),
    )
    .min(1),
});
export type Recipe = z.infer<typeof Recipe>;

export const FunctionCode = z.strictObject({
  language: z.literal("typescript"),
  source: z.string(),
  entry: z.literal("main"),
  tests: z.string(),
  grants: z.array(z.string()),
});
export type FunctionCode = z.infer<typeof FunctionCode>;

export const Verification = z.strictObject({
  at: Timestamp,
  contentHash: z.string(),
  ok: z.boolean(),
  checks: z.array(z.strictObject({ name: z.string(), ok: z.boolean(), detail: z.string().optional() })),
});
export type Verification = z.infer<typeof Verification>;

/** A learned or written piece of procedural memory (design 5.1). */
export const FunctionMemory = z.strictObject({
  id: FunctionId,
  name: FunctionName,
  title: z.string().min(1).max(200),
  summary: z.string().max(2_000),
  tags: z.array(z.string()),
  steps: z.array(z.string()),
  skillsUsed: z.array(SkillId),
  examples: z.array(FunctionExample),
  parameters: z.array(FunctionParameter),
  kind: FunctionKind,
  recipe: Recipe.optional(),
  code: FunctionCode.optional(),
  trust: FunctionTrust,
  status: FunctionStatus,
  verification: Verification.optional(),
  usageCount: z.int().nonnegative(),
  lastUsedAt: Timestamp.optional(),
  offeredCount: z.int().nonnegative(),
  stats: z.strictObject({
    executions: z.int().nonnegative(),
    successes: z.int().nonnegative(),
    failures: z.int().nonnegative(),
    lastFailure: z.string().optional(),
  }),
  origin: z.enum(["learned", "written", "curated", "imported", "pattern"]),
  sourceConversationId: z.string().optional(),
  sourceOperatorRunId: z.string().optional(),
  createdBy: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: z.int().positive(),
  scope: z.strictObject({ agentId: z.string(), userId: z.string() }),
});
export type FunctionMemory = z.infer<typeof FunctionMemory>;
