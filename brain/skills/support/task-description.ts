import { type Region, regionOf } from "@metahuman/core/contract/region";
import { formatMoment } from "@metahuman/core/language/dates/clock";
import type { Task } from "@metahuman/core/contract/task";
import { textField } from "../outputs.ts";
import { TASK_PRIORITY_LABELS, TASK_STATUS_LABELS } from "@metahuman/core/text/task-labels";

/** Formats a day as given, and a moment to the minute in the person's time zone: `2026-11-21`, `2026-11-21 17:00`. */
export function formatDue(due: string, region: Region = regionOf()): string {
  return /^\d{4}-\d{2}-\d{2}$/u.test(due) ? due : formatMoment(due, region);
}

/** What tells tasks with the same title apart: the day on which each is due. */
export function taskDetail(task: Record<string, unknown>): string {
  const day = textField(task, "due").slice(0, "2026-11-21".length);
  return day === "" ? "no date" : `due ${day}`;
}

/** Formats a task as `"buy milk" (high priority, due 2026-11-21)`; omits the default priority and a missing date. */
export function describeTask(task: Task, region: Region = regionOf()): string {
  const details = [
    ...(task.priority === "P2" ? [] : [`${TASK_PRIORITY_LABELS[task.priority]} priority`]),
    ...(task.due === undefined ? [] : [`due ${formatDue(task.due, region)}`]),
    ...(task.status === "todo" ? [] : [TASK_STATUS_LABELS[task.status]]),
  ];
  return `"${task.title}"${details.length > 0 ? ` (${details.join(", ")})` : ""}`;
}
