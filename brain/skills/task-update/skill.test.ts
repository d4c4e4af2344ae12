import { beforeEach, describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { taskUpdate } from "./skill.ts";

const harness = skillHarness();

describe("task_update", () => {
  let id: string;
  beforeEach(async () => {
    id = (await harness.ports.tasks.create({ title: "buy milk", due: "2026-11-21", tags: ["home"] })).id;
  });

  it("changes only the named fields", async () => {
    const { outputs, narrative, assessment } = await harness.call(taskUpdate, { id, title: "buy oat milk" });
    expect(assessment).toMatchObject({
      risk: "low",
      preview: {
        title: 'Change the task "buy milk"?',
        facts: [{ label: "title", value: "buy milk → buy oat milk" }],
      },
    });
    expect(outputs).toMatchObject({ id, task: { title: "buy oat milk", due: "2026-11-21", tags: ["home"] } });
    expect(narrative).toBe(
      'Updated the task; it now reads "buy oat milk" (due 2026-11-21). Before: title “buy milk”.',
    );
    expect(await harness.ports.tasks.get(id)).toMatchObject({ title: "buy oat milk" });
  });

  it("says what it changed from, so that a mistake can be set right", async () => {
    const moved = await harness.call(taskUpdate, { id, due: "2027-03-01", priority: "P1" });
    expect(moved.narrative).toMatch(/Before: (?=.*due 2026-11-21)(?=.*normal priority)/u);
    const cleared = await harness.call(taskUpdate, { id, due: null, tags: [] });
    expect(cleared.narrative).toMatch(/Before: (?=.*due 2027-03-01)(?=.*tags home)/u);
    const dated = await harness.call(taskUpdate, { id, due: "2027-03-02" });
    expect(dated.narrative).toContain("Before: no date.");
  });

  it("says which tags it set", async () => {
    const { narrative } = await harness.call(taskUpdate, { id, due: "2027-03-05", tags: ["party", "calls"] });
    expect(narrative).toContain("Its tags are party, calls. Before: ");
  });

  it("removes a date with null, and tags with an empty list", async () => {
    const { outputs, assessment } = await harness.call(taskUpdate, {
      id,
      due: null,
      tags: [],
      priority: "P2",
    });
    expect(assessment.preview.facts).toEqual([
      { label: "due", value: "2026-11-21 → none" },
      { label: "tags", value: "home → none" },
    ]);
    expect(outputs["task"]).not.toHaveProperty("due");
    expect(outputs).toMatchObject({ task: { tags: [] } });
  });

  it("moves its date by a duration, and keeps the day for a time", async () => {
    const later = await harness.call(taskUpdate, { id, due: "P1W" });
    expect(later.assessment.preview.facts).toEqual([{ label: "due", value: "2026-11-21 → 2026-11-28" }]);
    expect(later.outputs).toMatchObject({ task: { due: "2026-11-28" }, before: { due: "2026-11-21" } });
    const timed = await harness.call(taskUpdate, { id, due: "T10:30" });
    expect(timed.outputs).toMatchObject({
      task: { due: expect.stringMatching(/^2026-11-2[78]T/u) as unknown },
    });
  });

  it("refuses a move into the past", async () => {
    await expect(harness.call(taskUpdate, { id, due: "-P99W" })).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: expect.stringContaining("has passed") as unknown,
    });
  });

  it("asks what to change when nothing is named", async () => {
    await expect(harness.call(taskUpdate, { id })).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: expect.stringContaining("say what to change") as unknown,
    });
  });

  it("leaves the status to its own skill", async () => {
    await expect(harness.call(taskUpdate, { id, status: "done" })).rejects.toMatchObject({
      code: "INVALID_ARGS",
    });
  });

  it("refuses an unknown task", async () => {
    await expect(harness.call(taskUpdate, { id: `${id}-x`, title: "x" })).rejects.toMatchObject({
      code: "TASK_NOT_FOUND",
      suggestions: expect.arrayContaining([
        expect.stringMatching(/^"buy milk" has the id task-\S+-buy-milk\.$/u),
        "task_find finds the id of a task by words of its title; task_list lists all of them.",
      ]) as unknown,
    });
    await expect(harness.call(taskUpdate, { id: "../../x", title: "x" })).rejects.toMatchObject({
      code: "INVALID_ARGS",
    });
  });
});

describe("another day for a task with a time", () => {
  it("keeps the time, and is undone to a day without one", async () => {
    const { id } = await harness.ports.tasks.create({ title: "ring Eva", due: "2999-11-20" });
    const timed = await harness.call(taskUpdate, { id, due: "T10:30" });
    expect(timed.outputs).toMatchObject({ before: { due: "2999-11-20" } });
    const { outputs } = await harness.call(taskUpdate, { id, due: "2999-11-22" });
    expect(outputs).toMatchObject({ task: { due: expect.stringMatching(/^2999-11-2[12]T/u) as unknown } });
    for (const { args } of taskUpdate.reverse?.({ args: {}, outputs: timed.outputs }) ?? [])
      await harness.call(taskUpdate, args);
    expect(await harness.ports.tasks.get(id)).toMatchObject({ due: "2999-11-20" });
  });
});
