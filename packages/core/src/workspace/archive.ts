import type { RestoredAnswer } from "../contract/answers.ts";
import type { ArchiveEntry } from "../contract/http.ts";
import type { ChangeOptions, WorkspaceFiles } from "./files.ts";

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

/**
 * Carries out `change`, which may replace the file at `path`, and keeps a copy of that file in the archive. `change` passes on
 * the `verify` it is given. Because this makes the copy under the write lock, each of several simultaneous changes is
 * kept, in the file or in the archive.
 */
export async function keepingReplaced<Result extends object>(
  { files, archive }: { files: Pick<WorkspaceFiles, "state">; archive: Pick<ArchivePort, "keepCopy"> },
  path: string,
  { runId, verify, signal }: { runId?: string } & ChangeOptions,
  change: (verify: () => Promise<void>) => Promise<Result>,
): Promise<Result & { archived?: ArchiveEntry }> {
  let archived: ArchiveEntry | undefined;
  const options = { ...(runId !== undefined && { runId }), ...(signal && { signal }) };
  const result = await change(async () => {
    await verify?.();
    const { kind } = await files.state(path, signal);
    archived = kind === "file" ? await archive.keepCopy(path, options) : undefined;
  });
  return { ...result, ...(archived && { archived }) };
}
