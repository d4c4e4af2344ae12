import { ArchiveEntry } from "@metahuman/core/contract/http";
import { AlreadyExistsError, InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { formatCount } from "@metahuman/core/text/format";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import { z } from "zod";
import { approvedContentCheck, defineSkill } from "../define-skill.ts";
import { currentText, textDiff } from "../support/text-diff.ts";
import { assertBelowRoot, nameOf, policyPath, WorkspacePath } from "../support/workspace-path.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const byWords: Slot = { type: "reference", kind: "file", plain: true, sample: "shopping list" };

/** A rename keeps the folder. */
const renaming = (template: string): Phrase => ({ template, beside: { to: "from" } });

const phrases: readonly (string | Phrase)[] = [
  renaming("rename [file [called]] {from} (to|as) {to}"),
  "(move|mv|shift|transfer) [file [called]] {from} (to|as) {to}",
  {
    template:
      "(move|rename) [file [called]] {from} (to|as) {to} (and (overwrite|replace) it|overwriting it|replacing it)",
    args: { overwrite: true },
  },
  renaming("rename [file] {from} {to}"),
  "(move|mv) [file] {from} {to}",
  renaming("change the name of [file] {from} to {to}"),
  {
    template:
      "(move|put|mv|shift|transfer) [file] {from} (to|in|inside|under) the [folder] {folder} [folder]",
    join: { to: ["folder", "from"] },
  },
  { ...renaming("rename the {from} =file (to|as) {to}"), slots: { from: byWords } },
  { template: "move the {from} =file (to|as) {to}", slots: { from: byWords } },
  {
    template: "move the {from} =file (to|in|inside|under) the [folder] {folder} [folder]",
    slots: { from: byWords },
    join: { to: ["folder", "from"] },
  },
];

const slots: Record<string, SlotType | Slot> = { from: "path", to: "path", folder: "folder" };

const results: Results = { path: "to" };

/**
 * Returns the final path. An existing folder or a path with a trailing slash means "into it, under the same name".
 */
async function destination(files: WorkspaceFiles, from: string, to: string): Promise<string> {
  const { path } = files.resolve(to);
  const source = files.resolve(from).path;
  const intoFolder = path !== source && (to.endsWith("/") || (await files.state(path)).kind === "folder");
  return intoFolder ? `${path}/${nameOf(source)}` : path;
}

/** Names of files without an extension: LICENSE, Makefile, .env. */
const EXTENSIONLESS_NAME = /^(?:[A-Z][A-Z0-9_-]*|Makefile|Dockerfile|\..+)$/;

/** Returns the extension, such as ".md"; empty for a name without one. */
function extensionOf(path: string): string {
  return /[^/](\.\w+)$/.exec(path)?.[1] ?? "";
}

export const fsMove = defineSkill({
  id: "fs_move",
  summary: "Move or rename a file or folder",
  category: "files",
  input: z.strictObject({
    from: WorkspacePath,
    to: WorkspacePath.describe("The new path, or a folder to move it into"),
    overwrite: z
      .boolean()
      .default(false)
      .describe("Replace a file that is there; its old text is kept in the archive"),
  }),
  output: z.strictObject({
    from: z.string(),
    to: z.string(),
    archived: ArchiveEntry.optional().describe("What was there before, when it was replaced"),
  }),
  effects: "write",
  risk: "medium",
  phrases,
  slots,
  results,
  assess: async ({ from, to, overwrite }, { files }) => {
    assertBelowRoot(files.resolve(from).path);
    const source = await files.existing(from);
    const target = files.resolve(await destination(files, from, to));
    const taken = await files.state(target.path);
    const dropsExtension = extensionOf(source.path) !== "" && extensionOf(target.path) === "";
    if (
      !EXTENSIONLESS_NAME.test(nameOf(target.path)) &&
      source.kind === "file" &&
      taken.kind === "absent" &&
      dropsExtension
    )
      throw new InvalidArgsError(
        `There is no folder ${target.path}. Is it a folder to make, or the file's new name?`,
        {
          suggestions: [`${to}/`, `${to}${extensionOf(source.path)}`],
          context: { path: target.path, instead: [{ to: `${to}/` }] },
        },
      );
    const replaced = source.path !== target.path && taken.kind !== "absent";
    if (replaced && !overwrite) {
      throw new AlreadyExistsError(`${target.path} already exists.`, {
        suggestions: [await files.freePath(target.path)],
        context: {
          path: target.path,
          ...(taken.kind === "file" && source.kind === "file" && { instead: [{ overwrite: true }] }),
        },
      });
    }
    if (replaced && (taken.kind === "folder" || source.kind === "folder")) {
      throw new InvalidArgsError(`${target.path} cannot be replaced: folders are never overwritten.`);
    }
    const current = replaced ? await currentText(files, target.path) : undefined;
    const moved = replaced ? await currentText(files, source.path) : undefined;
    const paths = [policyPath(source), policyPath({ path: target.path, kind: source.kind })];
    // Moving out of an added folder, or into anything but out/, changes files that the person manages elsewhere.
    const atHome = target.root === "out" && ["out", "inbox"].includes(files.resolve(from).root);
    return {
      risk: replaced || !atHome ? "high" : "medium",
      preview: {
        title: replaced
          ? `Overwrite ${target.path} with ${source.path}?`
          : `Move ${source.path} to ${target.path}?`,
        target: target.path,
        ...(current &&
          moved && { diff: { ...textDiff(current, moved.text), clipped: current.clipped || moved.clipped } }),
        facts: [
          { label: "from", value: source.path },
          { label: "to", value: target.path },
          {
            label: "what",
            value:
              source.kind === "folder" ? "folder, with all that is in it" : formatCount(source.bytes, "byte"),
          },
          ...(replaced
            ? [{ label: "old file", value: `${formatCount(taken.bytes, "byte")}, kept in the archive` }]
            : []),
        ],
      },
      content: (signal) => files.content([source.path, target.path], signal),
      overwrites: replaced,
      paths,
      hosts: [],
      grant: { paths },
    };
  },
  narrate: ({ from, to, archived }) => {
    const kept = archived ? ", replacing the file that was there; the old one is in the archive" : "";
    return `Moved ${from} to ${to}${kept}.`;
  },
  run: async ({ from, to, overwrite }, call) => {
    const { ports, signal, runId, assessment } = call;
    const { files, archive } = ports;
    const verify = approvedContentCheck(call);
    const target = await destination(files, from, to);
    const replaces =
      overwrite && assessment.overwrites === true && (await files.state(target, signal)).kind === "file";
    if (!replaces) return await files.move(from, target, { overwrite: false, verify, signal });
    const archived = await archive.keepCopy(target, { runId, signal });
    return { ...(await files.move(from, target, { overwrite: true, verify, signal })), archived };
  },
});
