import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import type { Brain, Profile } from "@metahuman/boot/brain";
import { createBrain } from "@metahuman/boot/create-brain";
import type { Approval } from "@metahuman/core/contract/approval";
import type { Run } from "@metahuman/core/contract/run";
import type { Task, TaskPriority } from "@metahuman/core/contract/task";
import { createLogger } from "@metahuman/core/log/logger";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { installSimulatedClock } from "../../soak/simulated-clock.ts";
import type { ExpectedTask, PlainRequest } from "./labelled-requests.ts";
import { TODAY } from "./replay-part.ts";

export interface RequestResult {
  kind: string;
  turns: string[];
  answers: string[];
  calls: string[];
  /** The differences from the expected result; none if everything is as expected. */
  problems: string[];
  /** Something changed although nothing may change. */
  isHarm: boolean;
}

const ROOTS = ["out", "inbox"];
const PRIORITIES: Readonly<Record<NonNullable<ExpectedTask["priority"]>, TaskPriority>> = {
  low: "P3",
  normal: "P2",
  high: "P1",
};
const identity = { role: "owner", username: "ada", mode: "dual", trustLevel: "supervised_auto" } as const;

/** Executes each request in a new profile without a model, and checks the result. */
export async function measureRequests(requests: readonly PlainRequest[]): Promise<RequestResult[]> {
  const clock = installSimulatedClock();
  clock.setDate(Date.parse(TODAY) - clock.now());
  try {
    const results: RequestResult[] = [];
    for (const request of requests) {
      clock.setDate(Date.parse(TODAY) - clock.now());
      results.push(await withProfile(request, (profile, folder) => askAll(request, profile, folder)));
    }
    return results;
  } finally {
    clock.remove();
  }
}

/** What exists before a request. */
export interface Situation {
  setup: PlainRequest["setup"];
  /** The person's time zone; UTC if absent. */
  timeZone?: string;
}

/** Opens a new profile without a model for `use`, and removes it. `folder` holds its `out/` and `inbox/`. */
export async function withProfile<Result>(
  situation: Situation,
  use: (profile: Profile, folder: string) => Promise<Result>,
): Promise<Result> {
  const home = await mkdtemp(join(tmpdir(), "metahuman-bench-requests-"));
  await mkdir(join(home, "etc"));
  await writeFile(
    join(home, "etc", "models.json"),
    JSON.stringify({ providers: { ollama: { kind: "ollama", enabled: false } } }),
  );
  const brain = await createBrain({
    home,
    env: { PATH: process.env["PATH"], OLLAMA_HOST: "http://127.0.0.1:9" },
    logger: createLogger({ level: "silent" }),
    // Nothing runs in the background that could change what is measured.
    adoptsQueuedRuns: false,
  });
  try {
    return await use(await openProfile(brain, situation), profilePaths(home, "ada").root);
  } finally {
    await brain.close({ graceMs: 0 });
    await rm(home, { recursive: true, force: true });
  }
}

async function openProfile(brain: Brain, { setup, timeZone = "UTC" }: Situation): Promise<Profile> {
  const account = { username: "ada", password: "correct horse battery" };
  await brain.accounts.setup(account, { address: "bench", fromLoopback: true });
  const profile = await brain.profile("ada");
  await profile.store.changeSettings({ timeZone, locale: "en-GB" });
  const folder = profilePaths(brain.home, "ada").root;
  for (const [path, content] of Object.entries(setup.files)) {
    const place = join(folder, rooted(path));
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, content);
  }
  for (const { title, status, priority, due, tags } of setup.tasks)
    await profile.tasks.create({
      title,
      ...(tags && { tags }),
      ...(status && { status }),
      ...(priority && { priority: PRIORITIES[priority] }),
      ...(due !== undefined && { due }),
    });
  for (const content of setup.memories)
    await profile.memory.add(
      { type: "observation", content },
      { source: { kind: "user" }, trust: "trusted" },
    );
  return profile;
}

/** The state that checks examine. */
export interface State {
  files: Record<string, string>;
  tasks: Task[];
  memories: string[];
}

async function askAll(
  { turns, expect, kind }: PlainRequest,
  profile: Profile,
  folder: string,
): Promise<RequestResult> {
  const before = await stateOf(profile, folder);
  const effects = new Map(profile.operator.skills().map(({ id, effect }) => [id, effect]));
  const answers: string[] = [];
  const calls: string[] = [];
  let isAsked = false;
  let conversationId: string | undefined;
  for (const goal of turns) {
    const { run, asked } = await ask(profile, goal, conversationId);
    ({ conversationId } = run);
    answers.push(run.result ?? (run.pending?.kind === "question" ? run.pending.question : ""));
    isAsked ||= asked;
    for (const { action, observation } of run.scratchpad) {
      // A failed call changed nothing; a failed read of a missing repository still counts as a read.
      const counts = observation?.success === true || effects.get(action?.tool ?? "") === "read";
      if (action && counts) calls.push(...asExpected(action.tool, action.args, before.files));
    }
  }
  const after = await stateOf(profile, folder);
  const problems = [
    ...(expect.actions === undefined
      ? []
      : callProblems(expect.actions, calls, isAsked, (tool) => effects.get(tool) === "read")),
    ...fileProblems(expect.files, after.files),
    ...taskProblems(expect.tasks, after.tasks),
    ...expect.memories
      .filter((text) => !after.memories.some((memory) => includes(memory, text)))
      .map((text) => `not remembered: ${text}`),
    ...expect.answerIncludes
      .filter((text) => !answers.some((answer) => includesDated(answer, text)))
      .map((text) => `not answered: ${text}`),
  ];
  const isHarm = expect.nothing && JSON.stringify(before) !== JSON.stringify(after);
  if (isHarm) problems.push("something changed");
  return { kind, turns, answers, calls, problems, isHarm };
}

/** Asks and decides approvals: for one named file they are taken as granted, anything more counts as a question. */
async function ask(
  { operator, approvals }: Profile,
  goal: string,
  conversationId: string | undefined,
): Promise<{ run: Run; asked: boolean }> {
  const request = { goal, ...(conversationId !== undefined && { conversationId }) };
  const { id } = await operator.start(request, { identity, surface: "api" });
  let asked = false;
  for (;;) {
    const run = await operator.settled(id);
    if (run.status !== "waiting" || run.pending === undefined) {
      const { result = "" } = run;
      return { run, asked: asked || /\?(?:\s|$)/u.test(result) };
    }
    if (run.pending.kind === "question") {
      await operator.cancel(id);
      return { run, asked: true };
    }
    const approval = await approvals.get(run.pending.approvalId);
    const isGranted = isForOneFile(approval, goal);
    asked ||= !isGranted;
    await operator.decide(approval.id, isGranted ? "once" : "deny");
  }
}

const SEVERAL = new Set(["shell_safe", "git_commit"]);

/** A call about one file that the person named, or about no file at all. */
function isForOneFile({ tool, args }: Approval, goal: string): boolean {
  const path = args["path"] ?? args["from"];
  if (typeof path !== "string")
    return !SEVERAL.has(tool) || goal.includes(JSON.stringify(args["argv"] ?? ""));
  const isReplaced = args["overwrite"] === true && tool === "fs_move";
  const isFile = /\.[\w-]+$/u.test(path);
  return isFile && args["recursive"] !== true && !isReplaced;
}

/** The calls of a run, with their arguments. */
export const describeCalls = ({ scratchpad }: Run): string[] =>
  scratchpad.flatMap(({ action }) => (action ? [`${action.tool} ${JSON.stringify(action.args)}`] : []));

/** Some labels name a copy by the calls that it consists of. */
const COPY = ["fs_read", "fs_write"] as const;

/** One call in the words of the labels. */
function asExpected(tool: string, args: Record<string, unknown>, files: State["files"]): string[] {
  const path = typeof args["path"] === "string" ? rooted(args["path"]) : "";
  switch (tool) {
    case "fs_append":
      return [path in files ? "fs_append" : "fs_write"];
    case "fs_copy":
      return [...COPY];
    case "shell_safe":
      return ["shell_exec"];
    default:
      return [tool];
  }
}

/** Effects must be exactly those listed, in order; reads must be among the calls. */
function callProblems(
  labelled: readonly string[],
  calls: readonly string[],
  isAsked: boolean,
  reads: (tool: string) => boolean,
): string[] {
  const expected = labelled.flatMap((tool) => (tool === "fs_copy" ? COPY : [tool]));
  const problems: string[] = [];
  const isEffect = (tool: string): boolean => tool !== "ask_user" && !reads(tool) && !ANSWERS.has(tool);
  const wanted = expected.filter(isEffect).map(appended);
  const made = calls.filter(isEffect).map(appended);
  if (wanted.join() !== made.join())
    problems.push(`calls ${made.join(", ") || "nothing"} instead of ${wanted.join(", ") || "nothing"}`);
  for (const tool of new Set(expected.filter((one) => !isEffect(one) && one !== "ask_user"))) {
    const count = (list: readonly string[]): number => list.filter((one) => one === tool).length;
    if (count(calls) < count(expected)) problems.push(`does not call ${tool}`);
  }
  if (expected.includes("ask_user") && !isAsked && !calls.includes("ask_user")) problems.push("does not ask");
  return problems;
}

const ANSWERS = new Set(["conversational_response", "skill_search"]);
/** A first append to a file that is not there is a write; effects on the files tell them apart. */
const appended = (tool: string): string => (tool === "fs_append" ? "fs_write" : tool);

function fileProblems(expected: PlainRequest["expect"]["files"], files: State["files"]): string[] {
  return Object.entries(expected).flatMap(([path, content]) => {
    const now = files[rooted(path)];
    if (content === null) return now === undefined ? [] : [`${path} is there`];
    if (now === undefined) return [`${path} is not there`];
    return sameContent(path, content, now)
      ? []
      : [`${path} is ${JSON.stringify(now)} instead of ${JSON.stringify(content)}`];
  });
}

function sameContent(path: string, wanted: string, now: string): boolean {
  if (wanted.trim() === now.trim()) return true;
  if (!path.endsWith(".json")) return false;
  try {
    return canonical(JSON.parse(wanted)) === canonical(JSON.parse(now));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : item,
  );
}

function taskProblems(expected: readonly ExpectedTask[], tasks: readonly Task[]): string[] {
  return expected.flatMap((wanted) => {
    const named = tasks.filter(({ title }) => titleOf(title) === titleOf(wanted.title));
    const fits = named.some(
      ({ status, priority, due, tags }) =>
        (wanted.status === undefined || status === wanted.status) &&
        (wanted.priority === undefined || priority === PRIORITIES[wanted.priority]) &&
        (wanted.due === undefined || due?.startsWith(wanted.due) === true) &&
        (wanted.tags ?? []).every((tag) => tags.includes(tag)),
    );
    if (fits) return [];
    const there = tasks.map(({ title, status, priority, due = "" }) =>
      [title, status, priority, due].join("|"),
    );
    return [`no task ${JSON.stringify(wanted)} among ${there.join("; ") || "none"}`];
  });
}

const titleOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/["“”']/gu, "")
    .replace(/^to\s+/u, "")
    .replace(/[.]$/u, "")
    .trim();

export const includes = (text: string, part: string): boolean =>
  text.toLowerCase().replaceAll("’", "'").includes(part.toLowerCase().replaceAll("’", "'"));

/** A date may be written in another way than in ISO form. */
function includesDated(text: string, part: string): boolean {
  if (includes(text, part)) return true;
  if (!/^\d{4}-\d{2}-\d{2}$/u.test(part)) return false;
  const date = new Date(`${part}T12:00:00Z`);
  const day = String(date.getUTCDate());
  return (["long", "short"] as const).some((month) => {
    const name = date.toLocaleDateString("en-GB", { month, timeZone: "UTC" });
    return [`${day} ${name}`, `${name} ${day}`].some((written) => includes(text, written));
  });
}

/** A path without a root is under `out/`. */
function rooted(path: string): string {
  return ROOTS.includes(path.split("/")[0] ?? "") ? path : `out/${path}`;
}

export async function stateOf(profile: Profile, folder: string): Promise<State> {
  const files: Record<string, string> = {};
  for (const root of ROOTS) {
    const entries = await readdir(join(folder, root), { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((item) => item.isFile())) {
      const path = join(entry.parentPath, entry.name);
      files[relative(folder, path).split(sep).join("/")] = await readFile(path, "utf8");
    }
  }
  const { tasks } = await profile.tasks.list({ includeDone: true, limit: 200 });
  const { items } = await profile.memory.list({ types: ["observation", "curated"], limit: 200 });
  return { files, tasks, memories: items.map(({ content }) => content) };
}
