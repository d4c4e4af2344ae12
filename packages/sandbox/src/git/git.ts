import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import type { WorkspaceFolders } from "@metahuman/core/workspace/workspace-folders";
import { type CommitPreview, makeCommit, previewCommit } from "./commit.ts";
import { openRepository, type Repository } from "./repository.ts";
import { DIFF_OPTIONS, userSetting, runGit, hardenedGit } from "./hardened-git.ts";

export interface GitStatus {
  /** The workspace path of the repository's folder. */
  repository: string;
  /** `(detached)` if no branch is checked out. */
  branch: string;
  changes: GitChange[];
}

export interface GitDiff {
  repository: string;
  diff: string;
  /** Workspace paths of all files that differ, including those whose lines are clipped. */
  files: string[];
  truncated: boolean;
}

export interface GitCommit {
  repository: string;
  branch: string;
  /** The full hash of the commit. */
  commit: string;
  files: string[];
}

/**
 * Git repositories inside the workspace. `path` is the repository or anything in it. Protected files are neither
 * named nor shown. Throws `InvalidArgsError` if there is no repository, `PathOutsideWorkspaceError` for a repository
 * with parts outside the workspace, and `NotFoundError` if git is not installed.
 */
export interface Git {
  status(path: string, signal: AbortSignal): Promise<GitStatus>;
  /** Returns the changes since staging; with `staged`, the staged changes since the last commit. */
  diff(path: string, options: { staged: boolean; maxBytes: number; signal: AbortSignal }): Promise<GitDiff>;
  /**
   * Returns what `commit` would do now, without writing to the repository. Throws `InvalidArgsError` if nothing
   * changed.
   */
  previewCommit(
    files: readonly [string, ...string[]],
    options: { maxBytes: number; signal: AbortSignal },
  ): Promise<CommitPreview>;
  /**
   * Commits these files in their current state, but no other staged files. With `tree`, commits exactly what was
   * previewed, and throws `ConflictError` otherwise.
   */
  commit(
    files: readonly [string, ...string[]],
    options: { message: string; tree?: string; signal: AbortSignal },
  ): Promise<GitCommit>;
}

export interface GitOptions {
  files: WorkspaceFiles;
  folders: WorkspaceFolders;
  /** The user's home folder, which contains the git identity. */
  home: string | undefined;
}

/** Uses the git that is installed on this machine. */
export function createGit({ files, folders, home }: GitOptions): Git {
  /** Returns the nearest existing folder at or above a path, which may be deleted. */
  async function folderOf(path: string, signal: AbortSignal): Promise<string> {
    for (let index = files.resolve(path).path; ; index = index.slice(0, index.lastIndexOf("/"))) {
      if ((await files.state(index, signal)).kind === "folder") return index;
    }
  }

  async function inRepository<Result>(
    path: string,
    signal: AbortSignal,
    use: (repository: Repository) => Promise<Result>,
  ): Promise<Result> {
    const folder = await folderOf(path, signal);
    return folders.within(
      folder,
      async (openedFolder) => use(await openRepository(openedFolder, { home, signal })),
      signal,
    );
  }

  async function identity({ call }: Repository): Promise<Record<string, string>> {
    const setting = async (name: string) => {
      const local = await hardenedGit(["config", "--get", name], call);
      if (local.exitCode === 0 && local.stdout.trim() !== "") return local.stdout.trim();
      return call.home === undefined ? undefined : userSetting(name, { ...call, home: call.home });
    };
    const name = (await setting("user.name")) ?? "MetaHuman OS";
    const email = (await setting("user.email")) ?? "metahuman@localhost";
    return {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
    };
  }

  return {
    status: (path, signal) =>
      inRepository(path, signal, async (repository) => {
        const options = ["--porcelain=v2", "--branch", "-z", "--no-renames", "--untracked-files=all"];
        const { stdout } = await runGit(["status", ...options, "--ignore-submodules=all"], repository);
        const { branch, changes } = readStatus(stdout);
        const shown = changes.flatMap((change) => {
          const place = repository.toWorkspace(change.path);
          return place === undefined ? [] : [{ ...change, path: place }];
        });
        return { repository: repository.path, branch, changes: shown };
      }),

    diff: (path, { staged, maxBytes, signal }) =>
      inRepository(path, signal, async (repository) => {
        const args = ["diff", ...(staged ? ["--cached"] : []), ...DIFF_OPTIONS] as const;
        const whole = files.resolve(path).path;
        const only = whole === repository.path ? [] : [repository.toGit(whole)];
        const named = await runGit([...args, "--name-only", "-z", "--", ...only], repository);
        const names = named.stdout
          .split("\0")
          .filter((name) => name !== "" && repository.toWorkspace(name) !== undefined);
        const shown = names.flatMap((name) => repository.toWorkspace(name) ?? []);
        if (names.length === 0)
          return { repository: repository.path, diff: "", files: shown, truncated: false };
        const { stdout, clipped } = await runGit(
          [...args, "--", ...names.slice(0, MAX_FILES)],
          repository,
          maxBytes,
        );
        return {
          repository: repository.path,
          diff: stdout,
          files: shown,
          truncated: clipped || names.length > MAX_FILES,
        };
      }),

    previewCommit: (paths, { maxBytes, signal }) =>
      inRepository(paths[0], signal, (repository) =>
        previewCommit(
          repository,
          paths.map((path) => repository.toGit(files.resolve(path).path)),
          maxBytes,
        ),
      ),

    commit: (paths, { message, tree, signal }) =>
      inRepository(paths[0], signal, async (repository) => {
        const whole = paths.map((path) => files.resolve(path).path);
        const names = whole.map((path) => repository.toGit(path));
        const env = await identity(repository);
        const commit = await makeCommit(repository, names, { message, tree, env });
        const branch = await runGit(["rev-parse", "--abbrev-ref", "HEAD"], repository);
        return { repository: repository.path, branch: branch.stdout.trim(), commit, files: whole };
      }),
  };
}

/** The maximum number of files in a diff; more do not fit into one command. */
const MAX_FILES = 200;

interface GitChange {
  /** The workspace path. */
  path: string;
  change: "added" | "modified" | "deleted" | "renamed" | "untracked" | "conflicted";
  /** Whether the change, or a part of it, is staged. */
  staged: boolean;
}

/** Parses the output of `status --porcelain=v2 --branch -z --no-renames`. */
function readStatus(text: string): { branch: string; changes: GitChange[] } {
  let branch = "";
  const changes: GitChange[] = [];
  for (const line of text.split("\0")) {
    const [kind = "", state = ""] = line.split(" ", 2);
    if (line.startsWith("# branch.head ")) branch = line.slice("# branch.head ".length);
    else if (kind === "1") changes.push({ path: textAfterWords(line, 8), ...changeOf(state) });
    else if (kind === "u")
      changes.push({ path: textAfterWords(line, 10), change: "conflicted", staged: false });
    else if (kind === "?")
      changes.push({ path: textAfterWords(line, 1), change: "untracked", staged: false });
  }
  return { branch, changes };
}

/** Returns the rest of a line after some words; the rest may contain spaces. */
function textAfterWords(line: string, words: number): string {
  let index = 0;
  for (let word = 0; word < words; word += 1) index = line.indexOf(" ", index) + 1;
  return line.slice(index);
}

/** Parses `XY`: X is the change in the index, Y the one in the work tree; a dot means no change. */
function changeOf(state: string): Pick<GitChange, "change" | "staged"> {
  const isStaged = !state.startsWith(".");
  const letters = new Set(state);
  if (letters.has("A")) return { change: "added", staged: isStaged };
  if (letters.has("D")) return { change: "deleted", staged: isStaged };
  if (letters.has("R")) return { change: "renamed", staged: isStaged };
  return { change: "modified", staged: isStaged };
}
