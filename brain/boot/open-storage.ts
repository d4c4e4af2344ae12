import type { MemoryUses } from "@metahuman/core/memory/evolution/memory-uses";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import { openMemoryWhenUsed, type UsedMemory } from "@metahuman/core/memory/memory-when-used";
import { type OpenedMemory, openMemory } from "@metahuman/core/memory/open-memory";
import { openTasks } from "@metahuman/core/memory/tasks/open-tasks";
import type { TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import { homePaths } from "@metahuman/core/paths/data-root";
import type { ProfilePaths } from "@metahuman/core/paths/profile-paths";
import {
  createProfileQuota,
  type ProfileQuota,
  type StoredAmount,
} from "@metahuman/core/profiles/profile-quota";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import type { ArchivePort } from "@metahuman/core/workspace/archive";
import type { WorkspaceFiles, WrittenFile } from "@metahuman/core/workspace/files";
import { followImports, followImportsInArchive } from "@metahuman/core/workspace/imported-files";
import { type LocalWorkspace, openLocalWorkspace } from "@metahuman/core/workspace/open-local-workspace";
import type { Changes } from "./changes.ts";
import type { ProfileRecords } from "./installation.ts";
import type { ProfileOptions } from "./profile-options.ts";
import type { RemoteFiles } from "./remote-files.ts";

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
    // From now on, the open memories report changes.
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

/** The size of a record's file without its content (ids, times, origin), in bytes. */
const RECORD_BYTES = 800;
const OWN_ROOTS = new Set(["out", "inbox"]);

interface QuotaPorts<Tasks extends TasksPort> {
  files: WorkspaceFiles;
  archive: ArchivePort;
  memory: MemoryPort;
  tasks: Tasks;
}

/** Wraps a profile's ports so that writes beyond its quota throw `QuotaExceededError` before anything is written. */
function withinQuota<Tasks extends TasksPort>(
  { files, archive, memory, tasks }: QuotaPorts<Tasks>,
  quota: ProfileQuota,
): QuotaPorts<Tasks> {
  return {
    files: filesWithinQuota(files, quota),
    archive: archiveWithinQuota(archive, files, quota),
    memory: memoryWithinQuota(memory, quota),
    tasks: tasksWithinQuota(tasks, quota),
  };
}

/** Folders outside the profile do not count. */
function filesWithinQuota(files: WorkspaceFiles, quota: ProfileQuota): WorkspaceFiles {
  const replace = async (
    path: string,
    written: number,
    write: () => Promise<WrittenFile>,
    signal: AbortSignal | undefined,
  ): Promise<WrittenFile> => {
    if (!isOwn(files, path)) return await write();
    const { path: target, kind, bytes } = await files.state(path, signal);
    const added = { bytes: Math.max(0, written - bytes), files: kind === "absent" ? 1 : 0 };
    return await quota.write(added, target, write);
  };
  return {
    ...files,
    writeText: (path, content, how) =>
      replace(path, Buffer.byteLength(content), () => files.writeText(path, content, how), how.signal),
    writeBytes: (path, content, how) =>
      replace(path, content.byteLength, () => files.writeBytes(path, content, how), how.signal),
    appendText: async (path, text, how) => {
      const write = () => files.appendText(path, text, how);
      if (!isOwn(files, path)) return await write();
      const { path: target, kind } = await files.state(path, how?.signal);
      const added = { bytes: Buffer.byteLength(text), files: kind === "absent" ? 1 : 0 };
      return await quota.write(added, target, write);
    },
    copy: async (from, to, how) => {
      const copy = () => files.copy(from, to, how);
      if (!isOwn(files, to)) return await copy();
      return await quota.write(await amountOf(files, from), files.resolve(to).path, copy);
    },
    move: async (from, to, how) => {
      const move = () => files.move(from, to, how);
      if (!isOwn(files, to) || isOwn(files, from)) return await move();
      return await quota.write(await amountOf(files, from), files.resolve(to).path, move);
    },
  };
}

/** Deleting a file of the profile only moves it and needs no space. */
function archiveWithinQuota(archive: ArchivePort, files: WorkspaceFiles, quota: ProfileQuota): ArchivePort {
  const add = async <Result>(path: string, write: () => Promise<Result>): Promise<Result> =>
    await quota.write(await amountOf(files, path), `${files.resolve(path).path} in the archive`, write);
  return {
    ...archive,
    keepCopy: (path, how) => add(path, () => archive.keepCopy(path, how)),
    removeFile: async (path, how) => {
      const remove = () => archive.removeFile(path, how);
      return isOwn(files, path) ? await remove() : await add(path, remove);
    },
  };
}

function memoryWithinQuota(memory: MemoryPort, quota: ProfileQuota): MemoryPort {
  const add = <Result>(records: readonly object[], write: () => Promise<Result>): Promise<Result> =>
    quota.write(recordsAmount(records), records.length === 1 ? "the memory" : "the memories", write);
  return {
    ...memory,
    add: (record, origin) => add([record], () => memory.add(record, origin)),
    addMany: (records, origin) => add(records, () => memory.addMany(records, origin)),
    importMany: (records) => add(records, () => memory.importMany(records)),
    edit: (id, edit) =>
      quota.write({ bytes: recordsAmount([edit]).bytes, files: 0 }, "the memory", () =>
        memory.edit(id, edit),
      ),
  };
}

function tasksWithinQuota<Tasks extends TasksPort>(tasks: Tasks, quota: ProfileQuota): Tasks {
  return {
    ...tasks,
    create: (task) => quota.write(recordsAmount([task]), "the task", () => tasks.create(task)),
  };
}

function isOwn(files: WorkspaceFiles, path: string): boolean {
  return OWN_ROOTS.has(files.resolve(path).root);
}

/** Returns the size of a file or of a folder with its content; zero if nothing exists. */
async function amountOf(files: WorkspaceFiles, path: string): Promise<StoredAmount> {
  const { kind, bytes } = await files.state(path);
  if (kind !== "folder") return { bytes, files: kind === "file" ? 1 : 0 };
  const { entries } = await files.list(path, { recursive: true, limit: Number.MAX_SAFE_INTEGER });
  const found = entries.filter((entry) => entry.kind !== "folder");
  return { bytes: found.reduce((sum, entry) => sum + entry.bytes, 0), files: found.length };
}

function recordsAmount(records: readonly object[]): StoredAmount {
  const bytes = records.reduce<number>(
    (sum, record) => sum + Buffer.byteLength(JSON.stringify(record)) + RECORD_BYTES,
    0,
  );
  return { bytes, files: records.length };
}
