import type { NewTask, Task } from "@metahuman/core/contract/task";
import { isoDay } from "./placeholders.ts";
import type { Check, Effect, Setup } from "./task-schema.ts";

/** The state that checks examine. */
export interface State {
  /** Contents by path. */
  files: Readonly<Record<string, string>>;
  tasks: readonly TaskState[];
  /** Stored memories, without conversations and records of calls. */
  memories: readonly string[];
  answer: string;
  asked: boolean;
}

export type TaskState = Pick<Task, "title" | "description" | "status" | "priority" | "due" | "tags">;

type FileCheck = Extract<Check, { file: string }>;
type TaskCheck = Extract<Check, { task: string }>;
type AnswerCheck = Extract<Check, { answer: unknown }>;

/** Returns the state before the request. */
export function stateOf({ files, tasks, memories }: Setup): State {
  return {
    files: Object.fromEntries(Object.entries(files).map(([path, content]) => [path, contentOf(content)])),
    tasks: tasks.map(taskState),
    memories,
    answer: "",
    asked: false,
  };
}

export function contentOf(content: Setup["files"][string]): string {
  if (typeof content === "string") return content;
  const { line, times, replace } = content;
  const lines = Array.from(
    { length: times },
    (_, index) => replace[String(index + 1)] ?? line.replaceAll("#", String(index + 1)),
  );
  return `${lines.join("\n")}\n`;
}

export function taskState({ title, description, status, priority, due, tags }: NewTask): TaskState {
  return {
    title,
    description: description ?? "",
    status: status ?? "todo",
    priority: priority ?? "P2",
    due,
    tags: tags ?? [],
  };
}

/** Returns the state after an effect. */
export function withEffect(before: State, effect: Effect): State {
  const { files, addedTasks, tasks, memories, forgotten, answer, asked } = effect;
  for (const title of Object.keys(tasks))
    if (!before.tasks.some((task) => task.title === title)) throw new Error(`There is no task ${title}.`);
  const present = Object.entries({ ...before.files, ...files }).filter(
    (file): file is [string, string] => file[1] !== null,
  );
  return {
    files: Object.fromEntries(present),
    tasks: [
      ...before.tasks.flatMap((task) => {
        const edit = tasks[task.title];
        return edit === null ? [] : [edited(task, edit ?? {})];
      }),
      ...addedTasks.map(taskState),
    ],
    memories: [
      ...before.memories.filter((memory) => !forgotten.some((text) => contains(memory, text))),
      ...memories,
    ],
    answer,
    asked,
  };
}

function edited(task: TaskState, edit: NonNullable<Effect["tasks"][string]>): TaskState {
  return {
    title: edit.title ?? task.title,
    description: edit.description ?? task.description,
    status: edit.status ?? task.status,
    priority: edit.priority ?? task.priority,
    due: edit.due ?? task.due,
    tags: edit.tags ?? task.tags,
  };
}

export function holds(check: Check, before: State, after: State): boolean {
  if ("file" in check) return fileHolds(check, before, after);
  if ("task" in check) return taskHolds(check, before, after);
  if ("memory" in check) {
    const isThere = after.memories.some((memory) => check.memory.every((text) => contains(memory, text)));
    return isThere !== (check.absent === true);
  }
  if ("answer" in check) return answerHolds(check.answer, after.answer);
  if ("asked" in check) return after.asked;
  if ("openTasks" in check) return after.tasks.filter(isOpen).length === check.openTasks;
  return (check.changed === "anything" ? (["files", "tasks", "memories"] as const) : [check.changed]).some(
    (part) => !isSame(before[part], after[part]),
  );
}

function fileHolds(check: FileCheck, before: State, after: State): boolean {
  const fits = patternOf(check.file);
  const paths = Object.keys(after.files).filter((path) => fits.test(path));
  if (check.absent) return paths.length === 0;
  if (check.changed && !hasChanged(fits, before, after)) return false;
  const wantsContent = Object.keys(check).some((key) => key !== "file" && key !== "changed");
  return !wantsContent || paths.some((path) => contentHolds(check, after.files[path] ?? ""));
}

function hasChanged(fits: RegExp, before: State, after: State): boolean {
  const files = [...Object.keys(before.files), ...Object.keys(after.files)].filter((path) => fits.test(path));
  return files.some((path) => before.files[path] !== after.files[path]);
}

function contentHolds({ equals, matches, json, numbers, ...check }: FileCheck, text: string): boolean {
  return (
    (equals === undefined || text.trim() === equals.trim()) &&
    (check.contains ?? []).every((part) => contains(text, part)) &&
    !(check.lacks ?? []).some((part) => contains(text, part)) &&
    (matches === undefined || new RegExp(matches, "imu").test(text)) &&
    (json === undefined || isSame(parsed(text), json)) &&
    (numbers ?? []).every((number) => numbersIn(text).has(number))
  );
}

function taskHolds(check: TaskCheck, before: State, after: State): boolean {
  const named = ({ tasks }: State): readonly TaskState[] =>
    tasks.filter(({ title }) => contains(title, check.task));
  if (check.absent) return named(after).length === 0;
  if (check.changed && isSame(named(before), named(after))) return false;
  const wantsTask = Object.keys(check).some((key) => key !== "task" && key !== "changed");
  return (
    !wantsTask ||
    named(after).some(
      ({ status, priority, due, tags }) =>
        (check.status === undefined || status === check.status) &&
        (check.priority === undefined || priority === check.priority) &&
        (check.due === undefined || (due !== undefined && check.due.includes(dayOf(due)))) &&
        (check.tag === undefined || tags.includes(check.tag)),
    )
  );
}

function answerHolds({ anyOf, allOf, noneOf, numbers }: AnswerCheck["answer"], answer: string): boolean {
  return (
    answer !== "" &&
    (anyOf?.some((text) => contains(answer, text)) ?? true) &&
    (allOf ?? []).every((text) => contains(answer, text)) &&
    !(noneOf ?? []).some((text) => contains(answer, text)) &&
    (numbers ?? []).every((number) => numbersIn(answer).has(number))
  );
}

const isOpen = ({ status }: TaskState): boolean => status !== "done" && status !== "cancelled";

/** A due moment counts by its local day. */
const dayOf = (due: string): string => (due.includes("T") ? isoDay(new Date(due)) : due);

export function patternOf(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/gu, "\\$&").replaceAll("*", ".*")}$`, "iu");
}

function plain(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll("’", "'").replaceAll(/\s+/gu, " ").trim();
}

export function contains(text: string, part: string): boolean {
  return plain(text).includes(plain(part));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Compares as JSON, ignoring the order of keys. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, sorted(item)]);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const SMALL =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(
    " ",
  );

/** Every number of a text, in each way its separators can be read: `1.250` is 1.25 and 1250. */
export function numbersIn(text: string): Set<number> {
  const found = new Set<number>();
  const digits = text.normalize("NFKC").match(/\d(?:[\d.,'’\u00A0 ]*\d)?/gu) ?? [];
  for (const written of digits) {
    for (const part of [written, ...written.split(/[\s,;]+/u)]) {
      const tight = part.replaceAll(/['’\s]/gu, "");
      found.add(Number(tight.replaceAll(",", "")));
      found.add(Number(tight.replaceAll(".", "").replace(",", ".")));
    }
  }
  for (const word of plain(text).match(/[a-z]+/gu) ?? [])
    if (SMALL.includes(word)) found.add(SMALL.indexOf(word));
  found.delete(Number.NaN);
  return found;
}
