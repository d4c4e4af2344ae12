import { join, resolve, sep } from "node:path";

/** The repository that contains this file; its `etc/` has the shipped defaults. */
export const REPOSITORY = resolve(import.meta.dirname, "../../../..");

/** The absolute path of the data folder: `METAHUMAN_HOME`, or the repository if that is unset or empty. */
export function dataRoot(env: Readonly<Record<string, string | undefined>>): string {
  const home = env["METAHUMAN_HOME"]?.trim();
  return home ? resolve(home) : REPOSITORY;
}

/** Absolute paths in a data root. */
export interface HomePaths {
  home: string;
  /** Overrides of the shipped configuration. */
  etc: string;
  /** One folder per profile. */
  profiles: string;
  /** Accounts, hashed session tokens, rate limits. */
  systemDatabase: string;
}

/** Computes the paths of a data root without disk access. */
export function homePaths(home: string): HomePaths {
  const root = resolve(home);
  const profiles = join(root, "profiles");
  return { home: root, etc: join(root, "etc"), profiles, systemDatabase: join(profiles, "system.db") };
}

/** A path for messages, without its location on this machine: `profiles/ada/state.db`, or the file name alone. */
export function displayPath(path: string): string {
  const inside = path.split(sep);
  const from = inside.findLastIndex((part) => part === "profiles" || part === "etc");
  return inside.slice(from).join("/");
}
