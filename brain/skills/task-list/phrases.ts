import { formatCount } from "@metahuman/core/text/format";
import type { Phrase, Results, Slot, SlotType, View } from "@metahuman/core/language/grammar/phrase";
import { stem } from "@metahuman/core/language/tokens/words";
import { plainWords } from "@metahuman/core/text/words";
import { escapeInline } from "../markdown.ts";
import { isPartialList, candidatesIn, records, textField } from "../outputs.ts";
import { taskDetail } from "../support/task-description.ts";

const show = "(list|show|view|see|get|give|check|read|print|tell|need|want) [me] [all] [of]";
const open = "[open|current|pending|remaining|outstanding|unfinished|active|existing|todo]";

const asked: readonly (string | Phrase)[] = [
  `${show} my ${open} tasks [list]`,
  `${show} [the] list of [my|the] ${open} tasks`,
  `${show} my {priority} ${open} tasks`,
  `${show} my {status} tasks`,
  {
    template: `(count|tell) [me] [the number of] [all] [of] my ${open} tasks|how many ${open} (tasks|things) (do I have|are there|are left|are on my list|remain|exist|have I got|have I|do I still have|are still open) [on my list] [open|left|to do|now]|what is the number of my ${open} tasks|(do I have|have I got|are there) (more|less|fewer) than {few} ${open} tasks [left|open]|(if|whether) I have (more|less|fewer) than {few} ${open} tasks [left|open]`,
    slots: { few: "number" },
    view: { name: "count", slots: ["few"] },
  },
  "(show|give|get) [me] [an|a] (overview|summary|rundown) of my tasks",
  `what (else|other tasks) (do I have|is there) to do`,
  "what is on [my] (plate|agenda|schedule|list)",
  "(show|list|tell|give) [me] (everything|all|what is) (on|in) my (plate|agenda|list|task list|todo list|to do list|list of jobs)",
  "(what|which) (jobs|chores|things|errands) (do I have|have I got|have I) [still] (left|to do|left to do|open)|what [jobs|chores|errands] have I [still] to do|(what|which) (jobs|chores|errands) (are|is) [still] (left|open|to do)",
  {
    template: `(what|which) [of] [my] [open] tasks (have|has|are) (no|without) [a|any] [due] (date|deadline|day)|${show} [my] ${open} tasks (without|with no|that have no|which have no) [a|any] [due] (date|deadline|day)|[my] tasks (without|with no) [a|any] [due] (date|deadline|day)`,
    view: { name: "undated" },
  },
  {
    template:
      "[do I have|have I got|got|is there|are there] any {about} [that is|that are] (due|for|on|to do) [by|on|before|until|for] {dueBy}",
    slots: { about: { type: "text", like: /^\p{L}+(?:\s\p{L}+)?$/u, sample: "homework" } },
    lastResort: true,
    view: { name: "about", slots: ["about"] },
  },
  `(do I have|have I got) [any] ${open} tasks [left]`,
  "(what|which) [of] my tasks (do I have|are) (left|open|still open|unfinished|to do)",
  "(show|tell|see) [me] what (is|tasks are) [still] (left|open|outstanding|to do) [to do|on my list|now]",
  "what is left [to do|to be done|over|open|on my list|on the list] [now]",
  "what I [still] (have to|must|need to) do [now|today|[by|on|before|until|till|for] {dueBy}]",
  "what have I [still] got to do [now|{dueBy}]|what have I got [left] to do [now|{dueBy}]",
  {
    template:
      "(what is|which is|show me|tell me) my (most important|most urgent|top|next|first) task [now|right now]",
    args: { limit: 1 },
  },
  "what [tasks] (remain|remains|are left|is outstanding|is open|is pending)",
  {
    template:
      "(anything|something|is anything|is something|is there anything|do I have anything|have I got anything) (=overdue|=late|past due)",
    args: { overdue: true },
  },
  { template: "am I late (with|on) anything|what (am I late with|did I miss)", args: { overdue: true } },
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
  "what (do I have|have I got|is there) (to do|todo|on my plate|on my list|left to do|left|open) [now|[by|until|till|before|on|for] {dueBy}]",
  "what (must|should|do) I [still] [need|have] [to] do [next|now|first|{dueBy}]",
  "what is [left] (on|in) my (task list|todo list|to do list|list|agenda|plate|todos|tasks)",
  "what is [still] (left|open|to do|left to do|left over) [for me] [to do] [now|{dueBy}]",
  "what is ({priority}|{status})",
  "[is there|do I have|have I got] (anything|something) {priority} [to do|on my list|today|now]",
  "what is next [(on|in) my (task list|todo list|to do list|list|agenda)]",
  "do I have anything [left] to do [now|{dueBy}]",
  "what have I {status}",
  `(what|which|how many|how much) ${open} tasks I (have|got|must do) [open|left|to do|now]`,
  `(what|which) ${open} tasks I (have|got) [due|for|on] [by|on|before|until|for] {dueBy}`,
  {
    template:
      "(show|list|tell) [me] what (I|I have) (finished|completed|done|got done)|what (did I|have I) (finish|finished|complete|completed|do|done|get done)",
    args: { status: "done" },
  },
  "(show|list|tell) [me] (everything|all|what) I [still] (have|need) to do",
  "(show|list|tell|see) [me] [what is|everything|all that is] [still] (left|remaining|open|outstanding) [to do]",
  "(show|list|tell) [me] (what is|what remains) [still] (left|open|to do|to be done)",
  "(is|are|was) (anything|something|any tasks|any of my tasks) [still] (due|planned|scheduled|coming up) [on|by|for|before|until] [{dueBy}]",
  "[is there|do I have|have I got] (anything|something) (left|planned|scheduled|coming up|to do|due|left to do) [for me] [on|by|for|before|until] [{dueBy}]",
  "[is there|do I have|have I got] (anything|something) [left|planned|scheduled|coming up] (for|on|by|due) [on|by|for|before|until] {dueBy}",
  "(do I have|have I got|have I|is there) [anything|something|tasks] (on|planned for|scheduled for|due|due on|for|coming up) [on|by] {dueBy}",
  "(do I have|have I got|have we got|do we have) (anything|something|plans|any plans) [on|planned|coming up|going on|to do] [on|for] {dueBy}",
  "what (happens|is happening|is coming up|is planned|is scheduled|is up|is due) [on|by|for|before|until] {dueBy}",
  "what (have I|do I have) (planned|scheduled|coming up|on) [for|on] {dueBy}",
  "what is (on|planned|scheduled|going on) [for|on] {dueBy}",
  "(do I have|are there|have I) [any] ([open|pending|outstanding]|{priority}|{status}) tasks [left|open|to do]",
  "[all] [open|current|pending] tasks [list]",
  `what are [all] my ${open} tasks`,
  "(are|is) [any|some|any of|some of|one of] my tasks {status} [now|at the moment|already|still]",
  "any ([open|pending|outstanding]|{priority}|{status}) tasks [left|open|to do]",
  "({priority}|{status}) tasks",
  "(what|which|how many) [tasks] (is|are) due [by|on|before|until] {dueBy}",
  "(show|list|tell|give) [me] [all] (everything|anything|all|what|the things|all things) [that is|that are|is] (due|to do|to be done) [by|on|before|until|for] {dueBy}",
  `${show} my ${open} tasks [that are] (due|for) [by|on|before|until] {dueBy}`,
  "(what|which|how many) tasks (do I have|are there|have I) [due|for|on] [by|before|until] {dueBy}",
  "what (do I have|have I got|is there) [due|on] [by|for|before|until] {dueBy}",
  "what is on my (list|agenda|plate|todo list|task list) [for|on] {dueBy}",
  "[any|all] [of] [my] tasks [list] (due|for) [by|on|before|until] {dueBy}",
];

/** "Due on Tuesday" is that day, "next week" that week, and "by Tuesday" every day until then. */
const WHEN = ["dueBy", "dueOn", "dueIn"];

export const phrases: readonly (string | Phrase)[] = asked.flatMap((phrase): (string | Phrase)[] => {
  const template = typeof phrase === "string" ? phrase : phrase.template;
  if (!template.includes("{dueBy}")) return [phrase];
  return WHEN.map((when) => {
    const timed = template.replaceAll("{dueBy}", `{${when}}`);
    return typeof phrase === "string" ? timed : { ...phrase, template: timed };
  });
});

export const slots: Record<string, SlotType | Slot> = {
  status: "status",
  priority: "priority",
  tag: "tag",
  limit: "number",
  few: "number",
  dueBy: {
    type: "date",
    last: true,
    like: /^(?!on\s(?!this\s))(?!(?:(?:in|for)\s+)?(?:the\s+)?(?:next\s+(?:week|month)|this\s+weekend)$)/iu,
  },
  dueOn: {
    type: "date",
    like: /^on\s(?!(?:the\s+)?(?:this|next|coming|rest of)\s+(?:the\s+)?(?:week|month|weekend|year)\b)/iu,
  },
  dueIn: {
    type: "date",
    span: true,
    like: /^(?!(?:by|before|until|till|at|from|after|since)\s)/iu,
    sample: "next week",
  },
};

/** Returns a Markdown check list. */
function checkList(outputs: Record<string, unknown>): string | undefined {
  if (isPartialList(outputs, "tasks")) return undefined;
  return records(outputs, "tasks")
    .map((task) => {
      const due = textField(task, "due");
      const details = [textField(task, "priority"), ...(due === "" ? [] : [`due ${due}`])].join(", ");
      return `- [${task.status === "done" ? "x" : " "}] ${textField(task, "title")} (${details})\n`;
    })
    .join("");
}

const titlesOf = (tasks: readonly Record<string, unknown>[]): string =>
  tasks
    .map((task) => {
      const due = textField(task, "due");
      return `- ${escapeInline(textField(task, "title"))}${due === "" ? "" : ` (due ${due})`}`;
    })
    .join("\n");

/** Answers to "how many", and about some of the tasks. */
export const views: Readonly<Record<string, View>> = {
  undated: (outputs) => {
    if (isPartialList(outputs, "tasks")) return undefined;
    const found = records(outputs, "tasks").filter((task) => textField(task, "due") === "");
    return found.length === 0 ? "Every open task has a date." : titlesOf(found);
  },
  about: (outputs, { about = "" }) => {
    if (isPartialList(outputs, "tasks")) return undefined;
    const asked = plainWords(about).map(stem);
    const found = records(outputs, "tasks").filter((task) => {
      const stems = plainWords(textField(task, "title")).map(stem);
      return asked.every((word) => stems.includes(word));
    });
    return found.length === 0
      ? `No task that is due then has “${escapeInline(about)}” in its title.`
      : titlesOf(found);
  },
  count: (outputs, { few }) => {
    const { total } = outputs;
    if (typeof total !== "number") return undefined;
    const amount = `You have ${formatCount(total, "task")}`;
    const titles = records(outputs, "tasks").map((task) => `- ${escapeInline(textField(task, "title"))}`);
    const head = few === undefined ? `${amount}.` : `${amount}; you asked about ${few}.`;
    return [head, ...(titles.length > 0 ? [titles.join("\n")] : [])].join("\n\n");
  },
};

export const results: Results = {
  text: checkList,
  items: { kind: "task", of: (outputs) => candidatesIn(outputs, "tasks", "title", taskDetail) },
};
