import { hash } from "node:crypto";
import { type BigIntStats, closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import type { z } from "zod";
import { plainIssue, plainReason } from "../contract/plain-issue.ts";
import { systemCode } from "../errors/node-error.ts";
import { readFile } from "node:fs/promises";

/** The parsed content of a file, or the reason why it is invalid. */
export type FileContent<Value> = { value: Value; hash: string } | { reason: string };

/** The maximum size of a record file in bytes; the largest records have about 10 million characters. */
export const MAX_FILE_BYTES = 128 * 1024 * 1024;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The hash of a file's bytes. */
export function hashOf(bytes: string | Uint8Array): string {
  return hash("sha256", bytes, "base64url").slice(0, 22);
}

/** Parses the JSON text of one record. Never throws for invalid content. */
export function parseFile<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Uint8Array,
): FileContent<z.output<Schema>> {
  const parsed = parseValue(schema, bytes);
  return "value" in parsed ? { ...parsed, hash: hashOf(bytes) } : parsed;
}

/** The same without the hash, which takes longer than the parsing of a short record. */
export function parseValue<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Uint8Array,
): { value: z.output<Schema> } | { reason: string } {
  let json: unknown;
  try {
    json = JSON.parse(utf8.decode(bytes));
  } catch (error) {
    return {
      reason: error instanceof SyntaxError ? `not valid JSON: ${error.message}` : "not text in UTF-8",
    };
  }
  const parsed = schema.safeParse(json, { error: plainIssue });
  if (parsed.success) return { value: parsed.data };
  return { reason: plainReason(parsed.error) };
}

/** The text of a record file: indented JSON. */
export function fileText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/**
 * A stamp that changes whenever the file is written, replaced, removed or made inaccessible, from one `stat` call. Two
 * writes of equal size within one tick of the file system's clock (some milliseconds) can have the same stamp.
 */
export function fileStamp(path: string): string {
  try {
    return stampOf(statSync(path, { bigint: true }));
  } catch (error) {
    return systemCode(error) ?? "unknown";
  }
}

function stampOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

/**
 * Parses a record file, with its stamp of before: a write in between changes the stamp, so the file is read again. Content is
 * undefined if there is no file. The stamp of a file that cannot be opened is the reason, so it is tried again.
 */
export function readStamped<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): { stamp: string; content: FileContent<z.output<Schema>> | undefined } {
  let stamp: string | undefined;
  try {
    const file = openSync(path, "r");
    try {
      const state = fstatSync(file, { bigint: true });
      stamp = stampOf(state);
      const content =
        state.size > MAX_FILE_BYTES
          ? { reason: "too large" }
          : parseFile(schema, readBytes(file, Number(state.size)));
      return { stamp, content };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = systemCode(error) ?? "unknown";
    return { stamp: stamp ?? code, content: code === "ENOENT" ? undefined : unreadableReason(error) };
  }
}

/** The first bytes of a file, fewer if it is shorter. `readFileSync` asks for the size again. */
function readBytes(file: number, size: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  for (let read = -1; read !== 0 && length < size; length += read)
    read = readSync(file, bytes, length, size - length, null);
  return bytes.subarray(0, length);
}

/** The reason why a file cannot be read. */
export function unreadableReason(error: unknown): { reason: string } {
  const code = systemCode(error);
  return { reason: `cannot be read${code === undefined ? "" : ` (${code})`}` };
}

/** The text of a file; undefined if it does not exist. */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
