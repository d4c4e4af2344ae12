import { dirname, join } from "node:path";
import { openFileLock } from "../../database/file-lock.ts";
import type { ProfilePaths } from "../../paths/profile-paths.ts";
import { makeFolder, removeAbandoned } from "../store/durable-file.ts";
import { createRecordArchive } from "../store/record-archive.ts";
import { createRecordIds } from "../store/record-paths.ts";
import { createTaskFiles } from "./task-files.ts";
import { createTaskStore } from "./task-store.ts";
import type { TasksPort } from "./tasks-port.ts";

export interface TasksOptions {
  paths: Pick<ProfilePaths, "memory">;
  clock?: () => Date;
}

export interface OpenedTasks extends TasksPort {
  /** Call it only when no call is pending. */
  close(): void;
}

/** Opens a profile's tasks. The files are the only state; several processes may use them at once. */
export async function openTasks({ paths, clock = () => new Date() }: TasksOptions): Promise<OpenedTasks> {
  const folders = paths.memory.tasks;
  for (const folder of Object.values(folders)) await makeFolder(folder, "the folder of the tasks");
  const archive = createRecordArchive({
    folder: join(paths.memory.archive.root, "tasks"),
    kind: "task",
    clock,
  });
  await removeAbandoned(archive.folder);
  const lock = openFileLock(join(dirname(folders.active), ".lock"), "the tasks");
  const store = createTaskStore({
    files: createTaskFiles(folders),
    ids: createRecordIds("task", clock),
    archive,
    lock,
    clock,
  });
  return { ...store, close: () => lock.close() };
}
