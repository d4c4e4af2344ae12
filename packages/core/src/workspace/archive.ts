import type { RestoredAnswer } from "../contract/answers.ts";
import type { ArchiveEntry } from "../contract/http.ts";
import type { ChangeOptions } from "./files.ts";

/** The archive of deleted and overwritten files, from which each can be restored. */
export interface ArchivePort {
  /**
   * Moves a file, or a folder if `recursive`, into the archive. Throws `FileNotFoundError` with the nearest paths,
   * `InvalidArgsError` for a folder without `recursive`, `PathOutsideWorkspaceError`, `PermissionDeniedError`.
   */
  removeFile(
    path: string,
    options: { recursive: boolean; runId?: string } & ChangeOptions,
  ): Promise<{ path: string; removed: ArchiveEntry }>;
  /** Archives a copy of a file before it is overwritten. */
  keepCopy(path: string, options: { runId?: string; signal?: AbortSignal }): Promise<ArchiveEntry>;
  /** Newest first. */
  list(): Promise<ArchiveEntry[]>;
  /** An entry as `list` has it, and the first `maxBytes` of a file; no bytes for a folder. Throws `NotFoundError`. */
  read(
    id: string,
    options: { maxBytes: number; signal?: AbortSignal },
  ): Promise<{ entry: ArchiveEntry; bytes?: Uint8Array }>;
  /**
   * Restores an entry to its original path, or to another path of the workspace. Throws `AlreadyExistsError` if the path is taken, unless `replace` is set:
   * then it archives the existing file first and returns its entry, too. Throws `NotFoundError` for an unknown id.
   */
  restore(
    id: string,
    options?: { replace?: boolean; to?: string; signal?: AbortSignal },
  ): Promise<RestoredAnswer>;
}
