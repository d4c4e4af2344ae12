import type { ArchiveEntry } from "../contract/http.ts";
import type { ChangeOptions } from "./files.ts";

/** Where deleted files go and come back from. Nothing the operator deletes is gone at once. */
export interface ArchivePort {
  /**
   * Moves a file, or a folder when `recursive`, into the archive. Throws `FileNotFoundError` with the nearest paths,
   * `InvalidArgsError` for a folder that was not asked for, `PathOutsideWorkspaceError`, `PermissionDeniedError`.
   */
  removeFile(
    path: string,
    options: { recursive: boolean; runId?: string } & ChangeOptions,
  ): Promise<{ path: string; removed: ArchiveEntry }>;
  /** Overwriting keeps the old text here first. */
  keepCopy(path: string, options: { runId?: string; signal?: AbortSignal }): Promise<ArchiveEntry>;
  /** Newest first. */
  list(): Promise<ArchiveEntry[]>;
  /**
   * Puts it back where it was. `AlreadyExistsError` when something else is there now, unless `replace`: then that goes
   * into the archive first. `NotFoundError` for an unknown id.
   */
  restore(id: string, options?: { replace?: boolean; signal?: AbortSignal }): Promise<ArchiveEntry>;
}
