import { beforeEach, describe, expect, it } from "vitest";
import { skillBench } from "../../../tests/support/skill-bench.ts";
import { taskUpdateStatus } from "./skill.ts";

const bench = skillBench();

describe("task_update_status", () => {
  let id: string;
  beforeEach(async () => {
    id = (await bench.ports.tasks.create({ title: "buy milk" })).id;
  });

  it.each([
    ["in_progress", 'Marked "buy milk" as in progress.'],
    ["blocked", 'Marked "buy milk" as blocked.'],
    ["done", 'Marked "buy milk" as done.'],
    ["cancelled", 'Marked "buy milk" as cancelled.'],
    ["todo", 'Marked "buy milk" as to do.'],
  ])("marks a task as %s", async (status, sentence) => {
    const { outputs, narrative, assessment } = await bench.call(taskUpdateStatus, { id, status });
    expect(assessment.preview.title).toMatch(/^Mark as [a-z ]+ the task "buy milk"\?$/u);
    expect(outputs).toMatchObject({ id, task: { status } });
    expect(narrative).toBe(sentence);
    expect(await bench.ports.tasks.get(id)).toMatchObject({ status });
  });

  it("keeps a done task, with the moment it was done", async () => {
    await bench.call(taskUpdateStatus, { id, status: "done" });
    expect((await bench.ports.tasks.get(id)).completedAt).toBeDefined();
    expect(taskUpdateStatus.idempotent).toBe(true);
    await bench.call(taskUpdateStatus, { id, status: "done" });
  });

  it("names the valid statuses", async () => {
    await expect(bench.call(taskUpdateStatus, { id, status: "doen" })).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: expect.stringContaining("did you mean done?") as unknown,
      suggestions: ["status is one of todo, in_progress, blocked, done, cancelled."],
    });
  });
});
