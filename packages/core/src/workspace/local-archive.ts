import type { Stats } from "node:fs";
import type { ArchiveEntry } from "../contract/http.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { PermissionDeniedError } from "../errors/access-errors.ts";
import { type ArchiveFolder, PAYLOAD } from "./archive-folder.ts";
import type { ArchivePort } from "./archive.ts";
import { describeArchived, toArchiveEntry, toListedEntry } from "./archived-entry.ts";
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
  const archive: ArchivePort = {
    removeFile: async (path, { recursive, runId, verify, signal }) => {
      const place = workspace.writablePlace(path);
      if (place.segments.length === 0)
        throw new PermissionDeniedError(`${place.path}/ itself cannot be deleted.`, {
          context: { path: place.path },
        });
      return await withPathSuggestions(workspace, place, signal, () =>
        workspace.exclusively(() =>
          workspace.at(place, { signal }, async (folder, name) => {
            const stats = await statSafely(folder, name);
            if (!stats) throw fileNotFound(place.path);
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
            return { path: place.path, removed: toArchiveEntry(entry) };
          }),
        ),
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
        const replaced = replace ? await archiveExisting(place, signal) : undefined;
        await withPathSuggestions(workspace, place, signal, () =>
          workspace.exclusively(() =>
            workspace.at(place, { create: true, signal }, (folder, name) =>
              moveEntry(
                { folder: source, name: PAYLOAD },
                { folder, name },
                { kind: found.holds, overwrite: false },
              ),
            ),
          ),
        );
        return { found: { ...found, origin: place.path }, replaced };
      });
      await folderArchive.drop(id);
      return { restored: toArchiveEntry(found), ...(replaced && { replaced }) };
    },
  };

  /** Archives the file that occupies the path of a restored one. */
  async function archiveExisting(
    place: Place,
    signal: AbortSignal | undefined,
  ): Promise<ArchiveEntry | undefined> {
    const taken = await workspace.at(place, { create: true, signal }, statSafely);
    if (!taken) return undefined;
    return (await archive.removeFile(place.path, { recursive: true, ...(signal && { signal }) })).removed;
  }

  return archive;
}
