import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { AlreadyExistsError } from "@metahuman/core/errors/request-errors";
import { fromNodeError } from "@metahuman/core/errors/node-error";
import { createFile, removeFile } from "@metahuman/core/files/durable-file";

/** The file that marks the folder of a profile that is being moved. Without an account, the folder is unused. */
const MARK = ".migration";

/** Throws `AlreadyExistsError` if a folder is there that no migration began. */
export function assertFreeFolder(folder: string, username: string): void {
  if (existsSync(folder) && !existsSync(join(folder, MARK)))
    throw new AlreadyExistsError(`A profile folder named ${username} already exists; it was not changed.`, {
      suggestions: ["Move that folder out of profiles/, or migrate another profile with --profile."],
      context: { folder },
    });
}

/**
 * Empties a folder and marks it as incomplete. Returns a function that removes the mark. Throws as
 * `assertFreeFolder`.
 */
export async function prepareTargetFolder(folder: string, username: string): Promise<() => Promise<void>> {
  assertFreeFolder(folder, username);
  const subject = "the folder of the profile";
  try {
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    throw fromNodeError(error, subject);
  }
  await createFile(join(folder, MARK), "This profile is being moved here.\n", subject);
  return () => removeFile(join(folder, MARK), subject);
}
