import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import type { FileState } from "@metahuman/core/workspace/files";
import { z } from "zod";

/** An argument that names a file or folder; what it may be is decided where it is used, by the files port. */
export const WorkspacePath = z
  .string()
  .min(1)
  .max(1_024)
  .describe("A relative path such as out/notes.md; without a root it lies under out/");

/** The most text one call may write, in UTF-16 code units. */
export const MAX_TEXT = 10_000_000;

/** The last part of a canonical path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A canonical path as policy takes it: a folder ends in a slash. */
export function policyPath({ path, kind }: Pick<FileState, "path" | "kind">): string {
  return kind === "folder" ? `${path}/` : path;
}

/** Throws when a canonical path is a workspace root itself, which stays where it is. */
export function assertBelowRoot(path: string): void {
  if (path.includes("/")) return;
  throw new PermissionDeniedError(`${path}/ itself cannot be moved or deleted.`, { context: { path } });
}
