import { oneOf } from "@metahuman/core/text/patterns";
import { CsvError, parse } from "csv-parse/sync";
import { z } from "zod";
import { FileNotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { formatBytes, truncate } from "@metahuman/core/text/format";
import { listMarkLength, withoutListMark } from "@metahuman/core/text/list-marks";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { isJson } from "@metahuman/core/contract/parse-json";
import { documentByWords, fileByWords } from "../support/file-by-words.ts";
import { delimiterIn } from "../fs-read/tables.ts";
import { undoWrite } from "../support/reversal.ts";
import { approvedContentCheck, defineSkill } from "../define-skill.ts";
import { textDiff } from "../support/text-diff.ts";
import { emptyNote, joinNames } from "../support/phrasing.ts";
import { MAX_TEXT, WorkspacePath } from "../support/workspace-path.ts";

/** What the text is called, which is not part of it: "the row a,b,c", "one more line saying …". */
const unit =
  "[(another|one more|one|a new|a further|a final|a last|the|a|this|new|following) (line|row|entry|item|sentence|note|paragraph|text|word|words|bit|record|bullet|point) [at the (end|bottom)] [saying|that says|which says|reading|that reads|with|:]|[the|this] (line|row|entry|item|sentence|text|word|words) [:]|another]";
/** The words for an item of a list, whose text begins like those of the others. */
const item =
  "[(another|one more|one|a new|a further|a final|a last|the|a|this|new|following) (item|entry|bullet|point|thing) [saying|that says|which says|reading|with|:]|another]";
const end = "[the] [very] (end|bottom|tail)";
const verb = "(append|add|tack|attach)";
const noting = "(put|stick|pop|jot|note|note down|jot down|scribble|record|log|insert|drop|include)";
const as =
  "[as (a|another|the) [new|last|next] (line|row|entry|item|bullet|note)|on a new line|on its own line|at the end|below|too|as well]";

/** "The shopping list" has one thing per line. */
const listByWords: Slot = { ...documentByWords, like: /^(?!(?:.*\s)?(?:tasks?|to-?dos?|do)\s)\S.*\slist$/iu };
/** A sentence behind "that": "that it rained", but not "that was fun". */
const sentence: Slot = {
  type: "text",
  like: /^(?:i|we|you|he|she|it|they|there|the|an?|my|our|your|his|her|their)['’\s]/iu,
  sample: "it rained",
};
/** A file that is called a list, also as "it". */
const listFile: Slot = { type: "path", like: /list[^/]*\.(?:txt|md)$/iu, sample: "shopping-list.txt" };
const THINGS_WORDS = oneOf(
  String.raw`summar\p{L}+|contents?|cop(?:y|ies)|lists?|lines?|notes?|text|words?|poems?|jokes?|story|stories`,
  "results?|output|answers?|recipes?|ideas?|tasks?|files?|it|that|them|paragraph|sentence",
);
const textFile: Slot = { type: "path", like: /\.(?:txt|md)$/iu, sample: "supplies.md" };
/** Things, and no text that somebody has to write or to fetch: "a summary of a.md". */
const THINGS = new RegExp(String.raw`^(?!.*\b${THINGS_WORDS}\b)(?!.*[./]\w)`, "isu");
const items: Slot = { type: "wording", lines: true, like: THINGS };
const SHORT_THING = String.raw`[\p{L}\p{N}'’-]+(?: [\p{L}\p{N}'’-]+)?`;
/** At least three things of one or two words: "bleach, pegs and salt". */
const SHORT_THINGS = new RegExp(`^${SHORT_THING}(?:, ${SHORT_THING})+,? and ${SHORT_THING}$`, "iu");
/** Any file but a table, whose new rows may be in words: see `table_edit`. */
const text: Slot = { type: "path", like: /^(?!.*\.(?:csv|tsv)$)/isu, sample: "notes/today.md" };
/** A row as text of a CSV file: "Mia,2,vegan". */
const csvRow: Slot = {
  type: "text",
  like: /^[^\s,;]+(?: [^\s,;]+)*(?:[,;][^\s,;]+(?: [^\s,;]+)*)+[,;]?$/u,
  sample: "Mia,2,vegan",
};

/** New rows of a table, in its format. */
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

/** A quotation is added word by word. */
const unquoted: Slot = { type: "wording", unquoted: true };

/** Text that is added to a list becomes one of its items, unless the person asks for a line or a text. */
const addedItems: readonly Phrase[] = [
  {
    template: `(add|${noting}) {text} (to|on|onto|in|into) {path} [too|as well|please]`,
    slots: { path: listFile, text: items },
  },
  {
    template: `(add|${noting}) {text} (to|on|onto) [the] [list] {path} [too|as well|please]`,
    slots: {
      path: textFile,
      text: { ...items, like: SHORT_THINGS, unquoted: true, sample: "milk, eggs and bread" },
    },
  },
  {
    template: `(${verb}|${noting}) [down] ${item} {text} (to|on|onto|in|into|at|under) [${end} of] [list|file|log|note] [in] [file] {path} ${as}`,
    slots: { text: unquoted },
  },
  {
    template: `${verb} (to|on|onto|in|into) [${end} of] [file] {path} ${item} [:] {text}`,
    slots: { text: { type: "text", unquoted: true } },
  },
  {
    template: `(${verb}|${noting}) {text} (to|on|onto|in|into) [${end} of] the {path} [too|as well|please]`,
    slots: { path: listByWords, text: items },
  },
  {
    template: `(${verb}|${noting}) ${item} {text} (to|on|onto|in|into) [${end} of] the {path} ${as}`,
    slots: { path: documentByWords, text: unquoted },
  },
  {
    template: `(in|to|into|on|at ${end} of) [file] {path} [please] (add|append|put|write|note|jot down) ${item} [:] {text}`,
    slots: { text: { type: "text", unquoted: true } },
  },
];
const listItems = addedItems.map((phrase): Phrase => ({ ...phrase, args: { asItem: true } }));

/** "notes/day.md needs one more line: …". */
const wanted: Phrase = {
  template:
    "[=the] [file] {path} (needs|gets|should get|must get|is missing|lacks|could use) (another|one more|a|a new|a further|the|a last|this) (line|row|entry|item|sentence|bullet) [(at|on) [the] [very] (end|bottom)] (:|.|saying|that says) {text}",
  mayStartWithSlot: true,
};

const phrases: readonly (string | Phrase)[] = [
  ...listItems,
  wanted,
  `${verb} ${unit} {text} (to|on|onto|in|into|at) [${end} of] [list|file|log|note] [in] [file] {path} ${as}`,
  {
    template: `(merge|combine|join|concatenate) [the (contents|text) of] [file] {text} (into|to|with) [file] {path}`,
    slots: { text: { type: "path", standsForText: true } },
  },
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
    template:
      "(another|one more|a new|new|one) (line|line more|entry|item|bullet|point) (for|to|in|into) [file] {path} : {text}",
    slots: { text: "text" },
  },
  { template: `(${noting}|write) [down] (in|into) [file] {path} that {text}`, slots: { text: sentence } },
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
    template: `(${verb}|${noting}|write) (this|the following) [down] (to|on|onto|in|into|at) [${end} of] [file] {path} : {text}`,
    slots: { text: "text" },
  },
  {
    template: `(${noting}|write) (to|on|onto|in|into) [file] {path} (another|one more|a further) (line|row|entry|item|sentence) [:|saying|that says] {text}`,
    slots: { text: "text" },
  },
  {
    template: `(${verb}|${noting}|write) (another|one more|a|a new|this|the|the following|following) (line|entry|item|sentence|note) (to|in|into|on|at) [${end} of] [file] {path} (:|saying|that says|with|which says|reading) {text}`,
    slots: { text: "text" },
  },
  // The rows of a Markdown file belong to its table: see `table_edit`.
  {
    template: `(${verb}|${noting}|write) (another|one more|a|a new|this|the|the following|following) row (to|in|into|on|at) [${end} of] [file] {path} (:|saying|that says|with|which says|reading) {text}`,
    slots: { text: "text", path: { type: "path", like: /^(?!.*\.(?:md|csv|tsv)$)/isu, sample: "log.txt" } },
  },
  {
    template: `(${verb}|${noting}|write) [the|a|another] [new] =heading [called|named|saying|:] {text} (to|at|on) ${end} of [file] {path}|(${verb}|${noting}|write) [the|a|another] [new] =heading (to|at|on) ${end} of [file] {path} [called|named|saying|:] {text}`,
    compose: { text: "\n## {text}" },
    slots: { text: "name", path: { type: "path", like: /\.md$/iu, sample: "notes/today.md" } },
  },
  {
    template: `(${verb}|${noting}|write) for (me|us) (to|in|into|on|at) [${end} of] [file] {path} [:] {text}`,
    slots: { text: "text" },
  },
  { template: "extend [file] {path} (with|by) [text|line|words] {text}", slots: { text: "text" } },
  {
    template: `${verb} ${unit} {text} to [${end} of] the {path} =file`,
    slots: { path: fileByWords },
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
    template: `(${verb}|${noting}) ${unit} {text} (to|at|on) [the] [very] (end|bottom)`,
    implies: "path",
    lastResort: true,
  },
  {
    template: `(${verb}) (another|one more|a|a new|one) line [saying|that says|:] {text}`,
    implies: "path",
    lastResort: true,
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
    asItem: z.boolean().optional().meta({ form: "true" }),
  }),
  output: z.strictObject({
    path: z.string(),
    bytes: z.int().nonnegative().describe("The size of the whole file afterwards"),
    created: z.boolean().describe("True if the file is new"),
    lineBreak: z.boolean().optional().describe("True if a line break was added before the text"),
    added: z.string().optional().describe("The beginning of what was added"),
    mark: z.string().optional().describe("What its first line begins with as an item of the list"),
  }),
  effects: "write",
  risk: "low",
  phrases,
  slots,
  results,
  assess: async ({ path, text, asItem }, { files }) => {
    const { path: target, root } = files.resolve(path);
    const before = await files.state(target);
    if (before.kind === "folder") {
      throw new InvalidArgsError(`${target} is a folder, not a file.`, { context: { path: target } });
    }
    if (target.endsWith(".json") && before.kind === "file" && before.bytes <= MAX_TEXT) {
      const { content } = await files.readText(target, { maxBytes: MAX_TEXT });
      if (isJsonOrLines(content) && !isLinesOfJson(`${content}\n${text}`))
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
        diff: textDiff({ text: "", clipped: false }, withMark(text, await markFor({ path, asItem }, files))),
        facts: [
          { label: "path", value: target },
          { label: "file", value: isNew ? "new" : `${formatBytes(before.bytes)} now` },
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
    const { path, created, lineBreak, mark } = made.outputs;
    const { text } = made.args;
    if (created === true) return undoWrite("path", () => true)(made);
    if (typeof path !== "string" || typeof text !== "string" || typeof lineBreak !== "boolean")
      return undefined;
    const end = `${lineBreak ? "\n" : ""}${withMark(text, typeof mark === "string" ? mark : undefined)}`;
    return [{ skill: "fs_edit", args: { path, action: "remove", end } }];
  },
  narrate: ({ path, bytes, created, added = "" }) => {
    const lines = added
      .split("\n")
      .flatMap((line) => (line.trim() === "" ? [] : [withoutListMark(line).trim()]));
    return created
      ? `Created ${path}${emptyNote(bytes)}.`
      : `Added ${lines.length === 0 ? "text" : joinNames(lines.map((line) => `“${line}”`))} to the end of ${path}.`;
  },
  run: async ({ path, text, asItem }, call) => {
    const { ports, signal } = call;
    const mark = await markFor({ path, asItem }, ports.files, signal);
    const added = withMark(text, mark);
    const appended = await ports.files.appendText(path, added, {
      verify: approvedContentCheck(call),
      signal,
    });
    return { ...appended, added: truncate(added, MAX_SHOWN), ...(mark !== undefined && { mark }) };
  },
});

/** The maximum number of characters of the added text that the outputs repeat. */
const MAX_SHOWN = 400;
/** Lists are in files of these kinds; the last lines are enough to see one. */
const MAY_HOLD_LIST = /\.(?:md|markdown|txt)$/iu;
const TAIL_BYTES = 4_000;

const withMark = (text: string, mark: string | undefined): string =>
  mark === undefined ? text : withListMarks(text, mark);

/** What a new item of the list at the end of a file begins with; undefined if the text is to be added as it is. */
async function markFor(
  { path, asItem }: { path: string; asItem: boolean | undefined },
  files: WorkspaceFiles,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (asItem !== true || !MAY_HOLD_LIST.test(path)) return undefined;
  const before = await files.state(files.resolve(path).path, signal);
  if (before.kind !== "file" || before.bytes === 0) return undefined;
  const from = Math.max(0, before.bytes - TAIL_BYTES);
  const { content } = await files.readText(path, { maxBytes: TAIL_BYTES, from, ...(signal && { signal }) });
  // The first of the last lines may be cut.
  return nextListMark(from === 0 ? content : content.slice(content.indexOf("\n") + 1));
}

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

const isJsonOrLines = (text: string): boolean => isJson(text) || isLinesOfJson(text);

/** True if each line that is not empty is a JSON value, as in a log. */
const isLinesOfJson = (text: string): boolean =>
  text.split("\n").every((line) => line.trim() === "" || isJson(line)) && text.trim() !== "";

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

/** What begins the next line of a list: "- ", "  4. ", "- [ ] ", or the indentation of its lines. */
const NUMBERED = /^(\s*)(\d{1,3})([.)]\s+)/u;
const CHECKED = /\[x\]/iu;

/**
 * What a further line begins with, if the last line of the text is one of a list: its indentation and mark, with the next
 * number and an empty checkbox. A list without marks is two lines of the same indentation. Undefined for any other text.
 */
function nextListMark(text: string): string | undefined {
  const [last = "", before = ""] = text
    .split(/\r?\n/u)
    .filter((line) => line.trim() !== "")
    .toReversed();
  const length = listMarkLength(last);
  if (length === 0 || length === last.length) {
    const indentation = /^\s*/u.exec(last)?.[0] ?? "";
    const isShared = indentation !== "" && /^\s*/u.exec(before)?.[0] === indentation;
    return isShared ? indentation : undefined;
  }
  const mark = last.slice(0, length).replace(CHECKED, "[ ]");
  // Some number every line "1.", which Markdown counts by itself.
  const isCounted = NUMBERED.exec(before)?.[2] !== NUMBERED.exec(last)?.[2];
  return isCounted ? incrementMark(mark, 1) : mark;
}

const incrementMark = (mark: string, more: number): string =>
  mark.replace(
    NUMBERED,
    (_, indentation: string, number: string, end: string) => `${indentation}${Number(number) + more}${end}`,
  );

/** Begins each line with the mark, and counts on where it is a number. Lines that have a mark, and empty ones, stay as they are. */
function withListMarks(text: string, mark: string): string {
  let items = 0;
  return text
    .split("\n")
    .map((line) =>
      line.trim() === "" || listMarkLength(line) > 0 ? line : incrementMark(mark, items++) + line,
    )
    .join("\n");
}
