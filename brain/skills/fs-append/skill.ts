import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { z } from "zod";
import { approvedContentCheck, defineSkill } from "../define-skill.ts";
import { textDiff } from "../support/text-diff.ts";
import { count, size } from "../support/wording.ts";
import { MAX_TEXT, WorkspacePath } from "../support/workspace-path.ts";
import * as speech from "./phrases.ts";

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
  ...speech,
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
          { label: "file", value: isNew ? "new" : `${count(before.bytes, "byte")} now` },
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
      : `Added text to the end of ${path}, now ${count(bytes, "byte")}.`,
  run: async ({ path, text }, call) =>
    await call.ports.files.appendText(path, text, {
      verify: approvedContentCheck(call),
      signal: call.signal,
    }),
});
