import { z } from "zod";
import { Removed, RESTORABLE, restoreRemoved } from "../support/reversal.ts";
import { defineSkill } from "../define-skill.ts";
import { aboutTask, existingTask, taskFacts, TaskIdArgument } from "../support/task-preview.ts";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const task = "(=task|=todo|=reminder)";
const verbs = "delete|drop|discard|get rid of|bin|scrap|ditch|kill|chuck|throw away|throw out";

const phrases: readonly (string | Phrase)[] = [
  "delete the task {id}",
  `(${verbs}) the ${task} [called|to|about|for] {id}`,
  `(${verbs}) the {id} ${task}`,
  {
    template: `(${verbs}|cancel|remove) the {id} one`,
    slots: { id: { type: "reference", kind: "task", plain: true, sample: "milk" } },
    lastResort: true,
  },
  "task {id} (can|should|may) be (deleted|removed) [now]",
  "(delete|drop|take) {id} (from|off) my (tasks|list of tasks|todo list|to do list|task list)",
  {
    template: "(delete|drop|discard|get rid of|clear|clear out|clean up|archive) {id}",
    slots: {
      id: {
        type: "reference",
        kind: "task",
        pronounOnly: true,
        every: true,
        like: /\b(?:done|finished|completed?|closed)\b/iu,
        sample: "all done tasks",
      },
    },
  },
  {
    template: "(delete|drop|discard|get rid of|clear|clear out|archive) {id}",
    slots: {
      id: {
        type: "reference",
        kind: "task",
        pronounOnly: true,
        every: true,
        confirm: "Delete every open task? {}",
        like: /^(?!.*\b(?:done|finished|completed?|closed)\b).*\b(?:tasks?|to-?dos?|list)\b/iu,
        sample: "all my tasks",
      },
    },
  },
  { template: `(${verbs}) {id}`, slots: { id: { type: "reference", kind: "task", pronounOnly: true } } },
];

const slots: Record<string, SlotType | Slot> = { id: { type: "reference", kind: "task" } };

const results: Results = {};

export const taskDelete = defineSkill({
  id: "task_delete",
  summary: "Delete a task, into the archive",
  category: "tasks",
  input: z.strictObject({ id: TaskIdArgument }),
  output: z.strictObject({
    id: z.string(),
    removed: Removed,
  }),
  effects: "write",
  risk: "medium",
  phrases,
  slots,
  results,
  assess: async ({ id }, { tasks }, region) => {
    const task = await existingTask(tasks, id);
    const { title: _title, ...rest } = task;
    return aboutTask("medium", "Delete the task", task, [...taskFacts(rest, region), RESTORABLE]);
  },
  reverse: restoreRemoved,
  narrate: ({ removed }) => `Deleted the task "${removed.title}"; it can be restored from the archive.`,
  structure: ({ id, removed }) => `- task: ${removed.title}\n- id: ${id}\n- archived as: ${removed.id}`,
  run: async ({ id }, { ports, runId }) => ({ id, removed: await ports.tasks.remove(id, { runId }) }),
});
