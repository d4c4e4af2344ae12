import type { StateBefore } from "@metahuman/core/contract/event";
import type { FixturePath, FunctionFixture } from "@metahuman/core/contract/function";
import { MemoryId, TaskId } from "@metahuman/core/contract/ids";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { Task } from "@metahuman/core/contract/task";
import type { Run } from "@metahuman/core/contract/run";
import { MemoryNotFoundError, TaskNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { StaleVersionError } from "@metahuman/core/errors/request-errors";
import { leavesOf } from "@metahuman/core/functions/learning/leaves";
import type { ProfilePorts } from "@metahuman/skills/ports";
import { z } from "zod";
import type { RunContext } from "../loop/run-context.ts";
import type { PreparedCall } from "./execute-call.ts";

/** The largest file that is recorded, in bytes; a run that touches a larger one cannot be replayed elsewhere. */
const MAX_FILE_BYTES = 64_000;
const PATH_ARGUMENTS = /^(?:path|from|to|folder)$/;

/**
 * The state that a call is about to change or read: files with their text, tasks and memories. It is recorded so that a
 * function learned from the run can be replayed in a scratch environment. Never fails the call.
 */
export async function stateBefore(call: PreparedCall, context: RunContext): Promise<StateBefore | undefined> {
  const { flags, config, ports } = context;
  if (!flags.useFunctions || !config.functions.autoLearn || call.skill.category === "agent") return undefined;
  try {
    return await readState(call, ports, context.signal);
  } catch (error) {
    context.signal.throwIfAborted();
    context.logError("The state before a call could not be recorded.", error);
    return { paths: [], tasks: [], memories: [], isWhole: false };
  }
}

/**
 * Throws `StaleVersionError` for a call that replaces a whole file with what the run made of an older text: the run read the file, and
 * somebody else changed it since. A file of which only a part was read is not compared.
 */
export async function assertReadIsCurrent(
  { skill, args, assessment }: PreparedCall,
  context: RunContext,
): Promise<void> {
  if (skill.id !== "fs_write" || assessment.overwrites !== true || typeof args["path"] !== "string") return;
  const { files } = context.ports;
  const { path } = files.resolve(args["path"]);
  const last = context
    .run()
    .scratchpad.findLast(
      ({ action, observation }) =>
        observation?.success === true &&
        action !== undefined &&
        (observation.outputs?.["path"] === path || MAY_CHANGE_ANY_FILE.has(action.tool)),
    );
  const read = last?.action?.tool === "fs_read" ? WholeText.safeParse(last.observation?.outputs) : undefined;
  if (!last || !read?.success) return;
  const current = await files.readText(path, { maxBytes: MAX_FILE_BYTES, signal: context.signal });
  if (current.truncated || current.content === read.data.content) return;
  throw new StaleVersionError(`${path} changed after step ${last.step} read it.`, {
    suggestions: ["Read it again with fs_read, and keep what is new in it; fs_edit changes one place only."],
    context: { path },
  });
}

/** What `fs_read` returns for a file that it read to its end. */
const WholeText = z.object({
  content: z.string(),
  truncated: z.literal(false),
  from: z.undefined().optional(),
});

/** Calls whose outputs do not name every file that they change. */
const MAY_CHANGE_ANY_FILE: ReadonlySet<string> = new Set(
  "execute_code function_run shell_safe run_agent archive_restore fs_move fs_copy".split(" "),
);

async function readState(
  { skill, args, assessment: { paths } }: PreparedCall,
  { files, tasks, memory }: ProfilePorts,
  signal: AbortSignal,
): Promise<StateBefore> {
  const named =
    skill.category === "files" ? Object.entries(args).filter(([name]) => PATH_ARGUMENTS.test(name)) : [];
  const places = new Set(
    [...paths, ...named.flatMap(([, value]) => (typeof value === "string" ? [value] : []))].map(
      (path) => files.resolve(path).path,
    ),
  );
  const before: StateBefore = { paths: [], tasks: [], memories: [], isWhole: true };
  for (const path of places) {
    const found = await pathState(path, files, signal);
    if (found) before.paths.push(found);
    else before.isWhole = false;
  }
  for (const { value } of leavesOf(args)) {
    if (TaskId.safeParse(value).success)
      before.tasks.push(...(await present(() => tasks.get(String(value)), TaskNotFoundError)));
    else if (MemoryId.safeParse(value).success)
      before.memories.push(...(await present(() => memory.get(String(value)), MemoryNotFoundError)));
  }
  return before;
}

async function pathState(
  path: string,
  files: ProfilePorts["files"],
  signal: AbortSignal,
): Promise<FixturePath | undefined> {
  const { kind } = await files.state(path, signal);
  if (kind !== "file") return { path, kind };
  const { content, truncated } = await files.readText(path, { maxBytes: MAX_FILE_BYTES, signal });
  return truncated ? undefined : { path, kind, content };
}

/** The value in a list, or an empty list when it does not exist. */
async function present<Value>(
  get: () => Promise<Value>,
  NotFound: new (message: string) => Error,
): Promise<Value[]> {
  try {
    return [await get()];
  } catch (error) {
    if (error instanceof NotFound) return [];
    throw error;
  }
}

/**
 * The state before a whole run: every file, task and memory as it was when the run first touched it or found it.
 * Undefined when a part of it is not known.
 */
export async function fixtureOf(
  run: Run,
  recorded: readonly StateBefore[],
  memory: Pick<ProfilePorts["memory"], "get">,
): Promise<FunctionFixture | undefined> {
  if (recorded.some(({ isWhole }) => !isWhole)) return undefined;
  const paths = new Map<string, FixturePath>();
  const tasks = new Map<string, Task>();
  const memories = new Map<string, MemoryRecord>();
  for (const before of recorded) {
    for (const place of before.paths) if (!paths.has(place.path)) paths.set(place.path, place);
    for (const task of before.tasks) if (!tasks.has(task.id)) tasks.set(task.id, task);
    for (const record of before.memories) if (!memories.has(record.id)) memories.set(record.id, record);
  }
  const wasMade = (at: string): boolean => at >= run.createdAt;
  for (const { outputs } of run.scratchpad.flatMap(({ observation }) => observation ?? [])) {
    for (const task of tasksIn(outputs))
      if (!tasks.has(task.id) && !wasMade(task.createdAt) && !wasMade(task.updatedAt))
        tasks.set(task.id, task);
    for (const { value } of leavesOf(outputs ?? {})) {
      const id = MemoryId.safeParse(value);
      if (!id.success || memories.has(id.data)) continue;
      const [found] = await present(() => memory.get(id.data), MemoryNotFoundError);
      if (found && !wasMade(found.timestamp)) memories.set(id.data, found);
    }
  }
  const fixture = {
    paths: [...paths.values()],
    tasks: [...tasks.values()],
    memories: [...memories.values()],
  };
  const isSmall = Object.values(fixture).every((list) => list.length <= 200);
  return isSmall ? { ...fixture, at: run.createdAt } : undefined;
}

function tasksIn(value: unknown): Task[] {
  const task = Task.safeParse(value);
  if (task.success) return [task.data];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(tasksIn) : [];
}
