import { z } from "zod";
import { TaskId, Timestamp } from "./ids.ts";

export const TaskStatus = z.enum(["todo", "in_progress", "blocked", "done", "cancelled"]);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** P0 is the most urgent, P2 the usual. */
export const TaskPriority = z.enum(["P0", "P1", "P2", "P3"]);
export type TaskPriority = z.infer<typeof TaskPriority>;

/** Orders of the list: open ones by urgency; the latest made first; what is due first, undated ones last; titles from A. */
export const TaskSort = z.enum(["urgency", "newest", "due", "title"]);
export type TaskSort = z.infer<typeof TaskSort>;

/** A calendar day (`2026-11-21`) or an exact moment. */
export const TaskDue = z.union([z.iso.date(), Timestamp]);
export type TaskDue = z.infer<typeof TaskDue>;

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
  /** Counts edits; 1 where it is missing. */
  version: z.int().positive().optional(),
});
export type Task = z.infer<typeof Task>;

export const NewTask = z.strictObject({
  title: Task.shape.title,
  description: Task.shape.description.optional(),
  status: TaskStatus.optional(),
  priority: TaskPriority.optional(),
  due: TaskDue.optional(),
  tags: Task.shape.tags.optional(),
});
export type NewTask = z.infer<typeof NewTask>;

/** A change of a task; a missing field stays as it is, `due: null` removes the date. */
export const TaskEdit = z.strictObject({
  title: Task.shape.title.optional(),
  description: Task.shape.description.optional(),
  status: TaskStatus.optional(),
  priority: TaskPriority.optional(),
  due: TaskDue.nullable().optional(),
  tags: Task.shape.tags.optional(),
  /** The one this change starts from: refused when it is no longer the current one. Without it, the last to save wins. */
  version: Task.shape.version,
});
export type TaskEdit = z.infer<typeof TaskEdit>;
