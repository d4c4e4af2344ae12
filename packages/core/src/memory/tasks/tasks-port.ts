import type { ArchiveEntry } from "../../contract/http.ts";
import type { NewTask, Task, TaskEdit, TaskPriority, TaskSort, TaskStatus } from "../../contract/task.ts";

export interface TaskListQuery {
  status?: TaskStatus;
  /** Done and cancelled tasks are left out unless asked for. */
  includeDone?: boolean;
  tag?: string;
  priority?: TaskPriority;
  query?: string;
  /** By urgency when left out. */
  sort?: TaskSort;
  limit?: number;
}

/** A task that fits some words, with how well (0–1). */
export interface TaskMatch {
  task: Task;
  score: number;
}

/** A profile's tasks. */
export interface TasksPort {
  create(task: NewTask): Promise<Task>;
  /** Throws `TaskNotFoundError` with the titles and ids of at most three near tasks. */
  get(id: string): Promise<Task>;
  /** By urgency: open tasks first, then by priority, due date, age; `total` counts before `limit`. */
  list(query: TaskListQuery): Promise<{ tasks: Task[]; total: number }>;
  /** Best first; the match must cover the words of the query, forgiving small slips. */
  find(
    query: string,
    options: { status?: TaskStatus; includeDone?: boolean; limit: number },
  ): Promise<TaskMatch[]>;
  /** Throws `TaskNotFoundError`, and `StaleVersionError` when the edit names a version that is not the current one. */
  edit(id: string, edit: TaskEdit): Promise<Task>;
  /** Into the archive. */
  remove(id: string, options?: { runId?: string }): Promise<ArchiveEntry>;
  restore(archiveId: string): Promise<Task>;
  archived(): Promise<ArchiveEntry[]>;
  /** The task of an archive entry. Throws `NotFoundError`. */
  readArchived(archiveId: string): Promise<Task>;
}
