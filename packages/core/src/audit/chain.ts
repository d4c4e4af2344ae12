import { createHash } from "node:crypto";
import { AuditEntry, AuditEvent } from "../contract/audit.ts";
import { redact } from "../log/redact.ts";

/** The previous hash of the first line. */
export const GENESIS = "0".repeat(64);

/** The end of the chain: the number and hash of its last line. */
export interface Link {
  seq: number;
  hash: string;
}

export const START: Link = { seq: 0, hash: GENESIS };

const MAX_TEXT = 8_000;
const MAX_ITEMS = 200;
const MAX_DETAILS = 64_000;

/** SHA-256, in hex, of a line without its newline. */
export function hashLine(line: string): string {
  return createHash("sha256").update(line).digest("hex");
}

/**
 * Returns an event as it is written: redacted, with long values clipped and marked. Throws for an event that does
 * not match its schema, because it could not be read again.
 */
export function prepareEntry(event: AuditEvent, at: Date): Omit<AuditEntry, "seq" | "previous"> {
  const checked = AuditEvent.parse(event);
  const cleaned = redact(checked.details, { maxText: MAX_TEXT, maxItems: MAX_ITEMS });
  const text = JSON.stringify(cleaned);
  const details =
    text.length > MAX_DETAILS ? { clipped: text.slice(0, MAX_DETAILS), length: text.length } : cleaned;
  return { at: at.toISOString(), ...checked, details: { ...(typeof details === "object" ? details : {}) } };
}

/** Returns the line after `after`, without its newline, and the new end of the chain. */
export function linkEntry(
  prepared: Omit<AuditEntry, "seq" | "previous">,
  after: Link,
): { line: string; link: Link } {
  const seq = after.seq + 1;
  const line = JSON.stringify({ seq, ...prepared, previous: after.hash });
  return { line, link: { seq, hash: hashLine(line) } };
}

/** Returns the number of a line without parsing the rest; undefined for any other text. */
export function seqOf(line: string): number | undefined {
  const found = /^\{"seq":(\d{1,16}),/.exec(line)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Parses a line. Returns undefined for anything that is not an audit line. */
export function parseLine(line: string): AuditEntry | undefined {
  try {
    return AuditEntry.safeParse(JSON.parse(line)).data;
  } catch {
    // Text that is not JSON is as invalid as JSON of another shape.
    return undefined;
  }
}
