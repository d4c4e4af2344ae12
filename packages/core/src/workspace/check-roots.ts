import { realpath, stat } from "node:fs/promises";
import { isAbsolute, parse } from "node:path";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { systemCode } from "../errors/node-error.ts";
import { isWithin } from "./roots.ts";

/** Folders of the operating system. */
const SYSTEM = [
  ...["/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/sbin", "/sys", "/usr"],
  ...["/System", "/Library", "/private/etc", "C:\\Windows", "C:\\Program Files"],
];
/** Parent folders of system folders or of all users' folders. */
const SHARED_PARENTS = ["/home", "/private", "/run", "/Users", "/var", "C:\\Users"];

/**
 * Checks folders before they become workspace roots: each must exist, be a folder, and be neither a system folder nor
 * inside `keepOut`. Throws `InvalidArgsError` with a reason for each rejected folder.
 */
export async function checkRoots(
  added: Readonly<Record<string, string>>,
  keepOut: readonly string[],
): Promise<void> {
  const excluded = await Promise.all(keepOut.map((folder) => realpath(folder)));
  const checked = await Promise.all(
    Object.entries(added).map(async ([name, path]) => ({ name, message: await problemOf(path, excluded) })),
  );
  const issues = checked.flatMap(({ name, message }) =>
    message === undefined ? [] : [{ path: `workspaceRoots.${name}`, message }],
  );
  if (issues.length === 0) return;
  throw new InvalidArgsError(
    `Nothing was changed: ${issues.map(({ path, message }) => `${path}: ${message}`).join("; ")}.`,
    {
      context: { issues },
      suggestions: ["Give the absolute path of an existing folder of your own."],
    },
  );
}

async function problemOf(path: string, excluded: readonly string[]): Promise<string | undefined> {
  if (!isAbsolute(path)) return "the path of the folder must be absolute";
  let real: string;
  try {
    real = await realpath(path);
    if (!(await stat(real)).isDirectory()) return "this is a file, not a folder";
  } catch (error) {
    return systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR"
      ? "there is no such folder"
      : "this folder cannot be read";
  }
  // A parent of the profiles folder is allowed, because the profiles stay inaccessible in it.
  if (excluded.some((folder) => isWithin(folder, real))) return "this folder is inside the profiles folder";
  if (
    real === parse(real).root ||
    SHARED_PARENTS.includes(real) ||
    SYSTEM.some((folder) => isWithin(folder, real))
  )
    return "this folder belongs to the system";
  return undefined;
}
