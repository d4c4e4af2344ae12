import { oneOf } from "@metahuman/core/text/patterns";
import { type Region, regionOf } from "@metahuman/core/contract/region";
import { Task, TaskEdit, TaskPriority } from "@metahuman/core/contract/task";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { type Clock, isoDay, wallTimeOf, formatLocalTime } from "@metahuman/core/language/dates/clock";
import { applyRelativeDate, isRelativeDate } from "@metahuman/core/language/dates/relative-dates";
import { NOT_OLD_IN_PHRASE } from "@metahuman/core/language/tokens/contrast";
import { TASK_PRIORITY_LABELS } from "@metahuman/core/text/task-labels";
import { z } from "zod";
import { amendTask } from "../support/amendment.ts";
import { restorePreviousValues } from "../support/reversal.ts";
import { defineSkill } from "../define-skill.ts";
import { dateArgument } from "../read-arguments.ts";
import { aboutTask, changedTaskFields, existingTask, TaskIdArgument } from "../support/task-preview.ts";
import { isRecord } from "@metahuman/core/text/is-record";
import { linePreview } from "../support/phrasing.ts";
import { taskTable } from "../support/task-table.ts";
import { describeTask, formatDue } from "../support/task-description.ts";
import type {
  FollowingCall,
  MadeCall,
  Phrase,
  Results,
  Slot,
  SlotType,
} from "@metahuman/core/language/grammar/phrase";
import { titleOfTask } from "../outputs.ts";

const it: Slot = { type: "reference", kind: "task", pronounOnly: true };

const every: Slot = { ...it, every: true, sample: "all my tasks" };
const named: Slot = { type: "reference", kind: "task", plain: true, sample: "dentist" };

/** "Rename the file to …" and "rename the column fee to dues" are about no task. */
const noFile: Slot = {
  type: "reference",
  kind: "task",
  like: /^(?!(?:the )?(?:columns?\b.*|.*\bcolumns?)$)(?!(?:(?:the|this|that|my|a) )?(?:file|document|doc|folder|directory)$)/iu,
};

/** A day to put a task off until. */
const later: Slot = { type: "date", relative: true, ahead: true };

/** How far a task is put off. */
const duration: Slot = {
  type: "date",
  relative: true,
  like: /^(?:by\s+)?(?:an?|one|two|three|four|five|six|a couple of|\d{1,3})\s+(?:hour|day|week|month)s?$/iu,
  sample: "a week",
};

const NAMED_DAY_WORDS = oneOf(
  String.raw`\p{L}+day|tomorrow|week|month|\d{4}-\d{2}-\d{2}|\d{1,2}(?:st|nd|rd|th)|jan|feb|mar|apr|may|jun|jul`,
  "aug|sep|oct|nov|dec",
);
/** A day, and no time alone. */
const NAMED_DAY = new RegExp(String.raw`\b${NAMED_DAY_WORDS}\p{L}*\b`, "iu");

/** "The task x gets the due date …"; "got" only says what happened. */
const gets = "(gets|receives|needs|should have|should get|must have|shall have|now has|has now)";

const phrases: readonly (string | Phrase)[] = [
  {
    template: "rename the {id} task to {title}",
    slots: { id: { type: "reference", kind: "task", sample: "milk" } },
  },
  {
    template:
      "(rename|retitle|reword) [task] {id} [task] (to|as) {title}|change the (title|name|wording) of [task] {id} [task] to {title}",
    slots: { id: noFile },
  },
  "(change|set) the (task {id}|{id} task) to {due}",
  "change the (task {id}|{id} task) to {title}",
  "(set|change|raise|lower|increase|update) the priority (of|for) the [task] {id} [task] to {priority}",
  "(set|change|update|raise|lower) [task] {id} [task] [priority] (to|as) {priority}",
  "=make the {id} task {priority}",
  "=make {id} {priority}",
  "give [task] {id} [task] {priority}",
  { template: "=the {id} task is [now] {priority} [now]", slots: { id: named } },
  {
    template:
      "{id} is [now] [really|very|more] (urgent|important|pressing) [now] (.|and|so) [please] (=make|set|mark) (it|that) [to|as] {priority}",
    mayStartWithSlot: true,
  },
  {
    template:
      "=the {id} task is now due [on|by|at] {due}|=the {id} task is due [on|by|at] {due} (now|instead)|=the {id} task should be due [on|by|at] {due} [instead|now]",
    slots: { id: named },
  },
  {
    template: `=the (task {id}|{id} task) (has new|${gets} [new]) ((due date|deadline) [on|to] {due}|{priority})`,
    slots: { id: { type: "reference", kind: "task", sample: "dentist" } },
  },
  "(set|change|update|move) the (due date|due|deadline|date|time) (of|for) the [task] {id} [task] to {due}",
  "=the (due date|deadline) (of|for) [the] [task] {id} [task] (is now|should be|must be|has moved to|moved to) [on] {due} [now]",
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
      "(postpone|move|push|reschedule|delay|defer|shift|snooze|put off) {id} [back|forward] [to|until|till|for|by|at] {due}",
    slots: { id: it, due: later },
  },
  {
    template:
      "(postpone|move|push|reschedule|delay|defer|shift|snooze|put off) {id} [back|forward] (to|until|till|for|by) {due}",
    slots: { id: every, due: later },
  },
  {
    template: "(set|=make) {id} {priority}|(set|=make) {id} due [on|by] {due}",
    slots: { id: every },
  },
  {
    template:
      "(postpone|move|push|reschedule|delay|defer|shift|snooze|put off) the [task] {id} [task] [back|forward] (to|until|till|for|by) {due}",
    slots: { due: later },
  },
  { template: "put [the] [task] {id} [task] off (until|till|to) {due}", slots: { id: named, due: later } },
  {
    template:
      "(postpone|move|push|reschedule|delay|defer|shift|snooze|put off) [the] [task] {id} [task] (back|forward|off|by|back by|forward by|on by) {due}|(postpone|delay|defer|snooze) [the] [task] {id} [task] {due}",
    slots: { id: named, due: duration },
  },
  {
    template:
      "=make the [task] {id} [task|one] [for|on|to|by] {due}|change the [task] {id} [task|one] (to|for) {due}",
    slots: { id: named, due: { type: "date", like: NAMED_DAY } },
    lastResort: true,
  },
  "set [task] {id} [task] due [date] [to|on|by|for] {due}",
  "=make the {id} task due [on|by|at] {due}",
  "=make {id} due [on|by|at] {due}",
  { template: "=make {id} {due}", slots: { id: it } },
  {
    template:
      "=the {id} (is|was|has been|got) (moved|postponed|rescheduled|shifted|pushed back|pushed|put off) [back|forward] (to|until|till) {due}",
    slots: { id: named },
  },
  {
    template: `=the {id} is [on|at|due] {due} (now|instead) [${NOT_OLD_IN_PHRASE} [on|at] {old}]`,
    slots: { id: named, old: "description" },
  },
  {
    template: `=the {id} is (now|actually) [on|at|due] {due} [${NOT_OLD_IN_PHRASE} [on|at] {old}]`,
    slots: { id: named, old: "description" },
  },
  {
    template: `=the {id} [task] (should be|needs to be|has to be|must be) [done|finished|due] (on|at|by|due) {due} [instead|now] [${NOT_OLD_IN_PHRASE} [on|at] {old}]`,
    slots: { id: { ...named, exact: true }, old: "description" },
  },
  {
    template: "(for|on|by|due|until) {due}",
    slots: { id: it, due: "date" },
    implies: "id",
    lastResort: true,
  },
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
  due: { type: "date", relative: true },
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
      due: dateArgument({ upcoming: true, relative: true })
        .nullable()
        .optional()
        .describe(
          "A day, a moment, or words such as next Tuesday; T10:30 keeps the day, P1D or -PT2H moves it; null removes it",
        ),
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
    const now = new Date();
    return aboutTask(
      "low",
      "Change the task",
      task,
      changedTaskFields(task, withDate(edit, task, { now, ...region }), region),
    );
  },
  reverse: (made) => restorePreviousValues("task_update")(made)?.flatMap((call) => asItWas(call, made)),
  amend: amendTask,
  narrate: ({ task, before = {} }, region) =>
    `Updated the task; it now reads ${describeTask(task, region)}.${newTags(before, task)}${formerValues(before, task, region)}`,
  structure: ({ task }, region) => taskTable([task], { region }),
  run: async ({ id, ...edit }, { ports: { tasks }, now, timeZone }) => {
    const task = await tasks.get(id);
    const { title, description, priority, due = null, tags } = task;
    const before = Object.fromEntries(
      Object.entries({ title, description, priority, due, tags }).filter(([name]) =>
        Object.hasOwn(edit, name),
      ),
    );
    const changed = withDate(edit, task, { now, timeZone });
    if (changed.due !== edit.due && typeof changed.due === "string")
      requireUpcoming(changed.due, { now, timeZone });
    return { id, task: await tasks.edit(id, changed), before };
  },
});

/** The tags that were set, which the task in words does not have; `""` otherwise. */
const newTags = (before: Record<string, unknown>, { tags }: Task): string =>
  Object.hasOwn(before, "tags") && tags.length > 0 ? ` Its tags are ${tags.join(", ")}.` : "";

/** What the changed fields were: ` Before: due 2026-11-21.`; `""` if nothing has another value. */
function formerValues(before: Record<string, unknown>, task: Task, region: Region): string {
  const values = Object.entries(before).flatMap(([name, value]) => {
    const now =
      name === "due" ? (task.due ?? null) : Object.entries(task).find(([field]) => field === name)?.[1];
    if (JSON.stringify(value ?? null) === JSON.stringify(now ?? null)) return [];
    if (name === "due") return [typeof value === "string" ? `due ${formatDue(value, region)}` : "no date"];
    const priority = TaskPriority.safeParse(value);
    if (name === "priority" && priority.success) return [`${TASK_PRIORITY_LABELS[priority.data]} priority`];
    return [`${name} ${formerText(value)}`];
  });
  return values.length === 0 ? "" : ` Before: ${values.join(", ")}.`;
}

function formerText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
  return value === "" ? "none" : `“${linePreview(String(value))}”`;
}

/** The time of a task stays with a day, so a date that was a whole day is set after the time was removed. */
function asItWas(call: FollowingCall, { outputs }: MadeCall): FollowingCall[] {
  const { id, due } = call.args;
  const { task } = outputs;
  const now = isRecord(task) && typeof task["due"] === "string" ? task["due"] : "";
  const isWholeDay = typeof due === "string" && !due.includes("T") && now.includes("T");
  return isWholeDay ? [{ skill: call.skill, args: { id, due: null } }, call] : [call];
}

/** The edit with the date that it makes of the task's own: of a relative one, and of a day, at which the time stays the same. */
function withDate<Edit extends { due?: string | null | undefined }>(
  edit: Edit,
  { due }: Pick<Task, "due">,
  clock: Clock,
): Edit {
  if (typeof edit.due !== "string") return edit;
  const date = isRelativeDate(edit.due) ? applyRelativeDate(edit.due, due, clock) : edit.due;
  if (date.includes("T") || due?.includes("T") !== true) return { ...edit, due: date };
  const time = formatLocalTime(due, clock);
  return { ...edit, due: applyRelativeDate(`T${time}`, date, clock) };
}

function requireUpcoming(due: string, clock: Clock): void {
  const today = isoDay(wallTimeOf(clock.now, clock.timeZone));
  if (due >= (due.includes("T") ? clock.now.toISOString() : today)) return;
  throw new InvalidArgsError(`${formatDue(due, regionOf(clock))} has passed.`, {
    suggestions: ["Name the day and the time."],
  });
}
