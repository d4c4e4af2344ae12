import type { Task } from "../../contract/task.ts";
import { folderOf } from "./task-files.ts";

/** Open ones first, then by priority, due date (undated last), age (oldest first). */
export function byUrgency(one: Task, other: Task): number {
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
