import { NewTask, Task } from "@metahuman/core/contract/task";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { dateArgument } from "../read-arguments.ts";
import { aboutTask, taskFacts } from "../support/task-preview.ts";
import { taskTable } from "../support/task-table.ts";
import { taskWords } from "../support/task-words.ts";
import * as speech from "./phrases.ts";

export const taskCreate = defineSkill({
  id: "task_create",
  summary: "Create a task",
  category: "tasks",
  input: z.strictObject({
    title: NewTask.shape.title.describe("What is to be done"),
    description: NewTask.shape.description,
    priority: NewTask.shape.priority.describe("P0 is the most urgent, P2 the usual"),
    due: dateArgument({ upcoming: true })
      .optional()
      .describe("A day, a moment, or words such as next Tuesday"),
    tags: NewTask.shape.tags,
  }),
  output: z.strictObject({ id: z.string(), task: Task }),
  effects: "write",
  risk: "low",
  ...speech,
  assess: async (task) => aboutTask("low", "Create the task", task, taskFacts(task)),
  narrate: ({ task }) => `Created the task ${taskWords(task)}.`,
  structure: ({ task }) => taskTable([task]),
  run: async (task, { ports }) => {
    const created = await ports.tasks.create(task);
    return { id: created.id, task: created };
  },
});
