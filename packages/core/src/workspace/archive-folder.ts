import { mkdir, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { fromNodeError } from "../errors/node-error.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { inFolder, statEntry, type Anchor, type Folder } from "./folder.ts";
import { ARCHIVE_ID, ArchivedEntry } from "./archived-entry.ts";
import { withOpenFile, writeFile } from "./regular-file.ts";
import type { Root } from "./roots.ts";
import { parseJson } from "../contract/parse-json.ts";

/** The name of the archived file or folder in its entry's folder. */
export const PAYLOAD = "payload";
const DESCRIPTION_FILE = "entry.json";
/** The archive: one folder per entry with `entry.json` and `payload`. An entry is valid if both exist. */
export interface ArchiveFolder {
  /**
   * Creates an entry's folder, writes its description, then calls `fill` to add the payload. If `fill` fails, deletes the
   * entry unless its payload exists, because that may be the only copy.
   */
  put(entry: ArchivedEntry, fill: (folder: Folder) => Promise<void>): Promise<void>;
  /** Opens an entry for `use`, which may move the payload out. Throws `NotFoundError`. */
  with<Result>(id: string, use: (entry: ArchivedEntry, folder: Folder) => Promise<Result>): Promise<Result>;
  /** Deletes an entry whose payload was moved out. */
  drop(id: string): Promise<void>;
  list(): Promise<ArchivedEntry[]>;
}

export function openArchiveFolder(path: string, anchor: Anchor): ArchiveFolder {
  const root: Root = {
    name: "archive",
    writable: true,
    blockedFolders: new Set(),
    real: async () => {
      try {
        await mkdir(path, { recursive: true });
        return await realpath(path);
      } catch (error) {
        throw fromNodeError(error, "the archive");
      }
    },
  };

  const read = async (folder: Folder): Promise<ArchivedEntry | undefined> => {
    if (!(await statEntry(folder, PAYLOAD)) || !(await statEntry(folder, DESCRIPTION_FILE))) return undefined;
    const text = await withOpenFile(folder, DESCRIPTION_FILE, (handle) => handle.readFile("utf8"));
    // An unreadable description hides the entry from the list; its payload stays on disk.
    return ArchivedEntry.safeParse(parseJson(text)).data;
  };

  const archive: ArchiveFolder = {
    put: async (entry, fill) => {
      await inFolder(root, [entry.id], { anchor, create: true }, async (folder) => {
        try {
          await writeFile(
            folder,
            DESCRIPTION_FILE,
            (handle) => handle.writeFile(`${JSON.stringify(entry, null, 2)}\n`),
            { expect: "absent" },
          );
          await fill(folder);
        } catch (error) {
          if (!(await statEntry(folder, PAYLOAD))) await archive.drop(entry.id);
          throw error;
        }
      });
    },
    with: async (id, use) => {
      if (!ARCHIVE_ID.test(id)) throw new NotFoundError("The archive has no entry with this id.");
      const names = await readdir(await root.real());
      if (!names.includes(id)) throw new NotFoundError("The archive has no entry with this id.");
      return await inFolder(root, [id], { anchor, create: false }, async (folder) => {
        const entry = await read(folder);
        if (!entry) throw new NotFoundError("The content of this archive entry no longer exists.");
        return await use(entry, folder);
      });
    },
    drop: async (id) => {
      if (ARCHIVE_ID.test(id)) await rm(join(await root.real(), id), { recursive: true, force: true });
    },
    list: async () => {
      const entries: ArchivedEntry[] = [];
      for (const id of (await readdir(await root.real()))
        .filter((name) => ARCHIVE_ID.test(name))
        .sort()
        .reverse()) {
        const entry = await inFolder(root, [id], { anchor, create: false }, read);
        if (entry) entries.push(entry);
      }
      return entries;
    },
  };
  return archive;
}
