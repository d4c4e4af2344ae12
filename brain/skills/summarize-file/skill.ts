import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { inline } from "../markdown.ts";
import { sentence } from "../support/wording.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import { extractSummary, firstWords } from "./extract.ts";
import * as speech from "./phrases.ts";

/** How much of a file is looked at, in bytes. */
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
  ...speech,
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
