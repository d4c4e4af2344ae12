import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigInvalidError } from "@metahuman/core/errors/request-errors";
import { homePaths } from "@metahuman/core/paths/data-root";
import {
  profileFolderExistsError,
  hasProfileFolder,
  moveProfileToRemoved,
} from "@metahuman/core/profiles/profile-lifecycle";
import type { RunExclusively } from "@metahuman/core/workspace/workspace";
import { checkSharedFolder } from "@metahuman/postgres/installation/installation-facts";
import type { Postgres } from "@metahuman/postgres/open-postgres";
import type { RemoteFiles } from "./remote-files.ts";
import { SHARED_MARK, readOrCreateMark } from "./shared-mark.ts";
import { ensureWritable } from "./writable-home.ts";

/** Where the servers of a database keep the files of all people. */
export interface SharedFiles {
  /** The data root with the folders of the profiles. */
  readonly profilesHome: string;
  /** Whether files are in folders, which programs can use, and which further folders may join. */
  readonly hasFolders: boolean;
  /** Throws `ConfigInvalidError` unless the other servers of the database use the same place. */
  requireSame(database: Postgres): Promise<void>;
  /** Throws `AlreadyExistsError` if there are files of a profile without an account. */
  requireNone(username: string): Promise<void>;
  /** Moves the files of a removed account away, so that a new account can use its name. */
  remove(username: string): Promise<void>;
  /**
   * Opens the files of a profile, whose rows have this name; undefined if they are in its folder. `exclusively` limits
   * changes to one process at a time.
   */
  open(rows: string, exclusively: RunExclusively): RemoteFiles | undefined;
  close(): void;
}

/** The folder that `METAHUMAN_WORKSPACE` names, or the data root of the server. */
export function openSharedFolder(profilesHome: string): SharedFiles {
  return {
    profilesHome,
    hasFolders: true,
    requireSame: (database) => requireSharedFolder(database, profilesHome),
    async requireNone(username) {
      if (await hasProfileFolder(profilesHome, username)) throw profileFolderExistsError(username);
    },
    remove: (username) => moveProfileToRemoved(profilesHome, username),
    open: () => undefined,
    close: () => undefined,
  };
}

/** The data root with the folders of the profiles: `METAHUMAN_WORKSPACE`, or the server's own. */
export function sharedFolder(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const given = env["METAHUMAN_WORKSPACE"]?.trim();
  if (!given) return home;
  const url = URL.parse(given);
  if (url?.protocol === "file:" && url.hostname === "") return fileURLToPath(url);
  throw new ConfigInvalidError(
    url?.protocol === "s3:"
      ? "This command needs the files in a folder, and METAHUMAN_WORKSPACE names a bucket."
      : "METAHUMAN_WORKSPACE is not the address of a folder or bucket.",
    {
      suggestions: [
        "Write the folder that all servers share as file:///mnt/shared, or a bucket as s3://name/prefix.",
      ],
    },
  );
}

/** Throws `ConfigInvalidError` for a folder with an installation on files, or other than that of the other servers. */
export async function requireSharedFolder(database: Postgres, profilesHome: string): Promise<void> {
  const { profiles, systemDatabase } = homePaths(profilesHome);
  ensureWritable(profilesHome);
  if (existsSync(systemDatabase))
    throw new ConfigInvalidError(
      "The data folder holds an installation whose accounts and runs are in files, not in the database.",
      {
        suggestions: [
          "Name another folder in METAHUMAN_WORKSPACE, or remove METAHUMAN_DATABASE_URL from the environment.",
        ],
      },
    );
  const path = join(profiles, SHARED_MARK);
  const { mark, isNew } = await readOrCreateMark(path);
  try {
    await checkSharedFolder(database, mark);
  } catch (error) {
    if (isNew) await rm(path, { force: true });
    throw error;
  }
}
