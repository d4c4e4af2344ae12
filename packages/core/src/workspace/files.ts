import type { ReviewedContent } from "../contract/approval.ts";

/** One entry of a folder listing. `path` is relative and starts with its workspace root. */
export interface FileEntry {
  name: string;
  path: string;
  kind: "file" | "folder" | "other";
  bytes: number;
  /** ISO 8601 UTC. */
  modified: string;
}

export interface FileText {
  /** The canonical relative path, e.g. `out/notes/today.md`. */
  path: string;
  content: string;
  /** The size of the whole file, even if `content` is clipped. */
  bytes: number;
  /** Whether the file continues after `content`. */
  truncated: boolean;
  /** The byte offset to continue from; present if `truncated`. */
  next?: number;
}

/** An open file, read from its beginning. */
export interface OpenFile {
  path: string;
  bytes: number;
  /** The content piece by piece; can be read once, while the file is open. */
  chunks(): AsyncIterable<Uint8Array>;
}

/** One line that matches a search. */
export interface LineMatch {
  path: string;
  /** From 1. */
  line: number;
  /** The line, or the part of it around the match. */
  text: string;
}

export interface SearchResult {
  matches: LineMatch[];
  /** Paths of files and folders whose names match. */
  names: string[];
  /** The number of matching lines and names, before `limit`. */
  total: number;
  /** Whether the search was incomplete or has more matches than `limit`. */
  truncated: boolean;
  /**
   * If nothing matches: the lines that share the most words with the query, and these words, at least two. The headings above
   * a line and the names in its path count as its words.
   */
  nearest?: { words: string[]; matches: LineMatch[] };
}

export interface FileState {
  path: string;
  kind: "absent" | "file" | "folder";
  bytes: number;
}

/** Options of every change. */
export interface ChangeOptions {
  /** Called under the write lock just before the change. An error prevents the change. */
  verify?: (() => Promise<void>) | undefined;
  signal?: AbortSignal;
}

/** Options of a write: whether the path must be free. */
export interface WriteOptions extends ChangeOptions {
  expect: "absent" | "any";
}

export interface WrittenFile {
  path: string;
  bytes: number;
  /** Whether nothing was at the path before. */
  created: boolean;
}

/**
 * The files that a profile's operator may access. Every path is relative to the workspace: a first segment that names a
 * root (`out/`, `inbox/`, an added one) selects it, any other path resolves under `out/`. Every method throws
 * `PathOutsideWorkspaceError` for a path that leads elsewhere, checked on real paths when the file is opened;
 * `FileNotFoundError` (with the nearest existing paths), `AlreadyExistsError` (with a free path), `PermissionDeniedError`.
 * Sizes are in bytes; writes are atomic and durable.
 */
export interface WorkspaceFiles {
  /**
   * The canonical relative path (`trips/oslo.md` → `out/trips/oslo.md`) and whether its root is writable. Uses a snapshot
   * of the configured roots without disk access. The call that opens the file checks whether the root is still available.
   */
  resolve(path: string): { path: string; root: string; writable: boolean };
  state(path: string, signal?: AbortSignal): Promise<FileState>;
  /** Like `state`, but throws `FileNotFoundError` if nothing exists at the path. */
  existing(path: string, signal?: AbortSignal): Promise<FileState>;
  /** Hashes files and folders with their content, to detect later changes. */
  content(paths: readonly string[], signal?: AbortSignal): Promise<ReviewedContent>;
  /** The path itself if it is free, else the first free path next to it: `out/notes-2.md`. */
  freePath(path: string, signal?: AbortSignal): Promise<string>;
  /**
   * Reads from byte `from` (default 0). Never splits a character. Throws `InvalidArgsError` for folders, for files that are
   * not UTF-8 text, and for a `from` beyond the end.
   */
  readText(
    path: string,
    options: { maxBytes: number; from?: number; signal?: AbortSignal },
  ): Promise<FileText>;
  /**
   * Opens a file of any kind for `use` and closes it afterwards, without loading it as a whole. Throws `InvalidArgsError`
   * for a folder.
   */
  open<Result>(path: string, use: (file: OpenFile) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /**
   * Finds names and lines of text files that contain `query`, ignoring case, in every root or below `path`. If no line
   * contains the whole query, finds lines with all its words, and if none has all, the `nearest` lines. Skips files that are not text. Stops early, with
   * `truncated`, if it takes too long.
   */
  search(
    query: string,
    options: { path?: string; limit: number; signal?: AbortSignal },
  ): Promise<SearchResult>;
  /**
   * Lists folders first, then names in natural order; with `recursive`, folder by folder. `pattern` is a glob: without a
   * slash it matches names, with a slash the path below the listed folder. `total` counts before `limit`.
   */
  list(
    path: string,
    options: { pattern?: string; recursive: boolean; limit: number; signal?: AbortSignal },
  ): Promise<{ path: string; entries: FileEntry[]; total: number }>;
  /** `expect: "absent"` throws `AlreadyExistsError` if the path exists at the time of the write. */
  writeText(path: string, content: string, options: WriteOptions): Promise<WrittenFile>;
  /** Like `writeText`, for content of any kind. */
  writeBytes(path: string, content: Uint8Array, options: WriteOptions): Promise<WrittenFile>;
  /**
   * Appends text on a new line: adds a line break first, which `lineBreak` reports, if the file does not end with one.
   */
  appendText(
    path: string,
    text: string,
    options?: ChangeOptions,
  ): Promise<{ path: string; bytes: number; created: boolean; lineBreak: boolean }>;
  /** Creates a folder and its parents. Throws `AlreadyExistsError` if the path is a file; accepts an existing folder. */
  makeFolder(path: string, options?: { signal?: AbortSignal }): Promise<{ path: string; created: boolean }>;
  /** Copies one file; `to` is the new path itself. Throws `InvalidArgsError` for a folder. Never overwrites a folder. */
  copy(
    from: string,
    to: string,
    options: { overwrite: boolean } & ChangeOptions,
  ): Promise<{ from: string; to: string; bytes: number }>;
  /** `to` is the new path itself, never a folder to move into. Never overwrites a folder. */
  move(
    from: string,
    to: string,
    options: { overwrite: boolean } & ChangeOptions,
  ): Promise<{ from: string; to: string }>;
}
