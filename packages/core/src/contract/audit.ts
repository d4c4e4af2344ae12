import { z } from "zod";
import { RunId, Timestamp, Username } from "./ids.ts";

/** The name of an event, in words joined by underscores: `skill_called`, `signed_in`. */
export const AuditEventName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, "an audit event looks like skill_called");
export type AuditEventName = z.infer<typeof AuditEventName>;

/** An event for the audit log. Secrets in `details` are removed before it is written. */
export const AuditEvent = z.strictObject({
  event: AuditEventName,
  runId: RunId.optional(),
  /** The user who caused it; absent if unknown (a failed sign-in, maintenance). */
  actor: Username.optional(),
  /** The surface of the request: page, api, cli, mcp. */
  surface: z.string().max(32).optional(),
  details: z.record(z.string(), z.unknown()).default({}),
});
export type AuditEvent = z.input<typeof AuditEvent>;

/** One line of `logs/audit/YYYY-MM-DD.ndjson`. */
export const AuditEntry = z.strictObject({
  /** Counts from 1 across all days. */
  seq: z.int().positive(),
  at: Timestamp,
  ...AuditEvent.shape,
  details: z.record(z.string(), z.unknown()),
  /** The SHA-256 of the previous line without its newline, in hex; 64 zeros for the first line. */
  previous: z.string().regex(/^[0-9a-f]{64}$/),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** The filters of an audit search. */
export const AuditQuery = z.strictObject({
  event: AuditEventName.optional(),
  runId: RunId.optional(),
  /** Inclusive. */
  since: Timestamp.optional(),
  /** Exclusive. */
  until: Timestamp.optional(),
  /** Words that must all occur in the line, ignoring case. */
  query: z.string().max(500).optional(),
  limit: z.int().min(1).max(500).default(50),
  cursor: z.string().max(32).optional(),
});
export type AuditQuery = z.input<typeof AuditQuery>;

/** One page of audit entries, newest first. */
export const AuditPage = z.strictObject({
  items: z.array(AuditEntry),
  nextCursor: z.string().nullable(),
  total: z.int().nonnegative(),
});
export type AuditPage = z.infer<typeof AuditPage>;

/** Whether the hash chain is valid, and if not, where it first breaks. */
export const AuditVerification = z.discriminatedUnion("ok", [
  z.strictObject({
    ok: z.literal(true),
    lines: z.int().nonnegative(),
    /** The first line that was signed when it was written; earlier lines are protected only by the chain. */
    signedFrom: z.int().positive().optional(),
    /** The number of lines in the anchor file that match. */
    anchors: z.int().positive().optional(),
  }),
  z.strictObject({
    ok: z.literal(false),
    /** The number of lines before the break. */
    lines: z.int().nonnegative(),
    file: z.string(),
    /** The line number in `file`, from 1. */
    line: z.int().positive(),
    /**
     * `truncated`: lines are missing at the end. `lost`: no line is left. `rewritten`: the chain is consistent but is
     * not the one that was signed. `forged`: a signature does not match its key.
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
