import type { AuditEntry, AuditEvent, AuditPage, AuditQuery, AuditVerification } from "../contract/audit.ts";

/**
 * The append-only record of what was decided and done. Every line carries the hash of the line before it, across days,
 * restarts and processes. Secrets are removed before a line is written.
 */
export interface AuditLog {
  /**
   * Resolves once the line is flushed to disk, so that a side effect may follow it. Lines of one caller keep their order.
   * Throws the storage errors (`StorageFullError`, `StorageReadOnlyError`, …).
   */
  append(event: AuditEvent): Promise<void>;
  /** Newest first; the cursor stays valid while lines are added. */
  search(query: AuditQuery, signal?: AbortSignal): Promise<AuditPage>;
  /** The last `limit` lines, oldest of them first. */
  tail(limit: number): Promise<AuditEntry[]>;
  /** Reads every line; reports the first one that does not fit the chain. */
  verify(signal?: AbortSignal): Promise<AuditVerification>;
  /**
   * Signs the end of a log that was written without signatures, or with another key, and records that in the log. Does
   * nothing for a log that is signed or empty. Resolves to the event it recorded.
   */
  startSigning(): Promise<"audit_signing_started" | "audit_key_changed" | undefined>;
  /** Appends the signed end of the log to the anchor file when its last line there is a day old. True when it did. */
  anchorIfDue(): Promise<boolean>;
  /** Every line appended from now on, by any process, until `signal` aborts. */
  stream(signal: AbortSignal): AsyncIterable<AuditEntry>;
  /** Flushes what is under way. Appending afterwards throws `ConflictError`. */
  close(): Promise<void>;
}
