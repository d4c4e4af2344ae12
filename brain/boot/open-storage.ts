import { openMemoryWhenUsed, type UsedMemory } from "@metahuman/core/memory/memory-when-used";
import { type OpenedMemory, openMemory } from "@metahuman/core/memory/open-memory";
import { openTasks } from "@metahuman/core/memory/tasks/open-tasks";
import type { MemoryUses } from "@metahuman/core/memory/evolution/memory-uses";
import { homePaths } from "@metahuman/core/paths/data-root";
import type { ProfilePaths } from "@metahuman/core/paths/profile-paths";
import { createProfileQuota } from "@metahuman/core/profiles/profile-quota";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import { openLocalWorkspace, type LocalWorkspace } from "@metahuman/core/workspace/open-local-workspace";
import { followImports, followImportsInArchive } from "@metahuman/core/workspace/imported-files";
import type { Changes } from "./changes.ts";
import type { ProfileRecords } from "./installation.ts";
import type { RemoteFiles } from "./remote-files.ts";
import type { ProfileOptions } from "./profile-options.ts";
import { withinQuota } from "./quota-ports.ts";

interface StorageOptions extends Pick<ProfileOptions, "home" | "config" | "embedder" | "chosenEmbedder"> {
  paths: ProfilePaths;
  store: ProfileStore;
  uses: MemoryUses;
  records: ProfileRecords | undefined;
  remote: RemoteFiles | undefined;
  changes: Changes;
  clock: () => Date;
  warn: (message: string, cause?: unknown) => void;
}

/** Opens a profile's files, memories and tasks within its quota. */
export async function openStorage(options: StorageOptions) {
  const { home, config, paths, store, records, remote, changes, clock, warn } = options;
  const quota = createProfileQuota({
    paths,
    amount: remote?.amount,
    limits: () => config.current().storage.profile,
    onProblem: warn,
    clock,
  });
  const noteMemories = (): void => changes.note("memories");
  const openMemories = () =>
    openMemory({
      paths: records?.paths ?? paths,
      ...(records && { storage: records.memories, vectors: records.vectors }),
      embedder: options.embedder,
      embedderChoice: options.chosenEmbedder,
      similarities: () => config.current().memory.similarities,
      clock,
      uses: options.uses,
      onChange: noteMemories,
      onWarning: warn,
    });
  const opening = [
    remote ? withoutClosing(remote) : openWorkspaceOf({ home, paths, store, warn }),
    // Rows need no index until somebody searches or lists them; files may have been changed by other programs.
    records ? openRowsWhenUsed(records, { openMemories, noteMemories, warn }) : openAtOnce(openMemories),
    openTasks(records ? { storage: records.tasks, clock } : { paths, clock }),
  ] as const;
  const [workspace, opened, tasks] = await Promise.all(opening).catch(async (error: unknown) => {
    // One failed: the others are closed as soon as they are open.
    for (const part of await Promise.allSettled(opening))
      if (part.status === "fulfilled") await part.value.close();
    throw error;
  });
  const files = followImports(workspace.files);
  const archive = followImportsInArchive(workspace.archive, files);
  const limited = withinQuota({ ...workspace, files, archive, memory: opened.memory, tasks }, quota);
  return {
    ...limited,
    folders: workspace.folders,
    opened: { ...opened, memory: limited.memory },
    quota,
    async close() {
      workspace.close();
      await opened.close();
      tasks.close();
    },
  };
}

const openAtOnce = async (open: () => Promise<OpenedMemory>): Promise<UsedMemory> => ({
  ...(await open()),
  isOpen: () => true,
});

/** Opens memories that are rows when they are first used. Until then, every change of a record counts as one of them. */
async function openRowsWhenUsed(
  records: ProfileRecords,
  {
    openMemories,
    noteMemories,
    warn,
  }: {
    openMemories: () => Promise<OpenedMemory>;
    noteMemories: () => void;
    warn: StorageOptions["warn"];
  },
): Promise<UsedMemory> {
  const followed = records.follow(noteMemories);
  const openNow = (): Promise<OpenedMemory> => {
    // Open memories tell of their own changes.
    followed.close();
    return openMemories();
  };
  // A read does not wait for a large copy, so that one begins before anybody reads.
  const memory = openMemoryWhenUsed(openNow, { opensAtOnce: records.isLarge, onWarning: warn });
  return {
    ...memory,
    async close() {
      followed.close();
      await memory.close();
    },
  };
}

const withoutClosing = async ({ workspace }: RemoteFiles) => ({ ...workspace, close: () => undefined });

/** Opens a profile's files in its folder. A change of the workspace folders in its settings applies from the next call on. */
async function openWorkspaceOf({
  home,
  paths,
  store,
  warn,
}: Pick<StorageOptions, "home" | "paths" | "store" | "warn">): Promise<LocalWorkspace> {
  const workspace = await openLocalWorkspace({
    out: paths.out,
    inbox: paths.inbox,
    added: (await store.settings()).workspaceRoots,
    keepOut: [homePaths(home).profiles],
    archive: paths.memory.archive.files,
  });
  const stop = store.onChange((part) => {
    if (part !== "settings") return;
    store.settings().then(
      ({ workspaceRoots }) => workspace.changeAddedRoots(workspaceRoots),
      (error: unknown) =>
        warn("the workspace folders were not updated after a change of the settings", error),
    );
  });
  return {
    ...workspace,
    close() {
      stop();
      workspace.close();
    },
  };
}
