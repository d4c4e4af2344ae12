import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import type { FunctionIndexCalls } from "../functions/index/protocol.ts";
import {
  createIndexClient,
  type IndexClient,
  type IndexClientOptions,
} from "../memory/index/index-client.ts";
import { createWorkerClient, IndexUnavailableError, type WorkerClient } from "./worker-client.ts";
import { createIndexThread, startIndexWorker } from "./index-thread.ts";

const embedder = { id: "test", dimensions: 2 };

let root: string;
let workers: Worker[];
let warnings: string[];
/** Opens the memory index on the thread of the test. */
let open: (options?: Pick<IndexClientOptions, "idleTimeoutMs">) => IndexClient;
let memory: IndexClient;
let functions: WorkerClient<FunctionIndexCalls>;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "metahuman-thread-"));
  workers = [];
  warnings = [];
  const thread = createIndexThread(() => {
    const worker = startIndexWorker();
    workers.push(worker);
    return worker;
  });
  const callbacks = { onWarning: (message: string) => warnings.push(message), onRestart: () => undefined };
  const settings = {
    database: join(root, "memory.db"),
    root,
    recordFolders: ["episodic"],
    taskFolders: [],
    embedder,
  };
  open = (options = {}) => createIndexClient({ thread, settings, ...callbacks, ...options });
  memory = open();
  functions = createWorkerClient<FunctionIndexCalls>({
    title: "the index of functions",
    connect: (events) =>
      thread.connect(
        {
          kind: "functions",
          settings: { database: join(root, "functions", "functions.db"), root, embedder },
        },
        events,
      ),
    ...callbacks,
  });
});
afterEach(async () => {
  await Promise.all([memory.close(), functions.close()]);
  await rm(root, { recursive: true });
});

it("serves all indexes, and restarts with all of them after a stop", async () => {
  expect(await Promise.all([memory.call("countEntries", null), functions.call("count", null)])).toEqual([
    0, 0,
  ]);
  await workers[0]?.terminate();
  expect(await Promise.all([memory.call("countEntries", null), functions.call("count", null)])).toEqual([
    0, 0,
  ]);
  expect(workers).toHaveLength(2);
  expect(warnings).toEqual([
    "The memory index stopped and restarts.",
    "The index of functions stopped and restarts.",
  ]);
});

it("restarts after the pause that follows repeated stops", async () => {
  let lives = false;
  let restarts = 0;
  const thread = createIndexThread(() => {
    const worker = startIndexWorker();
    if (!lives) void worker.terminate();
    return worker;
  });
  const client = createIndexClient({
    thread,
    settings: {
      database: join(root, "own.db"),
      root,
      recordFolders: ["episodic"],
      taskFolders: [],
      embedder,
    },
    onWarning: () => undefined,
    onRestart: () => (restarts += 1),
  });
  for (let calls = 0; calls < 3; calls += 1)
    await expect(client.call("countEntries", null)).rejects.toBeInstanceOf(IndexUnavailableError);
  lives = true;
  await expect(client.call("countEntries", null)).rejects.toBeInstanceOf(IndexUnavailableError);
  const before = restarts;
  const realNow = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => realNow() + 61_000);
  onTestFinished(() => clock.mockRestore());
  expect(await client.call("countEntries", null)).toBe(0);
  expect(restarts).toBe(before + 1);
  await client.close();
});

it("keeps the others running if one cannot open, and opens that one later", async () => {
  await writeFile(join(root, "functions"), "a file where a folder must be");
  await expect(functions.call("count", null)).rejects.toBeInstanceOf(IndexUnavailableError);
  expect(await memory.call("countEntries", null)).toBe(0);
  await rm(join(root, "functions"));
  expect(await functions.call("count", null)).toBe(0);
  expect(workers).toHaveLength(1);
});

it("ends when idle, and starts again at the next call", async () => {
  const idle = open({ idleTimeoutMs: 10 });
  const facts = { kind: "observation", timestamp: "2026-01-01T00:00:00.000Z", tags: [] };
  await idle.call("putEntries", [{ id: "walnut", facts, text: "walnut bread" }]);
  const [worker] = workers;
  if (worker) await once(worker, "exit");
  const asked = await Promise.all([idle.call("countEntries", null), idle.call("countEntries", null)]);
  expect(asked).toEqual([1, 1]);
  await idle.close();
  expect(workers).toHaveLength(2);
  expect(warnings).toEqual([]);
});
