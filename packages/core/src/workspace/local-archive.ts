import type { Stats } from "node:fs";
import type { ArchiveEntry } from "../contract/http.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { PermissionDeniedError } from "../errors/access-errors.ts";
import { type ArchivedEntry, type ArchiveFolder, archiveId, PAYLOAD } from "./archive-folder.ts";
import type { ArchivePort } from "./archive.ts";
import { copyBytes, inspect, notThere, readingFile } from "./regular-file.ts";
import { assertMovable, moveEntry } from "./move-entry.ts";
import { withPathSuggestions } from "./path-suggestions.ts";
import type { Place, Workspace } from "./workspace.ts";
import { writeFile } from "./write-file.ts";

/** What the archive shows of an entry. */
const shown = ({ holds: _holds, bytes: _bytes, ...entry }: ArchivedEntry): ArchiveEntry => entry;

/** `ArchivePort` on this machine's disk; deleting is a move, so it costs nothing and loses nothing. */
export function localArchive(
  workspace: Workspace,
  shelf: ArchiveFolder,
  now: () => Date = () => new Date(),
): ArchivePort {
  const label = (place: Place, stats: Stats, runId: string | undefined): ArchivedEntry => {
    const at = now();
    return {
      id: archiveId(at),
      kind: "file",
      title: place.segments.at(-1) ?? place.root,
      origin: place.path,
      archivedAt: at.toISOString(),
      ...(runId !== undefined && { runId }),
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
        workspace.alone(() =>
          workspace.at(place, { signal }, async (folder, name) => {
            const stats = await inspect(folder, name);
            if (!stats) throw notThere(place.path);
            if (stats.isDirectory()) {
              if (!recursive) {
                throw new InvalidArgsError(`${place.path} is a folder.`, {
                  suggestions: ["Set recursive to true to delete the folder with all that is in it."],
                  context: { path: place.path },
                });
              }
              await assertMovable(folder, name, "the archive");
            }
            await verify?.();
            const entry = label(place, stats, runId);
            await shelf.put(entry, (target) =>
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
        readingFile(folder, name, async (source, stats) => {
          const entry = label(place, stats, runId);
          await shelf.put(entry, (target) =>
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

    list: async () => (await shelf.list()).map(shown),

    restore: async (id, { replace = false, signal } = {}) => {
      const entry = await shelf.with(id, async (found, source) => {
        const place = workspace.writablePlace(found.origin);
        if (replace) await makeRoom(place, signal);
        await withPathSuggestions(workspace, place, signal, () =>
          workspace.alone(() =>
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
      await shelf.drop(id);
      return shown(entry);
    },
  };

  /** What stands where something is to be restored goes into the archive itself. */
  async function makeRoom(place: Place, signal: AbortSignal | undefined): Promise<void> {
    const taken = await workspace.at(place, { create: true, signal }, inspect);
    if (taken) await archive.removeFile(place.path, { recursive: true, ...(signal && { signal }) });
  }

  return archive;
}
