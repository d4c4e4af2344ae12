import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ProfilePaths } from "../../paths/profile-paths.ts";
import type { TasksPort } from "./tasks-port.ts";
import { isOpenStatus, Task, type TaskEdit, type TaskSort } from "../../contract/task.ts";
import { plainIssue, plainReason } from "../../contract/plain-issue.ts";
import { InvalidArgsError } from "../../errors/request-errors.ts";
import { nearest } from "../../errors/nearest.ts";
import { FileNotFoundError, TaskNotFoundError } from "../../errors/not-found-errors.ts";
import { createRecordIds, createUnderFreeId, nextVersion, type RecordIds } from "../store/record-files.ts";
import { shortSlug } from "../../text/slug.ts";
import { queryWords, taskScore } from "./task-search.ts";
import { TaskId } from "../../contract/ids.ts";
import { fromNodeError, systemCode } from "../../errors/node-error.ts";
import { StorageCorruptError } from "../../errors/storage-errors.ts";
import { openFileLock } from "../../database/file-lock.ts";
import { createFile, makeFolder, moveFile, removeAbandoned, replaceFile } from "../../files/durable-file.ts";
import { fileText, parseFile } from "../../files/file-content.ts";
import { createRecordArchive, readArchived } from "../store/record-archive.ts";
import type { RecordStorage } from "../store/record-storage.ts";

export type TasksOptions = { clock?: () => Date } & (
  | { paths: Pick<ProfilePaths, "memory"> }
  /** Another storage than files. */
  | { storage: TaskStorage }
);

export interface OpenedTasks extends TasksPort {
  /** Call it only when no call is pending. */
  close(): void;
}

/** Opens a profile's tasks. The storage is the only state; several processes may use it at once. */
export async function openTasks({ clock = () => new Date(), ...where }: TasksOptions): Promise<OpenedTasks> {
  const storage = "storage" in where ? where.storage : await openTaskFiles({ ...where, clock });
  const store = createTaskStore({ storage, ids: createRecordIds("task", clock), clock });
  return { ...store, close: () => storage.close() };
}

interface TaskStoreDependencies {
  storage: TaskStorage;
  ids: RecordIds;
  clock: () => Date;
}

function createTaskStore({ storage, ids, clock }: TaskStoreDependencies): TasksPort {
  /** Throws `TaskNotFoundError` if nothing was found. */
  async function existing<Found>(found: Promise<Found | undefined>, id: string): Promise<Found> {
    const result = await found;
    if (result !== undefined) return result;
    const near = nearestTasks(wordsOfId(id), await tasksIn(["active", "completed"]));
    throw new TaskNotFoundError(`There is no task with the id ${id.slice(0, 120)}.`, {
      suggestions: near.map((task) => `"${task.title}" has the id ${task.id}.`),
      context: { id: id.slice(0, 120) },
    });
  }

  async function tasksIn(folders: readonly TaskFolder[]): Promise<Task[]> {
    return (await Promise.all(folders.map((folder) => storage.list(folder)))).flat();
  }

  async function tasksOf(status: Task["status"] | undefined, includeDone: boolean): Promise<Task[]> {
    if (status === undefined) return await tasksIn(includeDone ? ["active", "completed"] : ["active"]);
    return (await tasksIn([folderOf({ status })])).filter((task) => task.status === status);
  }

  return {
    create: (task) =>
      createUnderFreeId(async () => {
        const now = clock().toISOString();
        const created = checked({
          id: ids.next(shortSlug(task.title, "task")),
          title: task.title,
          description: task.description ?? "",
          status: task.status ?? "todo",
          priority: task.priority ?? "P2",
          due: task.due,
          tags: [...new Set(task.tags)],
          createdAt: now,
          updatedAt: now,
          version: 1,
          ...(task.status === "done" && { completedAt: now }),
        });
        return storage.create(created);
      }),

    get: (id) => existing(storage.find(id), id),

    async list({ status, includeDone = false, tag, priority, query, sort = "urgency", limit }) {
      const words = query === undefined ? [] : queryWords(query);
      const found = (await tasksOf(status, includeDone))
        .filter((task) => tag === undefined || task.tags.includes(tag))
        .filter((task) => priority === undefined || task.priority === priority)
        .filter((task) => query === undefined || query.trim() === "" || taskScore(task, words) > 0)
        .sort(taskOrders[sort]);
      return { tasks: found.slice(0, limit), total: found.length };
    },

    async find(query, { status, includeDone = false, limit }) {
      const words = queryWords(query);
      if (words.length === 0) return [];
      return (await tasksOf(status, includeDone))
        .map((task) => ({ task, score: taskScore(task, words) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score || taskOrders.urgency(a.task, b.task))
        .slice(0, limit);
    },

    edit: (id, edit) =>
      existing(
        storage.change(id, (task) => applyEdit(task, edit, clock().toISOString())),
        id,
      ),
    remove: (id, { runId } = {}) =>
      existing(
        storage.archive(id, ({ title }) => ({ title, origin: "Tasks", runId })),
        id,
      ),
    restore: (archiveId) => storage.restore(archiveId),
    archived: () => storage.archived(),
    readArchived: (archiveId) => storage.readArchived(archiveId),
  };
}

function applyEdit(task: Task, edit: TaskEdit, now: string): Task {
  const {
    title = task.title,
    description = task.description,
    status = task.status,
    priority = task.priority,
    tags = task.tags,
  } = edit;
  const due = edit.due === undefined ? task.due : (edit.due ?? undefined);
  // Kept when a finished task is edited; removed when it is reopened.
  const completedAt = status === "done" ? (task.completedAt ?? now) : undefined;
  return checked({
    ...task,
    title,
    description,
    status,
    priority,
    tags: [...new Set(tags)],
    due,
    completedAt,
    updatedAt: now,
    version: nextVersion("task", task, edit),
  });
}

/** Parses a task as it would be read back. Throws `InvalidArgsError` if it is invalid. */
function checked(task: unknown): Task {
  const parsed = Task.safeParse(JSON.parse(JSON.stringify(task)), { error: plainIssue });
  if (parsed.success) return parsed.data;
  throw new InvalidArgsError(`This is not a task: ${plainReason(parsed.error)}.`);
}

const MAX_SUGGESTIONS = 3;

/** Tasks with a similarly spelled title, then tasks that contain one of the words; open tasks first. */
function nearestTasks(words: string, tasks: readonly Task[]): Task[] {
  const wordsToFind = queryWords(words);
  const sharing = tasks
    .map((task) => ({ task, score: wordsToFind.reduce((sum, word) => sum + taskScore(task, [word]), 0) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ task }) => task);
  const titles = nearest(words, new Set(tasks.map(({ title }) => title)));
  const spelledAlike = titles.flatMap((title) => tasks.filter((task) => task.title === title));
  return [...new Set([...spelledAlike, ...sharing])].slice(0, MAX_SUGGESTIONS);
}

/** The words in an id: `task-20251114T093012123Z-buy-milk` → `buy milk`. */
function wordsOfId(id: string): string {
  return id.replace(/^task-(?:\d{8}T\d{9}Z-)?/, "").replaceAll("-", " ");
}

type Order = (one: Task, other: Task) => number;

/** Every order ends with the id, so that pages are consistent. */
const taskOrders: Readonly<Record<TaskSort, Order>> = {
  urgency: byUrgency,
  newest: (one, other) => compare(other.createdAt, one.createdAt) || compare(other.id, one.id),
  due: (one, other) => compare(one.due ?? "~", other.due ?? "~") || compare(one.id, other.id),
  title: (one, other) => one.title.localeCompare(other.title) || compare(one.id, other.id),
};

/** Open tasks first, then by priority, due date (undated last) and age (oldest first). */
function byUrgency(one: Task, other: Task): number {
  return (
    Number(folderOf(one) === "completed") - Number(folderOf(other) === "completed") ||
    compare(one.priority, other.priority) ||
    compare(one.due ?? "~", other.due ?? "~") ||
    compare(one.createdAt, other.createdAt) ||
    compare(one.id, other.id)
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

type TaskFolder = "active" | "completed";

/** The folder for a task's status. */
export function folderOf({ status }: Pick<Task, "status">): TaskFolder {
  return isOpenStatus(status) ? "active" : "completed";
}

interface FiledTask {
  task: Task;
  folder: TaskFolder;
  /** Absolute. */
  path: string;
}

/** The storage of tasks: of many, few are open. */
export interface TaskStorage extends RecordStorage<Task> {
  /** The open or the closed tasks. Those that cannot be read are left out. */
  list(folder: TaskFolder): Promise<Task[]>;
  /** Call it only when no call is pending. */
  close(): void;
}

/** The task files of a profile. External changes are visible at the next read. */
interface TaskFiles {
  /** Every task in a folder. Skips files that are not tasks; the index lists them. */
  in(folder: TaskFolder): Promise<FiledTask[]>;
  /** Throws `StorageCorruptError` if the file of that name is not a task. */
  find(id: string): Promise<FiledTask | undefined>;
  /** Throws `AlreadyExistsError`. */
  create(task: Task): Promise<void>;
  /** Writes the changed task, then moves the file to the folder of its status. A later read repairs a crash in between. */
  replace(filed: FiledTask, task: Task): Promise<void>;
  pathFor(task: Pick<Task, "id" | "status">): string;
}

/**
 * Opens the tasks of a profile as JSON files, with their archive. A lock across processes is held while an existing task is
 * changed.
 */
export async function openTaskFiles({
  paths,
  clock,
}: {
  paths: Pick<ProfilePaths, "memory">;
  clock: () => Date;
}): Promise<TaskStorage> {
  const folders = paths.memory.tasks;
  for (const folder of Object.values(folders)) await makeFolder(folder, "the folder of the tasks");
  const archive = createRecordArchive({
    folder: join(paths.memory.archive.root, "tasks"),
    kind: "task",
    clock,
  });
  await removeAbandoned(archive.folder);
  const lock = openFileLock(join(dirname(folders.active), ".lock"), "the tasks");
  const files = createTaskFiles(folders);
  return {
    async create(task) {
      await files.create(task);
      return task;
    },
    find: async (id) => (await files.find(id))?.task,
    list: async (folder) => (await files.in(folder)).map(({ task }) => task),
    change: (id, decide) =>
      lock.hold(async () => {
        const filed = await files.find(id);
        if (!filed) return undefined;
        const changed = await decide(filed.task);
        if (changed !== filed.task) await files.replace(filed, changed);
        return changed;
      }),
    archive: (id, note) =>
      lock.hold(async () => {
        const filed = await files.find(id);
        return filed && (await archive.put(filed.path, { id, ...note(filed.task) }));
      }),
    restore: (archiveId) =>
      lock.hold(async () => {
        const { value: task } = await readArchived(archive, Task, archiveId);
        await archive.restoreTo(archiveId, files.pathFor(task));
        return task;
      }),
    archived: () => archive.list(),
    readArchived: async (archiveId) => (await readArchived(archive, Task, archiveId)).value,
    close: () => lock.close(),
  };
}

function createTaskFiles(folders: Readonly<Record<TaskFolder, string>>): TaskFiles {
  /** The last read state of each file. */
  const known = new Map<string, { stamp: string; task: Task | undefined }>();

  const pathFor = (task: Pick<Task, "id" | "status">): string =>
    join(folders[folderOf(task)], `${task.id}.json`);

  async function readTask(path: string): Promise<Task | undefined> {
    const stamp = await stampOf(path);
    if (stamp === undefined) {
      known.delete(path);
      return undefined;
    }
    const before = known.get(path);
    if (before?.stamp === stamp) return before.task;
    const bytes = await readIfPresent(path);
    if (bytes === undefined) {
      known.delete(path);
      return undefined;
    }
    const content = parseFile(Task, bytes);
    const task = "value" in content ? content.value : undefined;
    known.set(path, { stamp, task });
    return task;
  }

  async function inFolder(folder: TaskFolder): Promise<FiledTask[]> {
    const names = (await readdir(folders[folder])).filter(
      (name) => name.endsWith(".json") && !name.startsWith("."),
    );
    const paths = new Set(names.map((name) => join(folders[folder], name)));
    for (const path of known.keys())
      if (path.startsWith(join(folders[folder], "/")) && !paths.has(path)) known.delete(path);
    const found = await Promise.all([...paths].map(async (path) => ({ path, task: await readTask(path) })));
    return found.flatMap(({ path, task }) => (task ? [{ task, folder, path }] : []));
  }

  /** Moves a file to the folder of its status, after a crash or a manual move. */
  async function moveToStatusFolder(filed: FiledTask): Promise<FiledTask> {
    const folder = folderOf(filed.task);
    if (folder === filed.folder) return filed;
    const path = pathFor(filed.task);
    try {
      await moveFile(filed.path, path, "the task");
    } catch (error) {
      // Whoever else lists or edits the tasks has moved it already.
      if (!(error instanceof FileNotFoundError)) throw error;
    }
    return { task: filed.task, folder, path };
  }

  async function allTasks(): Promise<FiledTask[]> {
    return [...(await inFolder("active")), ...(await inFolder("completed"))];
  }

  return {
    pathFor,
    async in(folder) {
      try {
        const all = await Promise.all((await inFolder(folder)).map(moveToStatusFolder));
        return all.filter((filed) => filed.folder === folder);
      } catch (error) {
        throw fromNodeError(error, "the tasks");
      }
    },
    async find(id) {
      if (!TaskId.safeParse(id).success) return undefined;
      for (const folder of ["active", "completed"] as const) {
        const path = join(folders[folder], `${id}.json`);
        const task = await readTask(path);
        if (task?.id === id) return { task, folder, path };
        if (task === undefined && known.has(path)) {
          throw new StorageCorruptError("The file of this task cannot be read.", { context: { id } });
        }
      }
      // The file may have been renamed by hand.
      return (await allTasks()).find(({ task }) => task.id === id);
    },
    create: (task) => createFile(pathFor(task), fileText(task), "the task"),
    async replace(filed, task) {
      await replaceFile(filed.path, fileText(task), "the task");
      await moveToStatusFolder({ ...filed, task });
    },
  };
}

/** Reads a file; undefined if it has just been moved or deleted. */
async function readIfPresent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function stampOf(path: string): Promise<string | undefined> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
