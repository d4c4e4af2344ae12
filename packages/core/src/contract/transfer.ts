import { z } from "zod";
import { Timestamp } from "./ids.ts";

/** The kinds of items in an exported profile. */
export const TransferKind = z.enum([
  "settings",
  "persona",
  "memory",
  "task",
  "schedule",
  "function",
  "file",
  "archive",
  "counters",
  "conversation",
  "run",
  "grant",
  "agent",
]);
export type TransferKind = z.infer<typeof TransferKind>;

/** `export.json`, the first file of an export: its profile and time. */
export const ExportManifest = z.strictObject({
  format: z.literal(1),
  username: z.string().max(64),
  displayName: z.string().max(200),
  exportedAt: Timestamp,
  version: z.string().max(64),
});
export type ExportManifest = z.infer<typeof ExportManifest>;

/**
 * The outcome of an import for one item. `added`. `changed`: settings and persona of an empty profile, and items that
 * were to be replaced. `conflicting`: a different item exists and is kept. `refused`: the item is not usable.
 */
export const ImportOutcome = z.enum(["added", "changed", "unchanged", "conflicting", "refused"]);
export type ImportOutcome = z.infer<typeof ImportOutcome>;

/** The outcome for one item of an import. */
export const ImportItem = z.strictObject({
  path: z.string(),
  kind: TransferKind.optional(),
  outcome: ImportOutcome,
  /** The difference, or the reason for a refusal. */
  reason: z.string().optional(),
});
export type ImportItem = z.infer<typeof ImportItem>;

const Totals = z.record(ImportOutcome, z.int().nonnegative());

/** The outcome of an import or a preview. */
export const ImportReport = z.strictObject({
  /** False for a preview: nothing was written. */
  applied: z.boolean(),
  /** The manifest of the export; absent if the zip has none. */
  source: ExportManifest.optional(),
  totals: Totals,
  /** The totals of each kind. */
  kinds: z.partialRecord(TransferKind, Totals),
  /** The first items that are not unchanged: refused and conflicting ones first, then changes. */
  items: z.array(ImportItem),
});
export type ImportReport = z.infer<typeof ImportReport>;

/** An import whose process ended before it was complete. */
export const InterruptedImport = z.strictObject({
  startedAt: Timestamp,
  /** The minimum number of items that are known to be in place. */
  inPlace: z.int().nonnegative(),
  /** The number of items in the backup. */
  records: z.int().nonnegative(),
  /** The same information for people, with advice. */
  message: z.string(),
});
export type InterruptedImport = z.infer<typeof InterruptedImport>;

/** Whether an import was interrupted. */
export const ImportStatus = z.strictObject({ cutOff: InterruptedImport.optional() });
export type ImportStatus = z.infer<typeof ImportStatus>;
