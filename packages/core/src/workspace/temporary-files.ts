import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../errors/node-error.ts";

const TEMPORARY_NAME = /^\.mh-(\d+)-[0-9a-f]{12}\.tmp$/u;

/** A name for an unfinished write in the target folder. It is never listed and not a valid workspace path. */
export function temporaryName(): string {
  return `.mh-${process.pid}-${randomBytes(6).toString("hex")}.tmp`;
}

export function isTemporaryName(name: string): boolean {
  return TEMPORARY_NAME.test(name);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists under another user.
    return systemCode(error) === "EPERM";
  }
}

/**
 * Deletes temporary files of killed processes in a folder and its subfolders, also the second link of an interrupted
 * exclusive creation. Does not follow links.
 */
export async function removeAbandonedFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    // A missing or inaccessible folder does not prevent work in the others.
    if (["ENOENT", "EACCES", "EPERM"].includes(systemCode(error) ?? "")) return [];
    throw error;
  });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removeAbandonedFiles(path);
    const pid = TEMPORARY_NAME.exec(entry.name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(path, { recursive: true, force: true });
  }
}
