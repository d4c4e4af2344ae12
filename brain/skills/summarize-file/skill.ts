import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { inline } from "../markdown.ts";
import { sentence } from "../support/phrasing.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import { extractSummary, firstWords } from "./extract.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { textField } from "../outputs.ts";

const length = "[in|within] [at most|about|under] {maxWords} words";
const byWords: Record<string, Slot> = {
  path: { type: "reference", kind: "file", plain: true, sample: "meeting notes" },
};

const phrases: readonly (string | Phrase)[] = [
  `(summarize|summarise|sum up|condense) [for me] [the (contents|text) of] [file] {path} [${length}]`,
  `(give|show|write|make) [me] a [short|brief] summary of [the (contents|text) of] [file] {path} [${length}]`,
  "(tell me|explain) what [file] {path} is about",
  "what is [file] {path} about",
  "[a] [short|brief] summary of [file] {path}",
  { template: `(summarize|summarise|sum up|condense) [for me] the {path} =file`, slots: byWords },
];

const slots: Record<string, SlotType | Slot> = {
  path: { type: "path", sample: "notes.md" },
  maxWords: "number",
};

const results: Results = {
  path: "path",
  text: (outputs) => textField(outputs, "summary"),
  textOf: "path",
};

/** Maximum number of bytes of a file to summarise. */
const READ = 200_000;

export const summarizeFile = defineSkill({
  id: "summarize_file",
  summary: "Summarize a text file",
  category: "files",
  input: z.strictObject({
    path: WorkspacePath,
    maxWords: z.int().min(10).max(1_000).default(120),
  }),
  output: z.strictObject({
    path: z.string(),
    summary: z.string(),
    extractive: z.boolean().describe("True when it is made of the file's own sentences, without a model"),
    truncated: z.boolean().describe("True when only the beginning of the file was looked at"),
  }),
  effects: "read",
  risk: "low",
  cost: "medium",
  idempotent: true,
  timeoutMs: 600_000,
  phrases,
  slots,
  results,
  narrate: ({ path, summary, truncated }) =>
    `Summary of ${truncated ? "the beginning of " : ""}${path}: ${sentence(summary)}`,
  structure: ({ path, summary, extractive, truncated }) =>
    [
      inline(summary),
      "",
      `- file: ${path}${truncated ? " (only its beginning)" : ""}`,
      `- made ${extractive ? "of its own sentences" : "by a model"}`,
    ].join("\n"),
  run: async ({ path, maxWords }, { ports, signal }) => {
    const file = await ports.files.readText(path, { maxBytes: READ, signal });
    if (!/\S/u.test(file.content))
      throw new InvalidArgsError(`${file.path} is empty: there is nothing to summarize.`);
    const worded = await ports.summarizer.summarize(file.content, { maxWords, signal });
    return {
      path: file.path,
      summary:
        worded === undefined
          ? await extractSummary(file.content, maxWords, signal)
          : firstWords(worded.text, maxWords),
      extractive: worded === undefined,
      truncated: file.truncated || (worded !== undefined && worded.covered < file.content.length),
    };
  },
});
