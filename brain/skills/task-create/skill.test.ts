import { Task } from "@metahuman/core/contract/task";
import { describe, expect, it } from "vitest";
import { skillBench } from "../../../tests/support/skill-bench.ts";
import { taskCreate } from "./skill.ts";

const bench = skillBench();

describe("task_create", () => {
  it("creates a task with all that was said, and says only that", async () => {
    const call = { title: "buy milk", priority: "P1", due: "2026-11-21", tags: ["home"] };
    const { assessment, outputs, narrative, structured } = await bench.call(taskCreate, call);
    const task = Task.parse(outputs["task"]);
    expect(task).toMatchObject({ ...call, status: "todo" });
    expect(outputs["id"]).toBe(task.id);
    expect(await bench.ports.tasks.get(task.id)).toEqual(task);
    expect(assessment).toEqual({
      risk: "low",
      paths: [],
      hosts: [],
      grant: {},
      preview: {
        title: 'Create the task "buy milk"?',
        facts: [
          { label: "title", value: "buy milk" },
          { label: "priority", value: "P1" },
          { label: "due", value: "2026-11-21" },
          { label: "tags", value: "home" },
        ],
      },
    });
    expect(narrative).toBe('Created the task "buy milk" (P1, due 2026-11-21).');
    expect(structured).toBe(
      "| task | status | priority | due | tags |\n| --- | --- | --- | --- | --- |\n| buy milk | to do | P1 | 2026-11-21 | home |",
    );
  });

  it("does not mention what is as usual", async () => {
    const { narrative } = await bench.call(taskCreate, { title: "  water the plants " });
    expect(narrative).toBe('Created the task "water the plants".');
  });

  it.each([
    ["no title", {}],
    ["a blank title", { title: "  " }],
    ["an unknown priority", { title: "x", priority: "high" }],
    ["a date in words", { title: "x", due: "tomorrow" }],
    ["an impossible date", { title: "x", due: "2026-02-30" }],
    ["a misspelt argument", { title: "x", prioriti: "P1" }],
  ])("refuses %s", async (_what, args) => {
    await expect(bench.call(taskCreate, args)).rejects.toMatchObject({ code: "INVALID_ARGS" });
  });
});
