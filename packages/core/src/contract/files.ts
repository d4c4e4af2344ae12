import { z } from "zod";
import { ArchiveEntry, Page } from "./http.ts";

/** The longest text that can be read for editing and written back, in bytes. */
export const MAX_EDITABLE_BYTES = 1_000_000;

/**
 * A path in the workspace. Its first folder is a root (`out`, `inbox` or an added folder); any other path is under `out`.
 */
export const FilePath = z.string().min(1).max(1_024);

/** One entry of a folder. A link or a device has the kind `other` and cannot be opened. */
export const FileEntry = z.strictObject({
  name: z.string(),
  /** Canonical; starts with the root. */
  path: z.string(),
  kind: z.enum(["file", "folder", "other"]),
  bytes: z.int().nonnegative(),
  /** ISO 8601 UTC; absent for a root. */
  modified: z.string().optional(),
});
export type FileEntry = z.infer<typeof FileEntry>;

/** The order of a list of files. By name, folders come first. */
export const FileSort = z.enum(["name", "newest", "largest"]);
export type FileSort = z.infer<typeof FileSort>;

/** One page of a folder. */
export const FilePage = Page(FileEntry);

/** A text file. */
export const FileContent = z.strictObject({
  path: z.string(),
  content: z.string(),
  /** The size of the whole file. */
  bytes: z.int().nonnegative(),
  /** Whether the file continues after `content`; such a file cannot be written back. */
  truncated: z.boolean(),
  /** Identifies this state of the file; a change is based on it. */
  version: z.string(),
});
export type FileContent = z.infer<typeof FileContent>;

/** Text to write. Without `version`, the path must be free; with it, the file must still be in that state. */
export const FileWrite = z.strictObject({
  path: FilePath,
  content: z.string().max(MAX_EDITABLE_BYTES),
  version: z.string().max(128).optional(),
});
export type FileWrite = z.infer<typeof FileWrite>;

export const FileWritten = FileContent.pick({ path: true, bytes: true, version: true }).extend({
  created: z.boolean(),
  /** The former text, if a file was replaced. */
  archived: ArchiveEntry.optional(),
});
export type FileWritten = z.infer<typeof FileWritten>;

/**
 * The behavior of an upload if its path is taken: fail, archive and replace the other file, or take a free path next to
 * it.
 */
export const ExistingFile = z.enum(["refuse", "replace", "keep_both"]);
export type ExistingFile = z.infer<typeof ExistingFile>;

export const FileUploaded = FileWritten.omit({ version: true });
export type FileUploaded = z.infer<typeof FileUploaded>;

/**
 * Moves a file or folder to a free path. `removeEmpty` is a folder that goes to the archive if no file is left in it:
 * undoing a move removes the folder that the move created.
 */
export const FileRename = z.strictObject({ from: FilePath, to: FilePath, removeEmpty: FilePath.optional() });
export type FileRename = z.infer<typeof FileRename>;

/** The canonical paths of a move, and the topmost folder that it created. */
export const FileRenamed = z.strictObject({
  from: z.string(),
  to: z.string(),
  createdFolder: z.string().optional(),
});
export type FileRenamed = z.infer<typeof FileRenamed>;
