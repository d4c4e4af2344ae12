import { Task, TaskStatus } from "@metahuman/core/contract/task";
import { TaskNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { nearest } from "@metahuman/core/errors/nearest";
import type { TaskMatch, TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import { z } from "zod";
import { formatCount } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { table } from "../markdown.ts";
import { formatDue, statusLabel, describeTask } from "../support/task-description.ts";
import { named } from "../support/phrasing.ts";
import type { Finder, Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { labelled, titleOfTask } from "../outputs.ts";

const find = "(find|show|search for|look for|look up|open|view|get|see) [me]";

const phrases: readonly (string | Phrase)[] = [
  `${find} the task (about|called|to|for|with title) {query}`,
  `${find} the task {query}`,
  `${find} the {query} task`,
  {
    template: "(find|show|open|view|get|see|read) [me] {query}",
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

const slots: Record<string, SlotType | Slot> = { query: { type: "query", sample: "milk" } };

const finds: Finder = {
  kind: "task",
  by: "query",
  candidates: (outputs) => labelled(outputs, "matches", "title"),
};

const results: Results = { reference: { task: "id" }, label: titleOfTask };

const MATCHES = 10;
/** Number of titles among which suggestions are searched. */
const TITLES = 500;

/** Prefers open tasks. Closed tasks match if no open task does or if their status is requested. */
async function matching(
  tasks: TasksPort,
  query: string,
  status: TaskStatus | undefined,
): Promise<TaskMatch[]> {
  if (status !== undefined) return await tasks.find(query, { status, includeDone: true, limit: MATCHES });
  const open = await tasks.find(query, { limit: MATCHES });
  return open.length > 0 ? open : await tasks.find(query, { includeDone: true, limit: MATCHES });
}

export const taskFind = defineSkill({
  id: "task_find",
  summary: "Find a task by words of its title",
  category: "tasks",
  input: z.strictObject({ query: z.string().trim().min(1).max(500), status: TaskStatus.optional() }),
  output: z.strictObject({
    id: z.string().describe("The best match"),
    task: Task,
    matches: z.array(z.strictObject({ task: Task, score: z.number() })).describe("All that fit, best first"),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  phrases,
  slots,
  finds,
  results,
  narrate: ({ task, matches }) =>
    matches.length > 1
      ? `Found ${formatCount(matches.length, "task")}: ${named(matches.map((match) => describeTask(match.task)))}.`
      : `Found the task ${describeTask(task)}.`,
  structure: ({ matches }) =>
    table(
      ["task", "status", "priority", "due", "id"],
      matches.map(({ task }) => [
        task.title,
        statusLabel(task.status),
        task.priority,
        task.due === undefined ? "" : formatDue(task.due),
        task.id,
      ]),
    ),
  run: async ({ query, status }, { ports: { tasks } }) => {
    const matches = await matching(tasks, query, status);
    const best = matches[0]?.task;
    if (best) return { id: best.id, task: best, matches };
    const { tasks: all } = await tasks.list({ includeDone: true, limit: TITLES });
    throw new TaskNotFoundError("No task fits these words.", {
      suggestions: nearest(query, new Set(all.map((task) => task.title))),
      context: { query },
    });
  },
});
