import type { ActionPreview } from "@metahuman/core/contract/approval";
import type { Region } from "@metahuman/core/contract/region";
import type { Task, TaskEdit } from "@metahuman/core/contract/task";
import { TaskNotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import { TASK_PRIORITY_LABELS, TASK_STATUS_LABELS } from "@metahuman/core/text/task-labels";
import { z } from "zod";
import type { Risk } from "@metahuman/core/contract/trust";
import type { Assessment } from "../define-skill.ts";
import { formatDue } from "./task-description.ts";
import { linePreview } from "./phrasing.ts";

type Facts = ActionPreview["facts"];

/**
 * An argument that identifies a task. Accepts any text except a path; for an unknown id, the error names the ids of
 * similar tasks.
 */
export const TaskIdArgument = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^/\\\p{Cc}]+$/u, "a task id looks like task-20251114T093012123Z-buy-milk")
  .describe("The id from task_find or task_list");

/**
 * Returns the task with this id. Throws `TaskNotFoundError` with up to three similar tasks and the skills that find
 * ids.
 */
export async function existingTask(tasks: Pick<TasksPort, "get">, id: string): Promise<Task> {
  try {
    return await tasks.get(id);
  } catch (error) {
    if (!(error instanceof TaskNotFoundError)) throw error;
    throw new TaskNotFoundError(error.message, {
      suggestions: [
        ...error.suggestions,
        "task_find finds the id of a task by words of its title; task_list lists all of them.",
      ],
      context: error.context,
      cause: error,
    });
  }
}

/** Returns the non-empty fields of a task. */
export function taskFacts(task: TaskEdit, region: Region): Facts {
  const values: Record<string, string | undefined> = {
    title: task.title,
    description: task.description,
    status: task.status && TASK_STATUS_LABELS[task.status],
    priority: task.priority && TASK_PRIORITY_LABELS[task.priority],
    due: task.due ? formatDue(task.due, region) : undefined,
    tags: task.tags?.join(", "),
  };
  return Object.entries(values).flatMap(([label, value]) => (value ? [{ label, value }] : []));
}

/** Returns the changed fields of an edit: "todo → done". */
export function changedTaskFields(task: Task, edit: TaskEdit, region: Region): Facts {
  const before = new Map(taskFacts(task, region).map(({ label, value }) => [label, value]));
  const after = new Map(taskFacts(edit, region).map(({ label, value }) => [label, value]));
  const named = Object.keys(edit).filter((label) => before.get(label) !== after.get(label));
  return named.map((label) => ({
    label,
    value: `${before.get(label) ?? "none"} → ${after.get(label) ?? "none"}`,
  }));
}

/** Returns the assessment of a call on one task; a new one has no id. */
export function aboutTask(
  risk: Risk,
  title: string,
  task: Pick<Task, "title"> & Partial<Pick<Task, "id">>,
  facts: Facts,
): Assessment {
  return {
    risk,
    preview: { title: `${title} "${linePreview(task.title)}"?`, facts },
    ...(task.id !== undefined && { record: { id: task.id, title: task.title } }),
    paths: [],
    hosts: [],
    grant: {},
  };
}
