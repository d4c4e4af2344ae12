import { z } from "zod";
import { formatCount } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { codeBlock } from "../markdown.ts";
import { joinNames } from "../support/phrasing.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { textField } from "../outputs.ts";

const repository = "[=git] (repository|repo|=git|working tree|codebase|code|code base)";
const where = "[(in|of|for) [file|folder|repository|repo] {path}]";

const phrases: readonly (string | Phrase)[] = [
  `[show [me]|run|do|give me] [the] [a] =git diff ${where}`,
  `[show|give|print|see|run|get|do] [me] [the] [current] [=git] diff ${where}`,
  `=git diff (of|for|in) [the|my] ${repository}`,
  `(show|give|print|see|get) [me] [the] [current] diff (of|for|in) [the|my] ${repository}`,
  {
    template: `[show [me]] [the] staged =git diff ${where}|[show [me]] [the] diff of [the] staged (changes|files)|what (is|have I) staged`,
    args: { staged: true },
  },
  `(show|give|see|list|print) [me] [the|my|all] [the] [exact] [uncommitted|code|line by line] (changes|edits|differences) (in|to|of|since|made to) [the|my] ${repository} [since the last commit]`,
  `(show|give|see|print) [me] [the|my|all] [code|recent] changes (as|in) a diff`,
  `(show|give|see|list|print) [me] [the|my|all] uncommitted (changes|edits|differences|lines) (line by line|in detail|exactly|in full)`,
  `what [exactly|precisely] (did I|have I|has been|was|were) (change|changed|edit|edited|modify|modified|touch|touched) (in|inside) [the|my] ${repository} [. (show|give|tell) me [the] (changes|diff|lines|edits)]`,
  `(what|which) lines (did I change|have I changed|are different|changed|have changed|differ) ${where}`,
  `what (are|is) the (changes|differences|difference) (since|to|against) [the|my] last commit`,
  `(show|what changed|what has changed|what did I change|what have I changed) [me] [the changes] since [the|my] last commit`,
  `(compare) [the|my] ${repository} (with|to) [the|my] last commit`,
];

const slots: Record<string, SlotType | Slot> = { path: { type: "path", sample: "out/site/index.md" } };

const results: Results = {
  text: (outputs) => (outputs.truncated === true ? undefined : textField(outputs, "diff")),
};

const MAX_BYTES = 200_000;

export const gitDiff = defineSkill({
  id: "git_diff",
  summary: "Show the changed lines of a git repository",
  category: "git",
  input: z.strictObject({
    path: WorkspacePath.default("out").describe("The repository's folder, or a path inside it"),
    staged: z.boolean().default(false).describe("Staged changes instead of unstaged ones"),
  }),
  output: z.strictObject({
    diff: z.string(),
    files: z.array(z.string()),
    repository: z.string(),
    truncated: z.boolean(),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  notes: "Untracked files are only in git_status.",
  phrases,
  slots,
  results,
  narrate: ({ files, repository, truncated }) =>
    files.length === 0
      ? `There are no changes in ${repository}/.`
      : `${formatCount(files.length, "file differs", "files differ")} in ${repository}/: ${joinNames(files)}${truncated ? "; only the first part is shown" : ""}.`,
  structure: ({ diff, files, repository, truncated }) =>
    files.length === 0
      ? `There are no changes in ${repository}/.`
      : `${files.map((file) => `- ${file}`).join("\n")}${truncated ? "\n- only the beginning is shown" : ""}\n\n${codeBlock(diff)}`,
  run: async ({ path, staged }, { ports, signal }) =>
    await ports.git.diff(path, { staged, maxBytes: MAX_BYTES, signal }),
});
