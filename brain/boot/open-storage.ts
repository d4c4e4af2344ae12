import { openMemory } from "@metahuman/core/memory/open-memory";
import { openTasks } from "@metahuman/core/memory/tasks/open-tasks";
import type { MemoryUses } from "@metahuman/core/memory/evolution/memory-uses";
import { homePaths } from "@metahuman/core/paths/data-root";
import type { ProfilePaths } from "@metahuman/core/paths/profile-paths";
import { createProfileQuota } from "@metahuman/core/profiles/profile-quota";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import type { Changes } from "./changes.ts";
import { openFollowingWorkspace } from "./following-workspace.ts";
import type { ProfileOptions } from "./profile-options.ts";
import { withinQuota } from "./quota-ports.ts";

interface StorageOptions extends Pick<ProfileOptions, "home" | "config" | "embedder" | "chosenEmbedder"> {
  paths: ProfilePaths;
  store: ProfileStore;
  uses: MemoryUses;
  changes: Changes;
  clock: () => Date;
  warn: (message: string, cause?: unknown) => void;
}

/** Opens a profile's files, memories and tasks within its quota. */
export async function openStorage(options: StorageOptions) {
  const { home, config, paths, store, changes, clock, warn } = options;
  const quota = createProfileQuota({
    paths,
    limits: () => config.current().storage.profile,
    onProblem: warn,
    clock,
  });
  const [workspace, opened, tasks] = await Promise.all([
    openFollowingWorkspace({
      paths,
      keepOut: [homePaths(home).profiles],
      store,
      onProblem: (error) => warn("a change of the workspace folders could not be followed", error),
    }),
    openMemory({
      paths,
      embedder: options.embedder,
      embedderChoice: options.chosenEmbedder,
      similarities: () => config.current().memory.similarities,
      clock,
      uses: options.uses,
      onChange: () => changes.note("memories"),
      onWarning: warn,
    }),
    openTasks({ paths, clock }),
  ]);
  const limited = withinQuota({ ...workspace, memory: opened.memory, tasks }, quota);
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
