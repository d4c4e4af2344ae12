import { z } from "zod";
import { SkillId } from "./ids.ts";
import { Effect, Risk, TrustLevel } from "./trust.ts";

export const SkillInput = z.strictObject({
  name: z.string(),
  type: z.string(),
  required: z.boolean(),
  description: z.string().optional(),
  allowed: z.array(z.string()).optional(),
  /** How a value is written, where the type does not say it: `"2026-11-23"`, `todo|done`, `[{text, status: todo|done}]`. */
  form: z.string().optional(),
  default: z.unknown().optional(),
});
export type SkillInput = z.infer<typeof SkillInput>;

/** What a call takes: `low` is done at once, `medium` asks a model or the network, `high` may take minutes. */
export const SkillCost = z.enum(["low", "medium", "high"]);
export type SkillCost = z.infer<typeof SkillCost>;

/** A skill as the catalog, the page and the CLI describe it: no code. */
export const SkillCard = z.strictObject({
  id: SkillId,
  summary: z.string(),
  category: z.string(),
  effect: Effect,
  /** The least risk a call of it can have; the exact risk depends on the arguments. */
  risk: Risk,
  cost: SkillCost,
  /** The trust level from which a call of the least risk needs no person; null: a person always decides. */
  trust: TrustLevel.nullable(),
  requiresApproval: z.boolean(),
  /** True for a skill that asks a person once for each host, whatever the trust level. */
  asksPerHost: z.boolean().optional(),
  /** What a planner should know besides. */
  notes: z.string().optional(),
  inputs: z.array(SkillInput),
  outputs: z.array(z.string()),
  examples: z.array(z.string()),
});
export type SkillCard = z.infer<typeof SkillCard>;
