import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { table } from "../markdown.ts";
import { count, named } from "../support/wording.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import * as speech from "./phrases.ts";

const Change = z.strictObject({
  path: z.string(),
  change: z.enum(["added", "modified", "deleted", "renamed", "untracked", "conflicted"]),
  staged: z.boolean(),
});

export const gitStatus = defineSkill({
  id: "git_status",
  summary: "Show what changed in a git repository",
  category: "git",
  input: z.strictObject({
    path: WorkspacePath.default("out").describe("The repository's folder, or anything in it"),
  }),
  output: z.strictObject({ branch: z.string(), changes: z.array(Change), repository: z.string() }),
  effects: "read",
  risk: "low",
  idempotent: true,
  ...speech,
  narrate: ({ branch, changes, repository }) =>
    changes.length === 0
      ? `${repository}/ is on ${branch}; nothing changed.`
      : `${repository}/ is on ${branch} with ${count(changes.length, "change")}: ${named(changes.map(({ path }) => path))}.`,
  structure: ({ branch, changes, repository }) => {
    const where = `- repository: ${repository}/\n- branch: ${branch}`;
    if (changes.length === 0) return `${where}\n- nothing changed`;
    const rows = changes.map(({ path, change, staged }) => [path, change, staged ? "staged" : ""]);
    return `${where}\n\n${table(["file", "change", "for the next commit"], rows)}`;
  },
  run: async ({ path }, { ports, signal }) => await ports.git.status(path, signal),
});
