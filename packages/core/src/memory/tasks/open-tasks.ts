import type { ProfilePaths } from "../../paths/profile-paths.ts";
import { createRecordIds } from "../store/record-paths.ts";
import { openTaskFiles, type TaskStorage } from "./task-files.ts";
import { createTaskStore } from "./task-store.ts";
import type { TasksPort } from "./tasks-port.ts";

export type TasksOptions = { clock?: () => Date } & (
  | { paths: Pick<ProfilePaths, "memory"> }
  /** Another storage than files. */
  | { storage: TaskStorage }
);

export interface OpenedTasks extends TasksPort {
  /** Call it only when no call is pending. */
  close(): void;
}

/** Opens a profile's tasks. The storage is the only state; several processes may use it at once. */
export async function openTasks({ clock = () => new Date(), ...where }: TasksOptions): Promise<OpenedTasks> {
  const storage = "storage" in where ? where.storage : await openTaskFiles({ ...where, clock });
  const store = createTaskStore({ storage, ids: createRecordIds("task", clock), clock });
  return { ...store, close: () => storage.close() };
}
