import { FileNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { z } from "zod";
import { emptyNote } from "../support/phrasing.ts";
import { defineSkill } from "../define-skill.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

/** A folder, or a bare word called a folder. */
const folder: Record<string, Slot> = { path: { type: "folder", sample: "drafts" } };

const phrases: readonly (string | Phrase)[] = [
  "does [the] [file] [called] {path} [already|still] exist",
  "is there [already|still] (a|any) (file|document) [called|named] {path}",
  "is [the] [file] {path} [still|already] (there|here)",
  "(do|have) I [still|already] [have|got] a (file|document) [called|named] {path}",
  {
    template: "(do|have) I [still|already] [have|got] [a|the] [file] {path} [somewhere|anywhere|left]",
    slots: { path: { type: "path", like: /\.\p{L}[\p{L}\p{N}]*$/u, sample: "notes/today.md" } },
  },
  "(check|see|tell me|find out) (if|whether) [the] [file] {path} [already|still] exists",
  "(check|see|tell me|find out) (if|whether) there is a (file|document) [called|named] {path}",
  "is there [already|still] (anything|something) (called|named) {path}",
  "(is|are) {path} [still|already] (around|present|available|in place|gone|missing|deleted|saved)",
  "was {path} (created|deleted|removed|saved|made|moved)",
  "is [file] {path} [already|yet] (created|deleted|removed|saved|made|moved|gone|done)",
  {
    template:
      "(is there|do I have|have I) [already|still|got] a file (called|named) {path} (in|inside|under) [folder] {folder} [folder]",
    slots: { path: { type: "filename", named: true, sample: "today.md" }, folder: { type: "folder" } },
    join: { path: ["folder", "path"] },
  },
  {
    template:
      "does [the] [folder] {folder} [folder] [already|still] (contain|have|hold|include) a file (called|named) {path} [in it]",
    slots: { path: { type: "filename", named: true, sample: "today.md" }, folder: { type: "folder" } },
    join: { path: ["folder", "path"] },
  },
  {
    template:
      "(is there|do I have|have I got|is) [already|still] [a|an|any] [file] {path} [already|still] (in|inside|under) [folder] {folder} [folder]",
    slots: {
      path: { type: "path", like: /^[^/]*\.\p{L}\w*$/u, sample: "today.md" },
      folder: { type: "folder", sample: "notes/" },
    },
    join: { path: ["folder", "path"] },
    lastResort: true,
  },
  { template: "does the folder [called] {path} [already|still] exist", slots: folder },
  { template: "does the {path} folder [already|still] exist", slots: folder },
  { template: "is there [already|still] a folder [called|named] {path}", slots: folder },
  { template: "do I [still|already] have a folder [called|named] {path}", slots: folder },
];

const slots: Record<string, SlotType | Slot> = { path: { type: "path", sample: "notes/today.md" } };

/** A path that may not exist is not a usable result. */
const results: Results = {};

export const fsExists = defineSkill({
  id: "fs_exists",
  summary: "Check whether a file or folder exists",
  category: "files",
  input: z.strictObject({ path: WorkspacePath }),
  output: z.strictObject({
    path: z.string(),
    kind: z.enum(["absent", "file", "folder"]),
    bytes: z.int().nonnegative(),
    nearest: z.array(z.string()).describe("Files with similar names, if it does not exist"),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  phrases,
  slots,
  results,
  checks: { path: "path", isThere: ({ kind }) => kind !== "absent" },
  narrate: existenceText,
  structure: existenceText,
  run: async ({ path }, { ports: { files }, signal }) => {
    try {
      return { ...(await files.existing(path, signal)), nearest: [] };
    } catch (error) {
      if (!(error instanceof FileNotFoundError)) throw error;
      return {
        path: files.resolve(path).path,
        kind: "absent" as const,
        bytes: 0,
        nearest: [...error.suggestions],
      };
    }
  },
});

function existenceText({
  path,
  kind,
  bytes,
  nearest,
}: {
  path: string;
  kind: "absent" | "file" | "folder";
  bytes: number;
  nearest: readonly string[];
}): string {
  switch (kind) {
    case "file":
      return `Yes, ${path} is there${emptyNote(bytes)}.`;
    case "folder":
      return `Yes, ${path}/ is there; it is a folder.`;
    case "absent":
      return nearest.length === 0
        ? `No, there is nothing at ${path}.`
        : `No, there is nothing at ${path}. There is ${nearest.join(", ")}.`;
    default:
      return kind satisfies never;
  }
}
