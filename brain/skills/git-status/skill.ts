import { z } from "zod";
import { formatCount } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { table } from "../markdown.ts";
import { named } from "../support/phrasing.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const roots = ["out", "inbox"];

const phrases: readonly (string | Phrase)[] = [
  "[show [me]] [the] =git status [(in|of|for) [the] [folder|repository|repo] {path} [folder|repository|repo]]",
  "[show [me]] [the] status of the (repository|repo) {path}",
  "what (has|have) changed in the [=git] (repository|repo) {path}",
];

const slots: Record<string, SlotType | Slot> = {
  path: { type: "folder", known: roots, sample: "out/site" },
};

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
  phrases,
  slots,
  narrate: ({ branch, changes, repository }) =>
    changes.length === 0
      ? `${repository}/ is on ${branch}; nothing changed.`
      : `${repository}/ is on ${branch} with ${formatCount(changes.length, "change")}: ${named(changes.map(({ path }) => path))}.`,
  structure: ({ branch, changes, repository }) => {
    const where = `- repository: ${repository}/\n- branch: ${branch}`;
    if (changes.length === 0) return `${where}\n- nothing changed`;
    const rows = changes.map(({ path, change, staged }) => [path, change, staged ? "staged" : ""]);
    return `${where}\n\n${table(["file", "change", "for the next commit"], rows)}`;
  },
  run: async ({ path }, { ports, signal }) => await ports.git.status(path, signal),
});
