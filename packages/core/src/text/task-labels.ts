import type { TaskPriority, TaskStatus } from "../contract/task.ts";

/** The names of the states of tasks for people. */
export const TASK_STATUS_LABELS: Readonly<Record<TaskStatus, string>> = {
  todo: "to do",
  in_progress: "in progress",
  blocked: "blocked",
  done: "done",
  cancelled: "cancelled",
};

/** The names of the priorities of tasks for people, who may also say them: "high priority". */
export const TASK_PRIORITY_LABELS: Readonly<Record<TaskPriority, string>> = {
  P0: "highest",
  P1: "high",
  P2: "normal",
  P3: "low",
};
