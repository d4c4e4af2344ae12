import { Task, TaskStatus } from "@metahuman/core/contract/task";
import { TaskNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { nearest } from "@metahuman/core/errors/nearest";
import type { TaskMatch, TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import { z } from "zod";
import { formatCount } from "@metahuman/core/text/format";
import { defineSkill } from "../define-skill.ts";
import { taskTable } from "../support/task-table.ts";
import { TASK_PRIORITY_LABELS, TASK_STATUS_LABELS } from "@metahuman/core/text/task-labels";
import { formatDue, describeTask, taskDetail } from "../support/task-description.ts";
import { joinNames } from "../support/phrasing.ts";
import type { Finder, Phrase, Results, Slot, SlotType } from "@metahuman/core/language/grammar/phrase";
import { candidatesIn, records, titleOfTask } from "../outputs.ts";

const find = "(find|show|search for|look for|look up|open|view|get|see|search|locate) [me]";
const task = "(=task|=todo|=reminder)";

const phrases: readonly (string | Phrase)[] = [
  `${find} the ${task} (about|called|to|for|with title|with|named|on|that mentions|concerning|regarding) {query}`,
  `${find} the ${task} {query}`,
  `${find} the {query} ${task}`,
  {
    template: "(find|show|open|view|get|see|read) [me] {query}",
    slots: { query: { type: "reference", kind: "task", pronounOnly: true, byName: true } },
  },
  "search [in] my tasks for {query}",
  `(do I have|is there|have I|have I got|did I make|did I create|did I add|did I set|have I made|have I created|have I added) [already|ever|yet] [got|made|created|added] [already] a [any] ${task} (about|called|to|for|with|named|on|regarding) {query} [in it] [already|yet]`,
  `(did I|have I) [already] (put|set|have|note|noted|write|written|got) {query} (on|in|onto|into) my (tasks|todo list|to do list|list|task list|tasklist) [already|yet]`,
  `(is|are) {query} (on|in) my (tasks|todo list|to do list|task list|tasklist) [already|yet]`,
  `is there [already] [something|anything] (in|on|among) my (tasks|todo list|to do list|list|task list) (about|for|on) {query}`,
  `(did I|have I) [already] (make|made|create|created|add|added|write|written) [down] [a] ${task} (about|called|to|for|with|on) {query}`,
  `(which|what) ${task} (is|was) (about|called|for) {query}`,
  `the (details|status|due date|priority) of the ${task} {query}`,
  `what is the (status|state|due date|deadline|priority) (of|for) [the] [${task}] {query} [task]`,
  "the (details|status) of the {query} task",
  {
    template: `(when|what day|what date|by when|until when) is the [${task}] {query} [task] (due|scheduled|planned|supposed to be done)|when (must|should|do) I [have to|need to] {query}|(by when|until when) (must|should|do) I [have to|need to] {query}|what is the (due date|deadline) (of|for) [the] [${task}] {query}`,
    view: { name: "due" },
  },
  {
    template: `is the [${task}] {query} [task|one] [already|now|yet] (done|finished|complete|completed|open|still open|blocked|in progress|started) [yet|already|now]|(did I|have I) [already] (finish|finished|complete|completed|done|do) the [${task}] {query} [task] [yet|already]`,
    view: { name: "status" },
  },
  {
    template: `is the [${task}] {query} [task|one] [of|a|marked|marked as|set to|with] {priority}|(what|which) priority (is|has|does) the [${task}] {query} [task] [have]`,
    slots: { priority: "priority" },
    view: { name: "priority", slots: ["priority"] },
  },
];

const slots: Record<string, SlotType | Slot> = { query: { type: "query", sample: "milk" } };

const finds: Finder = {
  kind: "task",
  by: "query",
  // "The plants one" is the task about the plants.
  query: (words) => words.replace(/(?<=\S)\s+one$/iu, ""),
  candidates: (outputs) => candidatesIn(outputs, "matches", "title", taskDetail),
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

/** One sentence for each task that was found; undefined when none was. */
function eachTask(outputs: Record<string, unknown>, say: (task: Task) => string): string | undefined {
  const sentences = records(outputs, "matches").flatMap(({ task }) => {
    const parsed = Task.safeParse(task);
    return parsed.success ? [`${say(parsed.data)}.`] : [];
  });
  return sentences.length > 0 ? sentences.join("\n") : undefined;
}

export const taskFind = defineSkill({
  id: "task_find",
  summary: "Find a task by words of its title",
  category: "tasks",
  input: z.strictObject({ query: z.string().trim().min(1).max(500), status: TaskStatus.optional() }),
  output: z.strictObject({
    id: z.string().describe("The best match"),
    task: Task,
    matches: z.array(z.strictObject({ task: Task, score: z.number() })).describe("All matches, best first"),
  }),
  effects: "read",
  risk: "low",
  idempotent: true,
  phrases,
  slots,
  finds,
  results,
  views: {
    due: (outputs, _, region) =>
      eachTask(outputs, ({ title, due }) =>
        due === undefined ? `“${title}” has no due date` : `“${title}” is due ${formatDue(due, region)}`,
      ),
    priority: (outputs, { priority }) =>
      eachTask(outputs, (task) => {
        const reply = priority === undefined ? "" : priority === task.priority ? "Yes: " : "No: ";
        return `${reply}“${task.title}” has ${TASK_PRIORITY_LABELS[task.priority]} priority`;
      }),
    status: (outputs) =>
      eachTask(outputs, ({ title, status }) => `“${title}” is ${TASK_STATUS_LABELS[status]}`),
  },
  narrate: ({ task, matches }, region) =>
    matches.length > 1
      ? `Found ${formatCount(matches.length, "task")}: ${joinNames(matches.map((match) => describeTask(match.task, region)))}.`
      : `Found the task ${describeTask(task, region)}.`,
  structure: ({ matches }, region) =>
    taskTable(
      matches.map(({ task }) => task),
      { region },
    ),
  observed: ({ matches }, region) =>
    taskTable(
      matches.map(({ task }) => task),
      { region, withIds: true },
    ),
  run: async ({ query, status }, { ports: { tasks } }) => {
    const matches = await matching(tasks, query, status);
    const best = matches[0]?.task;
    if (best) return { id: best.id, task: best, matches };
    const { tasks: all } = await tasks.list({ includeDone: true, limit: TITLES });
    throw new TaskNotFoundError("No task matches.", {
      suggestions: nearest(query, new Set(all.map((task) => task.title))),
      context: { query },
    });
  },
});
