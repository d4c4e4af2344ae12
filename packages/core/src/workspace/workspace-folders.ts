import { realpath } from "node:fs/promises";
import type { Workspace } from "./workspace.ts";

/** An open workspace folder with its system paths. */
export interface OpenFolder {
  /** Canonical relative path, `out/site`. */
  path: string;
  /** The working directory for a program; refers to this folder even if its path is replaced. Valid while it is open. */
  cwd: string;
  /** Its real system path. */
  real: string;
  /** Its workspace root: name and real system path. */
  root: { name: string; real: string };
}

/** Workspace folders for programs, which cannot use `WorkspaceFiles`. Confined in the same way. */
export interface WorkspaceFolders {
  /** Opens a folder for `use`. Throws `PathOutsideWorkspaceError`, `FileNotFoundError`, `InvalidArgsError` for a file. */
  within<Result>(
    path: string,
    use: (folder: OpenFolder) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
}

export function localFolders(workspace: Workspace): WorkspaceFolders {
  return {
    within: async (path, use, signal) => {
      const place = workspace.place(path);
      return await workspace.inside(place, { signal }, async (folder) =>
        use({
          path: place.path,
          cwd: folder.at("."),
          real: await realpath(folder.at("")),
          root: { name: place.root, real: await place.home.real() },
        }),
      );
    },
  };
}
