import { access } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../errors/node-error.ts";
import { makeFolder, moveFile } from "../memory/store/durable-file.ts";
import { homePaths } from "../paths/data-root.ts";
import { profilePaths } from "../paths/profile-paths.ts";
import { openProfileStore } from "./open-profile-store.ts";

/** Makes the folder and files of a new profile; what is there already stays as it is. */
export async function makeProfile(
  home: string,
  username: string,
  displayName: string | undefined,
): Promise<void> {
  const store = await openProfileStore({ home, username, displayName });
  store.close();
}

export async function hasProfileFolder(home: string, username: string): Promise<boolean> {
  try {
    await access(profilePaths(home, username).root);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}

/**
 * Moves a removed account's profile to `profiles/.removed/<username>-<time>`: nothing is destroyed, and nobody who is
 * given the same name later finds it.
 */
export async function setProfileAside(home: string, username: string): Promise<void> {
  if (!(await hasProfileFolder(home, username))) return;
  const removed = join(homePaths(home).profiles, ".removed");
  await makeFolder(removed, "the removed profiles");
  const time = new Date().toISOString().replaceAll(/[-:.]/g, "");
  await moveFile(
    profilePaths(home, username).root,
    join(removed, `${username}-${time}`),
    "the removed profile",
  );
}
