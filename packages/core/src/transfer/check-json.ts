import type { z } from "zod";
import { plainIssue, plainReason } from "../contract/plain-issue.ts";

/** The maximum nesting depth. Records have a fraction of it. */
const MAX_DEPTH = 64;

/**
 * Bidirectional controls and invisible tag characters, which make a text read differently to people than to a model.
 */
const HIDDEN = /[\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E007F}]/u;
/** Flags such as those of England, Scotland and Wales, which consist of tag characters. */
const FLAGS = /\u{1F3F4}[\u{E0061}-\u{E007A}\u{E0030}-\u{E0039}]{1,8}\u{E007F}/gu;

export type ParsedJson<Value> = { value: Value } | { reason: string };

/** Parses untrusted JSON: limits its depth, rejects hidden text, and validates its schema. Never throws for its content. */
export function parseUntrustedJson<Schema extends z.ZodType>(
  schema: Schema,
  bytes: Uint8Array,
): ParsedJson<z.output<Schema>> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { reason: "it is not text in UTF-8" };
  }
  return parseUntrustedText(schema, text);
}

/** As `parseUntrustedJson`, for a text. */
export function parseUntrustedText<Schema extends z.ZodType>(
  schema: Schema,
  text: string,
): ParsedJson<z.output<Schema>> {
  if (isTooDeep(text)) return { reason: "it is nested too deeply" };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { reason: "it is not JSON" };
  }
  const parsed = schema.safeParse(json, { error: plainIssue });
  if (!parsed.success) return { reason: plainReason(parsed.error) };
  // Checked after parsing, because JSON can escape any character.
  return hasHiddenText(JSON.stringify(parsed.data))
    ? { reason: "it holds hidden or reordering characters" }
    : { value: parsed.data };
}

function hasHiddenText(text: string): boolean {
  return HIDDEN.test(text.replaceAll(FLAGS, ""));
}

/** Counts brackets outside of strings before parsing, because `JSON.parse` may overflow the stack. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isQuoted) {
      if (character === "\\") index += 1;
      else if (character === '"') isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === "[" || character === "{") {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (character === "]" || character === "}") depth -= 1;
  }
  return false;
}
