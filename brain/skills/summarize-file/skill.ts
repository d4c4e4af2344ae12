import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { escapeInline } from "../markdown.ts";
import { endSentence } from "../support/phrasing.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import { extractSummary, firstSentences, firstWords } from "./extract.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { textField } from "../outputs.ts";

const length = "[in|within] [at most|about|under] {maxWords} words";
const byWords: Record<string, Slot> = {
  path: { type: "reference", kind: "file", plain: true, sample: "meeting notes" },
};

const summarize = "(summarize|summarise|sum up|condense|shorten|boil down|recap|give the gist of|outline)";
const summary =
  "(summary|overview|recap|gist|abstract|digest|rundown|resume|tldr|short version|quick version|main points|key points|essence)";

const one = "(one sentence|a sentence|a single sentence|one line|a line|a single line)";
const several = "{maxSentences} (sentences|lines)";

const phrases: readonly (string | Phrase)[] = [
  `${summarize} [for me] [the (contents|text) of] [file] {path} [for me] [${length}] [briefly|shortly|quickly|in a few words|in short|in brief] [for me]`,
  `(give|show|write|make|get|need|want|have) [me] [a|the] [short|brief|quick|little|small|rough] ${summary} (of|for|from|on) [the (contents|text) of] [file] {path} [${length}]`,
  `${summarize} [for me] [the (contents|text) of] [file] {path} [for me] (in|into|to|as) [only|just] [at most] ${several} [for me]`,
  `(give|show|write|make|get|need|want|have) [me] [a|the] [short|brief|quick|little|small] ${summary} (of|for|from|on) [the (contents|text) of] [file] {path} (in|with) [only|just] [at most] ${several}`,
  `(give|show|write|make|get|need|want|have) [me] a {maxSentences} (sentence|line) ${summary} (of|for|from|on) [file] {path}`,
  {
    template: `${summarize} [for me] [the (contents|text) of] [file] {path} [for me] (in|into|to|as) [only|just] ${one} [for me]`,
    args: { maxSentences: 1 },
  },
  {
    template: `[(give|show|write|make|get|need|want|have) [me]] [a|the] [short|brief|quick|little|small] ${summary} (of|for|from|on) [the (contents|text) of] [file] {path} (in|with) [only|just] ${one}`,
    args: { maxSentences: 1 },
  },
  {
    template: `(give|show|write|make|get|need|want|have) [me] (a|the|one) (one line|one sentence|single sentence|single line) ${summary} (of|for|from|on) [file] {path}|(one line|one sentence) ${summary} (of|for) [file] {path}`,
    args: { maxSentences: 1 },
  },
  "(tell|explain|say|know) [me] [briefly|shortly|in short|roughly|in a few words] what [file] {path} is about [briefly|in short|in a few words]",
  `what is the [short|rough] ${summary} of [file] {path} [in short|in a few words]`,
  "what is [file] {path} [all] about [in short|in a few words|in a nutshell|roughly|briefly]",
  "what does [file] {path} (say|contain) (in short|in a few words|in a nutshell|briefly|roughly|in brief)",
  `[a|the] [short|brief|quick] ${summary} (of|for) [file] {path} [${length}]`,
  "(tldr|tl dr) [of|for|:] [file] {path}",
  { template: `${summarize} [for me] the {path} =file`, slots: byWords },
];

const slots: Record<string, SlotType | Slot> = {
  path: { type: "path", sample: "notes.md" },
  maxWords: "number",
  maxSentences: "number",
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
    maxSentences: z.int().min(1).max(50).optional(),
  }),
  output: z.strictObject({
    path: z.string(),
    summary: z.string(),
    extractive: z.boolean().describe("True if it consists of sentences of the file, without a model"),
    truncated: z.boolean().describe("True if only the beginning of the file was read"),
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
    `Summary of ${truncated ? "the beginning of " : ""}${path}: ${endSentence(summary)}`,
  structure: ({ path, summary, extractive, truncated }) =>
    [
      escapeInline(summary),
      "",
      `- file: ${path}${truncated ? " (only its beginning)" : ""}`,
      `- made ${extractive ? "of its own sentences" : "by a model"}`,
    ].join("\n"),
  run: async ({ path, maxWords, maxSentences }, { ports, signal }) => {
    const file = await ports.files.readText(path, { maxBytes: READ, signal });
    if (!/\S/u.test(file.content))
      throw new InvalidArgsError(`${file.path} is empty: there is nothing to summarize.`);
    const worded = await ports.summarizer.summarize(file.content, { maxWords, maxSentences, signal });
    return {
      path: file.path,
      summary:
        worded === undefined
          ? await extractSummary(file.content, { maxWords, maxSentences }, signal)
          : firstSentences(firstWords(worded.text, maxWords), maxSentences),
      extractive: worded === undefined,
      truncated: file.truncated || (worded !== undefined && worded.covered < file.content.length),
    };
  },
});
