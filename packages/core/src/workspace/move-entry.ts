import { mkdir, rename, rm, rmdir } from "node:fs/promises";
import { InvalidArgsError, PathOutsideWorkspaceError } from "../errors/request-errors.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { copyEntry, type EntryLocation } from "./copy-entry.ts";
import { firstBlockedPath, type Folder, statEntry, temporaryName } from "./folder.ts";
import { alreadyExists, reserveFile } from "./regular-file.ts";

const pathOf = ({ folder, name }: EntryLocation): string => folder.at(name);
const labelOf = ({ folder, name }: EntryLocation): string => `${folder.label}/${name}`;

/** Reserves a name with an empty entry, which the move replaces atomically. Returns a function that releases it. */
async function reserve(location: EntryLocation, kind: "file" | "folder"): Promise<() => Promise<void>> {
  if (kind === "file") {
    await reserveFile(location.folder, location.name);
    return () => rm(pathOf(location), { force: true });
  }
  await mkdir(pathOf(location)).catch((error: unknown) => {
    throw systemCode(error) === "EEXIST" ? alreadyExists(labelOf(location)) : error;
  });
  // Windows does not rename onto a folder and rejects a taken name itself.
  if (process.platform === "win32") await rmdir(pathOf(location));
  return () => rmdir(pathOf(location)).catch(() => undefined);
}

/** Moves across file systems: copies, renames the copy atomically, then deletes the original. */
async function moveAcrossFileSystems(from: EntryLocation, to: EntryLocation): Promise<void> {
  const copy: EntryLocation = { folder: to.folder, name: temporaryName() };
  try {
    await copyEntry(from, copy);
    await rename(pathOf(copy), pathOf(to));
  } catch (error) {
    await rm(pathOf(copy), { recursive: true, force: true });
    throw error;
  }
  await to.folder.flush();
  await rm(pathOf(from), { recursive: true });
}

async function sameEntry(from: EntryLocation, to: EntryLocation): Promise<boolean> {
  const [one, other] = [await statEntry(from.folder, from.name), await statEntry(to.folder, to.name)];
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
}

/** Throws if a folder cannot move to `target`: into itself, or with a blocked name inside. */
export async function assertMovable(parent: Folder, name: string, target: string): Promise<void> {
  const label = `${parent.label}/${name}`;
  if (target.startsWith(`${label}/`)) throw new InvalidArgsError(`${label} cannot be moved into itself.`);
  const folder = await parent.enter(name, { create: false });
  try {
    const blockedPath = await firstBlockedPath(folder);
    if (blockedPath === undefined) return;
    throw new PathOutsideWorkspaceError(`${label} contains ${blockedPath}, which is not accessible.`, {
      suggestions: ["Name the other files one by one."],
      context: { path: label, kept: blockedPath },
    });
  } finally {
    await folder.close();
  }
}

/**
 * Moves one entry. Without `overwrite`, the new name is reserved first, so that a file which appears there meanwhile is
 * not lost; throws `AlreadyExistsError` if it is taken. A crash in between leaves the original and an empty
 * reservation.
 */
export async function moveEntry(
  from: EntryLocation,
  to: EntryLocation,
  options: { kind: "file" | "folder"; overwrite: boolean },
): Promise<void> {
  try {
    await Promise.all([from.folder.verify(), to.folder.verify()]);
    // Only the spelling changes, on a case-insensitive file system.
    const respelled = from.name !== to.name && (await sameEntry(from, to));
    const releaseReserved =
      options.overwrite || respelled ? async () => undefined : await reserve(to, options.kind);
    try {
      await rename(pathOf(from), pathOf(to));
    } catch (error) {
      if (systemCode(error) !== "EXDEV") {
        await releaseReserved();
        throw error;
      }
      await moveAcrossFileSystems(from, to).catch(async (failure: unknown) => {
        await releaseReserved();
        throw failure;
      });
    }
    await to.folder.flush();
    await from.folder.flush();
  } catch (error) {
    if (systemCode(error) === "EINVAL")
      throw new InvalidArgsError(`${labelOf(from)} cannot be moved into itself.`, { cause: error });
    throw fromNodeError(error, labelOf(from));
  }
}
