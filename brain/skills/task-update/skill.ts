import { Task, TaskEdit } from "@metahuman/core/contract/task";
import { z } from "zod";
import { setBefore } from "../support/reversal.ts";
import { defineSkill } from "../define-skill.ts";
import { dateArgument } from "../read-arguments.ts";
import { aboutTask, changes, existingTask, TaskIdArgument } from "../support/task-preview.ts";
import { taskTable } from "../support/task-table.ts";
import { describeTask } from "../support/task-description.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { titleOfTask } from "../outputs.ts";

const it: Slot = { type: "reference", kind: "task", pronounOnly: true };

const named: Slot = { type: "reference", kind: "task", plain: true, sample: "dentist" };

const phrases: readonly (string | Phrase)[] = [
  {
    template: "rename the {id} task to {title}",
    slots: { id: { type: "reference", kind: "task", sample: "milk" } },
  },
  "(rename|retitle|reword) [task] {id} [task] (to|as) {title}",
  "change the (title|name|wording) of [task] {id} [task] to {title}",
  "change the (task {id}|{id} task) to {title}",
  "(set|change|raise|lower|increase|update) the priority (of|for) the [task] {id} [task] to {priority}",
  "(set|change|update|raise|lower) [task] {id} [task] [priority] (to|as) {priority}",
  "=make the {id} task {priority}",
  "=make {id} {priority}",
  "give [task] {id} [task] {priority}",
  "(set|change|update|move) the (due date|due|deadline|date) (of|for) the [task] {id} [task] to {due}",
  {
    template: "(set|change|raise|lower|increase|update) {id} priority (to|as) {priority}",
    slots: { id: it },
  },
  {
    template: "(set|change|update|move) {id} (due date|due|deadline) (to|as) {due}",
    slots: { id: it },
  },
  {
    template:
      "(postpone|move|push|reschedule|delay|defer|shift|snooze|put off) {id} [back|forward] (to|until|till|for) {due}",
    slots: { id: it },
  },
  "(postpone|move|push|reschedule|delay|defer|shift|snooze|put off) the [task] {id} [task] [back|forward] (to|until|till|for) {due}",
  "set [task] {id} [task] due [date] [to|on|by|for] {due}",
  "=make the {id} task due [on|by|at] {due}",
  "=make {id} due [on|by|at] {due}",
  { template: "=make {id} {due}", slots: { id: it } },
  {
    template:
      "=the {id} (is|was|has been|got) (moved|postponed|rescheduled|shifted|pushed back|pushed|put off) [back|forward] (to|until|till) {due}",
    slots: { id: named },
  },
  { template: "=the {id} is [on|at|due] {due} (now|instead)", slots: { id: named } },
  { template: "=the {id} is (now|actually) [on|at|due] {due}", slots: { id: named } },
  { template: "(for|on|by|due|until) {due}", slots: { id: it }, implies: "id", lastResort: true },
  {
    template: "[(no|sorry|oops|wait)] [no] I (meant|mean) ({due}|{priority})",
    slots: { id: it },
    implies: "id",
  },
  "(set|change|update) the description of the [task] {id} [task] to {description}",
];

const slots: Record<string, SlotType | Slot> = {
  id: { type: "reference", kind: "task" },
  title: { type: "title", sample: "buy oat milk" },
  description: "text",
  due: "date",
  priority: "priority",
};

const results: Results = { reference: { task: "id" }, label: titleOfTask };

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
  output: z.strictObject({
    id: z.string(),
    task: Task,
    before: z.record(z.string(), z.unknown()).optional().describe("The changed fields as they were"),
  }),
  effects: "write",
  risk: "low",
  idempotent: true,
  phrases,
  slots,
  results,
  assess: async ({ id, ...edit }, { tasks }, region) => {
    const task = await existingTask(tasks, id);
    return aboutTask("low", "Change the task", task, changes(task, edit, region));
  },
  reverse: setBefore("task_update"),
  narrate: ({ task }, region) => `Updated the task; it now reads ${describeTask(task, region)}.`,
  structure: ({ task }, region) => taskTable([task], { region }),
  run: async ({ id, ...edit }, { ports: { tasks } }) => {
    const { title, description, priority, due, tags } = await tasks.get(id);
    const now = { title, description, priority, due: due ?? null, tags };
    const before = Object.fromEntries(Object.entries(now).filter(([name]) => Object.hasOwn(edit, name)));
    return { id, task: await tasks.edit(id, edit), before };
  },
});
