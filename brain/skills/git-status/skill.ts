import { z } from "zod";
import { formatCount } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { table } from "../markdown.ts";
import { joinNames } from "../support/phrasing.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const roots = ["out", "inbox"];

const repository = "[=git] (repository|repo|=git|working tree|checkout|codebase|code base)";
const where = `[(in|of|for|inside) [the] [folder|repository|repo] {path} [folder|repository|repo]]`;
const changed =
  "(changed|modified|uncommitted|new|unsaved|untracked|unstaged|staged|dirty|different|to commit|not committed)";

const phrases: readonly (string | Phrase)[] = [
  `[show [me]|run|check|give me|do] [the] [a] =git status ${where}`,
  `(show|check|give|tell|see) [me] [the] (status|state) of [the] ${repository} [{path}]`,
  `[show [me]] [the] status of the (repository|repo) {path}`,
  `what is the (status|state) of [the|my|our] ${repository} [{path}]`,
  `(how does|what does) [the|my] ${repository} look [like]`,
  `what (has|have|is) (changed|new|modified|different) [in|inside|with] [the|my] ${repository} [{path}]`,
  `(is|are|are there|is there|do I have|have I got|do we have|any) [there] [any|anything|something] ${changed} (files|file|changes|work|things|stuff) [(in|inside|for)] [[the|my] ${repository}] [{path}]`,
  `(any|are there any|do I have any|have I got any) [new|recent] (changes|edits|modifications) (in|inside|to) [the|my] ${repository} [{path}]`,
  `(is|has) [there] (anything|something) ${changed} [in|inside] [the|my] ${repository}`,
  `(anything|something) ${changed} (in|inside) [the|my] ${repository}`,
  `(what|which) files [are|have|have been|did I|is] ${changed} [in|inside] [the|my] ${repository} [{path}]`,
  `(what|which) files (have I|did I|have we|did we) (change|changed|edit|edited|modify|modified|touch|touched) (in|inside) [the|my] ${repository} [since the last commit|so far|yet]`,
  `(have I|did I|have we|did we) (change|changed|edit|edited|modify|modified|touch|touched) (any|some) files (in|inside) [the|my] ${repository} [since the last commit|so far|yet]`,
  `(what|which) [of my] files (are|have|have been|did I) (uncommitted|untracked|unstaged|staged|not committed|modified in git)`,
  `(is|was) [the|my] ${repository} [{path}] (clean|dirty|changed|up to date) [now]`,
  `(what|which) [=git] branch (am I on|are we on|is this|is checked out|is it|is active|do I use|is current|I am on|we are on) [in [the] ${repository}] [now|currently]`,
  `(what is|tell me|show me|show) [the] [name of] [the] [my] [current] [=git] branch [(in|of) [the] ${repository}]`,
  `on (which|what) [=git] branch (am I|are we)`,
  `(which|what) [=git] branch`,
  `(check|look at) [the|my] ${repository} [{path}] [and (tell|show) me (which branch I am on|what branch I am on|what changed|what has changed|the branch|the changes|the status)]`,
  "(anything|something) (uncommitted|unstaged|untracked|not committed|to commit)",
  `what changed (in|inside) [the|my] ${repository}`,
  `did (I|anything|something) change [anything|something] in [the|my] ${repository}`,
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
    path: WorkspacePath.default("out").describe("The repository's folder, or a path inside it"),
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
      : `${repository}/ is on ${branch} with ${formatCount(changes.length, "change")}: ${joinNames(changes.map(({ path }) => path))}.`,
  structure: ({ branch, changes, repository }) => {
    const where = `- repository: ${repository}/\n- branch: ${branch}`;
    if (changes.length === 0) return `${where}\n- nothing changed`;
    const rows = changes.map(({ path, change, staged }) => [path, change, staged ? "staged" : ""]);
    return `${where}\n\n${table(["file", "change", "for the next commit"], rows)}`;
  },
  run: async ({ path }, { ports, signal }) => await ports.git.status(path, signal),
});
