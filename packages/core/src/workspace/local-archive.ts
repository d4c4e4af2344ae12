import type { Stats } from "node:fs";
import type { ArchiveEntry } from "../contract/http.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { PermissionDeniedError } from "../errors/access-errors.ts";
import { FileNotFoundError, NotFoundError } from "../errors/not-found-errors.ts";
import { type ArchiveFolder, PAYLOAD } from "./archive-folder.ts";
import type { ArchivePort } from "./archive.ts";
import { type ArchivedEntry, describeArchived, toArchiveEntry, toListedEntry } from "./archived-entry.ts";
import { type Folder, statEntry } from "./folder.ts";
import { copyBytes, fileNotFound, readBytes, statSafely, withOpenFile, writeFile } from "./regular-file.ts";
import { assertMovable, moveEntry } from "./move-entry.ts";
import { withPathSuggestions } from "./local-files.ts";
import type { Place, Workspace } from "./workspace.ts";

const kindOf = (stats: Stats) => ({
  holds: stats.isDirectory() ? ("folder" as const) : ("file" as const),
  bytes: stats.isDirectory() ? 0 : stats.size,
});

/** `ArchivePort` on the local disk. Deletion is a move. */
export function localArchive(
  workspace: Workspace,
  folderArchive: ArchiveFolder,
  now: () => Date = () => new Date(),
): ArchivePort {
  /** Archives the entry at `place`, if there is one, under the write lock, which the caller holds. */
  async function moveToArchive(
    place: Place,
    { recursive, runId, verify, signal }: Parameters<ArchivePort["removeFile"]>[1],
  ): Promise<ArchiveEntry | undefined> {
    return await workspace.at(place, { signal }, async (folder, name) => {
      const stats = await statSafely(folder, name);
      if (!stats) return undefined;
      if (stats.isDirectory()) {
        if (!recursive) {
          throw new InvalidArgsError(`${place.path} is a folder.`, {
            suggestions: ["Set recursive to true to delete the folder with its contents."],
            context: { path: place.path },
          });
        }
        await assertMovable(folder, name, "the archive");
      }
      await verify?.();
      const entry = describeArchived(place, kindOf(stats), { now: now(), reason: "deleted", runId });
      await folderArchive.put(entry, (target) =>
        moveEntry(
          { folder, name },
          { folder: target, name: PAYLOAD },
          { kind: entry.holds, overwrite: true },
        ),
      );
      return toArchiveEntry(entry);
    });
  }

  /** Moves the payload of an open entry to `place` under the write lock, which the caller holds. */
  async function moveBack(
    { holds }: ArchivedEntry,
    source: Folder,
    place: Place,
    signal?: AbortSignal,
  ): Promise<void> {
    await workspace.at(place, { create: true, signal }, (folder, name) =>
      moveEntry({ folder: source, name: PAYLOAD }, { folder, name }, { kind: holds, overwrite: false }),
    );
  }

  return {
    removeFile: async (path, options) => {
      const place = workspace.writablePlace(path);
      if (place.segments.length === 0)
        throw new PermissionDeniedError(`${place.path}/ itself cannot be deleted.`, {
          context: { path: place.path },
        });
      return await withPathSuggestions(workspace, place, options.signal, () =>
        workspace.exclusively(async () => {
          const removed = await moveToArchive(place, options);
          if (!removed) throw fileNotFound(place.path);
          return { path: place.path, removed };
        }),
      );
    },

    keepCopy: async (path, { runId, signal }) => {
      const place = workspace.place(path);
      return await workspace.at(place, { signal }, (folder, name) =>
        withOpenFile(folder, name, async (source, stats) => {
          const entry = describeArchived(place, kindOf(stats), { now: now(), reason: "overwritten", runId });
          await folderArchive.put(entry, (target) =>
            writeFile(target, PAYLOAD, (copy) => copyBytes(source, copy, stats.size, signal), {
              expect: "absent",
              mode: stats.mode,
              signal,
            }),
          );
          return toArchiveEntry(entry);
        }),
      );
    },

    list: async () => (await folderArchive.list()).map(toListedEntry),

    read: (id, { maxBytes, signal }) =>
      folderArchive.with(id, async (found, folder) => {
        const entry = toListedEntry(found);
        if (found.holds === "folder") return { entry };
        const bytes = await withOpenFile(folder, PAYLOAD, (handle) =>
          readBytes(handle, { from: 0, length: Math.min(maxBytes, found.bytes), signal }),
        );
        return { entry, bytes };
      }),

    restore: async (id, { replace = false, to, signal } = {}) => {
      const { found, replaced } = await folderArchive.with(id, async (found, source) => {
        const place = workspace.writablePlace(to ?? found.origin);
        const replaced = await withPathSuggestions(workspace, place, signal, () =>
          workspace.exclusively(async () => {
            // Another call may have restored it meanwhile: then the file at the path is the restored one.
            if (!(await statEntry(source, PAYLOAD)))
              throw new NotFoundError("The content of this archive entry no longer exists.");
            const replaced = replace ? await archiveExisting(place, signal) : undefined;
            try {
              await moveBack(found, source, place, signal);
            } catch (error) {
              if (replaced) await folderArchive.with(replaced.id, (...entry) => moveBack(...entry, place));
              if (replaced) await folderArchive.drop(replaced.id);
              throw error;
            }
            return replaced;
          }),
        );
        return { found: { ...found, origin: place.path }, replaced };
      });
      await folderArchive.drop(id);
      return { restored: toArchiveEntry(found), ...(replaced && { replaced }) };
    },
  };

  /** Archives what occupies the path of a restored entry, under the write lock. */
  async function archiveExisting(
    place: Place,
    signal: AbortSignal | undefined,
  ): Promise<ArchiveEntry | undefined> {
    try {
      return await moveToArchive(place, { recursive: true, ...(signal && { signal }) });
    } catch (error) {
      // Its folder does not exist either.
      if (error instanceof FileNotFoundError) return undefined;
      throw error;
    }
  }
}
