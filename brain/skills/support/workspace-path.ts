import { PermissionDeniedError } from "@metahuman/core/errors/permission-denied-error";
import { z } from "zod";

/** An argument that names a file or folder; what it may be is decided where it is used, by the files port. */
export const WorkspacePath = z
  .string()
  .min(1)
  .max(1_024)
  .describe("A relative path such as out/notes.md; without a root it lies under out/");

/** The most text one call may write, in UTF-16 code units. */
export const MAX_TEXT = 10_000_000;

/** The folder of a canonical path, with its slash: what a standing permission for it would cover. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

/** The last part of a canonical path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The deepest folder that holds both canonical paths; undefined when they lie in different roots. */
export function commonFolder(one: string, other: string): string | undefined {
  const [first, second] = [folderOf(one).split("/"), folderOf(other).split("/")];
  const differs = first.findIndex((segment, level) => segment !== second[level]);
  const shared = first.slice(0, differs === -1 ? first.length - 1 : differs);
  return shared.length === 0 ? undefined : `${shared.join("/")}/`;
}

/** Throws when a canonical path is a workspace root itself, which stays where it is. */
export function assertBelowRoot(path: string): void {
  if (path.includes("/")) return;
  throw new PermissionDeniedError(`${path}/ itself cannot be moved or deleted.`, { context: { path } });
}
