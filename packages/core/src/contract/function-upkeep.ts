import { z } from "zod";
import { FunctionId, Timestamp } from "./ids.ts";

/** What upkeep found about one function, and what it did or would do. */
export const UpkeepFinding = z.strictObject({
  kind: z.enum(["duplicate", "failing", "stale", "unused"]),
  functionId: FunctionId,
  title: z.string(),
  /** Of a duplicate: the function that it repeats. */
  otherId: FunctionId.optional(),
  reason: z.string(),
  action: z.enum(["propose-merge", "disable", "none"]),
  done: z.boolean(),
});
export type UpkeepFinding = z.infer<typeof UpkeepFinding>;

export const UpkeepReport = z.strictObject({
  at: Timestamp,
  dryRun: z.boolean(),
  checked: z.int().nonnegative(),
  findings: z.array(UpkeepFinding),
  /** The file that says how everything was before; only when something was changed. */
  snapshot: z.string().optional(),
});
export type UpkeepReport = z.infer<typeof UpkeepReport>;

export const UpkeepRequest = z.strictObject({ dryRun: z.boolean().default(false) });
export type UpkeepRequest = z.infer<typeof UpkeepRequest>;

/** How one function did over time. */
export const FunctionFigures = z.strictObject({
  id: FunctionId,
  title: z.string(),
  offered: z.int().nonnegative(),
  used: z.int().nonnegative(),
  succeeded: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  /** Lower bound of the 95 % Wilson interval, 0–1. */
  successBound: z.number().min(0).max(1),
  /** Against the run it was learned from, over all its successful uses; absent where that cost is not known. */
  planningCallsSaved: z.int().optional(),
  tokensSaved: z.int().optional(),
  /** Uses by calendar day, oldest first; days without any are left out. */
  days: z.array(
    z.strictObject({ day: z.iso.date(), used: z.int().nonnegative(), failed: z.int().nonnegative() }),
  ),
});
export type FunctionFigures = z.infer<typeof FunctionFigures>;

export const FunctionAnalytics = z.strictObject({
  since: Timestamp,
  /** The most used first. */
  functions: z.array(FunctionFigures),
  totals: z.strictObject({
    functions: z.int().nonnegative(),
    used: z.int().nonnegative(),
    succeeded: z.int().nonnegative(),
    failed: z.int().nonnegative(),
    planningCallsSaved: z.int(),
    tokensSaved: z.int(),
  }),
});
export type FunctionAnalytics = z.infer<typeof FunctionAnalytics>;
