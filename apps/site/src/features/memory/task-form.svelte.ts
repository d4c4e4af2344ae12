import type { Task, TaskEdit, TaskPriority, TaskStatus } from "@metahuman/core/contract/task";

/** The fields of a task as they are edited. Day and time are those of this browser's clock. */
interface TaskFields {
  title: string;
  description: string;
  status: TaskStatus;
  priority: TaskPriority;
  /** `2026-11-21`, or empty without a date. */
  day: string;
  /** `17:00`, or empty for the whole day. */
  time: string;
  /** Separated by commas. */
  tags: string;
}

const NAMES = ["title", "description", "status", "priority", "day", "time", "tags"] as const;

/** A task that is being edited. */
export class TaskForm {
  fields = $state<TaskFields>(fieldsOf(undefined));
  /** The saved task that the fields started from. */
  base = $state.raw<Task>();

  /** The fields that differ from the saved task. */
  readonly edit = $derived.by(() => (this.base ? changes(this.base, this.fields) : {}));
  readonly dirty = $derived.by(() => Object.keys(this.edit).length > 0);

  /** Starts over from a saved task. */
  reset(task: Task): void {
    this.base = task;
    this.fields = fieldsOf(task);
  }

  /** Bases the unsaved changes on a task that was saved elsewhere. Returns the fields that both changed, each to another value. */
  rebase(current: Task): (keyof TaskFields)[] {
    const before = fieldsOf(this.base);
    const theirs = fieldsOf(current);
    const mine = this.fields;
    const isMine = (name: keyof TaskFields): boolean => mine[name] !== before[name];
    const both = NAMES.filter(
      (name) => isMine(name) && theirs[name] !== before[name] && theirs[name] !== mine[name],
    );
    this.base = current;
    this.fields = {
      ...theirs,
      ...Object.fromEntries(NAMES.filter(isMine).map((name) => [name, mine[name]])),
    };
    return both;
  }

  /** Applies a task that was saved elsewhere, unless there are unsaved changes. */
  follow(task: Task): void {
    if (!this.dirty || task.id !== this.base?.id) this.reset(task);
  }
}

function fieldsOf(task: Task | undefined): TaskFields {
  return {
    title: task?.title ?? "",
    description: task?.description ?? "",
    status: task?.status ?? "todo",
    priority: task?.priority ?? "P2",
    ...readDue(task?.due),
    tags: task?.tags.join(", ") ?? "",
  };
}

function changes(base: Task, fields: TaskFields): TaskEdit {
  const before = fieldsOf(base);
  const { title, description, status, priority, day, time, tags } = fields;
  return {
    ...(title.trim() !== before.title && { title: title.trim() }),
    ...(description !== before.description && { description }),
    ...(status !== before.status && { status }),
    ...(priority !== before.priority && { priority }),
    ...((day !== before.day || time !== before.time) && { due: writeDue(day, time) }),
    ...(tags !== before.tags && { tags: listOf(tags) }),
  };
}

/** "a, #b" → ["a", "b"]. */
export function listOf(text: string): string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim().replace(/^#/u, "")))].filter(Boolean);
}

/** The day and time at which a task is due, by this browser's clock. */
function readDue(due: string | undefined): Pick<TaskFields, "day" | "time"> {
  if (due === undefined) return { day: "", time: "" };
  if (due.length === 10) return { day: due, time: "" };
  const date = new Date(due);
  const digits = (value: number): string => String(value).padStart(2, "0");
  return {
    day: [date.getFullYear(), digits(date.getMonth() + 1), digits(date.getDate())].join("-"),
    time: `${digits(date.getHours())}:${digits(date.getMinutes())}`,
  };
}

function writeDue(day: string, time: string): string | null {
  if (day === "") return null;
  return time === "" ? day : new Date(`${day}T${time}`).toISOString();
}
