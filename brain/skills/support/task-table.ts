import { type Region, regionOf } from "@metahuman/core/contract/region";
import type { Task } from "@metahuman/core/contract/task";
import { TASK_PRIORITY_LABELS, TASK_STATUS_LABELS } from "@metahuman/core/text/task-labels";
import { table } from "../markdown.ts";
import { formatDue } from "./task-description.ts";

/**
 * Formats tasks as a table, in the given order, without empty columns and without the priorities if all are normal. With
 * ids, which are for planners, the priorities are the values that arguments take.
 */
export function taskTable(
  tasks: readonly Task[],
  { withIds = false, region = regionOf() }: { withIds?: boolean; region?: Region } = {},
): string {
  const columns: { name: string; cell: (task: Task) => string; isShown?: boolean }[] = [
    { name: "task", cell: (task) => task.title, isShown: true },
    { name: "status", cell: (task) => TASK_STATUS_LABELS[task.status], isShown: true },
    {
      name: "priority",
      cell: ({ priority }) => (withIds ? priority : TASK_PRIORITY_LABELS[priority]),
      isShown: withIds || tasks.some(({ priority }) => priority !== "P2"),
    },
    { name: "due", cell: (task) => (task.due === undefined ? "" : formatDue(task.due, region)) },
    { name: "tags", cell: (task) => task.tags.join(", ") },
    ...(withIds ? [{ name: "id", cell: (task: Task) => task.id }] : []),
  ];
  const visible = columns.filter(({ cell, isShown = tasks.some((task) => cell(task) !== "") }) => isShown);
  return table(
    visible.map(({ name }) => name),
    tasks.map((task) => visible.map(({ cell }) => cell(task))),
  );
}
