import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TaskNotFoundError } from "../../errors/not-found-errors.ts";
import { profilePaths } from "../../paths/profile-paths.ts";
import { openTasks, type OpenedTasks } from "./open-tasks.ts";
import type { TasksPort } from "./tasks-port.ts";

let home: string;
let tasks: OpenedTasks;
let now = new Date("2026-03-01T08:00:00Z");
const paths = () => profilePaths(home, "ada");
const names = async (folder: "active" | "completed") =>
  (await readdir(paths().memory.tasks[folder])).filter((name) => name.endsWith(".json"));

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "tasks-"));
  now = new Date("2026-03-01T08:00:00Z");
  tasks = await openTasks({ paths: paths(), clock: () => now });
});
afterEach(async () => {
  tasks.close();
  await rm(home, { recursive: true, force: true });
});

describe("a profile's tasks", () => {
  it("store each task in its own readable file", async () => {
    const { id } = await tasks.create({
      title: "Buy milk",
      due: "2026-03-02",
      priority: "P1",
      tags: ["shop"],
    });
    expect(id).toBe("task-20260301T080000000Z-buy-milk");
    const file: unknown = JSON.parse(await readFile(join(paths().memory.tasks.active, `${id}.json`), "utf8"));
    expect(file).toMatchObject({ title: "Buy milk", status: "todo", due: "2026-03-02", priority: "P1" });
  });

  it("reject an edit of an old version, and accept one without a version", async () => {
    const { id, version } = await tasks.create({ title: "Buy milk" });
    expect(version).toBe(1);
    expect(await tasks.edit(id, { priority: "P0", version: 1 })).toMatchObject({ version: 2 });
    await expect(tasks.edit(id, { title: "Buy oat milk", version: 1 })).rejects.toMatchObject({
      code: "STALE_VERSION",
      context: {
        currentVersion: 2,
        current: { id, title: "Buy milk", priority: "P0" },
        yours: { title: "Buy oat milk" },
      },
    });
    expect(await tasks.edit(id, { title: "Buy oat milk" })).toMatchObject({ priority: "P0", version: 3 });
  });

  it("move a finished task to the completed folder, and back when it is reopened", async () => {
    const { id } = await tasks.create({ title: "Buy milk" });
    now = new Date("2026-03-01T09:00:00Z");
    expect(await tasks.edit(id, { status: "done" })).toMatchObject({
      status: "done",
      completedAt: "2026-03-01T09:00:00.000Z",
    });
    expect([await names("active"), await names("completed")]).toEqual([[], [`${id}.json`]]);
    expect((await tasks.edit(id, { status: "todo" })).completedAt).toBeUndefined();
    expect([await names("active"), await names("completed")]).toEqual([[`${id}.json`], []]);
  });

  it("change only the given fields, and remove a date with null", async () => {
    const { id } = await tasks.create({ title: "Buy milk", due: "2026-03-02", tags: ["shop"] });
    expect(await tasks.edit(id, { title: "Buy oat milk" })).toMatchObject({
      title: "Buy oat milk",
      due: "2026-03-02",
      tags: ["shop"],
    });
    expect((await tasks.edit(id, { due: null })).due).toBeUndefined();
  });

  it("list open ones by priority, day and age, and count before the limit", async () => {
    for (const [title, priority, due] of [
      ["later", "P2", "2026-04-01"],
      ["whenever", "P2", undefined],
      ["urgent", "P0", undefined],
      ["soon", "P2", "2026-03-02"],
    ] as const) {
      await tasks.create({ title, priority, ...(due && { due }) });
    }
    const done = await tasks.create({ title: "over", priority: "P0" });
    await tasks.edit(done.id, { status: "done" });
    const { tasks: listed, total } = await tasks.list({ limit: 3 });
    expect(listed.map(({ title }) => title)).toEqual(["urgent", "soon", "later"]);
    expect(total).toBe(4);
    expect((await tasks.list({ includeDone: true })).tasks.at(-1)?.title).toBe("over");
    expect((await tasks.list({ status: "done" })).total).toBe(1);
  });

  it("see external edits, additions and deletions immediately", async () => {
    const task = await tasks.create({ title: "Buy milk" });
    const path = join(paths().memory.tasks.active, `${task.id}.json`);
    expect((await tasks.get(task.id)).title).toBe("Buy milk");
    await writeFile(path, JSON.stringify({ ...task, title: "Buy much more milk" }));
    expect((await tasks.get(task.id)).title).toBe("Buy much more milk");
    await rm(path);
    expect((await tasks.list({})).total).toBe(0);
  });

  it("skip a file that is not a task, and do not change it", async () => {
    await tasks.create({ title: "Buy milk" });
    const path = join(paths().memory.tasks.active, "task-20260301T080000001Z-broken.json");
    await writeFile(path, "{ not json");
    expect((await tasks.list({})).total).toBe(1);
    expect(await readFile(path, "utf8")).toBe("{ not json");
  });

  it("can be listed by several at once while files are moved to the folder of their status", async () => {
    const other = await openTasks({ paths: paths(), clock: () => now });
    const { active } = paths().memory.tasks;
    const created = await Promise.all(
      Array.from({ length: 20 }, (_, n) => tasks.create({ title: `Paint boat ${n}` })),
    );
    for (const task of created)
      await writeFile(join(active, `${task.id}.json`), JSON.stringify({ ...task, status: "cancelled" }));
    const listings = [tasks, other, tasks, other].map((store) =>
      store.list({ includeDone: true, limit: 50 }),
    );
    await expect(Promise.all(listings)).resolves.toHaveLength(4);
    expect((await other.list({ includeDone: true, limit: 50 })).total).toBe(created.length);
    other.close();
  });

  it("are archived and restored unchanged", async () => {
    const task = await tasks.create({ title: "Buy milk" });
    const entry = await tasks.remove(task.id, { runId: "run-1" });
    expect(entry).toMatchObject({ kind: "task", title: "Buy milk", runId: "run-1" });
    await expect(tasks.get(task.id)).rejects.toBeInstanceOf(TaskNotFoundError);
    expect(await tasks.restore(entry.id)).toEqual(task);
    expect(await tasks.archived()).toEqual([]);
  });

  it("suggest at most three similar ids for an unknown one", async () => {
    const ids: string[] = [];
    for (const title of ["Buy milk", "Buy oat milk", "Buy milk powder", "Buy more milk", "Call Ola"])
      ids.push((await tasks.create({ title })).id);
    const near = async (id: string) => {
      const error: unknown = await tasks.get(id).catch((caught: unknown) => caught);
      return error instanceof TaskNotFoundError ? error.suggestions : [];
    };
    expect(await near("task-20260101T000000000Z-buy-milk")).toHaveLength(3);
    expect((await near("buy-milk"))[0]).toBe(`"Buy milk" has the id ${String(ids[0])}.`);
    expect(await near("phone-ola-about-the-boat")).toEqual([`"Call Ola" has the id ${String(ids[4])}.`]);
    expect(await near("7")).toEqual([]);
  });

  it("lose no edit when two stores edit one task", async () => {
    const other = await openTasks({ paths: paths(), clock: () => now });
    const { id } = await tasks.create({ title: "Count", tags: [] });
    const add = async (port: TasksPort, tag: string) => port.edit(id, { tags: [tag] });
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => add(index % 2 ? tasks : other, `t${String(index)}`)),
    );
    other.close();
    expect(await names("active")).toHaveLength(1);
    expect((await tasks.get(id)).tags).toHaveLength(1);
  });

  it("give tasks of the same moment distinct ids", async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => tasks.create({ title: "Same" })));
    expect(new Set(made.map(({ id }) => id)).size).toBe(20);
  });
});

describe("finding a task by words", () => {
  const titles = async (query: string) =>
    (await tasks.find(query, { limit: 10 })).map(({ task }) => task.title);
  beforeEach(async () => {
    await tasks.create({ title: "Buy milk" });
    await tasks.create({ title: "Buy milk for the cat, and food", tags: ["pets"] });
    await tasks.create({ title: "Call the plumber", description: "about the leaking tap, before April" });
  });

  it.each([
    ["buy milk", ["Buy milk", "Buy milk for the cat, and food"]],
    ["the milk task", ["Buy milk", "Buy milk for the cat, and food"]],
    ["buying milk", ["Buy milk", "Buy milk for the cat, and food"]],
    ["plumbr", ["Call the plumber"]],
    ["the task about April", ["Call the plumber"]],
    ["pets", ["Buy milk for the cat, and food"]],
    ["buy bread", []],
    ["milk plumber", []],
    ["", []],
  ])("%s", async (query, expected) => {
    expect(await titles(query)).toEqual(expected);
  });

  it("omits finished tasks by default", async () => {
    const [first] = await tasks.find("plumber", { limit: 1 });
    await tasks.edit(first?.task.id ?? "", { status: "cancelled" });
    expect(await titles("plumber")).toEqual([]);
    expect(await tasks.find("plumber", { includeDone: true, limit: 1 })).toHaveLength(1);
  });

  it("suggests the task with the most similar title first for an unknown id", async () => {
    await expect(tasks.get("task-20260301T080000000Z-buy-milkk")).rejects.toMatchObject({
      suggestions: [
        expect.stringMatching(/^"Buy milk" has the id task-/u) as unknown,
        expect.stringMatching(/^"Buy milk for the cat/u) as unknown,
      ],
    });
  });
});
