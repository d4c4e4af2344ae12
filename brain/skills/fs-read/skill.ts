import { z } from "zod";
import { formatCount } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { fenced } from "../markdown.ts";
import { linePreview, sentence } from "../support/phrasing.ts";
import { MAX_TEXT, WorkspacePath } from "../support/workspace-path.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { textField } from "../outputs.ts";

const byWords: Record<string, Slot> = {
  path: { type: "reference", kind: "file", plain: true, sample: "shopping list" },
};

const phrases: readonly (string | Phrase)[] = [
  "read [me] [out] [back] [contents of] [file [called]] {path} [out] [loud|aloud] [back] [to me]",
  "(show|open|view|print|cat|pull up|bring up) [me] [file [called]] {path}",
  "(show|read|print|get|give) [me] the (contents|text) of [file] {path}",
  "what is [written] (in|inside) [file] {path}",
  "what does [file] {path} (say|contain|have)",
  "(show|tell|see) [me] what is [written] (in|inside) [file] {path}",
  "what are the contents of [file] {path}",
  "(look|have a look|take a look) (at|in|into|inside) [file] {path}",
  "(see|check|get|fetch|load) [file] {path}",
  "what [file] {path} (says|contains)",
  "the contents of [file] {path}",
  { template: "(read|show|open|view|print) [me] the {path} =file", slots: byWords },
  { template: "(read|show) [me] the contents of the {path} =file", slots: byWords },
  { template: "what is [written] (in|inside) the {path} =file", slots: byWords },
  { template: "what does the {path} =file (say|contain)", slots: byWords },
];

const slots: Record<string, SlotType | Slot> = { path: "path" };

const results: Results = {
  path: "path",
  text: (outputs) =>
    outputs.truncated === true || outputs.from !== undefined ? undefined : textField(outputs, "content"),
  textOf: "path",
};

/** Minimum number of bytes per call, so that it always reaches the next character. */
const MAX_CHARACTER_BYTES = 4;

export const fsRead = defineSkill({
  id: "fs_read",
  summary: "Read a text file",
  category: "files",
  input: z.strictObject({
    path: WorkspacePath,
    from: z.int().nonnegative().default(0).describe("The byte to read from: the next of an earlier call"),
    maxBytes: z
      .int()
      .min(MAX_CHARACTER_BYTES)
      .max(MAX_TEXT)
      .default(64_000)
      .describe("Read no more than so many bytes"),
  }),
  output: z.strictObject({
    path: z.string(),
    content: z.string(),
    bytes: z.int().nonnegative().describe("The size of the whole file"),
    truncated: z.boolean().describe("True when the file goes on behind the content"),
    from: z.int().positive().optional().describe("Where the content begins, when not at the beginning"),
    next: z.int().positive().optional().describe("Where the file goes on, in bytes"),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  phrases,
  slots,
  results,
  narrate: ({ path, content, bytes, truncated, from }) => {
    if (bytes === 0) return `${path} is empty.`;
    const all = `(${formatCount(bytes, "byte")} in all)`;
    const part =
      from !== undefined
        ? `${path} from byte ${from} on ${all}`
        : truncated
          ? `the beginning of ${path} ${all}`
          : `${path} (${formatCount(bytes, "byte")})`;
    return `Read ${part}: ${sentence(linePreview(content))}`;
  },
  structure: ({ path, content, bytes, from, next }) => {
    const facts = [
      `path: ${path}`,
      `bytes: ${bytes}`,
      ...(from === undefined ? [] : [`from: ${from}`]),
      ...(next === undefined ? [] : [`the file goes on: ${readCall(path, next)}`]),
    ];
    return `${facts.map((fact) => `- ${fact}`).join("\n")}\n\n${bytes === 0 ? "The file is empty." : fenced(content)}`;
  },
  readOn: ({ path, content, from = 0 }, rendered, shown) => {
    const start = rendered.indexOf(content.slice(0, FOUND_BY));
    if (start < 0) return undefined;
    const read = new TextEncoder().encode(content.slice(0, Math.max(0, shown - start))).length;
    return `Read on with ${readCall(path, from + read)}.`;
  },
  run: async ({ path, from, maxBytes }, { ports, signal }) => ({
    ...(await ports.files.readText(path, { from, maxBytes, signal })),
    ...(from > 0 && { from }),
  }),
});

/** Number of first characters by which the content is located in its rendering. */
const FOUND_BY = 200;

const readCall = (path: string, from: number): string => `fs_read ${JSON.stringify({ path, from })}`;
