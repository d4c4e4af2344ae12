import { dateFromWords } from "@metahuman/boot/dates-in-words";
import type { Command } from "commander";
import { NewTask, TaskEdit, TaskPriority, TaskStatus, type Task } from "@metahuman/core/contract/task";
import { InvalidRequestError } from "@metahuman/core/errors/request-errors";
import { TaskNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { TASK_PRIORITY_LABELS, TASK_STATUS_LABELS } from "@metahuman/core/text/task-labels";
import { parseInput } from "../parse-input.ts";
import { formatDue, tableOfPage } from "../output.ts";
import { type AddCommand, requirePermission, openSession, type Session } from "../session.ts";

interface EditOptions {
  title?: string;
  due?: string;
  priority?: string;
  status?: string;
  tag?: string[];
}

const PRIORITY_NAMES = Object.values(TASK_PRIORITY_LABELS).join(", ");
const EDIT_EXAMPLE = "Example: mh task edit buy milk --due 2030-01-02";

export const addTaskCommand: AddCommand = (program, context) => {
  const task = program.command("task").description("your tasks");

  task
    .command("add <title...>")
    .description("add a task")
    .option("--due <date>", 'a day or a moment: 2030-01-02, "next Tuesday at 9"')
    .option("--priority <priority>", PRIORITY_NAMES)
    .option("--tag <tag...>", "tags")
    .action(async (words: string[], options: { due?: string; priority?: string; tag?: string[] }) => {
      const session = await openSession(context());
      requirePermission(session.policy.canWriteMemory, session, "add tasks");
      const { tag: tags } = options;
      const priority = priorityNamed(options.priority);
      const due = options.due === undefined ? undefined : dateFromWords(options.due, session.timeZone);
      const added = parseInput(NewTask, { title: words.join(" "), due, priority, tags });
      const created = await session.profile.tasks.create(added);
      context().output.result({ task: created }, `Added: ${describe(created, session)}`);
    });

  task
    .command("list")
    .description("list open tasks, most urgent first")
    .option("--all", "include done and cancelled tasks")
    .option("--status <status>", TaskStatus.options.join(", "))
    .action(async (options: { all?: boolean; status?: string }) => {
      const session = await openSession(context());
      requirePermission(session.policy.canReadMemory, session, "read tasks");
      const status = options.status === undefined ? undefined : parseStatus(options.status);
      const { tasks, total } = await session.profile.tasks.list({
        includeDone: options.all ?? false,
        ...(status && { status }),
      });
      const rows = tasks.map(({ title, status: state, priority, due, id }) => [
        TASK_STATUS_LABELS[state],
        TASK_PRIORITY_LABELS[priority],
        due === undefined ? "" : formatDue(due, session.timeZone),
        title,
        id,
      ]);
      const none = "No tasks. Add one: mh task add buy milk";
      context().output.result({ tasks, total }, tableOfPage(rows, total, none));
    });

  addStatusCommand(task, "start", "in_progress", "mark a task as in progress");
  addStatusCommand(task, "done", "done", "mark a task as done");
  addStatusCommand(task, "cancel", "cancelled", "mark a task as cancelled");

  task
    .command("edit <task...>")
    .description("change a task, by id or by words of its title")
    .option("--title <title>", "the new title")
    .option("--due <date>", 'a day or a moment: 2030-01-02, "next Tuesday at 9"; "none" removes it')
    .option("--priority <priority>", PRIORITY_NAMES)
    .option("--status <status>", TaskStatus.options.join(", "))
    .option("--tag <tag...>", "tags; replaces all tags")
    .action(async (words: string[], options: EditOptions) => {
      const session = await openSession(context());
      requirePermission(session.policy.canWriteMemory, session, "change tasks");
      const { due, tag: tags, priority, ...rest } = options;
      const changes = {
        ...rest,
        ...(priority !== undefined && { priority: priorityNamed(priority) }),
        ...(tags && { tags }),
        ...(due !== undefined && { due: due === "none" ? null : dateFromWords(due, session.timeZone) }),
      };
      if (Object.keys(changes).length === 0)
        throw new InvalidRequestError("No change was given.", { suggestions: [EDIT_EXAMPLE] });
      const edit = parseInput(TaskEdit, changes);
      const { id } = await findTask(session, words.join(" "));
      const changed = await session.profile.tasks.edit(id, edit);
      context().output.result({ task: changed }, describe(changed, session));
    });

  task
    .command("delete <task...>")
    .description("delete a task, by id or by words of its title; restore it with mh archive")
    .action(async (words: string[]) => {
      const session = await openSession(context());
      requirePermission(session.policy.canWriteMemory, session, "delete tasks");
      const { id, title } = await findTask(session, words.join(" "));
      const archived = await session.profile.tasks.remove(id);
      context().output.result({ archived }, `Deleted: ${title}\nUndo: mh archive restore ${archived.id}`);
    });

  function addStatusCommand(parent: Command, name: string, status: TaskStatus, summary: string): void {
    parent
      .command(`${name} <task...>`)
      .description(`${summary}, by id or by words of its title`)
      .action(async (words: string[]) => {
        const session = await openSession(context());
        requirePermission(session.policy.canWriteMemory, session, "change tasks");
        const found = await findTask(session, words.join(" "));
        const changed = await session.profile.tasks.edit(found.id, TaskEdit.parse({ status }));
        context().output.result({ task: changed }, describe(changed, session));
      });
  }
};

/** P1 for "high". Other text is returned, so that its validation names the field. */
function priorityNamed(text: string | undefined): string | undefined {
  return TaskPriority.options.find((priority) => TASK_PRIORITY_LABELS[priority] === text) ?? text;
}

function parseStatus(text: string): TaskStatus {
  const parsed = TaskStatus.safeParse(text);
  if (!parsed.success)
    throw new InvalidRequestError(`There is no status "${text}".`, { suggestions: TaskStatus.options });
  return parsed.data;
}

/** Finds a task by id, or the one task whose title matches the words best. Throws if two match equally well. */
async function findTask({ profile }: Session, words: string): Promise<Task> {
  if (words.startsWith("task-")) return profile.tasks.get(words);
  const matches = await profile.tasks.find(words, { limit: 5 });
  const [first, second] = matches;
  if (!first)
    throw new TaskNotFoundError(`No task matches "${words}".`, {
      suggestions: ["List them: mh task list --all"],
    });
  if (second && second.score >= first.score) {
    throw new InvalidRequestError(`Several tasks match "${words}".`, {
      suggestions: matches.map(({ task: { id, title } }) => `${id}  ${title}`),
    });
  }
  return first.task;
}

function describe({ title, status, priority, due }: Task, { timeZone }: Session): string {
  const dueText = due === undefined ? [] : [`due ${formatDue(due, timeZone)}`];
  const priorityText = `${TASK_PRIORITY_LABELS[priority]} priority`;
  return [title, TASK_STATUS_LABELS[status], priorityText, ...dueText].join(" · ");
}
