import { ArchiveEntry } from "@metahuman/core/contract/http";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { formatBytes } from "@metahuman/core/text/format";
import { EXTENSIONLESS_NAME } from "@metahuman/core/language/slots/path";
import { z } from "zod";
import { fileByWords } from "../support/file-by-words.ts";
import { reverseMove } from "../support/reversal.ts";
import { defineSkill } from "../define-skill.ts";
import {
  destinationOf,
  extensionOf,
  replacementAt,
  replacedFileNote,
  transferAssessment,
  transferFile,
} from "../support/destination.ts";
import { assertBelowRoot, nameOf, policyPath, WorkspacePath } from "../support/workspace-path.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** A rename keeps the folder. */
const renaming = (template: string): Phrase => ({ template, folderOf: { to: "from" } });

const move = "(move|mv|shift|transfer|relocate)";
const toFolder = "(to|in|inside|under|into|over to)";
/** "kitchen/", "the kitchen folder", "a new folder called kitchen". */
const theFolder = "the [new] [folder] [called|named] {folder} [folder]";
const rename = "(rename|retitle)";

const phrases: readonly (string | Phrase)[] = [
  renaming(`${rename} [file [called]] {from} (to|as|into|so it is called) [be] [called] {to}`),
  // Several files go into a folder: before the phrase for one file, which may take a new name.
  {
    template: `(${move}|put) [files] {from} ${toFolder} {folder}`,
    slots: {
      from: { type: "path", several: true, sample: "a.md and b.md" },
      folder: { type: "folder", sample: "archive" },
    },
    join: { to: ["folder", "from"] },
  },
  `${move} [file [called]] {from} [over] (to|as) {to}`,
  {
    template: `(${move}|${rename}) [file [called]] {from} (to|as) {to} (and (overwrite|replace) (it|the old one|what is there)|overwriting it|replacing it|even if it exists)`,
    args: { overwrite: true },
  },
  {
    template: `(take|grab|get) [file] {from} and (put|move) it ${toFolder} ${theFolder}`,
    join: { to: ["folder", "from"] },
  },
  renaming(`${rename} [file] {from} {to}`),
  renaming(`${rename} [file] {from} . [=the] new (name|filename) [:|is|should be] {to}`),
  renaming("(change|set) the (name|filename|file name|title) of [file] {from} (to|in|into|as) {to}"),
  `${move} [file] {from} {to}`,
  `${move} [file] from {from} to {to}`,
  renaming("(change|set) the (name|filename) of [file] {from} to {to}"),
  renaming("change [file] {from} name to {to}"),
  renaming("give [file] {from} the [new] name {to}"),
  renaming("call [file] {from} {to} [instead|from now on|now]"),
  {
    ...renaming(
      "[=the] [file] {from} (should be|should be called|should be named|must be called|needs to be called|is supposed to be|was supposed to be|ought to be) [called|named|renamed|renamed to] {to} [instead]",
    ),
    mayStartWithSlot: true,
  },
  {
    template: `(${move}|put|file|file away|place|stick|shove|stash|bring|take|drop|get) [file] {from} [away] ${toFolder} ${theFolder}`,
    join: { to: ["folder", "from"] },
  },
  // Without the word "folder", it may go to a person.
  {
    template: `send [file] {from} [away] ${toFolder} the [new] (folder [called|named] {folder}|{folder} folder)`,
    join: { to: ["folder", "from"] },
  },
  {
    template: `(${move}|put) {from} ${toFolder} ${theFolder}`,
    slots: { from: { type: "reference", kind: "file", onlyEvery: true, sample: "all the csv files" } },
    join: { to: ["folder", "from"] },
  },
  {
    template: `(${move}|put|take|get) [the] [files] {from} (out of|from) [the] [folder] {source} [folder] [and put (it|them)] ${toFolder} ${theFolder}`,
    slots: { source: { type: "folder", sample: "notes/" } },
    join: { from: ["source", "from"], to: ["folder", "from"] },
  },
  {
    template: `[=the] [file] {from} (should be|belongs|should go|can go|may go|could go|goes|must go|should live|needs to go|should be moved|can be moved|needs to be|has to go) ${toFolder} ${theFolder} [instead] [. (can|could|would) you move it|. (please|pls) move it|. move it] [there] [please|pls]`,
    mayStartWithSlot: true,
    join: { to: ["folder", "from"] },
  },
  { ...renaming(`${rename} the {from} =file (to|as) {to}`), slots: { from: fileByWords } },
  { template: `${move} the {from} =file (to|as) {to}`, slots: { from: fileByWords } },
  {
    template: `${move} the {from} =file ${toFolder} ${theFolder}`,
    slots: { from: fileByWords },
    join: { to: ["folder", "from"] },
  },
  {
    template: `archive [file] {from}`,
    args: { folder: "archive" },
    join: { to: ["folder", "from"] },
  },
  {
    ...renaming("(call|name) [file] {from} {to} [instead|from now on|now]"),
    slots: { to: { type: "text", like: /^[\p{L}\p{N}][\p{L}\p{N}_-]+$/u, sample: "plan" } },
    isUnlisted: true,
    lastResort: true,
  },
  // A new name without an extension: "rename the file to summer plan".
  {
    ...renaming(`${rename} [file [called]] {from} (to|as|into|so it is called) [be] [called] {to}`),
    slots: {
      to: {
        type: "text",
        like: /^(?!.*[/\\])[\p{L}\p{N}][^\s.,;:!?"]*(?:[ ][^\s.,;:!?"]+){0,4}[.!]?$/u,
        sample: "summer plan",
      },
    },
    isUnlisted: true,
  },
  { ...renaming(`${rename} [file] {from}`), asks: { to: "What should {from} be called?" } },
  { template: `${move} [file] {from}`, asks: { to: "Where should {from} go?" } },
  {
    template: `${rename} (a|the|my|this|that) file`,
    asks: { from: "Which file should be renamed?", to: "What should it be called?" },
  },
  {
    template: `${move} (a|the|my|this|that) file [to (a|the|another) folder|somewhere else|away]`,
    asks: { from: "Which file should be moved?", to: "Where should it go?" },
  },
];

const slots: Record<string, SlotType | Slot> = {
  source: { type: "folder", sample: "notes/" },
  from: "path",
  to: "path",
  folder: { type: "folder", pronoun: true, sample: "archive/" },
};

const results: Results = { path: "to" };

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

export const fsMove = defineSkill({
  id: "fs_move",
  summary: "Move or rename a file or folder",
  category: "files",
  input: z.strictObject({
    from: WorkspacePath,
    to: WorkspacePath.describe(
      "The new path with its folder (a bare name lies in out/), or a folder to move it into",
    ),
    overwrite: z.boolean().default(false).describe("Replace an existing file; its old text is archived"),
  }),
  output: z.strictObject({
    from: z.string(),
    to: z.string(),
    archived: ArchiveEntry.optional().describe("The replaced file, if there was one"),
  }),
  effects: "write",
  risk: "medium",
  phrases,
  slots,
  results,
  assess: async ({ from, to, overwrite }, { files }) => {
    assertBelowRoot(files.resolve(from).path);
    const source = await files.existing(from);
    const target = files.resolve(await destinationOf(files, from, to));
    const taken = await files.state(target.path);
    const dropsExtension = extensionOf(source.path) !== "" && extensionOf(target.path) === "";
    if (
      !EXTENSIONLESS_NAME.test(nameOf(target.path)) &&
      source.kind === "file" &&
      taken.kind === "absent" &&
      dropsExtension
    )
      throw new InvalidArgsError(
        `There is no folder ${target.path}. Should this folder be created, or is it the file's new name?`,
        {
          suggestions: [`${to}/`, `${to}${extensionOf(source.path)}`],
          context: {
            path: target.path,
            instead: [{ to: `${to}${extensionOf(source.path)}` }, { to: `${to}/` }],
          },
        },
      );
    const replacement = await replacementAt(files, source, target.path, overwrite);
    // Moving out of an added folder, or into anything but out/, changes files that the person manages elsewhere.
    const isInWorkspace = target.root === "out" && ["out", "inbox"].includes(files.resolve(from).root);
    return {
      risk: replacement.isReplaced || !isInWorkspace ? "high" : "medium",
      ...transferAssessment(files, {
        source: source.path,
        target: target.path,
        replacement,
        title: replacement.isReplaced
          ? `Overwrite ${target.path} with ${source.path}?`
          : `Move ${source.path} to ${target.path}?`,
        detail: {
          label: "what",
          value: source.kind === "folder" ? "folder, with all that is in it" : formatBytes(source.bytes),
        },
        paths: [policyPath(source), policyPath({ path: target.path, kind: source.kind })],
      }),
    };
  },
  reverse: reverseMove,
  moves: { from: "from", to: "to" },
  narrate: ({ from, to, archived }) => {
    // A bare new name, perhaps meant to stay in the folder, takes a file out of it.
    const [before, after] = [folderOf(from), folderOf(to)];
    const isTakenOut = before !== after && before.startsWith(after) && nameOf(from) !== nameOf(to);
    return `Moved ${from} to ${to}${isTakenOut ? `, out of the folder ${before}` : ""}${replacedFileNote(archived)}.`;
  },
  run: (args, call) =>
    transferFile(args, call, (files, target, options) => files.move(args.from, target, options)),
});
