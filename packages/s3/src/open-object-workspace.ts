import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import type { StoredAmount } from "@metahuman/core/profiles/profile-quota";
import type { ArchivePort } from "@metahuman/core/workspace/archive";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import type { WorkspaceFolders } from "@metahuman/core/workspace/workspace-folders";
import type { RunExclusively } from "@metahuman/core/workspace/workspace";
import { objectArchive } from "./object-archive.ts";
import { objectFiles } from "./object-files.ts";
import { openObjectMoves } from "./object-moves.ts";
import type { ObjectStore } from "./object-store.ts";
import { openObjectTree } from "./object-tree.ts";

export interface OpenedObjectWorkspace {
  files: WorkspaceFiles;
  archive: ArchivePort;
  /** Refuses every folder: programs and git need one on a disk. */
  folders: WorkspaceFolders;
  /** Counts the files and the archive. */
  amount(): Promise<StoredAmount>;
}

/**
 * Opens the files of one profile in an object store. `exclusively` limits changes to one process at a time; writes are
 * also conditional, because such a lock may be lost.
 */
export function openObjectWorkspace(
  store: ObjectStore,
  { exclusively, now }: { exclusively: RunExclusively; now?: () => Date },
): OpenedObjectWorkspace {
  const moves = openObjectMoves(store);
  const workspace = {
    store,
    tree: openObjectTree(store),
    moves,
    exclusively: <Result>(work: () => Promise<Result>) =>
      exclusively(async () => {
        await moves.finishInterrupted();
        return work();
      }),
  };
  return {
    files: objectFiles(workspace),
    archive: objectArchive(workspace, now),
    folders: {
      async within() {
        throw new PermissionDeniedError(
          "Programs and git cannot be used here: the files of this installation are in an object store, not in folders.",
        );
      },
    },
    async amount() {
      const total = { bytes: 0, files: 0 };
      for await (const { bytes } of store.list("")) {
        total.bytes += bytes;
        total.files += 1;
      }
      return total;
    },
  };
}
