import type { Finder, Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { labelled, titleOfTask } from "../outputs.ts";

const find = "(find|show|search for|look for|look up|open|view|get|see) [me]";

export const phrases: readonly (string | Phrase)[] = [
  `${find} the task (about|called|to|for|with title) {query}`,
  `${find} the task {query}`,
  `${find} the {query} task`,
  {
    say: "(find|show|open|view|get|see|read) [me] {query}",
    slots: { query: { type: "reference", kind: "task", pronounOnly: true, byName: true } },
  },
  "search [in] my tasks for {query}",
  "(do I have|is there|have I) a [any] task (about|called|to|for|with) {query}",
  "(which|what) task (is|was) (about|called|for) {query}",
  "the (details|status) of the task {query}",
  "what is the status of [task] {query} [task]",
  "the (details|status) of the {query} task",
  "when is the [task] {query} [task] due",
  "when (must|should|do) I [have to] {query}",
  "is the task {query} (done|finished|complete|open)",
  "is the {query} (task|one) (done|finished|complete|open)",
];

export const slots: Record<string, SlotType | Slot> = { query: { type: "query", sample: "milk" } };

export const finds: Finder = {
  kind: "task",
  by: "query",
  candidates: (outputs) => labelled(outputs, "matches", "title"),
};

export const results: Results = { reference: { task: "id" }, label: titleOfTask };
