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
  /** The whole file's size, also when `content` is clipped. */
  bytes: number;
  /** True when the file goes on behind `content`. */
  truncated: boolean;
  /** Where it goes on, in bytes; present when `truncated`. */
  next?: number;
}

/** One line that holds what was searched for. */
export interface LineMatch {
  path: string;
  /** From 1. */
  line: number;
  /** The line, or as much of it as stands around the match. */
  text: string;
}

export interface SearchResult {
  matches: LineMatch[];
  /** Files and folders whose names hold it. */
  names: string[];
  /** How many lines and names were found, before `limit`. */
  total: number;
  /** True when not everything was looked through or not everything found is shown. */
  truncated: boolean;
}

export interface FileState {
  path: string;
  kind: "absent" | "file" | "folder";
  bytes: number;
}

/** What every change takes. */
export interface ChangeOptions {
  /** Called while no other writer can come in between, just before anything changes; what it throws prevents the change. */
  verify?: (() => Promise<void>) | undefined;
  signal?: AbortSignal;
}

/**
 * The files a profile's operator may touch. Every path is relative to the workspace; a first segment that names a
 * root (`out/`, `inbox/`, an added one) selects it, anything else resolves under `out/`. Every method throws
 * `PathOutsideWorkspaceError` for whatever leads elsewhere, checked on real paths when the file is opened;
 * `FileNotFoundError` (with the nearest existing paths), `AlreadyExistsError` (with a free name), `PermissionDeniedError`.
 * All sizes are bytes; writes are atomic and flushed.
 */
export interface WorkspaceFiles {
  /**
   * The canonical relative path (`trips/oslo.md` → `out/trips/oslo.md`) and whether its root may be written. Follows from
   * the words of the path and the names of the roots, which the implementation keeps as a snapshot of the settings: it
   * asks no disk and no store. A root that was closed meanwhile is refused by the call that opens the file.
   */
  resolve(path: string): { path: string; root: string; writable: boolean };
  state(path: string, signal?: AbortSignal): Promise<FileState>;
  /** The state of what must be there: throws `FileNotFoundError` when nothing is. */
  existing(path: string, signal?: AbortSignal): Promise<FileState>;
  /** Hashes of files, and of folders with everything in them, to tell later whether anything changed. */
  content(paths: readonly string[], signal?: AbortSignal): Promise<ReviewedContent>;
  /** The path itself when nothing is there, else the first free one beside it: `out/notes-2.md`. */
  freePath(path: string, signal?: AbortSignal): Promise<string>;
  /**
   * Reads from byte `from` on (0). Throws `InvalidArgsError` for folders, for what is not text in UTF-8, and for a `from`
   * behind the end. A clip never cuts a character in two.
   */
  readText(
    path: string,
    options: { maxBytes: number; from?: number; signal?: AbortSignal },
  ): Promise<FileText>;
  /**
   * Names and lines of text files that hold `query`, whatever its letter case: in every root, or below `path`. Where no
   * line holds the whole query, lines that hold all its words. Files that are no text are skipped; it ends early, with
   * `truncated`, when it takes too long.
   */
  search(
    query: string,
    options: { path?: string; limit: number; signal?: AbortSignal },
  ): Promise<SearchResult>;
  /**
   * Folders first, then names in natural order; with `recursive`, folder by folder. `pattern` is a glob: without a slash
   * it is matched against names, with one against the path below the listed folder. `total` counts before `limit`.
   */
  list(
    path: string,
    options: { pattern?: string; recursive: boolean; limit: number; signal?: AbortSignal },
  ): Promise<{ path: string; entries: FileEntry[]; total: number }>;
  /** `expect` makes the write safe against what changed since it was judged: `absent` fails with `AlreadyExistsError`. */
  writeText(
    path: string,
    content: string,
    options: { expect: "absent" | "any" } & ChangeOptions,
  ): Promise<{ path: string; bytes: number; created: boolean }>;
  /** The text starts on a line of its own: a line end is added before it when the file does not end in one. */
  appendText(
    path: string,
    text: string,
    options?: ChangeOptions,
  ): Promise<{ path: string; bytes: number; created: boolean }>;
  /** With the folders on the way to it. `AlreadyExistsError` where a file is; a folder that is there stays as it is. */
  makeFolder(path: string, options?: { signal?: AbortSignal }): Promise<{ path: string; created: boolean }>;
  /** `to` is the new path itself, never a folder to move into. Folders move whole and are never overwritten. */
  move(
    from: string,
    to: string,
    options: { overwrite: boolean } & ChangeOptions,
  ): Promise<{ from: string; to: string }>;
}
