import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConflictError, InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { Repository } from "./repository.ts";
import { DIFF_OPTIONS, runGit, hardenedGit } from "./hardened-git.ts";

/** A commit that could be made now. */
export interface CommitPreview {
  repository: string;
  /** Its tree. Equal trees have the same files with the same bytes. */
  tree: string;
  /** A unified diff from the last commit. */
  diff: string;
  truncated: boolean;
  /** The files that differ from the last commit, with git's hash of their content. */
  files: { path: string; hash: string }[];
}

/** Names have git's form: relative to the top of the repository. */
export async function previewCommit(
  repository: Repository,
  names: readonly string[],
  maxBytes: number,
): Promise<CommitPreview> {
  return await inOwnIndex(repository, { keepsObjects: false }, async (own) => {
    const { tree } = await writeTree(own, names);
    const changes = await readChanges(own);
    const { stdout, clipped } = await runGit(["diff", "--cached", ...DIFF_OPTIONS], own, maxBytes);
    return {
      repository: repository.path,
      tree,
      diff: stdout,
      truncated: clipped,
      files: changes.map(({ name, hash }) => ({ path: `${repository.path}/${name}`, hash })),
    };
  });
}

/**
 * Commits the files in their current state and returns the commit's name. With `tree`, throws `ConflictError` unless
 * they form that tree.
 */
export async function makeCommit(
  repository: Repository,
  names: readonly string[],
  {
    message,
    tree,
    env,
  }: { message: string; tree: string | undefined; env: Readonly<Record<string, string>> },
): Promise<string> {
  await assertNothingUnderWay(repository);
  const { commit, head } = await inOwnIndex(repository, { keepsObjects: true }, async (own) => {
    const written = await writeTree(own, names);
    if (tree !== undefined && written.tree !== tree)
      throw new ConflictError("The files changed after the commit was approved; nothing was committed.", {
        suggestions: ["Make the call again to request approval for the files as they are now."],
      });
    await readChanges(own);
    const parent = written.head === undefined ? [] : ["-p", written.head];
    const { stdout } = await runGit(
      ["commit-tree", "--no-gpg-sign", ...parent, "-m", cleanMessage(message), written.tree],
      { ...own, call: { ...own.call, env: { ...own.call.env, ...env } } },
    );
    return { commit: stdout.trim(), head: written.head };
  });
  // Before the branch moves, because another git process may hold the index; then nothing is committed.
  await runGit(["reset", "--quiet", commit, "--", ...names], repository);
  const log = `commit: ${message.split("\n", 1)[0] ?? ""}`;
  // With the old value, the update fails if another commit was made meanwhile.
  await runGit(["update-ref", "-m", log, "HEAD", commit, head ?? ""], {
    ...repository,
    call: { ...repository.call, env },
  });
  return commit;
}

/** Runs `use` with a temporary index. Without `keepsObjects`, its objects are deleted with the index. */
async function inOwnIndex<Result>(
  repository: Repository,
  { keepsObjects }: { keepsObjects: boolean },
  use: (own: Repository) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "mh-git-"));
  try {
    const objects = join(repository.call.cwd, ".git", "objects");
    const env = {
      GIT_INDEX_FILE: join(folder, "index"),
      ...(!keepsObjects && {
        GIT_OBJECT_DIRECTORY: join(folder, "objects"),
        // Quoted, because a colon in a path would end it.
        GIT_ALTERNATE_OBJECT_DIRECTORIES: `"${objects.replace(/["\\]/gu, "\\$&")}"`,
      }),
    };
    if (!keepsObjects) await mkdir(join(folder, "objects"));
    return await use({ ...repository, call: { ...repository.call, env } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the tree of the last commit with these files in their current state. */
async function writeTree(
  own: Repository,
  names: readonly string[],
): Promise<{ tree: string; head?: string }> {
  const found = await hardenedGit(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], own.call);
  const head = found.exitCode === 0 ? found.stdout.trim() : undefined;
  await runGit(["read-tree", head ?? "--empty"], own);
  await runGit(["add", "--all", "--", ...names], own);
  const tree = (await runGit(["write-tree"], own)).stdout.trim();
  return head === undefined ? { tree } : { tree, head };
}

/** Returns the changes of an index from the last commit. Throws `InvalidArgsError` if there are none. */
async function readChanges(own: Repository): Promise<{ name: string; hash: string }[]> {
  const { stdout } = await runGit(["diff", "--cached", "--raw", "--no-abbrev", "-z", ...DIFF_OPTIONS], own);
  const parts = stdout.split("\0");
  const changes: { name: string; hash: string }[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [, , , hash = ""] = (parts[index] ?? "").split(" ");
    changes.push({ name: parts[index + 1] ?? "", hash });
  }
  if (changes.length === 0)
    throw new InvalidArgsError("Nothing in these files has changed since the last commit.");
  return changes;
}

/** A commit of some files would conclude a merge without the others. */
async function assertNothingUnderWay(repository: Repository): Promise<void> {
  for (const [ref, what] of [
    ["MERGE_HEAD", "merge"],
    ["CHERRY_PICK_HEAD", "cherry-pick"],
    ["REVERT_HEAD", "revert"],
  ] as const) {
    const found = await hardenedGit(["rev-parse", "--verify", "--quiet", ref], repository.call);
    if (found.exitCode === 0)
      throw new InvalidArgsError(`A ${what} is under way in ${repository.path}/: finish or abort it first.`, {
        context: { repository: repository.path },
      });
  }
}

/** Formats a message like `git commit --cleanup=whitespace`. */
function cleanMessage(message: string): string {
  return message
    .replace(/[ \t\r]+$/gmu, "")
    .replace(/\n{3,}/gu, "\n\n")
    .trim();
}
