import { mkdir, realpath, stat } from "node:fs/promises";
import { isAbsolute, relative } from "node:path";
import { ConfigInvalidError } from "../errors/request-errors.ts";
import { FileNotFoundError } from "../errors/not-found-errors.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";

export interface RootOptions {
  /** Absolute; made when missing. */
  out: string;
  /** Absolute; made when missing. */
  inbox: string;
  /** Folders the owner opened besides: root name → absolute path. */
  added?: Readonly<Record<string, string>>;
  /** Absolute folders that no added root may be in or reach into, such as the data root's `profiles/`. */
  keepOut?: readonly string[];
}

/** One folder that workspace paths may start in. */
export interface Root {
  readonly name: string;
  readonly writable: boolean;
  /** `device:inode` of the folders below it that stay out of reach. */
  readonly keptOut: ReadonlySet<string>;
  /** Its real path; throws `FileNotFoundError` while an added root is not there. */
  real(): Promise<string>;
}

export const identityOf = (stats: { dev: bigint; ino: bigint }): string => `${stats.dev}:${stats.ino}`;

/** Whether a path is that of a folder, or of something in it; both as the disk has them. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!isAbsolute(way) && !/^\.\.(?:[/\\]|$)/u.test(way));
}

/** A root of the profile itself, made again whenever it is missing. */
function ownRoot(name: string, path: string): Root {
  return {
    name,
    writable: true,
    keptOut: new Set(),
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
  keptOut: ReadonlySet<string>,
): Root {
  return {
    name,
    writable: true,
    keptOut,
    real: async () => {
      if (!isAbsolute(path)) {
        throw new ConfigInvalidError(`The workspace root ${name}/ needs an absolute path.`, {
          context: { root: name },
        });
      }
      const real = await realpath(path).catch((error: unknown) => {
        if (systemCode(error) !== "ENOENT") throw fromNodeError(error, name);
        throw new FileNotFoundError(`The folder behind ${name}/ is not there at the moment.`, {
          context: { root: name },
        });
      });
      if (keepOut.some((folder) => isWithin(folder, real))) {
        throw new ConfigInvalidError(
          `The workspace root ${name}/ lies inside the folder that holds the profiles.`,
          {
            suggestions: ["Choose a folder outside the data root."],
            context: { root: name },
          },
        );
      }
      return real;
    },
  };
}

/** Opens the roots of a workspace by name; `out` and `inbox` cannot be renamed by an added one. */
export async function openRoots(options: RootOptions): Promise<ReadonlyMap<string, Root>> {
  const keepOut: string[] = [];
  const keptOut = new Set<string>();
  for (const folder of options.keepOut ?? []) {
    keepOut.push(await realpath(folder));
    keptOut.add(identityOf(await stat(folder, { bigint: true })));
  }
  const roots = new Map<string, Root>();
  for (const [name, path] of Object.entries(options.added ?? {}))
    roots.set(name, addedRoot(name, path, keepOut, keptOut));
  for (const root of [ownRoot("out", options.out), ownRoot("inbox", options.inbox)]) {
    roots.set(root.name, root);
    await root.real();
  }
  return roots;
}
