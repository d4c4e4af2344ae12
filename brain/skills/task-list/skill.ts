import { isOpenStatus, Task, type TaskDue, TaskPriority, TaskStatus } from "@metahuman/core/contract/task";
import type { Region } from "@metahuman/core/contract/region";
import { z } from "zod";
import { isoDay, wallTimeOf, localDay } from "@metahuman/core/language/dates/clock";
import { formatCount } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { dateArgument } from "../read-arguments.ts";
import { taskTable } from "../support/task-table.ts";
import { describeTask } from "../support/task-description.ts";
import { joinNames } from "../support/phrasing.ts";
import * as grammar from "./phrases.ts";

/** Compares two values as days unless both are times. */
function isDueBy(due: TaskDue | undefined, by: TaskDue): boolean {
  if (due === undefined) return false;
  const length = Math.min(due.length, by.length);
  return due.slice(0, length) <= by.slice(0, length);
}

const dayOf = (date: TaskDue, timeZone: string): string =>
  date.includes("T") ? localDay(date, timeZone) : date;

/** True for a task that is due on the day of `on` in the local time zone. */
function isDueOn(due: TaskDue | undefined, on: TaskDue, timeZone: string): boolean {
  return due !== undefined && dayOf(due, timeZone) === dayOf(on, timeZone);
}

/** True for a task that is due in a period, `2026-11-30/2026-12-06`, in the local time zone. */
function isDueIn(due: TaskDue | undefined, period: string, timeZone: string): boolean {
  const [first = "", last = ""] = period.split("/");
  if (due === undefined) return false;
  const day = dayOf(due, timeZone);
  return day >= first && day <= last;
}

/** A day is past when it has ended in the local time zone; a time is past once reached. */
function isPast(due: TaskDue | undefined, now: Date, timeZone: string): boolean {
  if (due === undefined) return false;
  return due < (due.includes("T") ? now.toISOString() : isoDay(wallTimeOf(now, timeZone)));
}

const TaskListOutputs = z.strictObject({
  asked: z.enum(["due", "overdue"]),
  tasks: z.int().nonnegative(),
  by: z.string().optional(),
  on: z.string().optional(),
  in: z.string().optional(),
});
type TaskListOutputs = z.infer<typeof TaskListOutputs>;

/** "No tasks" would be wrong if others are open. */
function noneOf({ asked, tasks, by, on, in: period }: TaskListOutputs, region: Region): string {
  if (tasks === 0) return "No tasks.";
  const when =
    period !== undefined
      ? `from ${period
          .split("/")
          .map((day) => dayInWords(day, region))
          .join(" to ")}`
      : on !== undefined
        ? `on ${dayInWords(on, region)}`
        : by !== undefined
          ? `by ${dayInWords(by, region)}`
          : "";
  const none = asked === "due" ? `No task is due ${when}` : "No task is overdue";
  return `${none}; ${formatCount(tasks, "other task")} ${tasks === 1 ? "is" : "are"} open.`;
}

/** "Tuesday 1 December" */
function dayInWords(date: string, { timeZone }: Pick<Region, "timeZone">): string {
  const isMoment = date.includes("T");
  const form = {
    weekday: "long",
    day: "numeric",
    month: "long",
    timeZone: isMoment ? timeZone : "UTC",
  } as const;
  const day = new Intl.DateTimeFormat("en-GB", form).format(new Date(isMoment ? date : `${date}T12:00:00Z`));
  return day.replace(",", "");
}

function formatTasks(
  { tasks, total, among }: { tasks: readonly Task[]; total: number; among?: TaskListOutputs | undefined },
  { withIds = false, region }: { withIds?: boolean; region: Region },
): string {
  if (tasks.length === 0) return among ? noneOf(among, region) : "No tasks.";
  const rest = total - tasks.length;
  const more =
    rest > 0
      ? `${formatCount(rest, "more task")}. ${formatCount(total, "task")} in all.`
      : `${formatCount(total, "task")}.`;
  return `${taskTable(tasks, { withIds, region })}\n\n${more}`;
}

export const taskList = defineSkill({
  id: "task_list",
  summary: "List tasks",
  category: "tasks",
  input: z.strictObject({
    status: TaskStatus.optional(),
    includeDone: z.boolean().default(false).describe("Include done and cancelled tasks"),
    tag: z.string().min(1).max(64).optional(),
    priority: TaskPriority.optional(),
    dueBy: dateArgument({ last: true })
      .meta({ form: "day" })
      .optional()
      .describe("Due by this day or moment"),
    dueOn: dateArgument().meta({ form: "day" }).optional().describe("Due on this day"),
    dueIn: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}\/\d{4}-\d{2}-\d{2}$/u, "must be two days: 2026-11-30/2026-12-06")
      .optional()
      .meta({ form: "day/day" }),
    overdue: z.boolean().default(false).describe("Only overdue tasks"),
    limit: z.int().positive().max(500).default(100),
  }),
  output: z.strictObject({
    tasks: z.array(Task),
    total: z.int().nonnegative(),
    among: TaskListOutputs.optional().describe(
      "The number of all tasks, if the list is filtered by due date",
    ),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  ...grammar,
  narrate: ({ tasks, total, among }, region) =>
    total === 0
      ? among
        ? noneOf(among, region)
        : "Found no tasks."
      : `Found ${formatCount(total, "task")}: ${joinNames(
          tasks.map((task) => describeTask(task, region)),
          total,
        )}.`,
  structure: (outputs, region) => formatTasks(outputs, { region }),
  observed: (outputs, region) => formatTasks(outputs, { region, withIds: true }),
  readOn: () => "List fewer with status, tag, priority or dueBy, or find one with task_find.",
  run: async (
    { status, includeDone, tag, priority, dueBy, dueOn, dueIn, overdue, limit },
    { ports, now, timeZone },
  ) => {
    const query = {
      includeDone: includeDone || (status !== undefined && !isOpenStatus(status)),
      ...(status !== undefined && { status }),
      ...(tag !== undefined && { tag }),
      ...(priority !== undefined && { priority }),
    };
    if (dueBy === undefined && dueOn === undefined && dueIn === undefined && !overdue)
      return await ports.tasks.list({ ...query, limit });
    const { tasks } = await ports.tasks.list(query);
    const fitting = tasks.filter(
      (task) =>
        (dueOn === undefined || isDueOn(task.due, dueOn, timeZone)) &&
        (dueIn === undefined || isDueIn(task.due, dueIn, timeZone)) &&
        (dueBy === undefined || isDueBy(task.due, dueBy)) &&
        (!overdue || isPast(task.due, now, timeZone)),
    );
    const among: TaskListOutputs = {
      asked: overdue ? "overdue" : "due",
      tasks: tasks.length,
      ...(dueBy !== undefined && { by: dueBy }),
      ...(dueOn !== undefined && { on: dueOn }),
      ...(dueIn !== undefined && { in: dueIn }),
    };
    return { tasks: fitting.slice(0, limit), total: fitting.length, among };
  },
});
