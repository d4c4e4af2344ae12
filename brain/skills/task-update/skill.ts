import { Task, TaskEdit } from "@metahuman/core/contract/task";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { dateArgument } from "../read-arguments.ts";
import { aboutTask, changes, existingTask, TaskIdArgument } from "../support/task-preview.ts";
import { taskTable } from "../support/task-table.ts";
import { taskWords } from "../support/task-words.ts";
import * as speech from "./phrases.ts";

const { title, description, priority, tags } = TaskEdit.shape;

export const taskUpdate = defineSkill({
  id: "task_update",
  summary: "Change a task's title, description, priority, date or tags",
  category: "tasks",
  input: z
    .strictObject({
      id: TaskIdArgument,
      title,
      description,
      priority,
      due: dateArgument({ upcoming: true })
        .nullable()
        .optional()
        .describe("A day, a moment, or words such as next Tuesday; null removes it"),
      tags: tags.describe("All tags it is to have"),
    })
    .refine(
      (change) => Object.keys(change).length > 1,
      "say what to change: title, description, priority, due or tags",
    ),
  output: z.strictObject({ id: z.string(), task: Task }),
  effects: "write",
  risk: "low",
  idempotent: true,
  ...speech,
  assess: async ({ id, ...edit }, { tasks }) => {
    const task = await existingTask(tasks, id);
    return aboutTask("low", "Change the task", task, changes(task, edit));
  },
  narrate: ({ task }) => `Updated the task; it now reads ${taskWords(task)}.`,
  structure: ({ task }) => taskTable([task]),
  run: async ({ id, ...edit }, { ports }) => ({ id, task: await ports.tasks.edit(id, edit) }),
});
