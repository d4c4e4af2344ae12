import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../errors/node-error.ts";
import { fileText, readIfExists } from "../files/file-content.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";
import { entryFile, noteFile, type RecordCopies } from "./record-copies.ts";

/** What a pass has changed in a mirror, in files. */
export interface MirrorReport {
  written: number;
  removed: number;
  /** Files that were the same before. */
  unchanged: number;
}

/**
 * Makes the record files below `memory` the same as the records of another storage, where processes may go on writing: writes
 * files that are missing or differ, each at once or not at all, and removes those of records that are gone. What was
 * changed in the folder by hand is lost. Other files stay.
 */
export async function mirrorRecords(
  source: Pick<RecordCopies, "each">,
  memory: ProfilePaths["memory"],
  { signal }: { signal?: AbortSignal } = {},
): Promise<MirrorReport> {
  const report: MirrorReport = { written: 0, removed: 0, unchanged: 0 };
  const kept = new Set<string>();
  const folders = new Set<string>();

  async function keep(file: string, value: unknown): Promise<void> {
    kept.add(file);
    const text = fileText(value);
    if ((await readIfExists(file)) === text) {
      report.unchanged += 1;
      return;
    }
    const folder = dirname(file);
    if (!folders.has(folder)) await mkdir(folder, { recursive: true });
    folders.add(folder);
    // Not flushed: the next pass writes again what a power failure took.
    const temporary = join(folder, `.${basename(file)}.tmp`);
    await writeFile(temporary, text);
    await rename(temporary, file);
    report.written += 1;
  }

  for await (const entries of source.each())
    for (const entry of entries) {
      signal?.throwIfAborted();
      const file = entryFile(memory, entry);
      await keep(file, entry.body);
      if (entry.part === "archived") await keep(noteFile(file), entry.entry);
    }
  for (const file of await jsonFilesBelow(memory.root)) {
    signal?.throwIfAborted();
    if (kept.has(file)) continue;
    await rm(file, { force: true });
    report.removed += 1;
  }
  return report;
}

async function jsonFilesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  });
  return names.filter((name) => name.endsWith(".json")).map((name) => join(folder, name));
}
