import { mkdir, rename, rm, rmdir } from "node:fs/promises";
import { InvalidArgsError, PathOutsideWorkspaceError } from "../errors/request-errors.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { copyEntry, type Spot } from "./copy-entry.ts";
import { type Folder, lookAt } from "./folder.ts";
import { firstBlockedPath } from "./list-entries.ts";
import { temporaryName } from "./temporary-files.ts";
import { occupied, reserveFile } from "./write-file.ts";

const pathOf = ({ folder, name }: Spot): string => folder.at(name);
const labelOf = ({ folder, name }: Spot): string => `${folder.label}/${name}`;

/** Takes a name with something empty that the entry then replaces in one act; returns how to give it back. */
async function reserve(spot: Spot, kind: "file" | "folder"): Promise<() => Promise<void>> {
  if (kind === "file") {
    await reserveFile(spot.folder, spot.name);
    return () => rm(pathOf(spot), { force: true });
  }
  await mkdir(pathOf(spot)).catch((error: unknown) => {
    throw systemCode(error) === "EEXIST" ? occupied(labelOf(spot)) : error;
  });
  // Windows renames no folder onto another, and refuses a taken name by itself.
  if (process.platform === "win32") await rmdir(pathOf(spot));
  return () => rmdir(pathOf(spot)).catch(() => undefined);
}

/** Across file systems: a whole copy first, named in one act; the original goes last. */
async function carryOver(from: Spot, to: Spot): Promise<void> {
  const copy: Spot = { folder: to.folder, name: temporaryName() };
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

async function sameEntry(from: Spot, to: Spot): Promise<boolean> {
  const [one, other] = [await lookAt(from.folder, from.name), await lookAt(to.folder, to.name)];
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
}

/** Throws unless a folder may go to `target` with all that is in it: not into itself, and not with anything out of reach. */
export async function assertMovable(parent: Folder, name: string, target: string): Promise<void> {
  const label = `${parent.label}/${name}`;
  if (target.startsWith(`${label}/`)) throw new InvalidArgsError(`${label} cannot be moved into itself.`);
  const folder = await parent.enter(name, { create: false });
  try {
    const kept = await firstBlockedPath(folder);
    if (kept === undefined) return;
    throw new PathOutsideWorkspaceError(`${label} holds ${kept}, which is kept out of reach.`, {
      suggestions: ["Name the other files one by one."],
      context: { path: label, kept },
    });
  } finally {
    await folder.close();
  }
}

/**
 * Moves one entry. Without `overwrite` the new name is reserved first, so that nothing which appears there meanwhile
 * is lost: `AlreadyExistsError`. A crash in the instant between leaves the original in place and an empty reservation.
 */
export async function moveEntry(
  from: Spot,
  to: Spot,
  options: { kind: "file" | "folder"; overwrite: boolean },
): Promise<void> {
  try {
    await Promise.all([from.folder.verify(), to.folder.verify()]);
    // Only the spelling changes, on a file system that does not tell cases apart.
    const respelled = from.name !== to.name && (await sameEntry(from, to));
    const giveBack = options.overwrite || respelled ? async () => undefined : await reserve(to, options.kind);
    try {
      await rename(pathOf(from), pathOf(to));
    } catch (error) {
      if (systemCode(error) !== "EXDEV") {
        await giveBack();
        throw error;
      }
      await carryOver(from, to).catch(async (failure: unknown) => {
        await giveBack();
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
