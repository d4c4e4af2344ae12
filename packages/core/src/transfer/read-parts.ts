import { basename } from "node:path";
import { z } from "zod";
import { ExportManifest, type TransferKind } from "../contract/transfer.ts";
import { fileText } from "../files/file-content.ts";
import { MemoryUse } from "../memory/evolution/memory-uses.ts";
import { entryKind, isDerived, MANIFEST } from "./entry-kind.ts";
import { type CheckedKind, type Part, PART_SCHEMAS } from "./parts.ts";
import { readZip, type ZipEntry } from "./read-zip.ts";
import { plainIssue, plainReason } from "../contract/plain-issue.ts";

/** The maximum size of a record. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/**
 * The function store validates functions when it reads them; an import only checks that they are JSON without hidden
 * text.
 */
const FunctionText = z.looseObject({ scope: z.looseObject({ userId: z.string() }).optional() });

const WithId = z.object({ id: z.string() });

/**
 * Yields the parts of an export, each validated as untrusted input, with its unpacked size. Unusable parts are yielded
 * with the reason. Functions of the exporting user are assigned to `username`. Throws `InvalidArgsError` like
 * `readZip`.
 */
export async function* readParts(
  zipPath: string,
  { username }: { username: string },
): AsyncGenerator<{ part: Part; bytes: number }, undefined> {
  let from: string | undefined;
  for await (const entry of readZip(zipPath)) {
    if (isDerived(entry.path)) continue;
    const part = await checkedPart(entry, from === undefined ? undefined : { from, to: username });
    if (part.of === "manifest") from = part.value.username;
    yield { part, bytes: entry.bytes };
  }
}

interface Owners {
  from: string;
  to: string;
}
interface Refusal {
  reason: string;
}

async function checkedPart(entry: ZipEntry, owners: Owners | undefined): Promise<Part> {
  const { path, bytes } = entry;
  const refusedPart = (reason: string, kind?: TransferKind): Part => ({
    of: "refused",
    path,
    reason,
    ...(kind && { kind }),
  });
  if (path === MANIFEST) {
    const manifest = parseUntrustedJson(
      ExportManifest,
      bytes > MAX_JSON_BYTES ? new Uint8Array() : await entry.read(),
    );
    return "reason" in manifest
      ? refusedPart(manifest.reason)
      : { of: "manifest", path, value: manifest.value };
  }
  const found = entryKind(path);
  if ("reason" in found) return refusedPart(found.reason);
  const { of, kind } = found;
  if (of === "file" || of === "archive") return { of, path, value: await entry.read() };
  if (bytes > MAX_JSON_BYTES) return refusedPart(`it has ${bytes} bytes`, kind);
  const checked = READERS[of](path, await entry.read(), owners);
  return "reason" in checked ? refusedPart(checked.reason, kind) : checked;
}

/** A reader for one kind of record: it matches the schema, and its file name is its id. */
function reader<Of extends CheckedKind, Schema extends z.ZodType>(of: Of, schema: Schema) {
  return (path: string, bytes: Uint8Array): { of: Of; path: string; value: z.output<Schema> } | Refusal => {
    const checked = parseUntrustedJson(schema, bytes);
    if ("reason" in checked) return checked;
    const named = WithId.safeParse(checked.value);
    if (named.success && `${named.data.id}.json` !== basename(path))
      return { reason: "its file name differs from its id" };
    return { of, path, value: checked.value };
  };
}

const READERS = {
  settings: reader("settings", PART_SCHEMAS.settings),
  persona: reader("persona", PART_SCHEMAS.persona),
  memory: reader("memory", PART_SCHEMAS.memory),
  task: reader("task", PART_SCHEMAS.task),
  schedule: reader("schedule", PART_SCHEMAS.schedule),
  conversation: reader("conversation", PART_SCHEMAS.conversation),
  run: reader("run", PART_SCHEMAS.run),
  grant: reader("grant", PART_SCHEMAS.grant),
  agent: reader("agent", PART_SCHEMAS.agent),
  evidence: reader("evidence", PART_SCHEMAS.evidence),
  counters: usesOf,
  function: functionOf,
};

/** Reads a file with one use per line. */
function usesOf(path: string, bytes: Uint8Array): Part | Refusal {
  const value: MemoryUse[] = [];
  const lines = new TextDecoder().decode(bytes).split("\n");
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    const checked = parseUntrustedText(MemoryUse, line);
    if ("reason" in checked) return { reason: `line ${index + 1}: ${checked.reason}` };
    value.push(checked.value);
  }
  return { of: "counters", path, value };
}

/** Keeps the text unchanged, unless its owner changes. */
function functionOf(path: string, bytes: Uint8Array, owners?: Owners): Part | Refusal {
  const checked = parseUntrustedJson(FunctionText, bytes);
  if ("reason" in checked) return checked;
  const { scope } = checked.value;
  const moves = owners && owners.from !== owners.to && scope?.userId === owners.from;
  const value = moves
    ? new TextEncoder().encode(fileText({ ...checked.value, scope: { ...scope, userId: owners.to } }))
    : bytes;
  return { of: "function", path, value };
}

/** The maximum nesting depth. Records have a fraction of it. */
const MAX_DEPTH = 64;

/**
 * Bidirectional controls and invisible tag characters, which make a text read differently to people than to a model.
 */
const HIDDEN = /[\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E007F}]/u;
/** Flags such as those of England, Scotland and Wales, which consist of tag characters. */
const FLAGS = /\u{1F3F4}[\u{E0061}-\u{E007A}\u{E0030}-\u{E0039}]{1,8}\u{E007F}/gu;

type ParsedJson<Value> = { value: Value } | { reason: string };

/** Parses untrusted JSON: limits its depth, rejects hidden text, and validates its schema. Never throws for its content. */
function parseUntrustedJson<Schema extends z.ZodType>(
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
function parseUntrustedText<Schema extends z.ZodType>(
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
