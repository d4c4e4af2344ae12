import { oneOf } from "@metahuman/core/text/patterns";
import { isOpenStatus, NewTask, Task } from "@metahuman/core/contract/task";
import type { TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import { plainWords } from "@metahuman/core/text/words";
import { Timestamp } from "@metahuman/core/contract/ids";
import { z } from "zod";
import { formatMoment } from "@metahuman/core/language/dates/clock";
import { timeWordsIn } from "@metahuman/core/language/dates/date-words";
import { removeCreated } from "../support/reversal.ts";
import { defineSkill } from "../define-skill.ts";
import { dateArgument } from "../read-arguments.ts";
import { aboutTask, taskFacts } from "../support/task-preview.ts";
import { taskTable } from "../support/task-table.ts";
import { amendTask } from "../support/amendment.ts";
import { describeTask } from "../support/task-description.ts";
import { isOneMore } from "@metahuman/core/language/references/one-more";
import type { Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { titleOfTask } from "../outputs.ts";

/** Optional parts before and after the title, in any order. */
const before =
  "<[=due|with =deadline|with a =deadline of] [for|by|on|at] {due}|[with|of|at] {priority}|[tagged|with tag] {tags}>";
/** Of a reminder, only "with high priority": "remind me of the low tide" is about the tide. */
const beforeReminder = before.replace("[with|of|at] {priority}", "(with|at) {priority}");
const after =
  "<[=due|=deadline|=deadline is|with =deadline|with a =deadline|with the =deadline|=due date] [:] [by|on|of|before|until|till|for|at|in|starting] {due}|[with|at|as|it is|this is|that is] {priority}|[tagged|tagged with|with tag|tag] {tags}>";
const list =
  "(tasks|list|list of (tasks|jobs|things to do|chores)|todo list|to do list|task list|job list|jobs list)";
const severalTasks =
  "(two|three|four|five|six|2|3|4|5|6|several|some|a few|a couple of|these) [new|more] (=tasks|=jobs|=things|=chores|=todos)";

/** "Task management is hard" states something, and "the task buy milk, who added it?" asks something. */
const NO_STATEMENT = new RegExp(
  [
    String.raw`^(?!(?:you|i|we|it|he|she|they)\b)`,
    String.raw`(?!(?:.*\s)?(?:(?:is|are|was|were|has|have)(?:n['’]?t)?|(?:does|do|did)n['’]?t|list|lists|management|(?:can|must|should|may) be)\b)`,
    String.raw`(?!.*\s(?:gets?|got|needs?|needed|receives?|received)\s+(?:(?:an?|the|its|new)\s+)*(?:due|deadline|priority|high|low|medium|normal)\b)`,
    String.raw`(?!.*\s(?:gets|needs|receives|should\s+(?:have|get))$)(?!.*,\s*(?:who|what|when|where|why|how|which)\b)`,
  ].join(""),
  "iu",
);
const NO_TIME_WORDS = oneOf(
  "today|tonight|tomorrow|morning|noon|afternoon|evening|night|week|month",
  "(?:mon|tues|wednes|thurs|fri|satur|sun)day",
);
/** Words for a time that was not understood are not a title: "at 25:00 to sleep". */
const NO_TIME = new RegExp(
  String.raw`^(?!(?:at|on|in|by|before|after|until|yesterday|every|each)\b.*\bto\b|yesterday\b)(?!(?:(?:at|on|in|by|next|this|the)\s+)*${NO_TIME_WORDS}(?:\s+(?:morning|noon|afternoon|evening|night))?[\s.!]*$)`,
  "iu",
);
/** Something to do next to a day: words, and no file, figure or row. */
const DATED = new RegExp(
  [
    "^(?!(?:(?:some|new|more|my|a few) )*(?:tasks?|todos?|reminders?|notes?|files?|things?|something|dates?|days?)$)",
    String.raw`(?!(?:a|an|the|another|one more|this|that|it|them)\s+(?:file|folder|row|line|entry|note|memory|record|column|event|meeting|appointment)\b)`,
    String.raw`(?!.*(?:\.\p{L}{2,4}\b|\b(?:to|into|in|onto)\s+(?:the|my|our|this)\b|[+*/=€$£%]))`,
    String.raw`(?=.*\p{L}{2})`,
  ].join(""),
  "isu",
);
const task = "(=task|=todo|to do|=reminder)";
const create =
  "(add|create|make|new|set up|open|put|put in|put down|enter|schedule|log|start|note|note down|jot down|file|give me|get me)";
const placed = "(put|stick|pop|throw|chuck|drop|get|bung)";
const must = "(am to|are to|have to|need to|must|should|ought to)";
const haveTo =
  "(have to|have got to|got to|need to|must not forget to|should not forget to|can not forget to|must to|must|should|ought to)";
const called =
  "[to|for|called|about|that says|saying|with title|named|titled|reading|with the title|which says|:]";

const phrases: readonly (string | Phrase)[] = [
  "add a task to {title}",
  `${create} [me] a [new|another|quick|one more] [{priority}] ${task} [item] [for (me|us)] ${before} ${called} {title} ${after}`,
  {
    template: `${create} [me] [new|these|the following|all these|two|three|four|five|six|several|some|a few|a couple of|both] [new|more] (=tasks|=todos|=reminders) [for (me|us|each|each of these|each of the following)] [to|for|called|:] {title} [[both|all|each] (due|for|by|on) {due}]`,
    slots: { title: { type: "title", each: true, sample: "buy milk, call Bob and pay rent" } },
  },
  {
    template: `(put|write|note|jot) ${severalTasks} down [for (me|us)] [:] {title}|(put|write|note|jot) down ${severalTasks} [for (me|us)] [:] {title}`,
    slots: { title: { type: "title", each: true, sample: "buy milk, call Bob and pay rent" } },
  },
  {
    template: `[here are] ${severalTasks} for [my|the|our] ${list} [:] {title}`,
    slots: { title: { type: "title", each: true, sample: "buy milk, call Bob and pay rent" } },
  },
  {
    template: `(add|put) {title} (as|to) [new|two|three|several] (=tasks|=todos)`,
    slots: { title: { type: "title", each: true } },
  },
  `(remind|nudge|ping) me ${beforeReminder} (to|about|of|that|that I have to|that I need to|that I must|i have to|i need to) {title} ${after}`,
  {
    template: `remind me ${beforeReminder} {title} ${after}`,
    slots: { title: { type: "title", like: NO_TIME } },
  },
  `${create} {title} ${after} (to|on|in|onto) [my] ${list} ${after}`,
  `${placed} {title} ${after} (to|on|onto) [my] ${list} ${after}`,
  `(note|note down|remember|write down) [that] (I|we) ${must} {title} ${after} [.] as a [new] ${task}`,
  {
    template: `(add|put|enter|note|write) [down] [all] [of] [these|the following|the following things|these things|this] (to|on|in|onto) [my] ${list} : {title}`,
    slots: { title: { type: "title", each: true, sample: "buy milk, call Bob and pay rent" } },
  },
  {
    template: `(create|make|start|write|set up|put together) [me] a [new] (todo list|to do list|task list|list of (tasks|jobs|things to do|chores)) [(for|due|by|on) {due}] (:|with|of) {title}`,
    slots: { title: { type: "title", each: true, sample: "buy milk, call Bob and pay rent" } },
  },
  {
    template: `${create} [me] (a =task|=tasks|a =todo|=todos) (for|from|of|out of) (each|every|all|all of|each of|every one of|the) [the] (line|lines|item|items|entry|entries|point|points|bullets|list|checklist|things) (in|of|from|on) [file] {title} [.] [[both|all|each] (due|for|by|on) {due}]|${create} [me] =tasks (from|of|out of) [file] {title} [(due|for|by|on) {due}]|(turn|convert|change|make) [the] [(lines|items|list|entries) (in|of)] [file] {title} (into|to) =tasks [(due|for|by|on) {due}]|(turn|convert|change|make) (each|every|all|each of|every one of) [the] (line|lines|item|items|entry|entries|point|points) (in|of|from|on) [file] {title} (into|to) (=tasks|a [separate|new] =task|a =task of its own|one =task each) [(due|for|by|on) {due}]|(add|put|move) (each|every|all) [of] [the] (line|lines|item|items|entry|entries) (in|of|from|on) [file] {title} (to|on|onto) my ${list}`,
    slots: { title: { type: "path", like: /\.(?:md|txt)$/iu, standsForLines: true, sample: "todo.md" } },
  },
  `(on|to|in|onto|into) my ${list} [please] (add|put|enter|note|write) [down] [:] {title} ${after}`,
  `(add|put|enter|note|jot|write) [down] (to|on|in|onto) [my] ${list} ${before} [:|that I must|that I have to|that I need to|to] {title} ${after}`,
  `(add|put|note|write|set|save) {title} [down] ${after} as a [new] [{priority}] (task|reminder|thing to do|something to do|something I need to do|something I have to do|something I must do) ${after}`,
  `(=todo|to do) {title} ${after}`,
  `new [{priority}] ${task} ${before} ${called} {title} ${after}`,
  `(=task|=reminder) : {title} ${after}`,
  `(=task|=todo|=reminder) ${before} (:|to) {title} ${after}`,
  // Each part is a sentence of its own: "New task: paint the fence. Due Friday. Priority low."
  `[new] (=task|=todo|=reminder) (:|.) {title} . [=due|=deadline|=date] [:|is] [by|on|for|at] {due} [. [=priority] [:|is] {priority} [priority]]`,
  `(=task|=todo|=reminder) (for|on|by|due) {due} [:] [to] {title} ${after}`,
  {
    template: `{priority} [task] : {title} ${after}|{priority} =task [to] {title} ${after}`,
    mayStartWithSlot: true,
  },
  {
    template: `=task [(=to|called|about|:)] {title} ${after}`,
    lastResort: true,
    slots: { title: { type: "title", like: NO_STATEMENT } },
  },
  // With a day, it is to be done; without one, it is noted.
  {
    template: "(put down|write down|jot down|put in) : {title} [due] [on|by|before|at] {due}",
    slots: { title: { type: "title", like: NO_STATEMENT } },
  },
  `set (=a|=another|=one|=my) [new] =task ${before} [to|for|about|:] {title} ${after}`,
  `set (a|an) =alarm (for|at|on) {due} (to|for|about|:) {title}`,
  { template: "wake me [up] [on|at|by|in] {due}", args: { title: "wake up" } },
  `set a =reminder ${before} [to|for|about|:] {title} ${after}`,
  `I (need|want|would like) a [new] [{priority}] ${task} ${before} ${called} {title} ${after}`,
  `do not let me forget (to|about|that I have to|that I must) {title} ${after}`,
  { template: `do not let me forget {title} ${after}`, lastResort: true },
  `another [(=task|=reminder|one|=todo)] (to|for|about|:) {title} ${after}`,
  `one more [(=task|=reminder|=todo)] (to|for|about|:) {title} ${after}`,
  `one (=task|=reminder|=todo) (to|for|about|:) {title} ${after}`,
  // "Which one? The one for Lund" names a thing, and no task.
  `one to {title} ${after}`,
  `remember to {title} ${after}`,
  { template: `do not forget to {title} ${after}`, lastResort: true },
  // With a day it is to be done; a table and a list are named with "to".
  {
    template: "add {title} [due] (for|on|by|before|until|due) {due}",
    slots: { title: { type: "title", like: DATED } },
    lastResort: true,
  },
  "schedule {title} [due] [for|on|by|at] {due}",
  `(I|we) ${haveTo} {title} [by|on|before|until|at|in|for] {due} (.|and|so) [please] (remind me|make a (task|reminder)|add a (task|reminder)|put [it|that|this] (on|in|into|to) my ${list}|create a task|add (it|that|this) to my ${list}|note it|do not let me forget) [of|for|about] [it|that]`,
  `(I|we) ${haveTo} {title} (.|and|so) [please] (remind me|make a (task|reminder)|add a (task|reminder)|put (it|that) on my ${list}|create a task|add it to my ${list}|do not let me forget) [of|for|about] [it|that] ${after}`,
  `(I|we) ${haveTo} {title} ${after} (.|and|so) [please] ((make|turn) (that|it|this) [into] [a|an] [{priority}] ${task}|make [a|an] [{priority}] ${task} (of|out of|from) (it|that|this))`,
  {
    template: `${create} [me] a [new|another|one more] [{priority}] ${task} [for me]`,
    asks: { title: "What is the task?" },
  },
  {
    template: `remind me [of|about] [something] [{due}]`,
    asks: { title: "What should you be reminded of?" },
    lastResort: true,
  },
];

/** "A task for every line in plan.md" is not a title: there would be as many tasks as lines. "List" belongs to "to-do list". */
const NO_LOOP =
  /^(?!lists?(?:\s*:|\s+(?:with|for|of|called|named|containing)\b|$))(?!(?:for )?(?:every|each|all) (?:the |of the )?(?:lines?|rows?|items?|entries|entry|files?)\b)/iu;

const slots: Record<string, SlotType | Slot> = {
  title: { type: "title", like: NO_LOOP },
  due: "date",
  priority: "priority",
  tags: { type: "tag", list: true },
};

const results: Results = { reference: { task: "id" }, label: titleOfTask };

/** Who says so is also notified when the task is due. */
const ASKS_FOR_REMINDER =
  /\b(?:remind(?:er|ers|ed)?|alarm|timer|wake me|(?:nudge|ping) me|(?:give|drop|send) me an? (?:\w+ )?(?:nudge|ping|poke|prod|heads-? ?up)|do not let me forget|don[’']?t let me forget)\b/iu;

/** "And on Thursday at 2 to pay the rent" continues the last request, unless it names another thing to create. */
const continuesLastRequest = (request: string): boolean =>
  isOneMore(request) || /^\W*(?:and|also|plus)\b(?!.*\b(?:tasks?|to-?dos?)\b)/iu.test(request);

/** "And friday too" asks for what the request before it asked for. */
function asksForReminder(request: string, earlierMessages: readonly string[]): boolean {
  const asked = continuesLastRequest(request)
    ? earlierMessages.findLast((message) => !continuesLastRequest(message))
    : request;
  if (ASKS_FOR_REMINDER.test(request)) return true;
  return asked !== undefined && ASKS_FOR_REMINDER.test(asked);
}

const SAME_CANDIDATES = 10;

/** The open task with the same words as title and the same due date, if there is one. */
async function sameTask({ title, due }: NewTask, tasks: TasksPort): Promise<Task | undefined> {
  const wordsOf = (text: string): string => plainWords(text).join(" ");
  const matches = await tasks.find(title, { limit: SAME_CANDIDATES });
  return matches.find(
    ({ task }) => isOpenStatus(task.status) && task.due === due && wordsOf(task.title) === wordsOf(title),
  )?.task;
}

/** A time in the title may have been meant as the date of the task. */
function textWithUnreadTime({ title, due }: Task): string[] {
  const words = timeWordsIn(title, { hasDate: due !== undefined });
  if (words === undefined) return [];
  return [
    due === undefined
      ? `It has no date: “${words}” is a part of its title.`
      : `“${words}” is a part of its title.`,
  ];
}

export const taskCreate = defineSkill({
  id: "task_create",
  summary: "Create a task",
  category: "tasks",
  input: z.strictObject({
    title: NewTask.shape.title.describe("What should be done"),
    description: NewTask.shape.description,
    priority: NewTask.shape.priority.meta({
      description: "P0 is the most urgent, P2 the default",
      form: "P0 (urgent)–P3",
    }),
    due: dateArgument({ upcoming: true })
      .optional()
      .describe("A day, a moment, or words such as next Tuesday"),
    tags: NewTask.shape.tags,
  }),
  output: z.strictObject({
    id: z.string(),
    task: Task,
    remindedAt: Timestamp.optional().describe("When the person will be reminded"),
    existed: z
      .literal(true)
      .optional()
      .describe("Present if the same reminder stood already, so that none was created"),
  }),
  effects: "write",
  risk: "low",
  phrases,
  slots,
  results,
  assess: async (task, _ports, region) => aboutTask("low", "Create the task", task, taskFacts(task, region)),
  reverse: (made) => (made.outputs["existed"] === true ? undefined : removeCreated("task_delete")(made)),
  amend: amendTask,
  narrate: ({ task, remindedAt, existed }, region) =>
    [
      existed === true
        ? `There is a task for this already, so no second one was created: ${describeTask(task, region)}.`
        : `Created the task ${describeTask(task, region)}.`,
      ...(remindedAt === undefined ? [] : [`You will be reminded on ${formatMoment(remindedAt, region)}.`]),
      ...textWithUnreadTime(task),
    ].join(" "),
  structure: ({ task }, region) => taskTable([task], { region }),
  run: async (task, { ports, request, earlierMessages = [], timeZone, locale }) => {
    const isReminder = task.due !== undefined && asksForReminder(request, earlierMessages);
    const before = isReminder ? await sameTask(task, ports.tasks) : undefined;
    const created = before ?? (await ports.tasks.create(task));
    const remindedAt = isReminder ? await ports.remindOf(created, { timeZone, locale }) : undefined;
    return {
      id: created.id,
      task: created,
      ...(remindedAt !== undefined && { remindedAt }),
      ...(before !== undefined && { existed: true as const }),
    };
  },
});
