import { readdir } from "node:fs/promises";
import { fromNodeError } from "../errors/node-error.ts";
import { copyBytes, inspect, notThere, readingFile } from "./regular-file.ts";
import type { Folder } from "./folder.ts";
import { writeFile } from "./write-file.ts";

/** An entry's place: a folder held open, and a name in it. */
export interface Spot {
  folder: Folder;
  name: string;
}

/**
 * Copies a file, or a folder with all that is in it, flushed to disk. Throws `PathOutsideWorkspaceError` for links and
 * special files, wherever they are in it; what was copied by then stays, under the name it was given.
 */
export async function copyEntry(from: Spot, to: Spot): Promise<void> {
  const stats = await inspect(from.folder, from.name);
  if (!stats) throw notThere(`${from.folder.label}/${from.name}`);
  if (!stats.isDirectory()) {
    await readingFile(from.folder, from.name, (source, { size, mode }) =>
      writeFile(to.folder, to.name, (copy) => copyBytes(source, copy, size, undefined), {
        expect: "absent",
        mode,
      }),
    );
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
