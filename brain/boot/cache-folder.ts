import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { openFileLock } from "@metahuman/core/database/file-lock";
import { fromNodeError, systemCode } from "@metahuman/core/errors/node-error";
import { ConfigInvalidError } from "@metahuman/core/errors/request-errors";
import { TimeoutError } from "@metahuman/core/errors/run-errors";
import { homePaths } from "@metahuman/core/paths/data-root";

/** The folder with what one process derives from the database. */
export interface CacheFolder {
  path: string;
  /** Leaves the folder to the next process of this name, or removes it. */
  release(): Promise<void>;
}

/**
 * Claims a folder below `profiles/.cache` for this process and removes those of processes that have ended. The next
 * process of the same name continues with its content, unless the folder is `temporary`. Throws `ConfigInvalidError`
 * while another process has the name.
 */
export async function claimCacheFolder(
  home: string,
  name: string,
  { temporary }: { temporary: boolean },
): Promise<CacheFolder> {
  const parent = join(homePaths(home).profiles, ".cache");
  const path = join(parent, name);
  const end = await claim(path);
  if (end === undefined)
    throw new ConfigInvalidError(`Another server is called "${name}" and has the same data root.`, {
      suggestions: ["Give each server a METAHUMAN_NODE of its own."],
    });
  for (const other of await readdir(parent)) if (other !== name) await removeAbandoned(join(parent, other));
  return {
    path,
    async release() {
      await end();
      // An index may still write its last file.
      if (temporary) await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** Claims a folder until the process ends or the returned function is called. Undefined while another process has it. */
async function claim(path: string): Promise<(() => Promise<void>) | undefined> {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw fromNodeError(error, "the cache");
  });
  const lock = openFileLock(join(path, ".lock"), "the cache");
  const claimed = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const holding = lock.hold(
    async () => {
      claimed.resolve();
      await ended.promise;
    },
    { waitMs: 0 },
  );
  try {
    await Promise.race([claimed.promise, holding]);
  } catch (error) {
    lock.close();
    if (error instanceof TimeoutError) return undefined;
    throw error;
  }
  return async () => {
    ended.resolve();
    await holding;
    lock.close();
  };
}

async function removeAbandoned(path: string): Promise<void> {
  try {
    const end = await claim(path);
    if (end === undefined) return;
    await end();
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    // Another process removes it at the same moment.
    if (systemCode(error) !== "ENOENT") throw error;
  }
}
