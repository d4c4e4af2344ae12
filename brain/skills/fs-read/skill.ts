import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { fenced } from "../markdown.ts";
import { count, glimpse, sentence } from "../support/wording.ts";
import { MAX_TEXT, WorkspacePath } from "../support/workspace-path.ts";
import * as speech from "./phrases.ts";

export const fsRead = defineSkill({
  id: "fs_read",
  summary: "Read a text file",
  category: "files",
  input: z.strictObject({
    path: WorkspacePath,
    maxBytes: z
      .int()
      .positive()
      .max(MAX_TEXT)
      .default(64_000)
      .describe("Read no more than the first so many bytes"),
  }),
  output: z.strictObject({
    path: z.string(),
    content: z.string(),
    bytes: z.int().nonnegative().describe("The size of the whole file"),
    truncated: z.boolean(),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  ...speech,
  narrate: ({ path, content, bytes, truncated }) => {
    if (bytes === 0) return `${path} is empty.`;
    const part = truncated
      ? `the beginning of ${path} (${count(bytes, "byte")} in all)`
      : `${path} (${count(bytes, "byte")})`;
    return `Read ${part}: ${sentence(glimpse(content))}`;
  },
  structure: ({ path, content, bytes, truncated }) =>
    `- path: ${path}\n- bytes: ${bytes}${truncated ? "\n- only the beginning was read" : ""}\n\n${bytes === 0 ? "The file is empty." : fenced(content)}`,
  run: async ({ path, maxBytes }, { ports, signal }) =>
    await ports.files.readText(path, { maxBytes, signal }),
});
