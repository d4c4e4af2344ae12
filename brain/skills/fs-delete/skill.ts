import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { formatBytes, formatCount } from "@metahuman/core/text/format";
import type { FileState, WorkspaceFiles } from "@metahuman/core/workspace/files";
import { z } from "zod";
import { fileByWords } from "../support/file-by-words.ts";
import { Removed, RESTORABLE, restoreRemoved } from "../support/reversal.ts";
import { approvedContentCheck, defineSkill } from "../define-skill.ts";
import { currentText, textDiff } from "../support/text-diff.ts";
import { joinNames } from "../support/phrasing.ts";
import { assertBelowRoot, policyPath, WorkspacePath } from "../support/workspace-path.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** A folder by its bare name, except ambiguous words. */
const bare: Slot = {
  type: "folder",
  sample: "drafts",
  except:
    "task tasks file files folder folders note memory memories list reminder all everything todo agent yourself".split(
      " ",
    ),
};

const remove =
  "(delete|rm|discard|bin|destroy|kill|unlink|get rid of|throw away|throw out|chuck out|chuck|scrap|wipe|dispose of|throw)";

const phrases: readonly (string | Phrase)[] = [
  `${remove} [file [called]] {path} [away]`,
  `${remove} {path} (for good|forever|permanently|completely)`,
  "(throw|put|move|chuck) [file] {path} (away|out|(in|into|to) the (bin|trash|wastebasket|archive bin))",
  // "Take it out" after a text was added means the text.
  "(take|clear) file [called] {path} (away|out)",
  {
    template:
      "[=the] [file] {path} (can go|can be deleted|can be removed|can be thrown away|can be binned|should be deleted|should be removed|should go away|must go|has to go|is not needed anymore|is no longer needed) [now|away] [. (delete|remove) it|. (can|could) you (delete|remove) it]",
    mayStartWithSlot: true,
  },
  {
    template:
      "I (do not need|no longer need|have no use for) [file] {path} [anymore|any more|any longer] (.|and|so|:) [please|you can|can you|could you] (delete|remove|get rid of|throw away) it",
  },
  {
    template: `${remove} the {path} =file`,
    slots: { path: fileByWords },
  },
  {
    template: `(${remove}|delete) {path}`,
    slots: {
      path: {
        type: "reference",
        kind: "file",
        onlyEvery: true,
        confirm: "Delete these files? {}",
        sample: "all the csv files",
      },
    },
  },
  { template: "delete the folder [called] {path}", slots: { path: "folder" }, args: { recursive: true } },
  { template: "delete {path}", slots: { path: bare }, args: { recursive: true } },
  {
    template: `${remove} the [whole|entire|complete] {path} folder`,
    slots: { path: "folder" },
    args: { recursive: true },
  },
  {
    template: `${remove} (everything|all of it|all [of] my files|all files|all the files)`,
    asks: { path: "Which file or folder should be deleted?" },
  },
  { template: `${remove} (a|the|my|this|that) file`, asks: { path: "Which file should be deleted?" } },
  {
    template: "(delete|remove|erase) [something]",
    asks: { path: "Which file or folder should be deleted?" },
    lastResort: true,
  },
];

const slots: Record<string, SlotType | Slot> = { path: "path" };

const results: Results = {};

/** The preview of a deletion: a file's text, or the content of a folder. */
async function deletionPreview(files: WorkspaceFiles, { path, kind, bytes }: FileState) {
  if (kind === "folder") {
    const { entries, total } = await files.list(path, { recursive: true, limit: 20 });
    const below = entries.map(
      (entry) => entry.path.slice(path.length + 1) + (entry.kind === "folder" ? "/" : ""),
    );
    return {
      facts: [
        {
          label: "contains",
          value:
            total === 0 ? "nothing" : `${formatCount(total, "entry", "entries")}: ${joinNames(below, total)}`,
        },
      ],
    };
  }
  const current = await currentText(files, path);
  const size = { label: "size", value: `${formatBytes(bytes)}${current ? "" : ", not text"}` };
  return { facts: [size], ...(current && bytes > 0 && { diff: textDiff(current, "") }) };
}

export const fsDelete = defineSkill({
  id: "fs_delete",
  summary: "Delete a file or folder, into the archive",
  category: "files",
  input: z.strictObject({
    path: WorkspacePath,
    recursive: z
      .boolean()
      .default(false)
      .describe("Required for a folder, which is deleted with its contents"),
  }),
  output: z.strictObject({
    path: z.string(),
    removed: Removed,
  }),
  effects: "write",
  risk: "high",
  phrases,
  slots,
  results,
  assess: async ({ path, recursive }, { files }) => {
    assertBelowRoot(files.resolve(path).path);
    const found = await files.existing(path);
    if (found.kind === "folder" && !recursive) {
      throw new InvalidArgsError(`${found.path} is a folder.`, {
        suggestions: ["Set recursive to true to delete the folder with its contents."],
        context: { path: found.path, instead: [{ recursive: true }] },
      });
    }
    const { facts, diff } = { diff: undefined, ...(await deletionPreview(files, found)) };
    return {
      risk: "high",
      preview: {
        title: found.kind === "folder" ? `Delete the folder ${found.path}/?` : `Delete ${found.path}?`,
        target: found.path,
        ...(diff && { diff }),
        facts: [{ label: "path", value: found.path }, ...facts, RESTORABLE],
      },
      content: (signal) => files.content([found.path], signal),
      paths: [policyPath(found)],
      hosts: [],
      grant: { pathPrefix: policyPath(found) },
    };
  },
  reverse: restoreRemoved,
  narrate: ({ path }) => `Deleted ${path}; it can be restored from the archive.`,
  structure: ({ path, removed }) => `- path: ${path}\n- archived as: ${removed.id}`,
  run: async ({ path, recursive }, call) => {
    const { ports, signal, runId } = call;
    const found = await ports.files.existing(path, signal);
    return await ports.archive.removeFile(found.path, {
      recursive,
      runId,
      verify: approvedContentCheck(call),
      signal,
    });
  },
});
