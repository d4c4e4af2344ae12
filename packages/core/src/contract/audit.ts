import { z } from "zod";
import { RunId, Timestamp, Username } from "./ids.ts";

/** Names what was decided or done, in words joined by underscores: `skill_called`, `signed_in`. */
export const AuditEventName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, "an audit event looks like skill_called");
export type AuditEventName = z.infer<typeof AuditEventName>;

/** What is handed to the audit log. Secrets in `details` are removed before anything is written. */
export const AuditEvent = z.strictObject({
  event: AuditEventName,
  runId: RunId.optional(),
  /** Who caused it; absent when nobody is known (a failed sign-in, upkeep). */
  actor: Username.optional(),
  /** The way in: page, api, cli, mcp. */
  surface: z.string().max(32).optional(),
  details: z.record(z.string(), z.unknown()).default({}),
});
export type AuditEvent = z.input<typeof AuditEvent>;

/** One line of `logs/audit/YYYY-MM-DD.ndjson`. */
export const AuditEntry = z.strictObject({
  /** Counts from 1 over all days. */
  seq: z.int().positive(),
  at: Timestamp,
  ...AuditEvent.shape,
  details: z.record(z.string(), z.unknown()),
  /** SHA-256, in hex, of the line before it without its newline; 64 zeros for the first. */
  previous: z.string().regex(/^[0-9a-f]{64}$/),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditQuery = z.strictObject({
  event: AuditEventName.optional(),
  runId: RunId.optional(),
  /** Inclusive. */
  since: Timestamp.optional(),
  /** Exclusive. */
  until: Timestamp.optional(),
  /** Words that all occur in the line, in any case. */
  query: z.string().max(500).optional(),
  limit: z.int().min(1).max(500).default(50),
  cursor: z.string().max(32).optional(),
});
export type AuditQuery = z.input<typeof AuditQuery>;

/** Newest first. */
export const AuditPage = z.strictObject({
  items: z.array(AuditEntry),
  nextCursor: z.string().nullable(),
  total: z.int().nonnegative(),
});
export type AuditPage = z.infer<typeof AuditPage>;

/** Whether the chain holds, and if not, where it first breaks. */
export const AuditVerification = z.discriminatedUnion("ok", [
  z.strictObject({
    ok: z.literal(true),
    lines: z.int().nonnegative(),
    /** The first line that was signed when it was written; lines before it hold by their chain alone. */
    signedFrom: z.int().positive().optional(),
    /** How many lines of the anchor file fit. */
    anchors: z.int().positive().optional(),
  }),
  z.strictObject({
    ok: z.literal(false),
    /** Lines before the break. */
    lines: z.int().nonnegative(),
    file: z.string(),
    /** Counts from 1 in `file`. */
    line: z.int().positive(),
    /**
     * `truncated`: lines are missing at the end. `lost`: no line is left. `rewritten`: the chain fits, but it is not the
     * one that was signed. `forged`: a signature does not match its key.
     */
    kind: z.enum([
      "edited",
      "removed",
      "reordered",
      "truncated",
      "unreadable",
      "lost",
      "rewritten",
      "forged",
    ]),
    message: z.string(),
  }),
]);
export type AuditVerification = z.infer<typeof AuditVerification>;
