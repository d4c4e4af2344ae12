import { z } from "zod";
import { FunctionId, Timestamp } from "./ids.ts";

/** A finding of upkeep about one function, and the action taken or proposed. */
export const UpkeepFinding = z.strictObject({
  kind: z.enum(["duplicate", "failing", "stale", "unused"]),
  functionId: FunctionId,
  title: z.string(),
  /** For a duplicate: the original function. */
  otherId: FunctionId.optional(),
  reason: z.string(),
  action: z.enum(["propose-merge", "disable", "none"]),
  done: z.boolean(),
});
export type UpkeepFinding = z.infer<typeof UpkeepFinding>;

/** The findings of one upkeep. */
export const UpkeepReport = z.strictObject({
  at: Timestamp,
  dryRun: z.boolean(),
  checked: z.int().nonnegative(),
  findings: z.array(UpkeepFinding),
  /** The file with the state before the changes; absent without changes. */
  snapshot: z.string().optional(),
});
export type UpkeepReport = z.infer<typeof UpkeepReport>;

/** With `dryRun`, the upkeep reports its findings without changing anything. */
export const UpkeepRequest = z.strictObject({ dryRun: z.boolean().default(false) });
export type UpkeepRequest = z.infer<typeof UpkeepRequest>;

/** The results of one function over time. */
export const FunctionFigures = z.strictObject({
  id: FunctionId,
  title: z.string(),
  offered: z.int().nonnegative(),
  used: z.int().nonnegative(),
  succeeded: z.int().nonnegative(),
  failed: z.int().nonnegative(),
  /** Lower bound of the 95 % Wilson interval, 0–1. */
  successBound: z.number().min(0).max(1),
  /** Relative to the source run, over all successful uses; absent if its cost is unknown. */
  planningCallsSaved: z.int().optional(),
  tokensSaved: z.int().optional(),
  /** Uses by calendar day, oldest first; days without uses are omitted. */
  days: z.array(
    z.strictObject({ day: z.iso.date(), used: z.int().nonnegative(), failed: z.int().nonnegative() }),
  ),
});
export type FunctionFigures = z.infer<typeof FunctionFigures>;

/** The results of all functions over time. */
export const FunctionAnalytics = z.strictObject({
  since: Timestamp,
  /** Most used first. */
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
