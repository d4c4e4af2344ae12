import { dirname, join, relative, resolve, sep } from "node:path";
import { InvalidArgsError, PathOutsideWorkspaceError } from "@metahuman/core/errors/request-errors";
import { isBlockedName } from "@metahuman/core/paths/file-names";
import type { OpenFolder } from "@metahuman/core/workspace/workspace-folders";
import { isWithin } from "@metahuman/core/workspace/roots";
import type { ProgramResult } from "../programs/programs.ts";
import { gitFailure, type GitCall, hardenedGit } from "./hardened-git.ts";

/** A repository whose files and `.git` folder lie inside one workspace root. */
export interface Repository {
  /** The canonical relative path of its folder, `out/site`. */
  path: string;
  call: GitCall;
  /** Converts git's path to a workspace path; undefined for a protected file. */
  toWorkspace(name: string): string | undefined;
  /** Converts a workspace path to git's path. Throws `InvalidArgsError` for a path outside. */
  toGit(path: string): string;
}

const MAX_OUTPUT_BYTES = 2_000_000;

/**
 * Finds the repository of an open folder. Throws `InvalidArgsError` if there is none, and `PathOutsideWorkspaceError`
 * for one that refers to files outside.
 */
export async function openRepository(
  folder: OpenFolder,
  { home, signal }: { home?: string | undefined; signal: AbortSignal },
): Promise<Repository> {
  const call: GitCall = {
    cwd: folder.real,
    ceiling: dirname(folder.root.real),
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal,
    ...(home !== undefined && { home }),
  };
  const paths = await hardenedGit(
    ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"],
    call,
  );
  if (paths.exitCode !== 0) throw unusable(folder.path, paths);
  // On Windows, git prints other separators.
  const [top = "", gitDir = "", commonDir = ""] = paths.stdout.split("\n", 3).map((path) => resolve(path));
  const ownGitFolder = join(top, ".git");
  if (!isWithin(folder.root.real, top) || gitDir !== ownGitFolder || commonDir !== ownGitFolder) {
    throw new PathOutsideWorkspaceError(
      `The git repository of ${folder.path}/ extends beyond the workspace.`,
      {
        context: { path: folder.path },
      },
    );
  }
  // Workspace paths are composed (NFC); names on the disk may be decomposed.
  const relativePath = relative(folder.root.real, top).split(sep).join("/").normalize("NFC");
  const path = relativePath === "" ? folder.root.name : `${folder.root.name}/${relativePath}`;
  return {
    path,
    call: { ...call, cwd: top },
    toWorkspace: (name) => (name.split("/").some(isBlockedName) ? undefined : `${path}/${name}`),
    toGit(file) {
      if (!file.startsWith(`${path}/`))
        throw new InvalidArgsError(
          file === path
            ? `${path}/ is the repository itself; name files in it.`
            : `${file} is not in the repository ${path}/.`,
          { context: { path: file } },
        );
      return file.slice(path.length + 1);
    },
  };
}

/** Why git cannot be used in a folder. */
function unusable(path: string, result: ProgramResult): InvalidArgsError {
  const { stderr } = result;
  if (/not a git repository/iu.test(stderr))
    return new InvalidArgsError(`${path}/ is not in a git repository.`, { context: { path } });
  if (/dubious ownership/u.test(stderr))
    return new InvalidArgsError(
      `${path}/ belongs to another account of this machine, so git is not run in it.`,
      { context: { path } },
    );
  return gitFailure(path, result);
}
