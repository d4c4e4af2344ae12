import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { formatCount } from "@metahuman/core/text/format";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import { linePreview, joinNames } from "../support/phrasing.ts";
import type { Phrase, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const phrases: readonly (string | Phrase)[] = [
  "[=git] commit [file|files] {files} (with|using) [the] (message|comment) {message}",
  "[=git] commit [file|files] {files} : {message}",
];

const slots: Record<string, SlotType | Slot> = {
  files: { type: "path", list: true, sample: "site/index.md" },
  message: { type: "text", sample: "'Say where the ferry leaves'" },
};

const Files = z
  .union([
    z.array(WorkspacePath).min(1).max(200),
    // A single file becomes a list of one.
    WorkspacePath.transform((path) => [path]),
  ])
  .describe("The files to commit, deleted ones included; no folders");

/** Time limit of the commit preview, in milliseconds. */
const PREVIEW_MS = 20_000;
/** Maximum size of the diff in a preview, in bytes. */
const MAX_PREVIEW_BYTES = 20_000;
/** Maximum number of files with their own hash in an approval; the tree hash covers all. */
const MAX_REVIEWED = 100;

/** Rejects folders, whose content could be outside the allowed paths. */
async function canonical(given: readonly string[], files: WorkspaceFiles): Promise<[string, ...string[]]> {
  const paths: string[] = [];
  for (const path of given) {
    const state = await files.state(path);
    if (state.kind === "folder")
      throw new InvalidArgsError(`${state.path} is a folder: name its files.`, {
        context: { path: state.path },
      });
    paths.push(state.path);
  }
  const [first, ...others] = paths;
  if (first === undefined) throw new InvalidArgsError("There is no file to commit.");
  return [first, ...others];
}

export const gitCommit = defineSkill({
  id: "git_commit",
  summary: "Commit files to their git repository",
  category: "git",
  input: z.strictObject({ message: z.string().trim().min(1).max(5_000), files: Files }),
  output: z.strictObject({
    commit: z.string().describe("The full hash of the commit"),
    branch: z.string(),
    repository: z.string(),
    files: z.array(z.string()),
  }),
  effects: "write",
  risk: "high",
  notes: "Hooks and signing are switched off. Nothing is sent anywhere.",
  phrases,
  slots,
  assess: async ({ message, files: given }, { files, git }) => {
    const paths = await canonical(given, files);
    // A commit that would fail is rejected before approval.
    const commit = await git.previewCommit(paths, {
      maxBytes: MAX_PREVIEW_BYTES,
      signal: AbortSignal.timeout(PREVIEW_MS),
    });
    return {
      risk: "high",
      preview: {
        title: `Commit ${paths.length === 1 ? paths[0] : formatCount(paths.length, "file")}?`,
        target: paths[0],
        patch: { text: commit.diff, clipped: commit.truncated },
        facts: [
          { label: "message", value: message },
          { label: "repository", value: commit.repository },
          ...paths.map((value) => ({ label: "file", value })),
        ],
      },
      content: async () => ({ hash: commit.tree, files: commit.files.slice(0, MAX_REVIEWED) }),
      paths,
      hosts: [],
      grant: paths.length === 1 ? { pathPrefix: paths[0] } : { paths },
    };
  },
  narrate: ({ commit, branch, files }) =>
    `Committed ${joinNames(files)} to ${branch} as ${linePreview(commit).slice(0, 10)}.`,
  run: async ({ message, files }, { ports, approvedContent, signal }) =>
    await ports.git.commit(await canonical(files, ports.files), {
      message,
      signal,
      ...(approvedContent !== undefined && { tree: approvedContent }),
    }),
});
