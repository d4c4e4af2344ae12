import { isOpenStatus, Task, type TaskDue, TaskPriority, TaskStatus } from "@metahuman/core/contract/task";
import type { Region } from "@metahuman/core/contract/region";
import { z } from "zod";
import { isoDay, wallTimeOf } from "@metahuman/core/language/dates/clock";
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

/** A day is past when it has ended in the local time zone; a time is past once reached. */
function isPast(due: TaskDue | undefined, now: Date, timeZone: string): boolean {
  if (due === undefined) return false;
  return due < (due.includes("T") ? now.toISOString() : isoDay(wallTimeOf(now, timeZone)));
}

const Among = z.strictObject({ asked: z.enum(["due", "overdue"]), tasks: z.int().nonnegative() });
type Among = z.infer<typeof Among>;

/** "No tasks" would be wrong if others are open. */
function noneOf({ asked, tasks }: Among): string {
  if (tasks === 0) return "No tasks.";
  const none = asked === "due" ? "No task is due by then" : "No task is overdue";
  return `${none}; ${formatCount(tasks, "other task")} ${tasks === 1 ? "is" : "are"} open.`;
}

function formatTasks(
  { tasks, total, among }: { tasks: readonly Task[]; total: number; among?: Among | undefined },
  { withIds = false, region }: { withIds?: boolean; region: Region },
): string {
  if (tasks.length === 0) return among ? noneOf(among) : "No tasks.";
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
      .optional()
      .describe("Only tasks due by the end of this day, or by this moment"),
    overdue: z.boolean().default(false).describe("Only overdue tasks"),
    limit: z.int().positive().max(500).default(100),
  }),
  output: z.strictObject({
    tasks: z.array(Task),
    total: z.int().nonnegative(),
    among: Among.optional().describe("The number of all tasks, if the list is filtered by due date"),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  ...grammar,
  narrate: ({ tasks, total, among }, region) =>
    total === 0
      ? among
        ? noneOf(among)
        : "Found no tasks."
      : `Found ${formatCount(total, "task")}: ${joinNames(
          tasks.map((task) => describeTask(task, region)),
          total,
        )}.`,
  structure: (outputs, region) => formatTasks(outputs, { region }),
  observed: (outputs, region) => formatTasks(outputs, { region, withIds: true }),
  readOn: () => "List fewer with status, tag, priority or dueBy, or find one with task_find.",
  run: async ({ status, includeDone, tag, priority, dueBy, overdue, limit }, { ports, now, timeZone }) => {
    const query = {
      includeDone: includeDone || (status !== undefined && !isOpenStatus(status)),
      ...(status !== undefined && { status }),
      ...(tag !== undefined && { tag }),
      ...(priority !== undefined && { priority }),
    };
    if (dueBy === undefined && !overdue) return await ports.tasks.list({ ...query, limit });
    const { tasks } = await ports.tasks.list(query);
    const due = tasks.filter(
      (task) =>
        (dueBy === undefined || isDueBy(task.due, dueBy)) && (!overdue || isPast(task.due, now, timeZone)),
    );
    const among: Among = { asked: overdue ? "overdue" : "due", tasks: tasks.length };
    return { tasks: due.slice(0, limit), total: due.length, among };
  },
});
