import { beforeAll, describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { taskFind } from "./skill.ts";

const harness = skillHarness();

describe("task_find", () => {
  let milk: string;
  let report: string;

  beforeAll(async () => {
    const { tasks } = harness.ports;
    milk = (await tasks.create({ title: "buy milk", due: "2026-11-21T09:30:00.000Z" })).id;
    await tasks.create({ title: "call the bank" });
    await tasks.create({ title: "call the plumber" });
    report = (await tasks.create({ title: "write the report" })).id;
    await tasks.edit(report, { status: "done" });
  });

  it("finds a task by words of its title", async () => {
    const { outputs, narrative } = await harness.call(taskFind, { query: "milk" });
    expect(outputs).toMatchObject({
      id: milk,
      task: { title: "buy milk" },
      matches: [{ task: { id: milk } }],
    });
    expect(narrative).toBe('Found the task "buy milk" (due 2026-11-21 09:30).');
  });

  it("returns all matches as candidates", async () => {
    const { outputs, narrative, structured } = await harness.call(taskFind, { query: "call the" });
    expect(narrative).toContain("Found 2 tasks: ");
    expect(structured.split("\n")).toHaveLength(4);
    // Only planners get ids.
    expect(structured).not.toContain("task-");
    expect(taskFind.observed(outputs)).toContain("task-");
    const candidates = taskFind.finds?.candidates(outputs) ?? [];
    expect(candidates.map((candidate) => candidate.label).sort()).toEqual([
      "call the bank",
      "call the plumber",
    ]);
  });

  it("finds a closed task if no open one matches or its status is requested", async () => {
    expect((await harness.call(taskFind, { query: "report" })).outputs).toMatchObject({ id: report });
    expect((await harness.call(taskFind, { query: "report", status: "done" })).outputs).toMatchObject({
      id: report,
    });
    await expect(harness.call(taskFind, { query: "report", status: "blocked" })).rejects.toMatchObject({
      code: "TASK_NOT_FOUND",
    });
  });

  it("suggests similar titles if none matches", async () => {
    await expect(harness.call(taskFind, { query: "call the blank cheque" })).rejects.toMatchObject({
      code: "TASK_NOT_FOUND",
      suggestions: expect.arrayContaining(["call the bank"]) as unknown,
    });
    await expect(harness.call(taskFind, { query: "zebra" })).rejects.toMatchObject({ suggestions: [] });
  });
});
