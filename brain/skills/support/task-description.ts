import type { Task } from "@metahuman/core/contract/task";

const statuses: Readonly<Record<Task["status"], string>> = {
  todo: "to do",
  in_progress: "in progress",
  blocked: "blocked",
  done: "done",
  cancelled: "cancelled",
};

export const statusLabel = (status: Task["status"]): string => statuses[status];

/** Formats a date as given, and a time to the minute: `2026-11-21`, `2026-11-21 09:30 UTC`. */
export function formatDue(due: string): string {
  return /^\d{4}-\d{2}-\d{2}$/u.test(due) ? due : `${due.slice(0, 10)} ${due.slice(11, 16)} UTC`;
}

/** Formats a task as `"buy milk" (P1, due 2026-11-21)`; omits the default priority and a missing date. */
export function describeTask(task: Task): string {
  const details = [
    ...(task.priority === "P2" ? [] : [task.priority]),
    ...(task.due === undefined ? [] : [`due ${formatDue(task.due)}`]),
    ...(task.status === "todo" ? [] : [statusLabel(task.status)]),
  ];
  return `"${task.title}"${details.length > 0 ? ` (${details.join(", ")})` : ""}`;
}
