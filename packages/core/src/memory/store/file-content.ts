import { createHash } from "node:crypto";
import type { z } from "zod";
import { plainIssue, plainReason } from "../../contract/plain-issue.ts";

/** What a file holds, or why it cannot be used. */
export type FileContent<Value> = { value: Value; hash: string } | { reason: string };

/** The largest record has some 10 million characters; what is much larger is no record. */
export const LARGEST_FILE = 128 * 1024 * 1024;

/** Identifies the bytes of a file. */
export function hashOf(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
}

/** Reads the JSON text of one record; never throws for what stands in it. */
export function parseFile<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Uint8Array,
): FileContent<z.output<Schema>> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    return {
      reason: error instanceof SyntaxError ? `not valid JSON: ${error.message}` : "not text in UTF-8",
    };
  }
  const parsed = schema.safeParse(json, { error: plainIssue });
  if (parsed.success) return { value: parsed.data, hash: hashOf(bytes) };
  return { reason: plainReason(parsed.error) };
}

/** The text of a file: JSON that people can read and compare. */
export function fileText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
