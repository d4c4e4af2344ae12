import { closeSync, openSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { Timestamp } from "../contract/ids.ts";
import type { ImportItem } from "../contract/transfer.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { removeFile, replaceFile } from "../files/durable-file.ts";

const SUBJECT = "the progress of the import";
/** Every state of the file has this length in bytes, so that one write overwrites it in place. */
const WIDTH = 240;

const Progress = z.strictObject({
  startedAt: Timestamp,
  inPlace: z.int().nonnegative(),
  records: z.int().nonnegative(),
  /** Whether the audit log contains the interruption. */
  isAudited: z.boolean(),
  /** Whether the profile had no memories and tasks before. */
  intoNew: z.boolean().default(false),
});
type Progress = z.infer<typeof Progress>;

/** The progress of an import, stored in a file of the profile until the import ends, even if the process is killed. */
export interface ImportProgress {
  /** Counts the outcome of one item. */
  note(item: ImportItem): void;
  /**
   * Ends the import. If it failed, its progress is kept if it began in a new profile, because repeating it must restore the settings,
   * too; otherwise the progress of an earlier interrupted import.
   */
  end(outcome: "finished" | "failed"): Promise<void>;
}

const fileIn = (folder: string): string => join(folder, ".import-progress.json");
const textOf = (progress: Progress): string => `${JSON.stringify(progress).padEnd(WIDTH)}\n`;

/** Creates the progress file in the profile's folder. Throws `StorageFullError` and other storage errors. */
export async function beginProgress(
  folder: string,
  { startedAt, records, intoNew }: Pick<Progress, "startedAt" | "records" | "intoNew">,
): Promise<ImportProgress> {
  const path = fileIn(folder);
  const earlier = await readProgress(folder);
  const progress: Progress = { startedAt, inPlace: 0, records, isAudited: false, intoNew };
  await replaceFile(path, textOf(progress), SUBJECT);
  const file = openSync(path, "r+");
  return {
    note({ outcome }) {
      if (outcome === "refused" || outcome === "conflicting") return;
      progress.inPlace = Math.min(progress.inPlace + 1, records);
      writeSync(file, textOf(progress), 0);
    },
    async end(outcome) {
      closeSync(file);
      if (outcome === "failed" && intoNew && progress.inPlace > 0)
        await writeProgress(folder, { ...progress, isAudited: true });
      else if (outcome === "failed" && earlier) await writeProgress(folder, earlier);
      else await removeProgress(folder);
    },
  };
}

/** Returns the progress of an interrupted import; undefined without one. Call it only while no import runs. */
export async function readProgress(folder: string): Promise<Progress | undefined> {
  try {
    return Progress.parse(JSON.parse(await readFile(fileIn(folder), "utf8")));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    // A power failure left an empty or incomplete file: nothing was imported.
    if (error instanceof SyntaxError || error instanceof z.ZodError) return undefined;
    throw fromNodeError(error, SUBJECT);
  }
}

export const writeProgress = (folder: string, progress: Progress): Promise<void> =>
  replaceFile(fileIn(folder), textOf(progress), SUBJECT);

export const removeProgress = (folder: string): Promise<void> => removeFile(fileIn(folder), SUBJECT);
