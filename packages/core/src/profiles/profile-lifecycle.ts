import { access } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../errors/node-error.ts";
import { AlreadyExistsError } from "../errors/request-errors.ts";
import { makeFolder, moveFile } from "../files/durable-file.ts";
import { homePaths } from "../paths/data-root.ts";
import { profilePaths } from "../paths/profile-paths.ts";
import { openProfileStore } from "./open-profile-store.ts";

/** Creates the missing folders and files of a profile: opening its store creates them. */
export async function createProfile(
  home: string,
  username: string,
  displayName: string | undefined,
): Promise<void> {
  const store = await openProfileStore({ home, username, displayName });
  store.close();
}

/** Whether something exists at the path of the profile. */
export async function hasProfileFolder(home: string, username: string): Promise<boolean> {
  try {
    await access(profilePaths(home, username).root);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** The error when the folder of a new account already exists. Its files may belong to another person. */
export function profileFolderExistsError(username: string): AlreadyExistsError {
  return new AlreadyExistsError(`A profile folder named ${username} exists without an account.`, {
    suggestions: ["Choose another name, or move that folder out of profiles/ first."],
  });
}

/**
 * Moves the profile of a removed account to `profiles/.removed/<username>-<time>`. Nothing is deleted. A new account of
 * the same name starts with an empty profile.
 */
export async function moveProfileToRemoved(home: string, username: string): Promise<void> {
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
