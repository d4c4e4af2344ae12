import { z } from "zod";
import { SkillId } from "./ids.ts";
import { Effect, Risk, TrustLevel } from "./trust.ts";

/** One argument of a skill. */
export const SkillInput = z.strictObject({
  name: z.string(),
  type: z.string(),
  required: z.boolean(),
  description: z.string().optional(),
  allowed: z.array(z.string()).optional(),
  /**
   * The format of the value, if the type does not determine it: `"2026-11-23"`, `todo|done`, `[{text, status:
   * todo|done}]`.
   */
  form: z.string().optional(),
  default: z.unknown().optional(),
});
export type SkillInput = z.infer<typeof SkillInput>;

/**
 * The cost of a call: `low` takes no noticeable time, `medium` uses a model or the network, `high` may take minutes.
 */
export const SkillCost = z.enum(["low", "medium", "high"]);
export type SkillCost = z.infer<typeof SkillCost>;

/** A skill as the catalog, the page and the CLI describe it: no code. */
export const SkillCard = z.strictObject({
  id: SkillId,
  summary: z.string(),
  category: z.string(),
  effect: Effect,
  /** The minimum risk of a call; the exact risk depends on its arguments. */
  risk: Risk,
  cost: SkillCost,
  /** The trust level from which a call of minimum risk needs no approval; null if it always does. */
  trust: TrustLevel.nullable(),
  requiresApproval: z.boolean(),
  /** True if the skill needs approval once per host at every trust level. */
  asksPerHost: z.boolean().optional(),
  /** Further notes for a planner. */
  notes: z.string().optional(),
  inputs: z.array(SkillInput),
  outputs: z.array(z.string()),
  examples: z.array(z.string()),
});
export type SkillCard = z.infer<typeof SkillCard>;
