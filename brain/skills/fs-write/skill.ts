import { ArchiveEntry } from "@metahuman/core/contract/http";
import { AlreadyExistsError, InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { z } from "zod";
import { formatBytes } from "@metahuman/core/text/format";
import { keepingReplaced } from "@metahuman/core/workspace/archive";
import { isOtherText } from "../support/amendment.ts";
import { undoWrite } from "../support/reversal.ts";
import { approvedContentCheck, defineSkill } from "../define-skill.ts";
import { currentText, textDiff } from "../support/text-diff.ts";
import { emptyNote } from "../support/phrasing.ts";
import { MAX_TEXT, WorkspacePath } from "../support/workspace-path.ts";
import * as grammar from "./phrases.ts";

const sizeOf = (text: string): string => formatBytes(new TextEncoder().encode(text).length);

export const fsWrite = defineSkill({
  id: "fs_write",
  summary: "Write a text file",
  category: "files",
  input: z.strictObject({
    path: WorkspacePath,
    content: z.string().max(MAX_TEXT).describe("The whole text of the file; can be empty"),
    overwrite: z.boolean().default(false).describe("Replace an existing file; its old text is archived"),
  }),
  output: z.strictObject({
    path: z.string(),
    bytes: z.int().nonnegative(),
    created: z.boolean().describe("False if a file was replaced"),
    archived: ArchiveEntry.optional().describe("The old text, if a file was replaced"),
  }),
  effects: "write",
  risk: "low",
  ...grammar,
  assess: async ({ path, content, overwrite }, { files }) => {
    const { path: target, root } = files.resolve(path);
    const before = await files.state(target);
    const scope = {
      content: (signal: AbortSignal) => files.content([target], signal),
      paths: [target],
      hosts: [],
      grant: { pathPrefix: target },
    };
    const facts = [
      { label: "path", value: target },
      { label: "size", value: sizeOf(content) },
    ];
    switch (before.kind) {
      case "folder":
        throw new InvalidArgsError(`${target} is a folder, not a file.`, { context: { path: target } });
      case "absent": {
        const diff = textDiff({ text: "", clipped: false }, content);
        const preview = {
          title: `Create ${target}?`,
          target,
          diff,
          facts: [...facts, { label: "file", value: "new" }],
        };
        return { risk: root === "out" ? "low" : "high", preview, overwrites: false, ...scope };
      }
      case "file": {
        if (!overwrite) {
          throw new AlreadyExistsError(`${target} already exists.`, {
            suggestions: [
              await files.freePath(target),
              "To change the file, use fs_edit, or overwrite: true.",
            ],
            context: { path: target, instead: [{ overwrite: true }] },
          });
        }
        const current = await currentText(files, target);
        const old = {
          label: "old size",
          value: `${formatBytes(before.bytes)}${current ? "" : ", not text"}`,
        };
        const archiveFact = { label: "old text", value: "kept in the archive" };
        return {
          risk: "high",
          preview: {
            title: `Overwrite ${target}?`,
            target,
            ...(current && { diff: textDiff(current, content) }),
            facts: [...facts, old, archiveFact],
          },
          overwrites: true,
          ...scope,
        };
      }
      default:
        return before.kind satisfies never;
    }
  },
  reverse: undoWrite("path", ({ created }) => created === true),
  amend: ({ args: { content }, outputs }, { words }) =>
    typeof outputs.path === "string" && typeof content === "string" && isOtherText(words, content)
      ? [{ skill: "fs_write", args: { path: outputs.path, content: words, overwrite: true } }]
      : undefined,
  narrate: ({ path, bytes, created, archived }) => {
    const archiveNote = archived ? "; the old text is in the archive" : "";
    return created
      ? `Created ${path}${emptyNote(bytes)}.`
      : `Overwrote ${path}${emptyNote(bytes)}${archiveNote}.`;
  },
  run: async ({ path, content, overwrite }, call) => {
    const { ports, signal, runId, assessment } = call;
    const { files } = ports;
    const replaces =
      overwrite && assessment.overwrites === true && (await files.state(path, signal)).kind === "file";
    if (!replaces) return await files.writeText(path, content, { expect: "absent", signal });
    return await keepingReplaced(
      ports,
      path,
      { runId, verify: approvedContentCheck(call), signal },
      (verify) => files.writeText(path, content, { expect: "any", verify, signal }),
    );
  },
});
