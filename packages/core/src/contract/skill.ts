import { z } from "zod";
import { SkillId } from "./ids.ts";
import { Effect, Risk } from "./trust.ts";

export const SkillInput = z.strictObject({
  name: z.string(),
  type: z.string(),
  required: z.boolean(),
  description: z.string().optional(),
  allowed: z.array(z.string()).optional(),
  default: z.unknown().optional(),
});
export type SkillInput = z.infer<typeof SkillInput>;

/** A skill as the catalog, the page and the CLI describe it: no code. */
export const SkillCard = z.strictObject({
  id: SkillId,
  summary: z.string(),
  category: z.string(),
  effect: Effect,
  /** The least risk a call of it can have; the exact risk depends on the arguments. */
  risk: Risk,
  requiresApproval: z.boolean(),
  inputs: z.array(SkillInput),
  outputs: z.array(z.string()),
  examples: z.array(z.string()),
});
export type SkillCard = z.infer<typeof SkillCard>;
