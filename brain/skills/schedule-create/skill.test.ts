import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { remind } from "../remind/skill.ts";
import { scheduleDelete } from "../schedule-delete/skill.ts";
import { scheduleList } from "../schedule-list/skill.ts";
import { scheduleUpdate } from "../schedule-update/skill.ts";
import { taskCreate } from "../task-create/skill.ts";
import { scheduleCreate } from "./skill.ts";

const harness = skillHarness();

const TOMORROW = "2026-11-21";

describe("the skills of schedules", () => {
  it("create, list, change, skip a day of, pause and delete", async () => {
    const created = await harness.call(scheduleCreate, {
      goal: "list my tasks",
      when: "every weekday at 7:30",
    });
    expect(created.outputs).toMatchObject({
      schedule: { title: "List my tasks", when: "every weekday at 07:30", kind: "request", enabled: true },
    });
    const { id } = created.outputs;
    const listed = await harness.call(scheduleList, {});
    expect(listed.outputs).toMatchObject({ total: 1, schedules: [{ id }] });
    const changed = await harness.call(scheduleUpdate, {
      id,
      when: "every day at 6:15",
      title: "Morning list",
    });
    expect(changed.outputs).toMatchObject({
      schedule: { title: "Morning list", when: "every day at 06:15" },
    });
    const skipped = await harness.call(scheduleUpdate, { action: "skip", day: TOMORROW });
    expect(skipped.outputs).toMatchObject({ id, action: "skip", day: expect.any(String) as unknown });
    const paused = await harness.call(scheduleUpdate, { action: "pause" });
    expect(paused.outputs).toMatchObject({ id, schedule: { enabled: false } });
    const found = await harness.call(scheduleList, { query: "morning" });
    expect(found.outputs).toMatchObject({ schedules: [{ id }] });
    await harness.call(scheduleDelete, { id });
    expect((await harness.call(scheduleList, {})).outputs).toMatchObject({ total: 0 });
  });

  it("names the trust level in its preview as the page does", async () => {
    const { assessment } = await harness.call(scheduleCreate, {
      goal: "list my tasks",
      when: "every day at 7:30",
    });
    expect(assessment.preview.facts).toContainEqual({ label: "trust level", value: "Supervised" });
  });

  it("previews the next moments, unless they are counted from the approval, which they are no part of", async () => {
    const nextFor = async (when: string) => {
      const { assessment } = await harness.call(scheduleCreate, { goal: "list my files", when });
      return assessment.preview.facts.find(({ label }) => label === "next");
    };
    expect(await nextFor("every day at 7:30")).toMatchObject({ varies: true });
    expect(await nextFor("every 2 weeks on Monday at 19:00")).toMatchObject({ varies: true });
    expect(await nextFor("every 2 hours")).toBeUndefined();
  });

  it.each([
    ["Remind me to put the bins out", "put the bins out"],
    ["remind me of the dentist.", "the dentist"],
    ["Erinnere mich daran, den Müll rauszubringen", "den Müll rauszubringen"],
  ])("remind of what a request only asks to be reminded of: %s", async (goal, text) => {
    const { outputs, narrative } = await harness.call(scheduleCreate, {
      goal,
      when: "every Thursday at 19:00",
    });
    expect(outputs).toMatchObject({ schedule: { kind: "reminder" }, mayUse: [], needsModel: false });
    expect(narrative).toMatch(new RegExp(`^You will be reminded of “${text}”`, "iu"));
  });

  it("carry out a request that begins with a reminder and goes on", async () => {
    const goal = "Remind me to put the bins out. Then list my tasks.";
    const { outputs } = await harness.call(scheduleCreate, { goal, when: "every Thursday at 19:00" });
    expect(outputs).toMatchObject({ schedule: { kind: "request" } });
  });

  it("say in words what a schedule may do without asking", async () => {
    const { outputs } = await harness.call(scheduleCreate, {
      goal: "list my tasks",
      when: "every day at 6:15",
    });
    expect(outputs).toMatchObject({ mayDo: "nothing that makes changes" });
    const narrated = scheduleCreate.narrate({ ...outputs, mayDo: "write a text file; create a task" });
    expect(narrated).toContain("Without asking it may do this: write a text file; create a task.");
    expect(narrated).not.toContain("task_list");
  });

  it("remove the times of the schedule from its request, which would otherwise schedule it again each time", async () => {
    for (const [goal, when, title] of [
      ["every weekday at 7:30 list my tasks", "30 7 * * 1-5", "List my tasks"],
      ["List my tasks every 2 hours.", "every 2 hours", "List my tasks"],
      ["list my tasks every monday", "every day at 8", "List my tasks every monday"],
      ["list my tasks every 5 seconds", "every day at 8", "List my tasks every 5 seconds"],
      ["tomorrow at 9, list my open tasks", "tomorrow at 9:00", "List my open tasks"],
      ["List my open tasks on Friday at 8:15.", "Friday 8:15", "List my open tasks"],
      ["list my tasks of tomorrow", "tomorrow at 9:00", "List my tasks of tomorrow"],
    ])
      expect((await harness.call(scheduleCreate, { goal, when })).outputs).toMatchObject({
        schedule: { title },
      });
  });

  it("refuse the same request for the same times a second time", async () => {
    const given = { goal: "tell me what is on my list for the day", when: "every weekday at 7:35" };
    await harness.call(scheduleCreate, given);
    await expect(harness.call(scheduleCreate, given)).rejects.toMatchObject({ code: "CONFLICT" });
    const capitals = { ...given, goal: "Tell me what is on my list for the day." };
    await expect(harness.call(scheduleCreate, capitals)).rejects.toMatchObject({ code: "CONFLICT" });
    const later = await harness.call(scheduleCreate, { ...given, when: "every weekday at 7:40" });
    expect(later.outputs).toMatchObject({ schedule: { when: "every weekday at 07:40" } });
  });

  it("refuse what cannot be scheduled", async () => {
    for (const args of [
      { when: "tomorrow" },
      { goal: "list my tasks", when: "every 0 minutes" },
      { goal: "list my tasks", when: "31 November" },
    ])
      await expect(harness.call(scheduleCreate, args)).rejects.toMatchObject({ code: "INVALID_ARGS" });
  });

  it("create one reminder with a task, and repeated ones without a task", async () => {
    const once = await harness.call(remind, { text: "call the dentist", when: "tomorrow at 9" });
    expect(once.outputs).toMatchObject({
      task: { title: "call the dentist" },
      schedule: { kind: "reminder" },
    });
    const often = await harness.call(remind, { text: "take the pills", when: "every evening" });
    expect(often.outputs).not.toHaveProperty("task");
  });
});

describe("a schedule of which one time is skipped", () => {
  it("is the next one if no day and no name is given, and shows the time after it as the next", async () => {
    for (const { id } of (await harness.ports.schedules.list({ limit: 100 })).items)
      await harness.ports.schedules.remove(id);
    const later = await harness.call(remind, { text: "water the plants", when: "every month on the 1st" });
    const soon = await harness.call(remind, { text: "stretch", when: "every day at 9" });
    const [first, second] = (await harness.ports.schedules.get(String(soon.outputs["id"]))).next;
    const skipped = await harness.call(scheduleUpdate, { action: "skip" });
    expect(skipped.outputs).toMatchObject({ id: soon.outputs["id"], day: expect.any(String) as unknown });
    const { next, schedule } = await harness.ports.schedules.get(String(soon.outputs["id"]));
    expect([schedule.skipDays.length, next[0]]).toEqual([1, second]);
    expect(first).not.toBe(second);
    expect((await harness.ports.schedules.get(String(later.outputs["id"]))).schedule.skipDays).toEqual([]);
  });
});

describe("a task that the person wants to be reminded of", () => {
  it("gets a reminder for the moment when it is due, and other tasks get none", async () => {
    const due = "2099-11-27";
    const plain = await harness.call(
      taskCreate,
      { title: "Pay rent", due },
      { request: "add a task to pay rent" },
    );
    expect(plain.outputs).not.toHaveProperty("remindedAt");
    const reminded = await harness.call(
      taskCreate,
      { title: "Call Bob", due },
      { request: "remind me to call Bob" },
    );
    expect(reminded.outputs).toMatchObject({ remindedAt: expect.stringContaining("2099-11-27T") as unknown });
    expect(reminded.narrative).toMatch(/You will be reminded on 2099-11-27 \d{2}:\d{2}\.$/u);
    expect(plain.narrative).not.toContain("reminded");
  });
});
