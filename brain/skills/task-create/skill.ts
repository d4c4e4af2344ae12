import { NewTask, Task } from "@metahuman/core/contract/task";
import { z } from "zod";
import { defineSkill } from "../define-skill.ts";
import { dateArgument } from "../read-arguments.ts";
import { aboutTask, taskFacts } from "../support/task-preview.ts";
import { taskTable } from "../support/task-table.ts";
import { describeTask } from "../support/task-description.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { titleOfTask } from "../outputs.ts";

/** Optional parts before and after the title, in any order. */
const before = "<[due] [for|by|on|at] {due}|[with] {priority}|[tagged|with tag] {tags}>";
const after =
  "<[due] [by|on|before|until|till|for|at|in|starting] {due}|[with|at|as|it is|this is|that is] {priority}|[tagged|tagged with|with tag|tag] {tags}>";
const list = "(tasks|list of tasks|todo list|to do list|task list)";

const phrases: readonly (string | Phrase)[] = [
  "add a task to {title}",
  `(add|create) a [new] [{priority}] (=task|=todo|to do|=reminder) [item] ${before} [to|for|called|about|that says|saying|with title] {title} ${after}`,
  {
    template: "(add|create) [new] =tasks [to|for|called] {title}",
    slots: { title: { type: "title", each: true, sample: "buy milk, call Bob and pay rent" } },
  },
  `remind me ${before} (to|about|of|that) {title} ${after}`,
  `remind me ${before} {title} ${after}`,
  `(add|put) {title} ${after} (to|on|in) my ${list} ${after}`,
  `add {title} ${after} as a [new] [{priority}] task ${after}`,
  `(=todo|to do) {title} ${after}`,
  `new [{priority}] (=task|=todo|=reminder) ${before} [to|for|called|about] {title} ${after}`,
  `(=task|=reminder) : {title} ${after}`,
  `set a (=reminder|=task) ${before} [to|for|about] {title} ${after}`,
  `I (need|want|would like) a [new] [{priority}] (=task|=todo|=reminder) ${before} [to|for|about] {title} ${after}`,
  `do not let me forget (to|about) {title} ${after}`,
  { template: `do not let me forget {title} ${after}`, lastResort: true },
  `another [(=task|=reminder|one)] to {title} ${after}`,
  `remember to {title} ${after}`,
  { template: `do not forget to {title} ${after}`, lastResort: true },
  "schedule {title} [due] [for|on|by|at] {due}",
];

const slots: Record<string, SlotType | Slot> = {
  title: "title",
  due: "date",
  priority: "priority",
  tags: { type: "tag", list: true },
};

const results: Results = { reference: { task: "id" }, label: titleOfTask };

/** Who says so is also notified when the task is due. */
const ASKS_FOR_REMINDER = /\b(?:remind(?:er|ers)?|do not let me forget|don[’']?t let me forget)\b/iu;

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
  output: z.strictObject({
    id: z.string(),
    task: Task,
    remindedAt: z.string().optional().describe("When the person is reminded of it"),
  }),
  effects: "write",
  risk: "low",
  phrases,
  slots,
  results,
  assess: async (task) => aboutTask("low", "Create the task", task, taskFacts(task)),
  narrate: ({ task }) => `Created the task ${describeTask(task)}.`,
  structure: ({ task }) => taskTable([task]),
  run: async (task, { ports, request, timeZone, locale }) => {
    const created = await ports.tasks.create(task);
    const remindedAt =
      task.due !== undefined && ASKS_FOR_REMINDER.test(request)
        ? await ports.remindOf(created, { timeZone, locale })
        : undefined;
    return { id: created.id, task: created, ...(remindedAt !== undefined && { remindedAt }) };
  },
});
