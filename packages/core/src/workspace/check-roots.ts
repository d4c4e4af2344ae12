import { realpath, stat } from "node:fs/promises";
import { isAbsolute, parse } from "node:path";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { systemCode } from "../errors/node-error.ts";
import { isWithin } from "./roots.ts";

/** Folders of the operating system: nothing in them is a person's own. */
const SYSTEM = [
  ...["/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/proc", "/sbin", "/sys", "/usr"],
  ...["/System", "/Library", "/private/etc", "C:\\Windows", "C:\\Program Files"],
];
/** Folders that hold those of the system, or those of everybody. */
const TOO_WIDE = ["/home", "/private", "/run", "/Users", "/var", "C:\\Users"];

/**
 * Whether folders may be opened to an operator: each must be there, be a folder, and be neither the system's nor in
 * `keepOut`. Throws `InvalidArgsError` that names every one that may not, with the reason.
 */
export async function checkRoots(
  added: Readonly<Record<string, string>>,
  keepOut: readonly string[],
): Promise<void> {
  const shut = await Promise.all(keepOut.map((folder) => realpath(folder)));
  const looked = await Promise.all(
    Object.entries(added).map(async ([name, path]) => ({ name, message: await problemOf(path, shut) })),
  );
  const issues = looked.flatMap(({ name, message }) =>
    message === undefined ? [] : [{ path: `workspaceRoots.${name}`, message }],
  );
  if (issues.length === 0) return;
  throw new InvalidArgsError(
    `Nothing was changed: ${issues.map(({ path, message }) => `${path}: ${message}`).join("; ")}.`,
    {
      context: { issues },
      suggestions: ["Name a folder of your own that is there, with its whole path."],
    },
  );
}

async function problemOf(path: string, shut: readonly string[]): Promise<string | undefined> {
  if (!isAbsolute(path)) return "write the whole path of the folder";
  let real: string;
  try {
    real = await realpath(path);
    if (!(await stat(real)).isDirectory()) return "this is a file, not a folder";
  } catch (error) {
    return systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR"
      ? "there is no such folder"
      : "this folder cannot be looked into";
  }
  if (real === parse(real).root || TOO_WIDE.includes(real) || SYSTEM.some((folder) => isWithin(folder, real)))
    return "this folder belongs to the system";
  // One that holds the profiles may be opened: they stay out of reach in it.
  if (shut.some((folder) => isWithin(folder, real))) return "this folder lies among the profiles";
  return undefined;
}
