import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fromNodeError, systemCode } from "@metahuman/core/errors/node-error";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { StorageFullError, StorageReadOnlyError } from "@metahuman/core/errors/storage-errors";

/**
 * Makes the data root, or says in one sentence why nothing can be kept in it: `PermissionDeniedError`,
 * `StorageReadOnlyError`, `StorageFullError`. Found out by writing, because permissions alone do not tell.
 */
export function ensureWritable(home: string): void {
  const profiles = join(home, "profiles");
  const probe = join(profiles, `.writable-${process.pid}`);
  try {
    makeFolder(profiles);
    writeFileSync(probe, "");
    rmSync(probe);
  } catch (error) {
    const subject = `the data root ${home}`;
    const typed = fromNodeError(error, subject);
    if (typed instanceof StorageFullError || typed instanceof StorageReadOnlyError) throw typed;
    throw new PermissionDeniedError(
      `Nothing can be kept in ${subject}: it must be a folder that may be written to.`,
      {
        suggestions: ["Make it writable, or name another folder in METAHUMAN_HOME."],
        context: { home, systemCode: systemCode(error) },
        cause: error,
      },
    );
  }
}

/**
 * A folder and those it is in, one by one. Node's own recursive `mkdir` never returns below a folder that is there and
 * says "no such file" all the same, as `/proc` does.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (systemCode(error) !== "EEXIST") throw error;
  }
}
