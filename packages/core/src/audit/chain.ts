import { createHash } from "node:crypto";
import { AuditEntry, AuditEvent } from "../contract/audit.ts";
import { redact } from "../log/redact.ts";

/** What the first line of all refers to. */
export const GENESIS = "0".repeat(64);

/** Where the chain stands: its last line's number and hash. */
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
 * An event as it will be written: secrets taken out, long parts cut, and the cut stated. Throws for an event that does
 * not have its schema's form: once written it could not be read again.
 */
export function prepare(event: AuditEvent, at: Date): Omit<AuditEntry, "seq" | "previous"> {
  const checked = AuditEvent.parse(event);
  const cleaned = redact(checked.details, { maxText: MAX_TEXT, maxItems: MAX_ITEMS });
  const text = JSON.stringify(cleaned);
  const details =
    text.length > MAX_DETAILS ? { clipped: text.slice(0, MAX_DETAILS), length: text.length } : cleaned;
  return { at: at.toISOString(), ...checked, details: { ...(typeof details === "object" ? details : {}) } };
}

/** The line that follows `after`, without its newline, and where the chain then stands. */
export function forge(
  prepared: Omit<AuditEntry, "seq" | "previous">,
  after: Link,
): { line: string; link: Link } {
  const seq = after.seq + 1;
  const line = JSON.stringify({ seq, ...prepared, previous: after.hash });
  return { line, link: { seq, hash: hashLine(line) } };
}

/** The number of a line as this system writes it, without parsing the rest; undefined for any other text. */
export function seqOf(line: string): number | undefined {
  const found = /^\{"seq":(\d{1,16}),/.exec(line)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Undefined for anything that is no audit line. */
export function parseLine(line: string): AuditEntry | undefined {
  try {
    return AuditEntry.safeParse(JSON.parse(line)).data;
  } catch {
    // Not JSON: as unreadable as JSON of another form.
    return undefined;
  }
}
