import { Task, TaskStatus } from "@metahuman/core/contract/task";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { aboutTask, changes, existingTask, TaskIdArgument } from "../support/task-preview.ts";
import { taskTable } from "../support/task-table.ts";
import { statusLabel } from "../support/task-description.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { titleOfTask } from "../outputs.ts";

const done = { status: "done" };
const started = { status: "in_progress" };

const phrases: readonly (string | Phrase)[] = [
  "mark [task] {id} [task] as {status}",
  "mark [task] {id} [task] {status}",
  "(set|change|move|update) [the status of] [task] {id} [task] [status] (to|as) {status}",
  { template: "(finish|complete|finalize|close) the (task {id}|{id} task)", args: done },
  { template: "(tick|check) (off [task] {id} [task]|[task] {id} [task] off)", args: done },
  { template: "tick the (task {id}|{id} task)", args: done },
  { template: "(done|finished) with the [task] {id} [task]", args: done },
  { template: "cross [off] the [task] {id} [task] [off] [list]", args: done },
  {
    template:
      "I (finished|completed|have finished|have completed|have done|am done with|am finished with) the [task] {id} [task]",
    args: done,
  },
  { template: "(start|begin) (working on [task] {id} [task]|task {id}|{id} task)", args: started },
  { template: "I (started|am working on|have started|am doing) the [task] {id} [task]", args: started },
  { template: "cancel the (task {id}|{id} task)", args: { status: "cancelled" } },
  { template: "(reopen|uncheck|untick) the [task] {id} [task]", args: { status: "todo" } },
  { template: "put the [task] {id} [task] on hold", args: { status: "blocked" } },
  "task {id} is [now] {status}",
  {
    template: "=the {id} (one|task) is [now] {status}",
    slots: { id: { type: "reference", kind: "task", plain: true } },
  },
];

const slots: Record<string, SlotType | Slot> = {
  id: { type: "reference", kind: "task" },
  status: "status",
};

const results: Results = { reference: { task: "id" }, label: titleOfTask };

export const taskUpdateStatus = defineSkill({
  id: "task_update_status",
  summary: "Mark a task as to do, in progress, blocked, done or cancelled",
  category: "tasks",
  input: z.strictObject({ id: TaskIdArgument, status: TaskStatus }),
  output: z.strictObject({ id: z.string(), task: Task }),
  effects: "write",
  risk: "low",
  idempotent: true,
  phrases,
  slots,
  results,
  assess: async ({ id, status }, { tasks }) => {
    const task = await existingTask(tasks, id);
    return aboutTask("low", `Mark as ${statusLabel(status)} the task`, task, changes(task, { status }));
  },
  narrate: ({ task }) => `Marked "${task.title}" as ${statusLabel(task.status)}.`,
  structure: ({ task }) => taskTable([task]),
  run: async ({ id, status }, { ports }) => ({ id, task: await ports.tasks.edit(id, { status }) }),
});
