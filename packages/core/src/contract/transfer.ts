import { z } from "zod";
import { Timestamp } from "./ids.ts";

/** What the parts of an exported profile are. */
export const TransferKind = z.enum([
  "settings",
  "persona",
  "memory",
  "task",
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

/** `export.json`, the first file of an export: whose it is and when it was made. */
export const ExportManifest = z.strictObject({
  format: z.literal(1),
  username: z.string().max(64),
  displayName: z.string().max(200),
  exportedAt: Timestamp,
  version: z.string().max(64),
});
export type ExportManifest = z.infer<typeof ExportManifest>;

/**
 * What an import does with one part: `added`; `changed` (settings and persona of a profile that had nothing yet, and what
 * was to be replaced); `conflicting`: something else is there and is kept; `refused`: it cannot be used.
 */
export const ImportOutcome = z.enum(["added", "changed", "unchanged", "conflicting", "refused"]);
export type ImportOutcome = z.infer<typeof ImportOutcome>;

export const ImportItem = z.strictObject({
  path: z.string(),
  kind: TransferKind.optional(),
  outcome: ImportOutcome,
  /** What differs, or why it is refused. */
  reason: z.string().optional(),
});
export type ImportItem = z.infer<typeof ImportItem>;

const Totals = z.record(ImportOutcome, z.int().nonnegative());

/** What an import did, or as a preview would do. */
export const ImportReport = z.strictObject({
  /** False for a preview: nothing was written. */
  applied: z.boolean(),
  /** Whose export it is; absent when the zip does not say. */
  source: ExportManifest.optional(),
  totals: Totals,
  /** The same for each kind that was found. */
  kinds: z.partialRecord(TransferKind, Totals),
  /** The first parts that are not unchanged; what was refused, conflicts and changes come first. */
  items: z.array(ImportItem),
});
export type ImportReport = z.infer<typeof ImportReport>;

/** An import whose process ended in the middle of it. */
export const ImportCutOff = z.strictObject({
  startedAt: Timestamp,
  /** Of how many at least it is known that they are in place. */
  inPlace: z.int().nonnegative(),
  /** How many the backup holds. */
  records: z.int().nonnegative(),
  /** The same for people, with what to do. */
  message: z.string(),
});
export type ImportCutOff = z.infer<typeof ImportCutOff>;

export const ImportStatus = z.strictObject({ cutOff: ImportCutOff.optional() });
export type ImportStatus = z.infer<typeof ImportStatus>;
