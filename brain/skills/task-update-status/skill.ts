import { Task, TaskStatus } from "@metahuman/core/contract/task";
import { z } from "zod";
import { restorePreviousValues } from "../support/reversal.ts";
import { defineSkill } from "../define-skill.ts";
import { aboutTask, changedTaskFields, existingTask, TaskIdArgument } from "../support/task-preview.ts";
import { taskTable } from "../support/task-table.ts";
import { TASK_STATUS_LABELS } from "@metahuman/core/text/task-labels";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { titleOfTask } from "../outputs.ts";

const done = { status: "done" };
const started = { status: "in_progress" };

const several: Record<string, Slot> = { id: { type: "reference", kind: "task", each: true } };
/** Words for a task, not for text in a file: "bread off my shopping list". */
const ofTask: Slot = { type: "reference", kind: "task", like: /^(?!.*\s(?:off|from) (?:my|the|our)\s\S)/isu };
/** All tasks, or some of those that were listed. */
const every: Slot = {
  type: "reference",
  kind: "task",
  pronounOnly: true,
  every: true,
  sample: "all my tasks",
};
/** A task that was mentioned. A remark about "everything" is not an order to change all tasks. */
const earlier: Slot = { type: "reference", kind: "task", pronounOnly: true };
const off = "(tick|check|cross|strike|mark)";
const finish = "(finish|complete|finalize|close|wrap up|conclude)";
const finished =
  "(finished|completed|have finished|have completed|have done|am done with|am finished with|am through with|have already done|already did|just finished|just did|have just finished|wrapped up)";

/** Verbs whose object is the words that follow: "explain … is done" is not about a task. */
const SPEECH_VERBS = "explain describe define translate quote say spell type print".split(" ");

const phrases: readonly (string | Phrase)[] = [
  "mark [the] [task] {id} [task] as [being] {status} [now]",
  "mark [the] [task] {id} [task] {status}",
  "(mark|set) as {status} [the] [task] {id}",
  "mark as {status} : {id}",
  "(set|change|move|update|put|switch) [the status of] [the] [task] {id} [task] [status] [back] (to|as|in|into|on) {status}",
  "(set|change|update|put) [the] status of [the] [task] {id} [task] (to|as) {status}",
  { template: `${finish} the (task {id}|{id} task)`, args: done },
  {
    template:
      "(mark|set|put) {id} (as|to|in) [being] {status} [now]|(mark|set) {id} {status}|(mark|set) as {status} {id}",
    slots: { id: every },
  },
  {
    template: `${finish} {id}|(tick|check|cross) off {id}|(tick|check|cross) {id} off`,
    slots: { id: every },
    args: done,
  },
  {
    template:
      "=the {id} (is|are|has been|have been|was|were) {how} . [so] [please] (tick|cross|check) (it|them|that) [off]",
    slots: { how: "description" },
    args: done,
  },
  { template: `I ${finished} {id}`, slots: { id: earlier }, args: done },
  {
    template: "{id} (is|are) [now|already] (done|finished|completed) [now|already]",
    slots: { id: earlier },
    args: done,
    mayStartWithSlot: true,
  },
  { template: "put the [task] {id} [task] {status}", slots: { id: { ...every, pronounOnly: false } } },
  {
    template: `${finish} [both|all|the|these|my] [two|three|four] [of] [the|my|these] =tasks [:] {id}`,
    slots: several,
    args: done,
  },
  {
    template: `(mark|set) [both|all|the|these|my] [two|three|four] [of] [the|my|these] =tasks [:] {id} (as|to) {status}`,
    slots: several,
  },
  {
    template: `(mark|set) [both|all|the|these|my] [two|three|four] [of] [the|my|these] =tasks [:] {id} {status}`,
    slots: several,
  },
  { template: `${off} (off [the] [task] {id} [task]|[the] [task] {id} [task] off)`, args: done },
  { template: "(tick|check) the (task {id}|{id} task)", args: done },
  { template: "(done|finished|all done|am done|am finished) with the [task] {id} [task]", args: done },
  {
    template:
      "(cross|strike) [off] the [task] {id} [task] [off|out|through] [from|off] [my] [list|todo list|tasks|task list]",
    slots: { id: ofTask },
    args: done,
  },
  {
    template: `I ${finished} [with] the [task] {id} [task] [now|today|already|just now] [. [please] (mark|tick|check|cross) it [off] [as] [done|off]]`,
    args: done,
  },
  { template: "I (have|got) the [task] {id} [task] done [now|today|already]", args: done },
  {
    template: `=the task [about|of|for|called|to] {id} is [now|already] {status} [now|already] [. (please|pls|can you|could you|you can|so)] [please] [(mark|tick|check|cross|update|set|note) (it|that) [off] [as (such|that|done|so)] [off]]`,
  },
  {
    template:
      "=the {id} [thing|job|one] is {status} [now|already] [.] [please|you can] (mark|tick|check|cross|update|close) (it|that) [off] [as (such|done)]",
    slots: { id: { type: "reference", kind: "task", plain: true } },
  },
  {
    template: `=the {topic} [thing|job|one] is {status} [now|already] [the] task {id} [.] [please] (mark|tick|check|cross|update) (it|that) [off] [as (such|done)]`,
    slots: { topic: "query" },
    view: { name: "", slots: ["topic"] },
  },
  {
    template:
      "(start|begin|resume|continue) (working on [the] [task] {id} [task]|[with] task {id}|the {id} task|with the {id} task)",
    args: started,
  },
  {
    template:
      "I (started|am working on|have started|am doing|am busy with|started working on|have started working on|have begun|began|have begun with|started with|am on|work on) the [task] {id} [task] [now] [. [please] (mark|set) it [as] in progress]",
    args: started,
  },
  { template: "(cancel|call off|abandon) the (task {id}|{id} task)", args: { status: "cancelled" } },
  {
    template: "I (do not need|no longer need|do not have) to do the [task] {id} [task] [anymore|any more]",
    args: { status: "cancelled" },
  },
  {
    template:
      "(reopen|uncheck|untick|unmark|open again|set back|put back) the [task] {id} [task] [again|to open|to todo|on my list|on the list]",
    args: { status: "todo" },
  },
  {
    template:
      "(put|open|set) the [task] {id} [task] (back|again) [to|on|onto|in] [my|the] [open|todo|list|todo list|to do]",
    args: { status: "todo" },
  },
  {
    template:
      "(put|set) the [task] {id} [task] on hold|pause the (task {id}|{id} task)|(block|hold) the (task {id}|{id} task)",
    args: { status: "blocked" },
  },
  { template: "I am (stuck|blocked) (with|on|at) the [task] {id} [task]", args: { status: "blocked" } },
  "task {id} is [now|already] {status} [now]",
  {
    template:
      "=the task {id} I (have done|did|finished|have finished|completed|have completed) [now|already]",
    args: done,
  },
  {
    template: "{id} task (done|finished|completed)",
    slots: { id: { type: "reference", kind: "task", plain: true, like: /^[^:,;]*$/u, sample: "fence" } },
    args: done,
    mayStartWithSlot: true,
  },
  {
    template: "{id} can be (ticked off|checked off|crossed off|marked as done|marked done)",
    slots: { id: { type: "reference", kind: "task", plain: true, like: /^[^:,;]*$/u, sample: "buy milk" } },
    args: done,
    mayStartWithSlot: true,
    lastResort: true,
  },
  {
    template: "{id} task is [now|already] {status} [now]",
    slots: { id: { type: "reference", kind: "task", plain: true, like: /^[^:,;]*$/u, sample: "fence" } },
    mayStartWithSlot: true,
  },
  "(regarding|concerning|about|as for) the task {id} [:] [please] (set|mark|put|change) it (to|as|on) {status}",
  {
    template: "=the {id} (one|task) is [now|already] {status} [now]",
    slots: { id: { type: "reference", kind: "task", plain: true } },
  },
  {
    template: "{id} (is|are) [now|already|all] (done|finished|completed|sorted) [now|already|too|as well]",
    slots: {
      id: {
        type: "reference",
        kind: "task",
        plain: true,
        exact: true,
        except: SPEECH_VERBS,
        sample: "buy milk",
      },
    },
    args: done,
    mayStartWithSlot: true,
    lastResort: true,
  },
  {
    template:
      "(done|finished|completed|all done|did it|i did it|it is done|that is done|that one is done|this is done|i did that|i have done it|i have done that|i am done|i have finished it|did that) [now|already|too]",
    implies: "id",
    args: done,
    lastResort: true,
    slots: { id: { type: "reference", kind: "task", pronounOnly: true } },
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
  output: z.strictObject({
    id: z.string(),
    task: Task,
    before: z.strictObject({ status: TaskStatus }).optional().describe("What it was before"),
  }),
  effects: "write",
  risk: "low",
  idempotent: true,
  phrases,
  slots,
  results,
  assess: async ({ id, status }, { tasks }, region) => {
    const task = await existingTask(tasks, id);
    return aboutTask(
      "low",
      `Mark as ${TASK_STATUS_LABELS[status]} the task`,
      task,
      changedTaskFields(task, { status }, region),
    );
  },
  reverse: restorePreviousValues("task_update_status"),
  narrate: ({ task }) => `Marked "${task.title}" as ${TASK_STATUS_LABELS[task.status]}.`,
  structure: ({ task }, region) => taskTable([task], { region }),
  run: async ({ id, status }, { ports: { tasks } }) => {
    const before = { status: (await tasks.get(id)).status };
    return { id, task: await tasks.edit(id, { status }), before };
  },
});
