import { isDeepStrictEqual } from "node:util";
import type { ProfileSettings } from "@metahuman/core/contract/profile";
import type { ProfilePaths } from "@metahuman/core/paths/profile-paths";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import type { ArchivePort } from "@metahuman/core/workspace/archive";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import { openLocalWorkspace, type LocalWorkspace } from "@metahuman/core/workspace/open-local-workspace";
import type { WorkspaceFolders } from "@metahuman/core/workspace/folder";

type Roots = ProfileSettings["workspaceRoots"];

/**
 * The profile's files, which follow its settings: a folder that the owner opens or closes counts from the next call on.
 * A change that cannot be followed leaves the workspace as it was, and is told to `onProblem`.
 */
export async function openFollowingWorkspace(options: {
  paths: ProfilePaths;
  keepOut: readonly string[];
  store: ProfileStore;
  onProblem: (error: unknown) => void;
}): Promise<{ files: WorkspaceFiles; folders: WorkspaceFolders; archive: ArchivePort; close(): void }> {
  const { paths, keepOut, store, onProblem } = options;
  const open = (added: Roots) =>
    openLocalWorkspace({
      out: paths.out,
      inbox: paths.inbox,
      added,
      keepOut,
      archive: paths.memory.archive.files,
    });

  let roots = (await store.settings()).workspaceRoots;
  let current = await open(roots);
  // Calls that began before a change still hold the lock of the workspace they began with.
  const retired: LocalWorkspace[] = [];
  const follow = async () => {
    const { workspaceRoots } = await store.settings();
    if (isDeepStrictEqual(workspaceRoots, roots)) return;
    const next = await open(workspaceRoots);
    retired.push(current);
    current = next;
    roots = workspaceRoots;
  };
  const stop = store.onChange((part) => {
    if (part === "settings") follow().catch(onProblem);
  });

  return {
    files: {
      resolve: (path) => current.files.resolve(path),
      state: (path, signal) => current.files.state(path, signal),
      existing: (path, signal) => current.files.existing(path, signal),
      content: (paths, signal) => current.files.content(paths, signal),
      freePath: (path, signal) => current.files.freePath(path, signal),
      readText: (path, how) => current.files.readText(path, how),
      search: (query, how) => current.files.search(query, how),
      list: (path, how) => current.files.list(path, how),
      writeText: (path, content, how) => current.files.writeText(path, content, how),
      appendText: (path, text, how) => current.files.appendText(path, text, how),
      makeFolder: (path, how) => current.files.makeFolder(path, how),
      move: (from, to, how) => current.files.move(from, to, how),
    },
    folders: { within: (path, use, signal) => current.folders.within(path, use, signal) },
    archive: {
      removeFile: (path, how) => current.archive.removeFile(path, how),
      keepCopy: (path, how) => current.archive.keepCopy(path, how),
      list: () => current.archive.list(),
      restore: (id, how) => current.archive.restore(id, how),
    },
    close() {
      stop();
      for (const workspace of [...retired, current]) workspace.close();
    },
  };
}
