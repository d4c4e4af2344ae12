import { type Region, regionOf } from "@metahuman/core/contract/region";
import type { Task } from "@metahuman/core/contract/task";
import { table } from "../markdown.ts";
import { formatDue, statusLabel } from "./task-description.ts";

/** Formats tasks as a table, in the given order, without empty columns. */
export function taskTable(
  tasks: readonly Task[],
  { withIds = false, region = regionOf() }: { withIds?: boolean; region?: Region } = {},
): string {
  const columns: { name: string; cell: (task: Task) => string; always?: boolean }[] = [
    { name: "task", cell: (task) => task.title, always: true },
    { name: "status", cell: (task) => statusLabel(task.status), always: true },
    { name: "priority", cell: (task) => task.priority, always: true },
    { name: "due", cell: (task) => (task.due === undefined ? "" : formatDue(task.due, region)) },
    { name: "tags", cell: (task) => task.tags.join(", ") },
    ...(withIds ? [{ name: "id", cell: (task: Task) => task.id }] : []),
  ];
  const visible = columns.filter(
    ({ cell, always }) => always === true || tasks.some((task) => cell(task) !== ""),
  );
  return table(
    visible.map(({ name }) => name),
    tasks.map((task) => visible.map(({ cell }) => cell(task))),
  );
}
