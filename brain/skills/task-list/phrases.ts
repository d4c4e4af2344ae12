import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { isPart, labelled, records, textField } from "../outputs.ts";

const show = "(list|show|view|see|get|give|check|read|print|tell) [me] [all] [of]";
const open = "[open|current|pending|remaining|outstanding|unfinished|active|existing|todo]";

export const phrases: readonly (string | Phrase)[] = [
  `${show} my ${open} tasks [list]`,
  `${show} my {priority} ${open} tasks`,
  `${show} my {status} tasks`,
  `count [all] [of] my ${open} tasks`,
  { template: `${show} my (=overdue|=late|past due) tasks`, args: { overdue: true } },
  { template: `${show} my tasks (that|which) are (=overdue|=late|past due)`, args: { overdue: true } },
  {
    template: "(what|which|how many) [of] [my] [tasks] (is|are) (=overdue|=late|past due)",
    args: { overdue: true },
  },
  {
    template: "(do I have|are there|have I|any) [any] (=overdue|=late|past due) tasks",
    args: { overdue: true },
  },
  `${show} my ${open} tasks (tagged|with tag|labelled|under) {tag}`,
  `${show} my ${open} tasks ([that are] {priority}|with {priority})`,
  `${show} my tasks (that are|which are|marked|marked as) {status}`,
  `${show} my [top|first|next] {limit} ${open} tasks`,
  {
    template: `${show} my tasks including (done|completed|finished) [ones|tasks]`,
    args: { includeDone: true },
  },
  `(what|which|how many) ${open} tasks (do I have|are there|are open|are left|are on my list|remain|exist|have I got|have I) [open|left|to do|now]`,
  "(what|which|how many) [of] tasks (are|do I have [that are]|have I) [marked] [as] ({priority}|{status})",
  "(what|which|how many) {priority} tasks (do I have|are there|have I)",
  "(what|which|how many) {status} tasks (do I have|are there|have I)",
  "what (do I have|have I got|is there) (to do|todo|on my plate|on my list|left to do|left|open) [now|{dueBy}]",
  "what (must|should|do) I [need|have] [to] do [next|now|first|{dueBy}]",
  "what is [left] (on|in) my (task list|todo list|to do list|list|agenda|plate|todos|tasks)",
  "what is [still] (left|open|to do|left to do|left over) [for me] [to do] [now|{dueBy}]",
  "what is ({priority}|{status})",
  "what is next [(on|in) my (task list|todo list|to do list|list|agenda)]",
  "do I have anything [left] to do [now|{dueBy}]",
  "what have I {status}",
  `(what|which|how many) ${open} tasks I have [open|left|to do|now]`,
  {
    template: "what (did I|have I) (finish|finished|complete|completed|do|done|get done)",
    args: { status: "done" },
  },
  "(show|list|tell) [me] (everything|all|what) I [still] (have|need) to do",
  "anything [left] (to do|due) [{dueBy}]",
  "(do I have|are there|have I) [any] ([open|pending|outstanding]|{priority}|{status}) tasks [left|open|to do]",
  "[all] [open|current|pending] tasks [list]",
  `what are [all] my ${open} tasks`,
  "any ([open|pending|outstanding]|{priority}|{status}) tasks [left|open|to do]",
  "({priority}|{status}) tasks",
  "(what|which|how many) [tasks] (is|are) due [by|on|before|until] {dueBy}",
  `${show} my ${open} tasks [that are] (due|for) [by|on|before|until] {dueBy}`,
  "(what|which|how many) tasks (do I have|are there|have I) [due|for|on] [by|before|until] {dueBy}",
  "what (do I have|have I got|is there) [due|on] [by|for|before|until] {dueBy}",
  "what is on my (list|agenda|plate|todo list|task list) [for|on] {dueBy}",
  "[any|all] [of] [my] tasks [list] (due|for) [by|on|before|until] {dueBy}",
];

export const slots: Record<string, SlotType | Slot> = {
  status: "status",
  priority: "priority",
  tag: "tag",
  limit: "number",
  dueBy: { type: "date", last: true },
};

/** Returns a Markdown check list. */
function checkList(outputs: Record<string, unknown>): string | undefined {
  if (isPart(outputs, "tasks")) return undefined;
  return records(outputs, "tasks")
    .map((task) => {
      const due = textField(task, "due");
      const details = [textField(task, "priority"), ...(due === "" ? [] : [`due ${due}`])].join(", ");
      return `- [${task.status === "done" ? "x" : " "}] ${textField(task, "title")} (${details})\n`;
    })
    .join("");
}

export const results: Results = {
  text: checkList,
  items: { kind: "task", of: (outputs) => labelled(outputs, "tasks", "title") },
};
