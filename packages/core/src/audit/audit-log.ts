import type { AuditEntry, AuditEvent, AuditPage, AuditQuery, AuditVerification } from "../contract/audit.ts";

/**
 * The append-only log of decisions and actions. Every line contains the hash of the previous line, across days,
 * restarts and processes. Secrets are redacted before a line is written.
 */
export interface AuditLog {
  /**
   * Resolves when the line is flushed to disk, so that a side effect may follow. Lines of one caller stay in order.
   * Throws the storage errors (`StorageFullError`, `StorageReadOnlyError`, …).
   */
  append(event: AuditEvent): Promise<void>;
  /** Lists lines, newest first. The cursor stays valid while lines are added. */
  search(query: AuditQuery, signal?: AbortSignal): Promise<AuditPage>;
  /** Returns the last `limit` lines, oldest first. */
  tail(limit: number): Promise<AuditEntry[]>;
  /** Verifies every line and reports the first that breaks the chain. */
  verify(signal?: AbortSignal): Promise<AuditVerification>;
  /**
   * Signs the end of a log that has no signature or one of another key, and records this in the log. Does
   * nothing for a signed or empty log. Resolves to the recorded event.
   */
  startSigning(): Promise<"audit_signing_started" | "audit_key_changed" | undefined>;
  /** Appends the signed end of the log to the anchor file once a day. Resolves to true if it did. */
  anchorIfDue(): Promise<boolean>;
  /** Streams every new line of any process until `signal` aborts. */
  stream(signal: AbortSignal): AsyncIterable<AuditEntry>;
  /** Flushes pending lines. Appending afterwards throws `ConflictError`. */
  close(): Promise<void>;
}
