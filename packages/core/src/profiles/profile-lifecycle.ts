import { access } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../errors/node-error.ts";
import { AlreadyExistsError } from "../errors/request-errors.ts";
import { makeFolder, moveFile } from "../files/durable-file.ts";
import { homePaths } from "../paths/data-root.ts";
import { profilePaths } from "../paths/profile-paths.ts";
import { openProfileStore } from "./open-profile-store.ts";

/** Creates the missing folders and files of a profile. */
export async function createProfile(
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

/** The error for an account whose folder already exists: its files may belong to another person. */
export function folderWithoutAccount(username: string): AlreadyExistsError {
  return new AlreadyExistsError(`A profile folder named ${username} exists without an account.`, {
    suggestions: ["Choose another name, or move that folder out of profiles/ first."],
  });
}

/**
 * Moves the profile of a removed account to `profiles/.removed/<username>-<time>`. Nothing is deleted, and a new account
 * of the same name does not find it.
 */
export async function moveToRemoved(home: string, username: string): Promise<void> {
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
