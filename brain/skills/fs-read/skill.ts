import { z } from "zod";
import { FileNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { formatBytes, formatCount } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { codeBlock, escapeInline } from "../markdown.ts";
import { linePreview, endSentence } from "../support/phrasing.ts";
import { MAX_TEXT, WorkspacePath } from "../support/workspace-path.ts";
import * as grammar from "./phrases.ts";
import { narrowRows } from "./table-choices.ts";
import { views } from "./views.ts";

/** Minimum number of bytes per call, so that it always reaches the next character. */
const MAX_CHARACTER_BYTES = 4;

export const fsRead = defineSkill({
  id: "fs_read",
  summary: "Read a text file",
  category: "files",
  input: z.strictObject({
    path: WorkspacePath,
    from: z.int().nonnegative().default(0).describe("The byte to start at, such as next of an earlier call"),
    maxBytes: z
      .int()
      .min(MAX_CHARACTER_BYTES)
      .max(MAX_TEXT)
      .default(64_000)
      .describe("The maximum number of bytes to read"),
  }),
  output: z.strictObject({
    path: z.string(),
    content: z.string(),
    bytes: z.int().nonnegative().describe("The size of the whole file"),
    truncated: z.boolean().describe("True if the file continues after the content"),
    from: z.int().positive().optional().describe("The byte where the content begins, if not at the start"),
    next: z.int().positive().optional().describe("The byte where the file continues"),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  ...grammar,
  views,
  narrow: narrowRows,
  narrate: ({ path, content, bytes, truncated, from }) => {
    if (bytes === 0) return `${path} is empty.`;
    const all = `, which has ${formatBytes(bytes)} in all`;
    const part =
      from !== undefined
        ? `a later part of ${path}${all}`
        : truncated
          ? `the beginning of ${path}${all}`
          : path;
    return `Read ${part}: ${endSentence(linePreview(content))}`;
  },
  structure: ({ path, content, bytes, from, next }) => {
    if (bytes === 0) return `${escapeInline(path)} is empty.`;
    const part =
      from === undefined && next === undefined
        ? ""
        : `, ${from === undefined ? "the beginning" : "a later part"} of ${formatBytes(bytes)}`;
    return `${escapeInline(path)}${part}:\n\n${codeBlock(content)}`;
  },
  observed: ({ path, content, bytes, from, next }) => {
    if (bytes === 0) return `${escapeInline(path)} is empty.`;
    const begins = from === undefined ? "" : `, from byte ${from}`;
    const goesOn = next === undefined ? "" : `; the file goes on: ${readCall(path, next)}`;
    return `${escapeInline(path)} (${formatCount(bytes, "byte")}${begins})${goesOn}:\n\n${codeBlock(content)}`;
  },
  readOn: ({ path, content, from = 0 }, rendered, clippedAt) => {
    const start = rendered.indexOf(content.slice(0, FOUND_BY));
    if (start < 0) return undefined;
    const read = new TextEncoder().encode(content.slice(0, Math.max(0, clippedAt - start))).length;
    const isFarFromEnd = content.length > (clippedAt - start) * MANY_READS;
    return [
      `Read on with ${readCall(path, from + read)}.`,
      ...(isFarFromEnd
        ? [`To find words in it, call fs_search {"query":"…","path":${JSON.stringify(path)}}.`]
        : []),
    ].join(" ");
  },
  run: async ({ path, from, maxBytes }, { ports, signal }) => {
    const part = { from, maxBytes, signal };
    try {
      return { ...(await ports.files.readText(path, part)), ...(from > 0 && { from }) };
    } catch (error) {
      const only = error instanceof FileNotFoundError ? onlyFileNamed(path, error.suggestions) : undefined;
      if (only === undefined) throw error;
      return { ...(await ports.files.readText(only, part)), ...(from > 0 && { from }) };
    }
  },
});

/** The one file of another folder that has a bare name: an upload in the inbox, for example. */
function onlyFileNamed(path: string, paths: readonly string[]): string | undefined {
  if (path.includes("/")) return undefined;
  const named = paths.filter((one) => one.endsWith(`/${path}`));
  return named.length === 1 ? named[0] : undefined;
}

/** A text of more parts is searched rather than read on. */
const MANY_READS = 3;

/** Number of first characters by which the content is located in its rendering. */
const FOUND_BY = 200;

const readCall = (path: string, from: number): string => `fs_read ${JSON.stringify({ path, from })}`;
