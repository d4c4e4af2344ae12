import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPlainStage, type PlainStage } from "../support/plain-stage.ts";

// Requests of a household in plain words, without a model, and what they leave behind.

let stage: PlainStage;
beforeEach(async () => {
  stage = await openPlainStage();
});
afterEach(() => stage.close());

const say = async (goal: string) => (await stage.ask(goal)).result ?? "";

describe("deleting every task", () => {
  it("asks with the names of the tasks, and “undo that” brings all of them back", async () => {
    await say("add a task to buy milk");
    await say("add a task to pay rent");
    const asked = await stage.ask("delete all my tasks");
    expect(asked.pending).toMatchObject({ kind: "question", options: ["Yes", "No"] });
    expect((await stage.answer(asked, "No")).result).toBe("All right, nothing was changed.");
    expect(await stage.tasks()).toHaveLength(2);
    await stage.answer(await stage.ask("delete all my tasks"), "Yes");
    expect(await stage.tasks()).toEqual([]);
    await say("undo that");
    expect((await stage.tasks()).toSorted()).toEqual(["buy milk", "pay rent"]);
  });
});

describe("stopping what recurs", () => {
  it("deletes the schedule of that request, and then finds none", async () => {
    await say("remind me about the bins every monday");
    await say("list my tasks every day");
    expect(await say("stop listing my tasks every day")).toContain("Deleted “List my tasks”");
    const { items } = await stage.profile.schedules.list({ limit: 10 });
    expect(items.map(({ title }) => title)).toEqual(["The bins"]);
    expect(await say("stop listing my tasks every day")).toContain("No schedule matches");
  });
});

describe("a day that is in doubt", () => {
  it("is asked for, and the time beside it stands", async () => {
    const asked = await stage.ask("remind me to call Anna on friday 31 november at 9");
    expect(asked.pending?.kind).toBe("question");
    const answered = await stage.answer(asked, "3 december 2030");
    expect(answered.result).toContain('Created the task "call Anna" (due 2030-12-03 09:00)');
  });
});
