import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { z } from "zod";
import { formatCount } from "@metahuman/core/text/format";
import { approvedContentCheck, defineSkill } from "../define-skill.ts";
import { textDiff } from "../support/text-diff.ts";
import { size } from "../support/phrasing.ts";
import { MAX_TEXT, WorkspacePath } from "../support/workspace-path.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const byWords: Slot = { type: "reference", kind: "file", plain: true, sample: "shopping list" };

const phrases: readonly (string | Phrase)[] = [
  "append [text|line|words|sentence] {text} to [the (end|bottom) of] [file] {path}",
  {
    template: "append [the (contents|text) of] [file] {text} to [the (end|bottom) of] [file] {path}",
    slots: { text: { type: "path", standsForText: true } },
  },
  "add [new] [text|line|words|sentence] [saying|that says] {text} (to|in) [the (end|bottom) of] [file] {path}",
  "(put|write|insert|add|stick|pop|jot|tack) [text|line|words] {text} at the (end|bottom) of [file] {path}",
  {
    template: "(append|add) to [the (end|bottom) of] [file] {path} [text|line|words] {text}",
    slots: { text: "text" },
  },
  { template: "extend [file] {path} with [text|line|words] {text}", slots: { text: "text" } },
  {
    template: "(append|add) [text|line|words] {text} to [the (end|bottom) of] the {path} =file",
    slots: { path: byWords },
  },
];

const slots: Record<string, SlotType | Slot> = { path: "path", text: "wording" };

const results: Results = { path: "path" };

export const fsAppend = defineSkill({
  id: "fs_append",
  summary: "Add text at the end of a file",
  category: "files",
  input: z.strictObject({
    path: WorkspacePath,
    text: z.string().min(1).max(MAX_TEXT).describe("Starts on a line of its own"),
  }),
  output: z.strictObject({
    path: z.string(),
    bytes: z.int().nonnegative().describe("The size of the whole file afterwards"),
    created: z.boolean().describe("True when there was no such file before"),
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
    const isNew = before.kind === "absent";
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
      paths: [target],
      hosts: [],
      grant: { pathPrefix: target },
    };
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
