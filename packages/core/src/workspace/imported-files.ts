import { FileNotFoundError } from "../errors/not-found-errors.ts";
import type { ArchivePort } from "./archive.ts";
import type { WorkspaceFiles } from "./files.ts";

const INBOX = "inbox/";
/** The folder for imported files, with a folder for each day or moment of import. */
export const IMPORTED = "inbox/processed";
/** The maximum number of folders to look into, newest first. */
const MAX_FOLDERS = 1_000;

/** The paths for a file of `inbox/` after its import: of the day, or, if that is taken, of the moment. */
export function importedPaths(path: string, now: Date): [ofDay: string, ofMoment: string] {
  const below = path.slice(INBOX.length);
  const moment = now.toISOString();
  return [
    `${IMPORTED}/${moment.slice(0, 10)}/${below}`,
    `${IMPORTED}/${moment.slice(0, 19).replaceAll(":", "")}/${below}`,
  ];
}

/**
 * Reads, searches, copies and moves a file by its path in `inbox/` also after its import moved it, because conversations, links and
 * functions name that path. If several files had the path, it is the one imported last. Results have the present path.
 */
export function followImports(files: WorkspaceFiles): WorkspaceFiles {
  async function follow<Result>(
    path: string,
    signal: AbortSignal | undefined,
    use: (path: string) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await use(path);
    } catch (error) {
      const moved = error instanceof FileNotFoundError && (await importedPath(files, path, signal));
      if (!moved) throw error;
      return await use(moved);
    }
  }

  return {
    ...files,
    existing: (path, signal) => follow(path, signal, (at) => files.existing(at, signal)),
    readText: (path, options) => follow(path, options.signal, (at) => files.readText(at, options)),
    search: (query, { path, ...options }) =>
      path === undefined
        ? files.search(query, options)
        : follow(path, options.signal, (at) => files.search(query, { ...options, path: at })),
    open: (path, use, signal) => follow(path, signal, (at) => files.open(at, use, signal)),
    copy: (from, to, options) => follow(from, options.signal, (at) => files.copy(at, to, options)),
    move: (from, to, options) => follow(from, options.signal, (at) => files.move(at, to, options)),
  };
}

/**
 * Restores the earlier text of an imported file to the present path of that file, where it replaces the later text. Anything
 * else is restored to its original path.
 */
export function followImportsInArchive(archive: ArchivePort, files: WorkspaceFiles): ArchivePort {
  return {
    ...archive,
    async restore(id, options = {}) {
      if (options.replace !== true || options.to !== undefined) return await archive.restore(id, options);
      const { entry } = await archive.read(id, {
        maxBytes: 0,
        ...(options.signal && { signal: options.signal }),
      });
      const isAbsent = (await files.state(entry.origin, options.signal)).kind === "absent";
      const to = isAbsent ? await importedPath(files, entry.origin, options.signal) : undefined;
      return await archive.restore(id, { ...options, ...(to !== undefined && { to }) });
    },
  };
}

/** The path of a file of `inbox/` that was imported under this path; undefined for none. */
async function importedPath(
  files: WorkspaceFiles,
  given: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const { path } = files.resolve(given);
  if (!path.startsWith(INBOX) || path.startsWith(`${IMPORTED}/`)) return undefined;
  if ((await files.state(IMPORTED, signal)).kind !== "folder") return undefined;
  const { entries } = await files.list(IMPORTED, {
    recursive: false,
    limit: MAX_FOLDERS,
    ...(signal && { signal }),
  });
  const names = entries.filter(({ kind }) => kind === "folder").map(({ name }) => name);
  for (const name of names.sort().reverse()) {
    const candidate = `${IMPORTED}/${name}/${path.slice(INBOX.length)}`;
    if ((await files.state(candidate, signal)).kind === "file") return candidate;
  }
  return undefined;
}
