import { execFile } from "node:child_process";
import { appendFile, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemCode } from "@metahuman/core/errors/node-error";

const run = promisify(execFile);

/** A disk of 48 MB in memory. */
export interface SmallDisk {
  folder: string;
  giveTo(userId: number | undefined): Promise<void>;
  /** Writes a file until there is no space left. */
  fill(): Promise<void>;
  free(): Promise<void>;
  remove(): Promise<void>;
}

/** Undefined where this process may not mount a disk, which needs Linux and the rights of root. */
export async function makeSmallDisk(): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "mh-disk-"));
  try {
    await run("mount", ["-t", "tmpfs", "-o", "size=48m", "tmpfs", folder]);
  } catch {
    // Tests of a full disk are left out then.
    await rm(folder, { recursive: true });
    return undefined;
  }
  const file = join(folder, "filler");
  return {
    folder,
    async giveTo(userId) {
      if (userId !== undefined) await chown(folder, userId, userId);
    },
    async fill() {
      const page = Buffer.alloc(4_096);
      try {
        for (;;) await appendFile(file, page);
      } catch (error) {
        if (systemCode(error) !== "ENOSPC") throw error;
      }
    },
    free: () => rm(file),
    async remove() {
      await run("umount", ["--lazy", folder]);
      await rm(folder, { recursive: true });
    },
  };
}
