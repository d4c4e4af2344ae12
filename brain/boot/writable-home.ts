import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fromNodeError, systemCode } from "@metahuman/core/errors/node-error";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { StorageFullError, StorageReadOnlyError } from "@metahuman/core/errors/storage-errors";

/**
 * Creates the data root. Throws `PermissionDeniedError`, `StorageReadOnlyError` or `StorageFullError` with one sentence
 * if it is not writable. Tests this by writing, because permissions alone are not sufficient.
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
    throw new PermissionDeniedError(`${subject} is not a writable folder.`, {
      suggestions: ["Make it writable, or name another folder in METAHUMAN_HOME."],
      context: { home, systemCode: systemCode(error) },
      cause: error,
    });
  }
}

/**
 * Creates a folder and its parents one by one. Node's recursive `mkdir` never returns below a folder that exists and
 * reports "no such file" anyway, such as `/proc`.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (systemCode(error) !== "EEXIST") throw error;
  }
}
