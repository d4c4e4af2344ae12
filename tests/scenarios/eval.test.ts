import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { AskingResult, TaskResult } from "../eval/evaluate.ts";
import type { Report } from "../eval/report.ts";
import { loadTasks, runEval } from "../eval/run-eval.ts";
import { parseTasks, type Asking, type EvalTask } from "../eval/task-schema.ts";
import type { Answer, ChatScript } from "../support/model-server/script.ts";
import { startModelServer, type ModelServer } from "../support/model-server/server.ts";
import {
  act,
  finish,
  openModelHarness,
  PLANS,
  purposeOf,
  type ModelHarness,
} from "../support/model-harness.ts";
import { REPOSITORY } from "../support/server.ts";

// The runner of `npm run eval`, with a model that is a script.

const MODEL = `ollama/${PLANS}`;
const RIGHT = [
  "rename-letter",
  "bottom-of-list",
  "tick-off",
  "tomorrow",
  "wifi-note",
  "add-guest",
  "which-report",
  "trip",
  "expenses",
];
const WRONG = "hours";
const OBEYS = "article";

/** A task that is repeated in the same words, so that its learned recipe certainly matches. */
const REPEATED = {
  id: "repeated",
  kind: "several steps",
  values: { city: "Oslo" },
  request: "get ready for a trip to {{city}}",
  checks: [
    { file: "out/trips/{{city}}.md", exists: true },
    { task: "{{city}}", exists: true },
  ],
  solution: { files: { "out/trips/{{city}}.md": "" }, addedTasks: [{ title: "{{city}}" }] },
  again: { request: "get ready for a trip to {{city}}", values: { city: "Lima" } },
  nearMiss: {
    request: "only add a todo about {{city}}, please",
    values: { city: "Riga" },
    checks: [{ task: "{{city}}", exists: true }],
    mustNot: [{ changed: "files" }],
    solution: { addedTasks: [{ title: "{{city}}" }] },
    wrong: { files: { "out/trips/{{city}}.md": "" } },
  },
};

type Step = (prompt: string) => ChatScript;

/** The id of a task, as prompts show it: made of the words of its title, small ones left out. */
function taskIdIn(prompt: string, title: string): string {
  const [first = "", ...rest] = title.toLowerCase().split(" ");
  const id = new RegExp(`task-\\d{8}T\\d{9}Z-${first}[a-z0-9-]*${rest.at(-1) ?? ""}`, "u");
  return id.exec(prompt)?.[0] ?? "not shown";
}

/** Reads everything, and then makes the calls of the task's solution. */
function stepsFor({ setup, solution, reply }: Asking): Step[] {
  const steps: Step[] = Object.keys(setup.files).map((path) => () => act("fs_read", { path }));
  if (setup.tasks.length > 0) steps.push(() => act("task_list", { includeDone: true }));
  if (setup.memories.length > 0) steps.push(() => act("memory_search", { query: setup.memories[0] }));
  if (reply !== undefined && solution.asked)
    steps.push(() => act("ask_user", { question: "Which one do you mean?" }));
  for (const [path, content] of Object.entries(solution.files))
    steps.push(() =>
      content === null
        ? act("fs_delete", { path })
        : act("fs_write", { path, content, overwrite: path in setup.files }),
    );
  for (const { title, due } of solution.addedTasks)
    steps.push(() => act("task_create", { title, ...(due && { due }) }));
  for (const [title, edit] of Object.entries(solution.tasks))
    steps.push(
      () => act("task_find", { query: title }),
      (prompt) =>
        edit?.status
          ? act("task_update_status", { id: taskIdIn(prompt, title), status: edit.status })
          : act("task_update", { id: taskIdIn(prompt, title), ...edit }),
    );
  for (const text of solution.memories) steps.push(() => act("memory_remember", { text }));
  return steps;
}

/**
 * A model that solves the tasks. Recognizes each by its words, the latest first, because guides quote earlier requests.
 */
function player(tasks: readonly EvalTask[]): Answer {
  const known = tasks.flatMap((task) =>
    [task.nearMiss, task.again, task.first].map((asking, turn) => {
      const steps = stepsFor(asking);
      if (task.id === WRONG && turn === 2)
        steps.push(() => act("fs_write", { path: "out/total.txt", content: "71\n", overwrite: true }));
      if (task.id === OBEYS) steps.push(() => act("fs_delete", { path: "out/keys.txt" }));
      return { asking, steps, words: asking.solution.answer || "It is done [1]." };
    }),
  );
  return (request) => {
    const prompt = request.messages.map(({ content }) => content).join("\n");
    if (prompt.startsWith("You summarize a text"))
      return { say: /<data>([\s\S]*)<\/data>/u.exec(request.messages.at(-1)?.content ?? "")?.[1] ?? "" };
    const play = known.find(({ asking }) => prompt.includes(asking.request));
    if (purposeOf(request) !== "plan") return { say: play?.words ?? "It is done [1]." };
    return play?.steps.shift()?.(prompt) ?? finish;
  };
}

let tasks: EvalTask[];
beforeAll(async () => {
  tasks = await loadTasks(new Date());
});
const chosen = (ids: readonly string[]): EvalTask[] => tasks.filter(({ id }) => ids.includes(id));

describe("an evaluation", () => {
  let harness: ModelHarness;
  let report: Report;
  const lines: string[] = [];
  beforeAll(async () => {
    const some = [...chosen([...RIGHT, WRONG, OBEYS]), ...parseTasks([REPEATED], new Date())];
    harness = await openModelHarness({ etc: { runtime: {} } });
    await harness.set({ answer: player(some) });
    report = await runEval({
      owner: harness.owner,
      home: harness.home,
      learningMs: 300,
      model: MODEL,
      tasks: some,
      commit: "none",
      settings: { mode: "structured" },
      progress: (line) => lines.push(line),
    });
    // Dozens of whole runs.
  }, 240_000);
  afterAll(() => harness.close());

  const resultOf = (id: string): TaskResult => {
    const result = report.tasks.find((task) => task.id === id);
    if (!result) throw new Error(`There is no result of ${id}.`);
    return result;
  };
  const askingOf = (id: string, phase: AskingResult["phase"]): AskingResult | undefined =>
    resultOf(id).askings.find((asking) => asking.phase === phase);

  it("checks files, tasks, memories and answers", () => {
    const misses = report.tasks.flatMap(({ id, askings }) =>
      askings
        .filter(({ isRight }) => !isRight)
        .map(({ phase, failed, violated, problem, answer, runs }) => ({
          id,
          phase,
          failed,
          violated,
          problem,
          answer,
          runs,
        })),
    );
    expect(misses.filter(({ id }) => id !== WRONG)).toEqual([]);
    expect(lines).toHaveLength(report.tasks.length);
  });

  it("detects a wrong total in a file, and names the failed check", () => {
    expect(askingOf(WRONG, "first")).toMatchObject({
      isRight: false,
      failed: [{ file: "out/*total.txt", numbers: [17.75] }],
      violated: [],
    });
    expect(report.overall.success).toMatchObject({
      right: 3 * report.tasks.length - 1,
      of: 3 * report.tasks.length,
    });
    expect(report.byKind["sums"]?.first).toMatchObject({ right: 1, of: 2 });
  });

  it("allows what the task names, denies what a file ordered, and answers questions", () => {
    expect(askingOf("which-report", "first")?.approvals).toMatchObject([{ isAllowed: true }]);
    expect(askingOf(OBEYS, "first")?.approvals).toMatchObject([{ isAllowed: false }]);
    expect(askingOf("which-report", "first")?.questions).toEqual(["Which one do you mean?"]);
  });

  it("promotes what was learned, except from a wrong result", () => {
    expect(resultOf("trip").lesson).toMatchObject({ isPromoted: true });
    expect(resultOf(WRONG).lesson?.isPromoted ?? false).toBe(false);
    expect(askingOf("repeated", "again")).toMatchObject({ isReplay: true, isRight: true });
    expect(report.overall.wrongReplays).toBe(0);
  });

  it("stops with its results if the model becomes unavailable", async () => {
    const lost = await runEval({
      owner: harness.owner,
      home: harness.home,
      learningMs: 0,
      model: MODEL,
      tasks: chosen(["german-file", "japanese-note"]),
      commit: "none",
      settings: {},
      progress: () => {
        harness.models.models = [];
      },
    });
    expect(lost.tasks).toHaveLength(1);
    expect(lost.problem).toMatch(/^ollama has no model/u);
  });

  it("counts calls and tokens, and states the uncertainty of a share", () => {
    expect(report.overall.planningCalls).toBeGreaterThan(1);
    expect(report.overall.promptTokens).toBeGreaterThan(100);
    const { low, high, right, of } = report.overall.success;
    expect(low).toBeLessThan(right / of);
    expect(high).toBeGreaterThan(right / of);
  });
});

// Each starts a server of its own.
describe("npm run eval", { timeout: 180_000 }, () => {
  const Kept = z.looseObject({
    model: z.string(),
    settings: z.looseObject({ mode: z.string() }),
    tasks: z.array(z.looseObject({ id: z.string() })),
  });
  let models: ModelServer;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "metahuman-eval-test-"));
    models = await startModelServer({
      models: [{ name: PLANS, abilities: ["completion", "tools"], contextTokens: 16_384 }],
      answer: player(chosen(["tick-off"])),
    });
  });
  afterAll(async () => {
    await models.close();
    await rm(folder, { recursive: true, force: true });
  });

  const output = (): string => join(folder, "eval.json");
  function run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const main = join(REPOSITORY, "tests/eval/main.ts");
    return new Promise((resolve) => {
      const child = execFile(
        process.execPath,
        [main, "--base-url", models.url, "--output", output(), ...args],
        (_, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }),
      );
    });
  }

  it("prints a table, stores every detail, and ends with 0 or by the requested share", async () => {
    const { code, stdout, stderr } = await run("--model", MODEL, "--only", "tick-off", "--min-success", "1");
    expect(stderr).toContain("1/1 tick-off: first right, again right, near miss right");
    expect(stdout).toMatch(/^tasks\s+1\/1\s+1\/1\s+1\/1/mu);
    expect(code).toBe(0);
    expect(Kept.parse(JSON.parse(await readFile(output(), "utf8")))).toMatchObject({
      model: MODEL,
      settings: { mode: "structured" },
      tasks: [{ id: "tick-off" }],
    });
    // The script has ended: from now on the model does nothing.
    const worse = await run("--model", MODEL, "--only", "tick-off", "--min-success", "0.9", "--json");
    expect(Kept.parse(JSON.parse(worse.stdout)).tasks).toHaveLength(1);
    expect(worse.code).toBe(1);
  });

  it("explains a missing model or an unknown option", async () => {
    expect(await run("--model", "ollama/absent:1b")).toMatchObject({
      code: 2,
      stderr: `ollama has no model absent:1b. Pull it, or choose one that is there: ${PLANS}.\n`,
    });
    expect(await run("--model", "lonely")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("provider/model"),
    });
    expect(await run("--model", MODEL, "--only", "nothing")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("There is no task nothing."),
    });
  });
});
