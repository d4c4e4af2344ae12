import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Task } from "@metahuman/core/contract/task";
import { openTestSchedules, type TestSchedules } from "../testing/open-test-schedules.ts";

const region = { timeZone: "UTC", locale: "en" };
const task: Task = {
  id: "task-20261120T080000000Z-call-mum",
  title: "call mum",
  description: "",
  status: "todo",
  priority: "P2",
  due: "2026-11-20T09:00:00.000Z",
  tags: [],
  createdAt: "2026-11-20T08:00:00.000Z",
  updatedAt: "2026-11-20T08:00:00.000Z",
};
const moved: Task = { ...task, title: "call dad", due: "2026-11-20T10:00:00.000Z" };

let home: string;
let test: TestSchedules;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "mh-reminders-"));
  test = await openTestSchedules(home, { clock: () => new Date("2026-11-20T08:00:00.000Z") });
});
afterEach(async () => {
  await test.close();
  await rm(home, { recursive: true, force: true });
});

async function remind(): Promise<string> {
  await test.schedules.remindOf(task, region);
  const [made] = (await test.schedules.list({ limit: 10 })).items;
  return made?.id ?? "";
}

describe("the reminder of a task", () => {
  it("copies the title and the date of the task", async () => {
    const id = await remind();
    await test.schedules.updateRemindersOf(moved);
    expect(await test.schedules.get(id)).toMatchObject({
      schedule: { title: "Call dad", what: { text: "call dad" } },
      next: ["2026-11-20T10:00:00.000Z"],
    });
  });

  it("ends with the task, and is restored when the task is opened again", async () => {
    const id = await remind();
    await test.schedules.updateRemindersOf({ ...moved, status: "done" });
    expect(await test.schedules.get(id)).toMatchObject({ schedule: { enabled: false }, next: [] });
    await test.schedules.updateRemindersOf(moved);
    expect((await test.schedules.get(id)).next).toEqual(["2026-11-20T10:00:00.000Z"]);
    const { due: _due, ...undated } = moved;
    await test.schedules.updateRemindersOf(undated);
    expect((await test.schedules.get(id)).next).toEqual([]);
  });

  it("stays paused if a person paused it, and keeps its own title", async () => {
    const id = await remind();
    await test.schedules.edit(id, { title: "The usual call" });
    await test.schedules.updateRemindersOf(moved);
    await test.schedules.pause(id);
    await test.schedules.updateRemindersOf(task);
    expect((await test.schedules.get(id)).schedule).toMatchObject({
      enabled: false,
      title: "The usual call",
      when: { at: "2026-11-20T10:00:00.000Z" },
    });
  });
});

describe("the time of a schedule", () => {
  const reminder = { what: { kind: "reminder" as const, text: "Take pills" } };
  const by = { actor: "ada", region };

  it.each([
    ["every monday at 9", "T18:30", { kind: "cron", expression: "30 18 * * 1" }],
    ["tomorrow at 9", "T18:30", { kind: "at", at: "2026-11-21T18:30:00.000Z" }],
    ["tomorrow at 9", "P1W", { kind: "at", at: "2026-11-28T09:00:00.000Z" }],
  ])("of %s moves by %s", async (when, edit, result) => {
    const { schedule } = await test.schedules.create({ ...reminder, when }, by);
    expect((await test.schedules.edit(schedule.id, { when: edit })).schedule.when).toEqual(result);
  });

  it("cannot be moved if it is not a single time", async () => {
    for (const when of ["every 2 hours", "0 9,17 * * *"]) {
      const { schedule } = await test.schedules.create({ ...reminder, when }, by);
      await expect(test.schedules.edit(schedule.id, { when: "T18:30" })).rejects.toThrow(/no single time/u);
    }
  });
});
