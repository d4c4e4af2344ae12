import type { Task, TaskSort } from "../../contract/task.ts";
import { folderOf } from "./task-files.ts";

type Order = (one: Task, other: Task) => number;

/** Every order ends in the ids, so that pages of a list fit together. */
export const taskOrders: Readonly<Record<TaskSort, Order>> = {
  urgency: byUrgency,
  newest: (one, other) => compare(other.createdAt, one.createdAt) || compare(other.id, one.id),
  due: (one, other) => compare(one.due ?? "~", other.due ?? "~") || compare(one.id, other.id),
  title: (one, other) => one.title.localeCompare(other.title) || compare(one.id, other.id),
};

/** Open ones first, then by priority, due date (undated last), age (oldest first). */
function byUrgency(one: Task, other: Task): number {
  return (
    Number(folderOf(one) === "completed") - Number(folderOf(other) === "completed") ||
    compare(one.priority, other.priority) ||
    compare(one.due ?? "~", other.due ?? "~") ||
    compare(one.createdAt, other.createdAt) ||
    compare(one.id, other.id)
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
