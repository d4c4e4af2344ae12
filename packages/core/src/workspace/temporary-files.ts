import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../errors/node-error.ts";

const LEFTOVER = /^\.mh-(\d+)-[0-9a-f]{12}\.tmp$/u;

/** A name for an unfinished write, in the folder of the file it will become. Never listed, never a workspace path. */
export function temporaryName(): string {
  return `.mh-${process.pid}-${randomBytes(6).toString("hex")}.tmp`;
}

export function isTemporaryName(name: string): boolean {
  return LEFTOVER.test(name);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, under another user.
    return systemCode(error) === "EPERM";
  }
}

/**
 * Removes what writers left in a folder, at any depth, when their process was killed. A file whose exclusive creation
 * was cut short has its temporary name as a second link until then. Links to folders are not followed.
 */
export async function removeAbandonedFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    // A folder that is gone or lets nobody in cannot be tidied, and keeps nobody from working in the others.
    if (["ENOENT", "EACCES", "EPERM"].includes(systemCode(error) ?? "")) return [];
    throw error;
  });
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removeAbandonedFiles(path);
    const pid = LEFTOVER.exec(entry.name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(path, { recursive: true, force: true });
  }
}
