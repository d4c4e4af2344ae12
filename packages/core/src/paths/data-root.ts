import { join, resolve, sep } from "node:path";

/** The repository this file runs from; its `etc/` holds the shipped defaults. */
export const REPOSITORY = resolve(import.meta.dirname, "../../../..");

/** Where people's data lives, absolute: `METAHUMAN_HOME`, or the repository when that is unset or empty. */
export function dataRoot(env: Readonly<Record<string, string | undefined>>): string {
  const home = env["METAHUMAN_HOME"]?.trim();
  return home ? resolve(home) : REPOSITORY;
}

/** Places under a data root; all absolute. */
export interface HomePaths {
  home: string;
  /** Overrides of the shipped configuration. */
  etc: string;
  /** One folder per profile. */
  profiles: string;
  /** Accounts, hashed session tokens, rate limits. */
  systemDatabase: string;
}

/** Lays out a data root; touches no disk. */
export function homePaths(home: string): HomePaths {
  const root = resolve(home);
  const profiles = join(root, "profiles");
  return { home: root, etc: join(root, "etc"), profiles, systemDatabase: join(profiles, "system.db") };
}

/** A file of the data root in words that may leave this machine: `profiles/ada/state.db`, or its name alone. */
export function shownPath(path: string): string {
  const inside = path.split(sep);
  const from = inside.findLastIndex((part) => part === "profiles" || part === "etc");
  return inside.slice(from).join("/");
}
