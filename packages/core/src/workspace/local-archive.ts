import type { Stats } from "node:fs";
import type { ArchiveEntry } from "../contract/http.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { PermissionDeniedError } from "../errors/access-errors.ts";
import { type ArchivedEntry, type ArchiveFolder, archiveId, PAYLOAD } from "./archive-folder.ts";
import type { ArchivePort } from "./archive.ts";
import { copyBytes, statSafely, fileNotFound, withOpenFile } from "./regular-file.ts";
import { assertMovable, moveEntry } from "./move-entry.ts";
import { withPathSuggestions } from "./path-suggestions.ts";
import type { Place, Workspace } from "./workspace.ts";
import { writeFile } from "./write-file.ts";

/** An archive entry as results of a change name it. */
const shown = ({ holds: _holds, bytes: _bytes, reason: _reason, ...entry }: ArchivedEntry): ArchiveEntry =>
  entry;
/** An archive entry as lists show it: versions of one file differ in what happened to them, or in their size. */
const listed = ({ holds, bytes, ...entry }: ArchivedEntry): ArchiveEntry =>
  holds === "file" ? { ...entry, bytes } : entry;

/** `ArchivePort` on the local disk. Deletion is a move. */
export function localArchive(
  workspace: Workspace,
  folderArchive: ArchiveFolder,
  now: () => Date = () => new Date(),
): ArchivePort {
  const label = (
    place: Place,
    stats: Stats,
    { reason, runId }: Pick<ArchivedEntry, "reason" | "runId">,
  ): ArchivedEntry => {
    const at = now();
    return {
      id: archiveId(at),
      kind: "file",
      title: place.segments.at(-1) ?? place.root,
      origin: place.path,
      archivedAt: at.toISOString(),
      ...(runId !== undefined && { runId }),
      reason,
      holds: stats.isDirectory() ? "folder" : "file",
      bytes: stats.isDirectory() ? 0 : stats.size,
    };
  };

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
            const entry = label(place, stats, { reason: "deleted", runId });
            await folderArchive.put(entry, (target) =>
              moveEntry(
                { folder, name },
                { folder: target, name: PAYLOAD },
                { kind: entry.holds, overwrite: true },
              ),
            );
            return { path: place.path, removed: shown(entry) };
          }),
        ),
      );
    },

    keepCopy: async (path, { runId, signal }) => {
      const place = workspace.place(path);
      return await workspace.at(place, { signal }, (folder, name) =>
        withOpenFile(folder, name, async (source, stats) => {
          const entry = label(place, stats, { reason: "overwritten", runId });
          await folderArchive.put(entry, (target) =>
            writeFile(target, PAYLOAD, (copy) => copyBytes(source, copy, stats.size, signal), {
              expect: "absent",
              mode: stats.mode,
              signal,
            }),
          );
          return shown(entry);
        }),
      );
    },

    list: async () => (await folderArchive.list()).map(listed),

    restore: async (id, { replace = false, signal } = {}) => {
      const entry = await folderArchive.with(id, async (found, source) => {
        const place = workspace.writablePlace(found.origin);
        if (replace) await archiveExisting(place, signal);
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
        return found;
      });
      await folderArchive.drop(id);
      return shown(entry);
    },
  };

  /** Archives the file that occupies the path of a restored one. */
  async function archiveExisting(place: Place, signal: AbortSignal | undefined): Promise<void> {
    const taken = await workspace.at(place, { create: true, signal }, statSafely);
    if (taken) await archive.removeFile(place.path, { recursive: true, ...(signal && { signal }) });
  }

  return archive;
}
