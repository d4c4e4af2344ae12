import { mkdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, relative } from "node:path";
import { ConfigInvalidError } from "../errors/request-errors.ts";
import { FileNotFoundError } from "../errors/not-found-errors.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";

/** Folders that the owner added to the workspace: root name → absolute path. */
export type AddedRoots = Readonly<Record<string, string>>;

export interface RootOptions {
  /** Absolute path; created if missing. */
  out: string;
  /** Absolute path; created if missing. */
  inbox: string;
  added?: AddedRoots;
  /** Absolute folders that no added root may be inside of or access, such as the data root's `profiles/`. */
  keepOut?: readonly string[];
}

/** A root folder of the workspace. */
export interface Root {
  readonly name: string;
  readonly writable: boolean;
  /** `device:inode` of the inaccessible folders below it. */
  readonly blockedFolders: ReadonlySet<string>;
  /** Its real path. Throws `FileNotFoundError` while an added root is missing. */
  real(): Promise<string>;
}

export const identityOf = (stats: { dev: bigint; ino: bigint }): string => `${stats.dev}:${stats.ino}`;

/** Whether a path is a folder or inside it. Both are real paths. */
export function isWithin(folder: string, path: string): boolean {
  const relativePath = relative(folder, path);
  return relativePath === "" || (!isAbsolute(relativePath) && !/^\.\.(?:[/\\]|$)/u.test(relativePath));
}

/** A root of the profile itself, recreated whenever it is missing. */
function profileRoot(name: string, path: string): Root {
  return {
    name,
    writable: true,
    blockedFolders: new Set(),
    real: async () => {
      try {
        return await realpath(path).catch(async (error: unknown) => {
          if (systemCode(error) !== "ENOENT") throw error;
          await mkdir(path, { recursive: true });
          return await realpath(path);
        });
      } catch (error) {
        throw fromNodeError(error, name);
      }
    },
  };
}

function addedRoot(
  name: string,
  path: string,
  keepOut: readonly string[],
  blockedFolders: ReadonlySet<string>,
): Root {
  return {
    name,
    writable: true,
    blockedFolders,
    real: async () => {
      if (!isAbsolute(path)) {
        throw new ConfigInvalidError(`The workspace root ${name}/ needs an absolute path.`, {
          context: { root: name },
        });
      }
      const real = await realpath(path).catch((error: unknown) => {
        if (systemCode(error) !== "ENOENT") throw fromNodeError(error, name);
        throw new FileNotFoundError(`The folder behind ${name}/ is currently missing.`, {
          context: { root: name },
        });
      });
      if (keepOut.some((folder) => isWithin(folder, real))) {
        throw new ConfigInvalidError(`The workspace root ${name}/ is inside the folder of the profiles.`, {
          suggestions: ["Choose a folder outside the data root."],
          context: { root: name },
        });
      }
      return real;
    },
  };
}

/**
 * Creates and checks the profile's own roots, and returns a function that lists all roots by name for given added roots.
 * An added root cannot replace `out` or `inbox`.
 */
export async function openRoots(
  options: Omit<RootOptions, "added">,
): Promise<(added: AddedRoots) => ReadonlyMap<string, Root>> {
  const keepOut: string[] = [];
  const blockedFolders = new Set<string>();
  for (const folder of options.keepOut ?? []) {
    keepOut.push(await realpath(folder));
    blockedFolders.add(identityOf(await stat(folder, { bigint: true })));
  }
  const own = [profileRoot("out", options.out), profileRoot("inbox", options.inbox)];
  for (const root of own) await root.real();
  return (added) =>
    new Map([
      ...Object.entries(added).map(([name, path]): [string, Root] => [
        name,
        addedRoot(name, path, keepOut, blockedFolders),
      ]),
      ...own.map((root): [string, Root] => [root.name, root]),
    ]);
}
