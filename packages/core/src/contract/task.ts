import { z } from "zod";
import { TaskId, Timestamp } from "./ids.ts";

export const TaskStatus = z.enum(["todo", "in_progress", "blocked", "done", "cancelled"]);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** True for the task statuses that leave something to do: all but done and cancelled. */
export const isOpenStatus = (status: TaskStatus): boolean => status !== "done" && status !== "cancelled";

/** P0 is the most urgent; P2 is the default. */
export const TaskPriority = z.enum(["P0", "P1", "P2", "P3"]);
export type TaskPriority = z.infer<typeof TaskPriority>;

/**
 * The order of a list. `urgency`: open tasks by priority. `newest`: by creation. `due`: earliest first, undated last.
 * `title`: from A.
 */
export const TaskSort = z.enum(["urgency", "newest", "due", "title"]);
export type TaskSort = z.infer<typeof TaskSort>;

/** A calendar day (`2026-11-21`) or an exact moment. */
export const TaskDue = z.union([z.iso.date(), Timestamp], {
  error: "must be a day such as 2026-11-20, or a moment such as 2026-11-20T09:30:00.000Z",
});
export type TaskDue = z.infer<typeof TaskDue>;

/** A task in the form in which it is stored and returned. */
export const Task = z.strictObject({
  id: TaskId,
  title: z.string().trim().min(1).max(500),
  description: z.string().max(20_000),
  status: TaskStatus,
  priority: TaskPriority,
  due: TaskDue.optional(),
  tags: z.array(z.string().min(1).max(64)).max(64),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  completedAt: Timestamp.optional(),
  /** The number of edits; 1 if absent. */
  version: z.int().positive().optional(),
});
export type Task = z.infer<typeof Task>;

/** The caller's input for a new task; the store adds the other fields. */
export const NewTask = z.strictObject({
  title: Task.shape.title,
  description: Task.shape.description.optional(),
  status: TaskStatus.optional(),
  priority: TaskPriority.optional(),
  due: TaskDue.optional(),
  tags: Task.shape.tags.optional(),
});
export type NewTask = z.infer<typeof NewTask>;

/** A change of a task; absent fields stay unchanged, `due: null` removes the date. */
export const TaskEdit = z.strictObject({
  title: Task.shape.title.optional(),
  description: Task.shape.description.optional(),
  status: TaskStatus.optional(),
  priority: TaskPriority.optional(),
  due: TaskDue.nullable().optional(),
  tags: Task.shape.tags.optional(),
  /**
   * The version this change is based on. If it is no longer current, the change is refused; without it, the last change
   * wins.
   */
  version: Task.shape.version,
});
export type TaskEdit = z.infer<typeof TaskEdit>;
