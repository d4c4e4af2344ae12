import { formatBytes } from "@metahuman/core/text/format";
import { ArchiveEntry } from "@metahuman/core/contract/http";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { z } from "zod";
import { fileByWords } from "../support/file-by-words.ts";
import { undoWrite } from "../support/reversal.ts";
import { defineSkill } from "../define-skill.ts";
import {
  destinationOf,
  replacementAt,
  replacedFileNote,
  transferAssessment,
  transferFile,
  withExtension,
} from "../support/destination.ts";
import { assertBelowRoot, policyPath, WorkspacePath } from "../support/workspace-path.ts";

const copy =
  "(copy|cp|duplicate|clone|back up|save a copy of|create a (copy|duplicate|backup) of|put a copy of|keep a (copy|duplicate|backup) of|(make|take|do) a [new] [backup] (copy|duplicate|backup) of)";
const copyOfIt = "(keep|make|put|save|leave) a (copy|duplicate|backup)";
const toFolder = "(to|into|in|inside|under|over to)";

/** A name without a folder and, as a rule, without an extension. */
const BARE_NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u;

const phrases: readonly (string | Phrase)[] = [
  // Several files go into a folder: before the phrase for one file, which may take a new name.
  {
    template: `${copy} [files] {from} ${toFolder} {folder}`,
    slots: {
      from: { type: "path", several: true, sample: "a.md and b.md" },
      folder: { type: "folder", sample: "archive" },
    },
    isUnlisted: true,
    join: { to: ["folder", "from"] },
  },
  `${copy} [the (contents|text) of] [file] {from} [over] (to|as|called|named|in|into|at|under the name|with the name|by the name) [a] [new] [file] [called] {to}`,
  `(copy|cp|duplicate) [file] {from} {to}`,
  {
    template: `${copy} [file] {from} (called|named|as|under the name|with the name|and call it) {to}`,
    slots: { to: { type: "text", like: BARE_NAME, sample: "backup" } },
  },
  {
    template:
      "(make|create|keep|save) a [new] [backup] =copy (called|named|as|with the name|under the name) {to}",
    slots: { to: { type: "text", like: BARE_NAME, sample: "backup" } },
    implies: "from",
    lastResort: true,
  },
  "(=copy|=backup|backup copy|second copy|safety copy) of [file] {from} (to|called|named|as|in|into|at|with the name) {to}",
  "(create|write|make|start|save) [a] [new] [text] [file|document|note] [called|with name] {to} (with|containing) the [same] (content|text) (of|as) [file] {from}",
  {
    template: `${copy} [file] {from} ${toFolder} the [folder] {folder} [folder]`,
    join: { to: ["folder", "from"] },
  },
  {
    template: `${copy} [the] [files] {from} (from|out of|in) [the] [folder] {source} [folder] ${toFolder} the [folder] {folder} [folder]`,
    slots: { source: { type: "folder", sample: "notes/" } },
    join: { from: ["source", "from"], to: ["folder", "from"] },
  },
  {
    template: `(copy|cp|duplicate) {from} ${toFolder} the [folder] {folder} [folder]`,
    slots: {
      from: { type: "reference", kind: "file", onlyEvery: true, sample: "all the csv files" },
      folder: { type: "folder", sample: "archive/" },
    },
    join: { to: ["folder", "from"] },
  },
  { template: `${copy} the {from} =file (to|as) {to}`, slots: { from: fileByWords } },
  {
    template: `${copy} [file] {from} [over] (to|as) {to} (and (overwrite|replace) (it|the old one|what is there)|overwriting it|replacing it)`,
    args: { overwrite: true },
  },
  `${copy} [file] {from} (and (call|name) it|and save it as|and put it in) {to}`,
  {
    template:
      "(save|store|keep) (that|this|the|my) (list|note|file|table|text|letter|document) (as|under) [the name] {to}",
    implies: "from",
    lastResort: true,
    slots: { to: { type: "path", bare: false, sample: "copy.md" } },
  },
  {
    template: `${copyOfIt} (in|into|under) the [folder] {folder} [folder]`,
    implies: "from",
    join: { to: ["folder", "from"] },
  },
  { template: `${copy} [file] {from}`, asks: { to: "What should the copy of {from} be called?" } },
  {
    template: `${copy} (a|the|my|this|that) file`,
    asks: { from: "Which file should be copied?", to: "What should the copy be called?" },
  },
];

const slots: Record<string, SlotType | Slot> = {
  from: "path",
  to: { type: "path", sample: "copy.md" },
  folder: { type: "folder", bare: false, pronoun: true, sample: "archive/" },
};

const results: Results = { path: "to", isCopy: true };

export const fsCopy = defineSkill({
  id: "fs_copy",
  summary: "Copy a file",
  category: "files",
  input: z.strictObject({
    from: WorkspacePath,
    to: WorkspacePath.describe("The path of the copy, or a folder to copy into"),
    overwrite: z.boolean().default(false).describe("Replace an existing file; its old text is archived"),
  }),
  output: z.strictObject({
    from: z.string(),
    to: z.string(),
    bytes: z.int().nonnegative(),
    archived: ArchiveEntry.optional().describe("The replaced file, if there was one"),
  }),
  effects: "write",
  risk: "low",
  notes: "Copies one file, not folders.",
  phrases,
  slots,
  results,
  assess: async ({ from, to, overwrite }, { files }) => {
    assertBelowRoot(files.resolve(from).path);
    const source = await files.existing(from);
    if (source.kind === "folder")
      throw new InvalidArgsError(`${source.path} is a folder; only files are copied.`, {
        context: { path: source.path },
      });
    const target = files.resolve(await destinationOf(files, from, await withExtension(files, { from, to })));
    const replacement = await replacementAt(files, source, target.path, overwrite);
    return {
      risk: replacement.isReplaced || target.root !== "out" ? "high" : "low",
      ...transferAssessment(files, {
        source: source.path,
        target: target.path,
        replacement,
        title: replacement.isReplaced
          ? `Overwrite ${target.path} with a copy of ${source.path}?`
          : `Copy ${source.path} to ${target.path}?`,
        detail: { label: "size", value: formatBytes(source.bytes) },
        paths: [policyPath(source), target.path],
      }),
    };
  },
  reverse: undoWrite("to", () => true),
  narrate: ({ from, to, archived }) => `Copied ${from} to ${to}${replacedFileNote(archived)}.`,
  run: async (args, call) => {
    const to = await withExtension(call.ports.files, args);
    return await transferFile({ ...args, to }, call, (files, target, options) =>
      files.copy(args.from, target, options),
    );
  },
});
