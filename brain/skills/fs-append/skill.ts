import { CsvError, parse } from "csv-parse/sync";
import { FileNotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { z } from "zod";
import { documentByWords, fileByWords } from "../support/file-by-words.ts";
import { formatCount } from "@metahuman/core/text/format";
import { delimiterIn } from "../fs-read/tables.ts";
import { undoWrite } from "../support/reversal.ts";
import { approvedContentCheck, defineSkill } from "../define-skill.ts";
import { textDiff } from "../support/text-diff.ts";
import { size } from "../support/phrasing.ts";
import { MAX_TEXT, WorkspacePath } from "../support/workspace-path.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { parseJson } from "@metahuman/core/contract/parse-json";

/** What the text is called, which is not part of it: "the row a,b,c", "one more line saying …". */
const unit =
  "[(another|one more|a new|a further|a final|a last|the|a|this|new|following) (line|row|entry|item|sentence|note|paragraph|text|word|words|bit|record|bullet|point) [saying|that says|which says|reading|that reads|with|:]|[the|this] (line|row|entry|item|sentence|text|word|words) [:]|another]";
const end = "[the] [very] (end|bottom|tail)";
const verb = "(append|add|tack|attach)";
const noting = "(put|stick|pop|jot|note|note down|jot down|scribble|record|log|insert|drop|include)";
const as =
  "[as (a|another|the) [new|last|next] (line|row|entry|item|bullet|note)|on a new line|on its own line|at the end|below|too|as well]";

/** "The shopping list" has one thing per line. */
const listByWords: Slot = { ...documentByWords, like: /^(?!(?:.*\s)?(?:tasks?|to-?dos?|do)\s)\S.*\slist$/iu };
/** A file that is called a list, also as "it". */
const listFile: Slot = { type: "path", like: /list[^/]*\.(?:txt|md)$/iu, sample: "shopping-list.txt" };
/** Things, and no text that somebody has to write or to fetch: "a summary of a.md". */
const THINGS =
  /^(?!.*\b(?:summar\p{L}+|contents?|cop(?:y|ies)|lists?|lines?|notes?|text|words?|poems?|jokes?|story|stories|results?|output|answers?|recipes?|ideas?|tasks?|files?|it|that|them|paragraph|sentence)\b)(?!.*[./]\w)/isu;
const items: Slot = { type: "wording", lines: true, like: THINGS };
/** Any file but a table, whose new rows may be in words: see `table_edit`. */
const text: Slot = { type: "path", like: /^(?!.*\.(?:csv|tsv)$)/isu, sample: "notes/today.md" };
/** A row as text of a CSV file: "Mia,2,vegan". */
const csvRow: Slot = {
  type: "text",
  like: /^[^\s,;]+(?: [^\s,;]+)*(?:[,;][^\s,;]+(?: [^\s,;]+)*)+[,;]?$/u,
  sample: "Mia,2,vegan",
};

/** New rows of a table, as they stand in it. */
const rows: readonly Phrase[] = [
  `${verb} ${unit} {text} (to|on|onto|in|into|at) [${end} of] [list|file|log|note] [in] [file] {path} ${as}`,
  `${noting} [down] ${unit} {text} (in|into|to|on|onto|at|under) [${end} of] [list|file|log|note] [in] [file] {path} ${as}`,
  `write ${unit} {text} (at|to|on|onto) ${end} of [file] {path}`,
  `(${verb}|${noting}|write) (to|in|into|on|at) [${end} of] [file] {path} ${unit} [:] {text}`,
  `(${verb}|${noting}|write) (another|one more|a|a new|this|the|the following|following) (line|row|entry|item) (to|in|into|on|at) [${end} of] [file] {path} (:|saying|that says|with|which says|reading) {text}`,
  `(in|to|into|on|at ${end} of) [file] {path} [please] (add|append|put|write|note|jot down) ${unit} [:] {text}`,
].map((template) => ({
  template,
  slots: { path: { type: "path", like: /\.(?:csv|tsv)$/iu }, text: csvRow },
}));

const phrases: readonly (string | Phrase)[] = [
  {
    template: `(add|${noting}) {text} (to|on|onto|in|into) {path} [too|as well|please]`,
    slots: { path: listFile, text: items },
  },
  `${verb} ${unit} {text} (to|on|onto|in|into|at) [${end} of] [list|file|log|note] [in] [file] {path} ${as}`,
  {
    template: `append [the (contents|text) of] [file] {text} to [${end} of] [file] {path}`,
    slots: { text: { type: "path", standsForText: true } },
  },
  {
    template: `(${verb}|${noting}) the (contents|text) of [file] {text} (to|into|in|onto|at|on) [${end} of] [file] {path}`,
    slots: { text: { type: "path", standsForText: true } },
  },
  `${noting} [down] ${unit} {text} (in|into|to|on|onto|at|under) [${end} of] [list|file|log|note] [in] [file] {path} ${as}`,
  `write ${unit} {text} (at|to|on|onto) ${end} of [file] {path}`,
  {
    template: `(${verb}|${noting}|write) (to|in|into|on|at) [${end} of] [file] {path} ${unit} [:] {text}`,
    slots: { text: "text" },
    lastResort: true,
  },
  {
    template: `${verb} (to|on|onto|in|into) [${end} of] [file] {path} ${unit} [:] {text}`,
    slots: { text: "text" },
  },
  {
    template: `(${verb}|${noting}|write) (another|one more|a|a new|this|the|the following|following) (line|row|entry|item|sentence|note) (to|in|into|on|at) [${end} of] [file] {path} (:|saying|that says|with|which says|reading) {text}`,
    slots: { text: "text" },
  },
  { template: "extend [file] {path} (with|by) [text|line|words] {text}", slots: { text: "text" } },
  {
    template: `${verb} ${unit} {text} to [${end} of] the {path} =file`,
    slots: { path: fileByWords },
  },
  {
    template: `(${verb}|${noting}) {text} (to|on|onto|in|into) [${end} of] the {path} [too|as well|please]`,
    slots: { path: listByWords, text: items },
  },
  {
    template: `(${verb}|${noting}) ${unit} {text} (to|on|onto|in|into) [${end} of] the {path} ${as}`,
    slots: { path: documentByWords },
  },
  {
    template: `(in|to|into|on|at ${end} of) [file] {path} [please] (add|append|put|write|note|jot down) ${unit} [:] {text}`,
    slots: { text: "text" },
  },
  {
    template: `${verb} [something|a line|a note|text|this] to [${end} of] [file] {path}`,
    asks: { text: "What should be added to {path}?" },
    lastResort: true,
  },
  ...rows,
];

const slots: Record<string, SlotType | Slot> = { path: text, text: "wording" };

const results: Results = { path: "path" };

export const fsAppend = defineSkill({
  id: "fs_append",
  summary: "Add text at the end of a file",
  category: "files",
  input: z.strictObject({
    path: WorkspacePath,
    text: z.string().min(1).max(MAX_TEXT).describe("Starts on a new line"),
  }),
  output: z.strictObject({
    path: z.string(),
    bytes: z.int().nonnegative().describe("The size of the whole file afterwards"),
    created: z.boolean().describe("True if the file is new"),
    lineBreak: z.boolean().optional().describe("True if a line break was added before the text"),
  }),
  effects: "write",
  risk: "low",
  phrases,
  slots,
  results,
  assess: async ({ path, text }, { files }) => {
    const { path: target, root } = files.resolve(path);
    const before = await files.state(target);
    if (before.kind === "folder") {
      throw new InvalidArgsError(`${target} is a folder, not a file.`, { context: { path: target } });
    }
    if (target.endsWith(".json") && before.kind === "file" && before.bytes <= MAX_TEXT) {
      const { content } = await files.readText(target, { maxBytes: MAX_TEXT });
      if (isJson(content) && !isLinesOfJson(`${content}\n${text}`))
        throw new InvalidArgsError(
          `${target} is a JSON file, and this text at its end would make it unreadable.`,
          {
            suggestions: [`Say which value to set, like: set port to 8080 in ${target}.`],
            context: { path: target },
          },
        );
    }
    if (/\.(?:csv|tsv)$/iu.test(target) && before.kind === "file" && before.bytes <= MAX_TEXT) {
      const { content } = await files.readText(target, { maxBytes: MAX_TEXT });
      const columns = columnsMissedBy(text, content);
      if (columns !== undefined)
        throw new InvalidArgsError(
          `${target} is a table with the columns ${columns.join(", ")}, and this text is no row of it.`,
          {
            suggestions: [`Give the values in this order, separated by commas: ${columns.join(",")}.`],
            context: { path: target },
          },
        );
    }
    const isNew = before.kind === "absent";
    if (isNew) await assertOnlyPlace(path, files);
    return {
      risk: root === "out" ? "low" : "high",
      preview: {
        title: isNew ? `Create ${target}?` : `Add to the end of ${target}?`,
        target,
        diff: textDiff({ text: "", clipped: false }, text),
        facts: [
          { label: "path", value: target },
          { label: "file", value: isNew ? "new" : `${formatCount(before.bytes, "byte")} now` },
        ],
      },
      content: (signal) => files.content([target], signal),
      creates: isNew,
      paths: [target],
      hosts: [],
      grant: { pathPrefix: target },
    };
  },
  reverse: (made) => {
    const { path, created, lineBreak } = made.outputs;
    const { text } = made.args;
    if (created === true) return undoWrite("path", () => true)(made);
    if (typeof path !== "string" || typeof text !== "string" || typeof lineBreak !== "boolean")
      return undefined;
    return [{ skill: "fs_edit", args: { path, action: "remove", end: `${lineBreak ? "\n" : ""}${text}` } }];
  },
  narrate: ({ path, bytes, created }) =>
    created
      ? `Created ${path} (${size(bytes)}).`
      : `Added text to the end of ${path}, now ${formatCount(bytes, "byte")}.`,
  run: async ({ path, text }, call) =>
    await call.ports.files.appendText(path, text, {
      verify: approvedContentCheck(call),
      signal: call.signal,
    }),
});

/**
 * Throws `FileNotFoundError` for a bare name that files of other folders have: text for one of them would begin another file.
 * With its folder ("out/rules.md"), any name is allowed.
 */
async function assertOnlyPlace(path: string, files: WorkspaceFiles): Promise<void> {
  if (/[/\\]/u.test(path)) return;
  try {
    await files.existing(path);
  } catch (error) {
    if (!(error instanceof FileNotFoundError)) throw error;
    const others = error.suggestions.filter((other) => other.endsWith(`/${path}`));
    if (others.length > 0)
      throw new FileNotFoundError(error.message, { suggestions: others, context: error.context });
  }
}

const isJson = (text: string): boolean => isDocument(text) || isLinesOfJson(text);

/** True if each line that is not empty is a JSON value, as in a log. */
const isLinesOfJson = (text: string): boolean =>
  text.split("\n").every((line) => line.trim() === "" || isDocument(line)) && text.trim() !== "";

const isDocument = (text: string): boolean => parseJson(text) !== undefined;

function cellsOf(text: string, delimiter: string): string[][] | undefined {
  try {
    const options = { delimiter, bom: true, relax_column_count: true, skip_empty_lines: true, trim: true };
    return parse(text, options);
  } catch (error) {
    if (error instanceof CsvError) return undefined;
    throw error;
  }
}

/**
 * The columns of a CSV file if a text at its end would not be a row: plain words in a table of several columns.
 * Undefined if it would be one, and for a file that is not a table.
 */
function columnsMissedBy(text: string, content: string): string[] | undefined {
  const delimiter = delimiterIn(content);
  const [columns = []] = cellsOf(content, delimiter) ?? [];
  const rows = cellsOf(text, delimiter);
  const isRow = rows === undefined || rows.every((row) => row.length > 1);
  return columns.length < 2 || isRow ? undefined : columns;
}
