import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openFileLock } from "../database/file-lock.ts";
import { fromNodeError } from "../errors/node-error.ts";
import type { ArchivePort } from "./archive.ts";
import { openArchiveFolder } from "./archive-folder.ts";
import type { WorkspaceFiles } from "./files.ts";
import { platformAnchor, removeAbandonedFiles } from "./folder.ts";
import { localArchive } from "./local-archive.ts";
import { localFiles } from "./local-files.ts";
import type { AddedRoots } from "./roots.ts";
import { openWorkspace, type WorkspaceOptions } from "./workspace.ts";
import { localFolders, type WorkspaceFolders } from "./workspace-folders.ts";

export interface LocalWorkspaceOptions extends WorkspaceOptions {
  /** The absolute path of the folder for deleted and overwritten files; created if missing. */
  archive: string;
  now?: () => Date;
}

export interface LocalWorkspace {
  files: WorkspaceFiles;
  folders: WorkspaceFolders;
  archive: ArchivePort;
  /** Replaces the added roots from the next call on. */
  changeAddedRoots(added: AddedRoots): void;
  /** Closes the cross-process write lock. No writes are possible afterwards. */
  close(): void;
}

/** The time to wait for the write lock, in milliseconds: another process may be copying a large file. */
const LOCK_TIMEOUT_MS = 30_000;

/**
 * Opens the files of one profile: creates `out/` and `inbox/` and deletes temporary files of killed processes. Several
 * processes may open the same workspace.
 */
export async function openLocalWorkspace(options: LocalWorkspaceOptions): Promise<LocalWorkspace> {
  try {
    await mkdir(options.archive, { recursive: true });
  } catch (error) {
    throw fromNodeError(error, "the archive");
  }
  const lock = openFileLock(join(options.archive, "write.lock"), "the workspace");
  const workspace = await openWorkspace(options, (work) => lock.hold(work, { waitMs: LOCK_TIMEOUT_MS }));
  for (const own of [options.out, options.inbox]) await removeAbandonedFiles(own);
  const archiveFolder = openArchiveFolder(options.archive, options.anchor ?? platformAnchor);
  return {
    files: localFiles(workspace),
    folders: localFolders(workspace),
    archive: localArchive(workspace, archiveFolder, options.now),
    changeAddedRoots: workspace.changeAddedRoots,
    close: () => lock.close(),
  };
}
