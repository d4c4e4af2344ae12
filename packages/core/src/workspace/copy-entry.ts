import { readdir } from "node:fs/promises";
import { fromNodeError } from "../errors/node-error.ts";
import { copyBytes, fileNotFound, statSafely, withOpenFile, writeFile } from "./regular-file.ts";
import type { Folder } from "./folder.ts";

/** The location of an entry: an open folder and a name in it. */
export interface EntryLocation {
  folder: Folder;
  name: string;
}

/** Copies the bytes of one file into a new file, atomically and durably. */
export async function copyFile(
  from: EntryLocation,
  to: EntryLocation,
  { expect, signal }: { expect: "absent" | "any"; signal?: AbortSignal | undefined },
): Promise<void> {
  await withOpenFile(from.folder, from.name, (source, { size, mode }) =>
    writeFile(to.folder, to.name, (copy) => copyBytes(source, copy, size, signal), { expect, mode }),
  );
}

/**
 * Copies a file, or a folder with its content, durably. Throws `PathOutsideWorkspaceError` for links and special files,
 * also inside the folder; the incomplete copy stays under its name.
 */
export async function copyEntry(from: EntryLocation, to: EntryLocation): Promise<void> {
  const stats = await statSafely(from.folder, from.name);
  if (!stats) throw fileNotFound(`${from.folder.label}/${from.name}`);
  if (!stats.isDirectory()) {
    await copyFile(from, to, { expect: "absent" });
    return;
  }
  const source = await from.folder.enter(from.name, { create: false });
  try {
    const target = await to.folder.enter(to.name, { create: true });
    try {
      for (const name of await readdir(source.at(""))) {
        await copyEntry({ folder: source, name }, { folder: target, name });
      }
      await target.flush();
    } finally {
      await target.close();
    }
  } catch (error) {
    throw fromNodeError(error, source.label);
  } finally {
    await source.close();
  }
}
