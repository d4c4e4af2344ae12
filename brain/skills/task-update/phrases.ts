import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { titleOfTask } from "../outputs.ts";

const it: Slot = { type: "reference", kind: "task", pronounOnly: true };

export const phrases: readonly (string | Phrase)[] = [
  {
    say: "rename the {id} task to {title}",
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
    say: "(set|change|raise|lower|increase|update) {id} priority (to|as) {priority}",
    slots: { id: it },
  },
  {
    say: "(set|change|update|move) {id} (due date|due|deadline) (to|as) {due}",
    slots: { id: it },
  },
  "(postpone|move|push|reschedule|delay|defer|shift|snooze|put off) the [task] {id} [task] [back|forward] (to|until|till|for) {due}",
  "set [task] {id} [task] due [date] [to|on|by|for] {due}",
  "=make the {id} task due [on|by|at] {due}",
  "=make {id} due [on|by|at] {due}",
  { say: "=make {id} {due}", slots: { id: it } },
  { say: "[(no|sorry|oops|wait)] [no] I (meant|mean) ({due}|{priority})", slots: { id: it }, implies: "id" },
  "(set|change|update) the description of the [task] {id} [task] to {description}",
];

export const slots: Record<string, SlotType | Slot> = {
  id: { type: "reference", kind: "task" },
  title: { type: "title", sample: "buy oat milk" },
  description: "text",
  due: "date",
  priority: "priority",
};

export const results: Results = { reference: { task: "id" }, label: titleOfTask };
