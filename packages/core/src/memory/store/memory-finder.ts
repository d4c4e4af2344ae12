import { MemoryId } from "../../contract/ids.ts";
import type { StoredMemory, RecordFiles } from "./record-files.ts";
import { possiblePaths } from "./record-paths.ts";
import type { RecordFolders } from "./record-paths.ts";
import type { StorageIndex } from "./record-storage.ts";

/** Finds the file of a memory. */
export interface MemoryFinder {
  /** Finds a memory by id: at its indexed path, else at its default paths. Throws `StorageCorruptError`. */
  find(id: string): Promise<StoredMemory | undefined>;
  /** Reads a memory at its indexed path. Rechecks the path if the file differs; undefined if it has another id. */
  read(indexed: { id: string; path: string; hash?: string }): Promise<StoredMemory | undefined>;
}

export interface MemoryFinderDependencies {
  index: Pick<StorageIndex, "locate" | "recheck">;
  files: RecordFiles;
  folders: RecordFolders;
  onWarning: (message: string, cause?: unknown) => void;
}

export function createMemoryFinder({
  index,
  files,
  folders,
  onWarning,
}: MemoryFinderDependencies): MemoryFinder {
  const recheck = (path: string): void => void index.recheck([path]);

  return {
    async find(id) {
      if (!MemoryId.safeParse(id).success) return undefined;
      // Without an index, the default paths still find the file.
      const known = await index.locate(id);
      for (const path of new Set([...(known === null ? [] : [known]), ...possiblePaths(folders, id)])) {
        if (!files.mayExist(path)) continue;
        const filed = await files.read(path);
        if (filed?.record.id !== id) continue;
        if (path !== known) recheck(path);
        return filed;
      }
      if (known !== null) recheck(known);
      return undefined;
    },

    async read({ id, path, hash }) {
      const filed = await files.read(path).catch((error: unknown) => {
        onWarning("A memory could not be read.", error);
        return undefined;
      });
      if (filed?.record.id === id && (hash === undefined || filed.hash === hash)) return filed;
      recheck(path);
      return filed?.record.id === id ? filed : undefined;
    },
  };
}
