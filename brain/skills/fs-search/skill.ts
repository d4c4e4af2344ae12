import { z } from "zod";
import { formatCount } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { escapeInline, table } from "../markdown.ts";
import { joinNames } from "../support/phrasing.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { isPartialList, records, textField } from "../outputs.ts";

const noun = "(files|notes|documents|workspace|file|note|document)";
const files = `[all] [of] my ${noun}`;
const contains =
  "(mention|mentions|contain|contains|say|says|have|has|include|includes|talk about|talks about|is about|are about|speak of|hold|holds|refer to|refers to|deal with|deals with)";
const word = "[(something|anything|a word|a line|notes) about] [the] [word|words|text|phrase|term|name]";
const inFolder = "(in|inside|under|within) [folder] {path} [folder]";

const phrases: readonly (string | Phrase)[] = [
  `(search|check|scan|grep) [(in|through)] ${files} for ${word} {query}`,
  `(search|scan|grep|check|look through|go through) [in|through|inside] [folder] {path} [folder] for ${word} {query}`,
  `(find|look for|search for|search|grep) [every|each] ${word} {query} (in|inside|across|through|within) ${files}`,
  `(find|look for|search for|grep) (the word|the words|the text|the phrase|every mention of|all mentions of|mentions of) {query} [(in|inside|under|across) ([folder] {path} [folder]|${files})]`,
  `(find|look for|search for|grep|search) {query} ${inFolder}`,
  ...[
    `(search for|search|look for|grep|check for|scan for) ${word} {query} (in|inside|within) [file] {path}`,
    `(search|scan|grep|check|look through|go through) [in|through|inside] [file] {path} for ${word} {query}`,
  ].map((template): Phrase => ({ template, slots: { path: "path" } })),
  `(find|look for|search for|search|grep) ${word} {query} (everywhere|anywhere|in all files|in everything)`,
  `(find|show|list|get|give) [me] [all] [of] [my|the] ${noun} (that|which) ${contains} ${word} {query}`,
  `(find|show|list|get|give) [me] [all] [of] [my|the] ${noun} (about|with|containing|mentioning|on) ${word} {query} [in (it|them)]`,
  `(which|what) [one] [of] [my] ${noun} ${contains} ${word} {query} [in (it|them)]`,
  `(in which|in what) [of] [my] ${noun} (do I|did I|have I) (mention|mentioned|write|written|talk|talked|say|said|note|noted) [about|down] {query}`,
  `in (which|what) ${noun} (is|are) {query} [mentioned]`,
  `in (which|what) ${noun} (do|did|have|does) (I|we|you) (mention|mentioned|write about|written about|talk about|talked about|note|noted|have|use|describe) {query}`,
  `(which|what) ${noun} (do|did|have) (I|we) (mention|mentioned|write|have|use) {query} in`,
  `(which|what) ${noun} ${inFolder} ${contains} {query}`,
  `(do|does) (any|any of|one of|some of) [my] ${noun} [${inFolder}] ${contains} ${word} {query}`,
  `(is there|do I have|have I got|are there) [a|any|something|anything] ${noun} (about|on|that mentions|mentioning|containing|that contains|with) ${word} {query}`,
  {
    template: `(is there|do I have|have I got|have I) [a|any] (file|note|document|something|anything) (called|named|by the name of) {query} [((in|among|inside) ${files}|anywhere|somewhere|here)]`,
    slots: { query: { type: "name", like: /^(?!\S*\.\p{L})\p{L}/u, sample: "lyrics" } },
  },
  `(is there|do I have|have I got) (anything|something) (about|on) {query} (in|among) ${files}`,
  `where (in|inside|among) my ${noun} (is|do I mention|do I write about|did I mention|did I write about|do I talk about) {query}`,
  `where (do|did|have) I (write|wrote|written|mention|mentioned) [down] [about] ${word} {query}`,
];

const slots: Record<string, SlotType | Slot> = {
  query: { type: "query", sample: "cheese" },
  path: "folder",
};

const results: Results = {
  items: {
    kind: "file",
    of: (outputs) =>
      [...new Set(records(outputs, "matches").map((match) => textField(match, "path")))].map((path) => ({
        id: path,
        label: path,
      })),
  },
  text: (outputs) =>
    isPartialList(outputs, "matches")
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

const linesTable = (matches: readonly z.infer<typeof Match>[]): string =>
  table(
    ["file", "line", "text"],
    matches.map(({ path, line, text }) => [path, line, text]),
  );

/** Where the lines are that share the most words: "“roof” and “offer” are in out/a.md." */
function nearestIn({ words, matches }: { words: string[]; matches: z.infer<typeof Match>[] }): string {
  const quoted = words.map((word) => `“${escapeInline(word)}”`);
  return `${joinNames(quoted)} are in ${joinNames([...new Set(matches.map(({ path }) => path))])}.`;
}

export const fsSearch = defineSkill({
  id: "fs_search",
  summary: "Search the names and contents of files for words",
  category: "files",
  input: z.strictObject({
    query: z.string().trim().min(1).max(500).describe("Words as written in the file, ignoring case"),
    path: WorkspacePath.optional().describe("A folder or file; by default all shared folders"),
    limit: z.int().positive().max(500).default(50),
  }),
  output: z.strictObject({
    query: z.string(),
    matches: z.array(Match),
    names: z.array(z.string()).describe("Files and folders whose names contain the words"),
    total: z.int().nonnegative(),
    truncated: z.boolean().describe("True if there are more matches, or not everything was searched"),
    nearest: z
      .strictObject({ words: z.array(z.string()), matches: z.array(Match) })
      .optional()
      .describe("If nothing matches: the lines that share the most words, and these words"),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  notes: "Searches text files only, the first MB of each.",
  phrases,
  slots,
  results,
  checks: { path: "path", words: "query", isThere: ({ total }) => typeof total === "number" && total > 0 },
  narrate: ({ query, matches, names, total, truncated, nearest }) => {
    if (total === 0) {
      const none = `No file contains “${escapeInline(query)}”${truncated ? ", as far as was searched" : ""}.`;
      return nearest === undefined ? none : `${none} ${nearestIn(nearest)}`;
    }
    const files = [...new Set([...names, ...matches.map(({ path }) => path)])];
    return `Found ${formatCount(total, "match", "matches")} of “${escapeInline(query)}” in ${joinNames(files)}.`;
  },
  structure: ({ query, matches, names, total, truncated, nearest }) => {
    const end = truncated ? "\n\nThere may be more: search a folder with path, or other words." : "";
    if (total === 0) {
      const near = nearest && `\n\n${nearestIn(nearest)}\n\n${linesTable(nearest.matches)}`;
      return `No file contains “${escapeInline(query)}”.${near ?? ""}${end}`;
    }
    const parts = [
      ...(names.length > 0 ? [`Names:\n\n${names.map((name) => `- ${escapeInline(name)}`).join("\n")}`] : []),
      ...(matches.length > 0 ? [linesTable(matches)] : []),
    ];
    return `${parts.join("\n\n")}${end}`;
  },
  readOn: () => "Search a folder with path, or read a file with fs_read.",
  run: async ({ query, path, limit }, { ports, signal }) => ({
    query,
    ...(await ports.files.search(query, { limit, signal, ...(path !== undefined && { path }) })),
  }),
});
