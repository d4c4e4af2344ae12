import { z } from "zod";
import { formatCount } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { inline, table } from "../markdown.ts";
import { named } from "../support/phrasing.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { isPart, records, textField } from "../outputs.ts";

const files = "[all] [of] my (files|workspace|notes)";

const phrases: readonly (string | Phrase)[] = [
  `search [(in|through)] ${files} for [the (word|words|text|phrase)] {query}`,
  "search [folder] {path} [folder] for [the (word|words|text|phrase)] {query}",
  `(find|look for) [the (word|words|text|phrase)] {query} in ${files}`,
  "(find|look for|search for) the (word|words|text|phrase) {query} [in [folder] {path} [folder]]",
  "(which|what) [of] [my] files (mention|contain|say|have|include|talk about) [the (word|words|text|phrase)] {query}",
  "(which|what) files (in|under) [folder] {path} [folder] (mention|contain|say|include) {query}",
  "where (in|inside) my files (is|do I mention|do I write about) {query}",
];

const slots: Record<string, SlotType | Slot> = {
  query: { type: "query", sample: "cheese" },
  path: "folder",
};

const results: Results = {
  text: (outputs) =>
    isPart(outputs, "matches")
      ? undefined
      : records(outputs, "matches")
          .map((match) => `- ${textField(match, "path")}: ${textField(match, "text")}\n`)
          .join(""),
};

const Match = z.strictObject({
  path: z.string(),
  line: z.int().positive(),
  text: z.string().describe("The line, or the part around the match"),
});

export const fsSearch = defineSkill({
  id: "fs_search",
  summary: "Search the names and contents of files for words",
  category: "files",
  input: z.strictObject({
    query: z.string().trim().min(1).max(500).describe("Words as they stand in the file, in any letter case"),
    path: WorkspacePath.optional().describe("A folder or file; everything that is open when left out"),
    limit: z.int().positive().max(500).default(50),
  }),
  output: z.strictObject({
    query: z.string(),
    matches: z.array(Match),
    names: z.array(z.string()).describe("Files and folders whose names hold the words"),
    total: z.int().nonnegative(),
    truncated: z.boolean().describe("True when there is more, or not everything was looked through"),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  notes: "Only text files, each as far as 1 MB.",
  phrases,
  slots,
  results,
  narrate: ({ query, matches, names, total, truncated }) => {
    if (total === 0)
      return `Found “${inline(query)}” in no file${truncated ? ", as far as was searched" : ""}.`;
    const files = [...new Set([...names, ...matches.map(({ path }) => path)])];
    return `Found ${formatCount(total, "match", "matches")} of “${inline(query)}” in ${named(files)}.`;
  },
  structure: ({ query, matches, names, total, truncated }) => {
    const end = truncated ? "\n\nThere may be more: search a folder with path, or other words." : "";
    if (total === 0) return `No file holds “${inline(query)}”.${end}`;
    const parts = [
      ...(names.length > 0 ? [`Names:\n\n${names.map((name) => `- ${inline(name)}`).join("\n")}`] : []),
      ...(matches.length > 0
        ? [
            table(
              ["file", "line", "text"],
              matches.map(({ path, line, text }) => [path, line, text]),
            ),
          ]
        : []),
    ];
    return `${parts.join("\n\n")}${end}`;
  },
  readOn: () => "Search a folder with path, or read a file with fs_read.",
  run: async ({ query, path, limit }, { ports, signal }) => ({
    query,
    ...(await ports.files.search(query, { limit, signal, ...(path !== undefined && { path }) })),
  }),
});
