import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TaskId } from "../../contract/ids.ts";
import { isOpenStatus, Task } from "../../contract/task.ts";
import { fromNodeError, systemCode } from "../../errors/node-error.ts";
import { StorageCorruptError } from "../../errors/storage-errors.ts";
import { openFileLock } from "../../database/file-lock.ts";
import type { ProfilePaths } from "../../paths/profile-paths.ts";
import { createFile, makeFolder, moveFile, removeAbandoned, replaceFile } from "../../files/durable-file.ts";
import { fileText, parseFile } from "../../files/file-content.ts";
import { createRecordArchive, readArchived } from "../store/record-archive.ts";
import type { RecordStorage } from "../store/record-storage.ts";

export type TaskFolder = "active" | "completed";

/** The folder for a task's status. */
export function folderOf({ status }: Pick<Task, "status">): TaskFolder {
  return isOpenStatus(status) ? "active" : "completed";
}

interface FiledTask {
  task: Task;
  folder: TaskFolder;
  /** Absolute. */
  path: string;
}

/** The storage of tasks: of many, few are open. */
export interface TaskStorage extends RecordStorage<Task> {
  /** The open or the closed tasks. Those that cannot be read are left out. */
  list(folder: TaskFolder): Promise<Task[]>;
  /** Call it only when no call is pending. */
  close(): void;
}

/** The task files of a profile. External changes are visible at the next read. */
interface TaskFiles {
  /** Every task in a folder. Skips files that are not tasks; the index lists them. */
  in(folder: TaskFolder): Promise<FiledTask[]>;
  /** Throws `StorageCorruptError` if the file of that name is not a task. */
  find(id: string): Promise<FiledTask | undefined>;
  /** Throws `AlreadyExistsError`. */
  create(task: Task): Promise<void>;
  /** Writes the changed task, then moves the file to the folder of its status. A later read repairs a crash in between. */
  replace(filed: FiledTask, task: Task): Promise<void>;
  pathFor(task: Pick<Task, "id" | "status">): string;
}

/**
 * Opens the tasks of a profile as JSON files, with their archive. A lock across processes is held while an existing task is
 * changed.
 */
export async function openTaskFiles({
  paths,
  clock,
}: {
  paths: Pick<ProfilePaths, "memory">;
  clock: () => Date;
}): Promise<TaskStorage> {
  const folders = paths.memory.tasks;
  for (const folder of Object.values(folders)) await makeFolder(folder, "the folder of the tasks");
  const archive = createRecordArchive({
    folder: join(paths.memory.archive.root, "tasks"),
    kind: "task",
    clock,
  });
  await removeAbandoned(archive.folder);
  const lock = openFileLock(join(dirname(folders.active), ".lock"), "the tasks");
  const files = createTaskFiles(folders);
  return {
    async create(task) {
      await files.create(task);
      return task;
    },
    find: async (id) => (await files.find(id))?.task,
    list: async (folder) => (await files.in(folder)).map(({ task }) => task),
    change: (id, decide) =>
      lock.hold(async () => {
        const filed = await files.find(id);
        if (!filed) return undefined;
        const changed = await decide(filed.task);
        if (changed !== filed.task) await files.replace(filed, changed);
        return changed;
      }),
    archive: (id, note) =>
      lock.hold(async () => {
        const filed = await files.find(id);
        return filed && (await archive.put(filed.path, { id, ...note(filed.task) }));
      }),
    restore: (archiveId) =>
      lock.hold(async () => {
        const { value: task } = await readArchived(archive, Task, archiveId);
        await archive.restoreTo(archiveId, files.pathFor(task));
        return task;
      }),
    archived: () => archive.list(),
    readArchived: async (archiveId) => (await readArchived(archive, Task, archiveId)).value,
    close: () => lock.close(),
  };
}

function createTaskFiles(folders: Readonly<Record<TaskFolder, string>>): TaskFiles {
  /** The last read state of each file. */
  const known = new Map<string, { stamp: string; task: Task | undefined }>();

  const pathFor = (task: Pick<Task, "id" | "status">): string =>
    join(folders[folderOf(task)], `${task.id}.json`);

  async function readTask(path: string): Promise<Task | undefined> {
    const stamp = await stampOf(path);
    if (stamp === undefined) {
      known.delete(path);
      return undefined;
    }
    const before = known.get(path);
    if (before?.stamp === stamp) return before.task;
    const content = parseFile(Task, await readFile(path));
    const task = "value" in content ? content.value : undefined;
    known.set(path, { stamp, task });
    return task;
  }

  async function inFolder(folder: TaskFolder): Promise<FiledTask[]> {
    const names = (await readdir(folders[folder])).filter(
      (name) => name.endsWith(".json") && !name.startsWith("."),
    );
    const paths = new Set(names.map((name) => join(folders[folder], name)));
    for (const path of known.keys())
      if (path.startsWith(join(folders[folder], "/")) && !paths.has(path)) known.delete(path);
    const found = await Promise.all([...paths].map(async (path) => ({ path, task: await readTask(path) })));
    return found.flatMap(({ path, task }) => (task ? [{ task, folder, path }] : []));
  }

  /** Moves a file to the folder of its status, after a crash or a manual move. */
  async function moveToStatusFolder(filed: FiledTask): Promise<FiledTask> {
    const folder = folderOf(filed.task);
    if (folder === filed.folder) return filed;
    const path = pathFor(filed.task);
    await moveFile(filed.path, path, "the task");
    return { task: filed.task, folder, path };
  }

  async function allTasks(): Promise<FiledTask[]> {
    return [...(await inFolder("active")), ...(await inFolder("completed"))];
  }

  return {
    pathFor,
    async in(folder) {
      try {
        const all = await Promise.all((await inFolder(folder)).map(moveToStatusFolder));
        return all.filter((filed) => filed.folder === folder);
      } catch (error) {
        throw fromNodeError(error, "the tasks");
      }
    },
    async find(id) {
      if (!TaskId.safeParse(id).success) return undefined;
      for (const folder of ["active", "completed"] as const) {
        const path = join(folders[folder], `${id}.json`);
        const task = await readTask(path);
        if (task?.id === id) return { task, folder, path };
        if (task === undefined && known.has(path)) {
          throw new StorageCorruptError("The file of this task cannot be read.", { context: { id } });
        }
      }
      // The file may have been renamed by hand.
      return (await allTasks()).find(({ task }) => task.id === id);
    },
    create: (task) => createFile(pathFor(task), fileText(task), "the task"),
    async replace(filed, task) {
      await replaceFile(filed.path, fileText(task), "the task");
      await moveToStatusFolder({ ...filed, task });
    },
  };
}

async function stampOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
