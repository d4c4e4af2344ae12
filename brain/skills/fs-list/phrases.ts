import { formatMoment } from "@metahuman/core/language/dates/clock";
import { formatBytes, formatCount } from "@metahuman/core/text/format";
import type { Finder, Phrase, Results, Slot, SlotType, View } from "@metahuman/core/language/grammar/phrase";
import { escapeInline } from "../markdown.ts";
import { isPartialList, records, textField } from "../outputs.ts";

/** In phrases without the word "folder", only these bare words name a folder. */
const roots = ["out", "inbox"];
const rootsOnly: Record<string, Slot> = { path: { type: "folder", known: roots, bare: false } };

const pattern: Slot = { type: "path", glob: true, sample: "*.md" };

/** Converts words into a glob pattern: "shopping list" matches `shopping-list.txt`. */
function patternOf(words: string): string {
  const parts = words.split(/[^\p{L}\p{M}\p{N}]+/u).filter((part) => part !== "");
  return `*${parts.join("*").slice(0, 200)}*`;
}

/** Words for what a document is, which its name often leaves out: "the shopping list" is `shopping.md`. */
const DOCUMENT = /(?<=\S)\s+(?:list|notes?|log|journal|diary|letter|recipe|draft|minutes)$/iu;

const show = "(list|show|see|view|get|give|print|tell|check|need|want) [me]";
const within = "(in|inside|under|of|from|within)";

export const phrases: readonly (string | Phrase)[] = [
  // "Docs" alone is rather the name of a folder than a word for files.
  { template: "(=list|=ls|=dir) =docs", args: { path: "docs" }, isUnlisted: true },
  `${show} [a list of] [all] [of] my files [there are|I have|that I have|that exist]`,
  "(what|which) files (do I have|are there|exist|have I got|have I|I have|have we got|do we have)",
  "list (everything|all|workspace)",
  "what is in (my workspace|the workspace)",
  {
    template: `list [me] [all] [the] [files|contents|everything] [${within}] [folder] {path} [folder]`,
    slots: rootsOnly,
  },
  { template: "(=ls|=dir) {path}", slots: { path: { type: "folder", known: roots } } },
  `${show} [a list of] [all] [of] the (files|contents|everything|stuff|documents|things|items) [that (is|are)|there (is|are)|I have] ${within} [folder [called]] {path} [folder]`,
  "(list|show|open|view|see|check) [me] the (folder|contents of the folder) [called] {path}",
  "(list|show|open|view|see|check) [me] {path} folder",
  { template: "(list|show|open|view|see|check|print) [me] {path}", slots: rootsOnly },
  "what [all] is [there|stored|saved|lying|lying around] (in|inside|inside of|under) [folder [called]] {path} [folder] [now|right now]",
  "what is [the] [folder] {path} [folder] holding",
  "what does [the] (folder {path}|{path} folder) (contain|hold|have) [in it]",
  { template: "what does {path} (contain|hold|have) [in it]", slots: rootsOnly },
  "list [me] (what|whatever|everything that) [all] is (in|inside|inside of) [folder] {path} [folder]",
  "(show|tell|see) [me] what [all] is (in|inside|inside of) [folder] {path} [folder]",
  "(show|tell|see) [me] (what|which) (files|documents|folders) (are|I have|there are|stay|remain|are left|lie) (in|inside) [folder] {path} [folder]",
  "what is the (contents|content) of [folder] {path} [folder]",
  "(what|which) (files|documents|things) (are|do I have|have I got|are there|do we have|exist|live|lie|stay|remain|are left) [there] (in|inside|under) [folder] {path} [folder]",
  {
    template: `how many files (are|do I have|have I got|are there|exist|do we have) [there] [(in|inside|under) [folder] {path} [folder]]|how many files does [folder] {path} [folder] (have|contain|hold)|(count|tell|give) [me] [the] [number of] files [(in|inside|under|of) [folder] {path} [folder]]|what is the number of files (in|inside|under) [folder] {path} [folder]`,
    view: { name: "files" },
  },
  {
    template: `how many folders (are|do I have|have I got|are there|exist) [there] [(in|inside|under) [folder] {path} [folder]]|count the folders [(in|inside|under|of) [folder] {path} [folder]]`,
    view: { name: "folders" },
  },
  {
    template:
      "how many (things|items|entries) (are|do I have|have I got|are there) [there] (in|inside|under) [folder] {path} [folder]",
    view: { name: "entries" },
  },
  ...(
    [
      ["largest", "(biggest|largest|heaviest)"],
      ["smallest", "(smallest|tiniest)"],
      ["newest", "(newest|latest|most recent|last changed|most recently changed|last modified)"],
      ["oldest", "(oldest|least recent)"],
    ] as const
  ).map(([name, words]): Phrase => ({
    template: `(which|what) [one] [of] [my] [file|files] is [the|my] ${words} [file|one] [[of the files] (in|inside|under|of) [folder] {path} [folder]]|(which|what) [file] [(in|inside|under|of) [folder] {path} [folder]] is [the|my] ${words}|${show} [the|my] ${words} file [(in|inside|under|of) [folder] {path} [folder]]`,
    args: { recursive: true },
    view: { name },
  })),
  {
    template:
      "(which|what) [one] [of] [my] (file|files) (did I|did we|did you|have I|have we|have you) (change|edit|write|touch|create|modify|save|update|worked on|work on) (last|most recently|latest)|(which|what) [of] [my] (file|files) (changed|was changed|were changed|was edited|was modified|was written) (last|most recently|latest)|what (did I|did we) (change|edit|write|save) last",
    args: { recursive: true },
    view: { name: "newest" },
  },
  {
    template:
      "how (big|large) (is|are) [folder] {path} [folder] [in all|altogether|in total]|how (big|large) are my files [in all|altogether|in total]|how much (space|room|disk space|storage) (do my files|does [folder] {path} [folder]) (take|take up|use|need|occupy) [up]|(what is|tell me) the [total] size of ([folder] {path} [folder]|my files)",
    args: { recursive: true },
    slots: { path: { type: "folder", sample: "out" } },
    lastResort: true,
    view: { name: "bytes" },
  },
  `(what|which) folders (are|do I have|have I got|are there|exist) [there] [(in|inside|under) [folder] {path} [folder]]`,
  `${show} [all] [of] my folders [(in|inside|under|of) [folder] {path} [folder]]`,
  "(are there|do I have|is there|have I got) [any|some] (files|file|anything|something) [there] [(in|inside|under) [folder] {path} [folder]]",
  "(is|are) [there] (anything|something) (in|inside|under) [folder] {path} [folder]",
  "(what|which) files (in|inside|under) [folder] {path} [folder]",
  "=anything (in|inside) [folder] {path} [folder]",
  "is [folder] {path} [folder] empty",
  "what (do I have|have I got|did I put|have I put|have we got|do we have) (in|inside|into|under) [folder] {path} [folder]",
  "(look|have a look|take a look|peek) (in|into|inside) [folder] {path} [folder]",
  {
    template: "list [all] {pattern} [files] [(in|of|from|under) [folder] {path} [folder]]",
    slots: { pattern: pattern },
  },
  {
    template: `(what|which) {extension} files (are|do I have|have I got|are there) [there] [(in|inside|under) [folder] {path} [folder]]|${show} [all] [of] [my|the] {extension} files [(in|inside|under|of|from) [folder] {path} [folder]]`,
    slots: {
      extension: {
        type: "name",
        sample: "md",
        like: /^\.?(?:md|txt|json|csv|html?|ya?ml|log|pdf|tsx?|jsx?|py|css|xml|png|jpe?g)$/iu,
      },
    },
    compose: { pattern: "*.{extension}" },
  },
  {
    template: "(find|search for|look for) [all] [files] [called] {pattern} [files]",
    slots: { pattern },
    args: { recursive: true },
  },
  {
    template: "list [all] files [in] [folder] {path} [folder] (recursively|(with|including) subfolders)",
    args: { recursive: true },
  },
  "list",
  "[all] [of] [my] files [(in|of|under|inside) [folder] {path} [folder]]",
];

export const slots: Record<string, SlotType | Slot> = { path: { type: "folder", known: roots } };

export const finds: Finder = {
  kind: "file",
  by: "pattern",
  query: (words) => patternOf(words.replace(DOCUMENT, "")),
  args: { recursive: true },
  candidates: (outputs) =>
    records(outputs, "entries")
      .filter((entry) => entry.kind === "file")
      .map((entry) => textField(entry, "path") || textField(entry, "name"))
      .filter((path) => path !== "")
      .map((path) => ({ id: path, label: path })),
};

/** The number of entries of one kind; undefined if the outputs hold only a part of them. */
const countingEntries =
  (noun: string, plural: string, kind?: "file" | "folder"): View =>
  (outputs) => {
    if (isPartialList(outputs, "entries")) return undefined;
    const amount = records(outputs, "entries").filter(
      (entry) => kind === undefined || entry.kind === kind,
    ).length;
    return `There ${amount === 1 ? "is" : "are"} ${formatCount(amount, noun, plural)} in ${textField(outputs, "path")}/.`;
  };

/** The file with the most of something. */
const fileWithMost =
  (what: string, amountOf: (entry: Record<string, unknown>) => number): View =>
  (outputs, _values, region) => {
    if (isPartialList(outputs, "entries")) return undefined;
    const files = records(outputs, "entries").filter((entry) => entry.kind === "file");
    const [first, ...others] = files;
    if (first === undefined) return `There is no file in ${textField(outputs, "path")}/.`;
    const most = others.reduce((best, file) => (amountOf(file) > amountOf(best) ? file : best), first);
    const size = formatBytes(bytesOf(most));
    const changed = formatMoment(textField(most, "modified"), region);
    return `The ${what} file in ${textField(outputs, "path")}/ is ${escapeInline(textField(most, "path"))} (${size}, changed on ${changed}).`;
  };

const bytesOf = (entry: Record<string, unknown>): number =>
  typeof entry.bytes === "number" ? entry.bytes : 0;
const changedAt = (entry: Record<string, unknown>): number => Date.parse(textField(entry, "modified"));

/** Answers to "how many" and "which is the biggest". */
export const views: Readonly<Record<string, View>> = {
  largest: fileWithMost("largest", bytesOf),
  smallest: fileWithMost("smallest", (entry) => -bytesOf(entry)),
  newest: fileWithMost("newest", changedAt),
  oldest: fileWithMost("oldest", (entry) => -changedAt(entry)),
  bytes: (outputs) => {
    if (isPartialList(outputs, "entries")) return undefined;
    const files = records(outputs, "entries").filter((entry) => entry.kind === "file");
    const bytes = files.reduce((sum, entry) => sum + bytesOf(entry), 0);
    return `${textField(outputs, "path")}/ has ${formatCount(files.length, "file")} of ${formatBytes(bytes)} in all.`;
  },
  files: countingEntries("file", "files", "file"),
  folders: countingEntries("folder", "folders", "folder"),
  entries: countingEntries("entry", "entries"),
  count: countingEntries("entry", "entries"),
};

export const results: Results = {
  text: (outputs) =>
    isPartialList(outputs, "entries")
      ? undefined
      : records(outputs, "entries")
          .map((entry) => `- ${textField(entry, "name")}\n`)
          .join(""),
};
