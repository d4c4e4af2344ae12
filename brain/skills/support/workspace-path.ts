import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import type { FileState } from "@metahuman/core/workspace/files";
import { z } from "zod";

/** An argument for a file or folder; the files port validates it. */
export const WorkspacePath = z
  .string()
  .min(1)
  .max(1_024)
  .describe("A relative path such as out/notes.md; without a root it is in out/");

/** Maximum length of text per call, in UTF-16 code units. */
export const MAX_TEXT = 10_000_000;

/** Returns the last segment of a canonical path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns a canonical path in the form that policy expects: a folder ends in a slash. */
export function policyPath({ path, kind }: Pick<FileState, "path" | "kind">): string {
  return kind === "folder" ? `${path}/` : path;
}

/** Throws if a canonical path is a workspace root, which cannot be moved or deleted. */
export function assertBelowRoot(path: string): void {
  if (path.includes("/")) return;
  throw new PermissionDeniedError(`${path}/ itself cannot be moved or deleted.`, { context: { path } });
}
