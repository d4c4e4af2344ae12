import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";

const task = "(=task|=todo|=reminder)";

export const phrases: readonly (string | Phrase)[] = [
  "delete the task {id}",
  `(delete|drop|discard|get rid of) the ${task} [called|to|about|for] {id}`,
  `(delete|drop|discard|get rid of) the {id} ${task}`,
  "(delete|drop|take) {id} (from|off) my (tasks|list of tasks|todo list|to do list|task list)",
  { say: "(delete|drop) {id}", slots: { id: { type: "reference", kind: "task", pronounOnly: true } } },
];

export const slots: Record<string, SlotType | Slot> = { id: { type: "reference", kind: "task" } };

export const results: Results = {};
