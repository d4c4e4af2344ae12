import { z } from "zod";
import { FunctionContent, FunctionMemory } from "./function.ts";
import { FunctionId, Timestamp } from "./ids.ts";

/** Functions as a file that another profile can take in. */
export const FunctionExport = z.strictObject({
  format: z.literal(1),
  exportedAt: Timestamp,
  functions: z.array(FunctionMemory),
});
export type FunctionExport = z.infer<typeof FunctionExport>;

/** Such a file as it comes from anywhere: each function is judged by itself. */
export const FunctionImport = z.object({
  format: z.literal(1),
  functions: z.array(z.unknown()).min(1).max(1_000),
});
export type FunctionImport = z.infer<typeof FunctionImport>;

/** What became of one function of a file, or would. */
export const ImportedFunction = z.strictObject({
  title: z.string(),
  outcome: z.enum(["added", "unchanged", "refused"]),
  /** Why it is refused. */
  reason: z.string().optional(),
  /** What its text would fail in a verification; it is taken in all the same, and never trusted for it. */
  warnings: z.array(z.string()),
  /** What it says; absent where it could not be read. */
  content: FunctionContent.optional(),
  /** The function as it is here now; absent for one that is only looked at. */
  id: FunctionId.optional(),
});
export type ImportedFunction = z.infer<typeof ImportedFunction>;

export const FunctionImportReport = z.strictObject({
  /** False: this is what would happen. */
  applied: z.boolean(),
  items: z.array(ImportedFunction),
});
export type FunctionImportReport = z.infer<typeof FunctionImportReport>;
