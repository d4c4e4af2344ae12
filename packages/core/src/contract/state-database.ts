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

/** Whether a profile's `state.db` is usable, and its backups. */
export const StateStatus = z.strictObject({
  /** The reason why it is not usable; absent if it is. */
  problem: ErrorDetail.optional(),
  /** Newest first. */
  backups: z.array(DatabaseBackup),
  /** Runs and conversations are in a PostgreSQL database, of which its own tools make backups. */
  inPostgres: z.literal(true).optional(),
  /** Of a database: whether it answers recalls until the search index of a server is complete, which needs pgvector. */
  searchesMemories: z.boolean().optional(),
});
export type StateStatus = z.infer<typeof StateStatus>;

/** A request to restore a profile's `state.db`. */
export const StateRestore = z.strictObject({
  /** The name of a backup; default: the newest. */
  backup: z.string().max(200).optional(),
});
export type StateRestore = z.infer<typeof StateRestore>;

/** The replacement of an unusable database. */
export const StateRecovery = z.strictObject({
  /** The backup that is now in use; absent if a new database was created. */
  restored: z.string().optional(),
  /** The path of the unusable file; absent if there was none. */
  kept: z.string().optional(),
});
export type StateRecovery = z.infer<typeof StateRecovery>;
