import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fromNodeError } from "@metahuman/core/errors/node-error";
import { AlreadyExistsError } from "@metahuman/core/errors/request-errors";
import { createFile } from "@metahuman/core/files/durable-file";

/** The file or object that marks the place which the servers of a database share. */
export const SHARED_MARK = ".installation";

/** Reads the mark of a folder, or makes it. Servers that do so at the same moment get the same mark. */
export async function readOrCreateMark(path: string): Promise<{ mark: string; isNew: boolean }> {
  const subject = "the mark of the shared folder";
  const mark = randomUUID();
  try {
    // Atomic, so an incomplete mark is never read.
    await createFile(path, `${mark}\n`, subject);
    return { mark, isNew: true };
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
  try {
    return { mark: (await readFile(path, "utf8")).trim(), isNew: false };
  } catch (error) {
    throw fromNodeError(error, subject);
  }
}
