import { Task, TaskStatus } from "@metahuman/core/contract/task";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { aboutTask, changes, existingTask, TaskIdArgument } from "../support/task-preview.ts";
import { taskTable } from "../support/task-table.ts";
import { statusWords } from "../support/task-words.ts";
import * as speech from "./phrases.ts";

export const taskUpdateStatus = defineSkill({
  id: "task_update_status",
  summary: "Mark a task as to do, in progress, blocked, done or cancelled",
  category: "tasks",
  input: z.strictObject({ id: TaskIdArgument, status: TaskStatus }),
  output: z.strictObject({ id: z.string(), task: Task }),
  effects: "write",
  risk: "low",
  idempotent: true,
  ...speech,
  assess: async ({ id, status }, { tasks }) => {
    const task = await existingTask(tasks, id);
    return aboutTask("low", `Mark as ${statusWords(status)} the task`, task, changes(task, { status }));
  },
  narrate: ({ task }) => `Marked "${task.title}" as ${statusWords(task.status)}.`,
  structure: ({ task }) => taskTable([task]),
  run: async ({ id, status }, { ports }) => ({ id, task: await ports.tasks.edit(id, { status }) }),
});
