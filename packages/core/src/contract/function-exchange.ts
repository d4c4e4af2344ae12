import { z } from "zod";
import { FunctionContent, FunctionMemory } from "./function.ts";
import { FunctionId, Timestamp } from "./ids.ts";

/** An export of functions that another profile can import. */
export const FunctionExport = z.strictObject({
  format: z.literal(1),
  exportedAt: Timestamp,
  functions: z.array(FunctionMemory),
});
export type FunctionExport = z.infer<typeof FunctionExport>;

/** An unvalidated export: each function is validated on its own. */
export const FunctionImport = z.object({
  format: z.literal(1),
  functions: z.array(z.unknown()).min(1).max(1_000),
});
export type FunctionImport = z.infer<typeof FunctionImport>;

/** The outcome for one function of an import or a preview. */
export const ImportedFunction = z.strictObject({
  title: z.string(),
  outcome: z.enum(["added", "unchanged", "refused"]),
  /** Why it is rejected. */
  reason: z.string().optional(),
  /** Verification checks that its text would fail. It is imported anyway, as untrusted. */
  warnings: z.array(z.string()),
  /** Absent if it could not be read. */
  content: FunctionContent.optional(),
  /** The stored function; absent in a preview. */
  id: FunctionId.optional(),
});
export type ImportedFunction = z.infer<typeof ImportedFunction>;

/** The outcome of an import or a preview. */
export const FunctionImportReport = z.strictObject({
  /** False for a preview. */
  applied: z.boolean(),
  items: z.array(ImportedFunction),
});
export type FunctionImportReport = z.infer<typeof FunctionImportReport>;
