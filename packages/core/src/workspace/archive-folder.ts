import { randomBytes } from "node:crypto";
import { mkdir, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ArchiveEntry } from "../contract/http.ts";
import { fromNodeError } from "../errors/node-error.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { inFolder, lookAt } from "./folder.ts";
import type { Anchor, Folder } from "./folder.ts";
import { readingFile } from "./regular-file.ts";
import type { Root } from "./roots.ts";
import { writeFile } from "./write-file.ts";

/** What is kept beside an archived file or folder. */
export const ArchivedEntry = ArchiveEntry.extend({
  holds: z.enum(["file", "folder"]),
  bytes: z.int().nonnegative(),
});
export type ArchivedEntry = z.infer<typeof ArchivedEntry>;

/** The name of what was archived, in its entry's folder. */
export const PAYLOAD = "payload";
const LABEL = "entry.json";
const ID = /^file-\d{8}T\d{9}Z-[0-9a-f]{8}$/u;

/** A new entry's id; ids sort by time. */
export function archiveId(now: Date): string {
  return `file-${now.toISOString().replace(/[-:.]/gu, "")}-${randomBytes(4).toString("hex")}`;
}

/** The archive's own folder: one folder per entry, holding `entry.json` and `payload`. An entry counts when both are there. */
export interface ArchiveFolder {
  /**
   * Makes an entry's folder, writes its label, then lets `fill` bring the payload. When that fails, the entry goes
   * again, unless its payload is there: it may be the only copy.
   */
  put(entry: ArchivedEntry, fill: (folder: Folder) => Promise<void>): Promise<void>;
  /** Holds an entry open for `use`, which may take the payload out; throws `NotFoundError`. */
  with<Result>(id: string, use: (entry: ArchivedEntry, folder: Folder) => Promise<Result>): Promise<Result>;
  /** Forgets an entry whose payload has been taken out. */
  drop(id: string): Promise<void>;
  list(): Promise<ArchivedEntry[]>;
}

export function openArchiveFolder(path: string, anchor: Anchor): ArchiveFolder {
  const root: Root = {
    name: "archive",
    writable: true,
    keptOut: new Set(),
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
    if (!(await lookAt(folder, PAYLOAD)) || !(await lookAt(folder, LABEL))) return undefined;
    const text = await readingFile(folder, LABEL, (handle) => handle.readFile("utf8"));
    try {
      return ArchivedEntry.safeParse(JSON.parse(text)).data;
    } catch (error) {
      // A label nobody can read loses its entry from the list, not its payload from the disk.
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  };

  const shelf: ArchiveFolder = {
    put: async (entry, fill) => {
      await inFolder(root, [entry.id], { anchor, create: true }, async (folder) => {
        try {
          await writeFile(
            folder,
            LABEL,
            (handle) => handle.writeFile(`${JSON.stringify(entry, null, 2)}\n`),
            { expect: "absent" },
          );
          await fill(folder);
        } catch (error) {
          if (!(await lookAt(folder, PAYLOAD))) await shelf.drop(entry.id);
          throw error;
        }
      });
    },
    with: async (id, use) => {
      if (!ID.test(id)) throw new NotFoundError("Nothing in the archive has this id.");
      const names = await readdir(await root.real());
      if (!names.includes(id)) throw new NotFoundError("Nothing in the archive has this id.");
      return await inFolder(root, [id], { anchor, create: false }, async (folder) => {
        const entry = await read(folder);
        if (!entry) throw new NotFoundError("What this entry of the archive held is no longer there.");
        return await use(entry, folder);
      });
    },
    drop: async (id) => {
      if (ID.test(id)) await rm(join(await root.real(), id), { recursive: true, force: true });
    },
    list: async () => {
      const entries: ArchivedEntry[] = [];
      for (const id of (await readdir(await root.real()))
        .filter((name) => ID.test(name))
        .sort()
        .reverse()) {
        const entry = await inFolder(root, [id], { anchor, create: false }, read);
        if (entry) entries.push(entry);
      }
      return entries;
    },
  };
  return shelf;
}
