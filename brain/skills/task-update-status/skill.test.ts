import { beforeEach, describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { taskUpdateStatus } from "./skill.ts";

const harness = skillHarness();

describe("task_update_status", () => {
  let id: string;
  beforeEach(async () => {
    id = (await harness.ports.tasks.create({ title: "buy milk" })).id;
  });

  it.each([
    ["in_progress", 'Marked "buy milk" as in progress.'],
    ["blocked", 'Marked "buy milk" as blocked.'],
    ["done", 'Marked "buy milk" as done.'],
    ["cancelled", 'Marked "buy milk" as cancelled.'],
    ["todo", 'Marked "buy milk" as to do.'],
  ])("marks a task as %s", async (status, sentence) => {
    const { outputs, narrative, assessment } = await harness.call(taskUpdateStatus, { id, status });
    expect(assessment.preview.title).toMatch(/^Mark as [a-z ]+ the task "buy milk"\?$/u);
    expect(outputs).toMatchObject({ id, task: { status } });
    expect(narrative).toBe(sentence);
    expect(await harness.ports.tasks.get(id)).toMatchObject({ status });
  });

  it("keeps a finished task, with the moment it was finished", async () => {
    await harness.call(taskUpdateStatus, { id, status: "done" });
    expect((await harness.ports.tasks.get(id)).completedAt).toBeDefined();
    expect(taskUpdateStatus.idempotent).toBe(true);
    await harness.call(taskUpdateStatus, { id, status: "done" });
  });

  it("names the skills that find the id of a task", async () => {
    await expect(harness.call(taskUpdateStatus, { id: "milk", status: "done" })).rejects.toMatchObject({
      code: "TASK_NOT_FOUND",
      suggestions: expect.arrayContaining([
        expect.stringMatching(/^"buy milk" has the id task-\S+-buy-milk\.$/u),
        expect.stringMatching(/task_find.*task_list/u),
      ]) as unknown,
    });
  });

  it("names the valid statuses", async () => {
    await expect(harness.call(taskUpdateStatus, { id, status: "doen" })).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: expect.stringContaining("did you mean done?") as unknown,
      suggestions: ["status is one of todo, in_progress, blocked, done, cancelled."],
    });
  });
});
