import { dirname, join, relative, sep } from "node:path";
import { InvalidArgsError, PathOutsideWorkspaceError } from "@metahuman/core/errors/request-errors";
import { isBlockedPath } from "@metahuman/core/paths/file-names";
import type { HeldFolder } from "@metahuman/core/workspace/workspace-folders";
import { type GitCall, hardenedGit } from "./hardened-git.ts";

/** A repository inside one workspace root, including all of git's files. */
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
 * Finds the repository of a held folder. Throws `InvalidArgsError` if there is none, and `PathOutsideWorkspaceError`
 * for one that refers to files outside.
 */
export async function openRepository(
  folder: HeldFolder,
  { home, signal }: { home?: string | undefined; signal: AbortSignal },
): Promise<Repository> {
  const call: GitCall = {
    cwd: folder.real,
    ceiling: dirname(folder.root.real),
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal,
    ...(home !== undefined && { home }),
  };
  const found = await hardenedGit(
    ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"],
    call,
  );
  const [top = "", gitDir = "", commonDir = ""] = found.stdout.split("\n");
  if (found.exitCode !== 0) {
    throw new InvalidArgsError(
      /dubious ownership/u.test(found.stderr)
        ? `${folder.path}/ belongs to another account of this machine, so git is not run in it.`
        : `${folder.path}/ is not in a git repository.`,
      { context: { path: folder.path } },
    );
  }
  const inner = join(top, ".git");
  if (!isWithin(folder.root.real, top) || gitDir !== inner || commonDir !== inner) {
    throw new PathOutsideWorkspaceError(
      `The git repository of ${folder.path}/ extends beyond the workspace.`,
      {
        context: { path: folder.path },
      },
    );
  }
  const below = relative(folder.root.real, top).split(sep).join("/");
  const path = below === "" ? folder.root.name : `${folder.root.name}/${below}`;
  return {
    path,
    call: { ...call, cwd: top },
    toWorkspace: (name) => (name.split("/").some(isBlockedPath) ? undefined : `${path}/${name}`),
    toGit(file) {
      if (!file.startsWith(`${path}/`))
        throw new InvalidArgsError(`${file} is not in the repository ${path}/.`, { context: { path: file } });
      return file.slice(path.length + 1);
    },
  };
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
