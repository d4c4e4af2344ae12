import { createHash } from "node:crypto";
import { AuditEntry, AuditEvent } from "../contract/audit.ts";
import { redact } from "../log/redact.ts";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { systemCode } from "../errors/node-error.ts";
import { join } from "node:path";
import { z } from "zod";

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
 * Returns the stored form of an event: redacted, with long values clipped and marked. Throws for an event that does not
 * match its schema, because it could not be read again.
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

const DAY_FILE = /^\d{4}-\d{2}-\d{2}\.ndjson$/;

/** Returns the file name for the UTC day of `at`. Names sort by time. */
export function dayFile(at: Date): string {
  return `${at.toISOString().slice(0, 10)}.ndjson`;
}

/** Returns the log's files, oldest first; none if the folder does not exist. */
export async function dayFiles(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => DAY_FILE.test(name)).sort();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

/**
 * The end of the log, stored in `head.json` next to the day files. It is written after its lines are on disk: after a
 * crash it may lag behind them but is never ahead, so a log that ends before it has lost lines.
 */
export const Head = z.strictObject({
  seq: z.int().nonnegative(),
  hash: z.string(),
  file: z.string(),
  /** The file's size when its last line was written. */
  bytes: z.int().nonnegative(),
});
export type Head = z.infer<typeof Head>;

/** Reads the recorded end; undefined if it is missing or unreadable. */
export async function readHead(folder: string): Promise<Head | undefined> {
  try {
    return Head.safeParse(JSON.parse(await readFile(join(folder, "head.json"), "utf8"))).data;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes the recorded end. Requires the log's lock. */
export async function writeHead(folder: string, head: Head): Promise<void> {
  const unfinished = join(folder, "head.json.tmp");
  await writeFile(unfinished, `${JSON.stringify(head)}\n`, { mode: 0o600 });
  await rename(unfinished, join(folder, "head.json"));
}
