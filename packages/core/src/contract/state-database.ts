import { z } from "zod";
import { Timestamp } from "./ids.ts";
import { ErrorDetail } from "./problem.ts";

/** A copy of a database, kept in the same folder. */
export const DatabaseBackup = z.strictObject({
  /** The file's name. */
  name: z.string(),
  madeAt: Timestamp,
  bytes: z.int().nonnegative(),
});
export type DatabaseBackup = z.infer<typeof DatabaseBackup>;

/** Whether a profile's `state.db` can be used, and what it could be restored from. */
export const StateStatus = z.strictObject({
  /** Why it cannot be used; absent when it can. */
  problem: ErrorDetail.optional(),
  /** Newest first. */
  backups: z.array(DatabaseBackup),
});
export type StateStatus = z.infer<typeof StateStatus>;

export const StateRestore = z.strictObject({
  /** The name of a backup; the newest when left out. */
  backup: z.string().max(200).optional(),
});
export type StateRestore = z.infer<typeof StateRestore>;

/** What took the place of a database that could not be used. */
export const StateRecovery = z.strictObject({
  /** The backup in use now; absent after starting anew. */
  restored: z.string().optional(),
  /** Where the unusable file is kept; absent when there was none. */
  kept: z.string().optional(),
});
export type StateRecovery = z.infer<typeof StateRecovery>;
