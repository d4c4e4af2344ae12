import { realpath } from "node:fs/promises";
import type { Workspace } from "./workspace.ts";

/** A workspace folder as programs of this machine know it. */
export interface HeldFolder {
  /** Canonical relative path, `out/site`. */
  path: string;
  /** To start a program in: leads to this very folder, whatever is put at its path meanwhile. Valid while it is held. */
  cwd: string;
  /** Its real system path. */
  real: string;
  /** The workspace root it lies in, by name and real system path. */
  root: { name: string; real: string };
}

/** Folders of the workspace for what cannot work through `WorkspaceFiles`: programs. Confined in the same way. */
export interface WorkspaceFolders {
  /** Holds a folder open for `use`. Throws `PathOutsideWorkspaceError`, `FileNotFoundError`, `InvalidArgsError` for a file. */
  within<Result>(
    path: string,
    use: (folder: HeldFolder) => Promise<Result>,
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
