import { afterEach, beforeEach, expect, it } from "vitest";
import { openPlainStage, type PlainStage } from "../support/plain-stage.ts";

// Conversations about what recurs, without a model: other times and days, pauses, a last day, and undo.

let stage: PlainStage;
beforeEach(async () => {
  stage = await openPlainStage();
});
afterEach(() => stage.close());

const say = async (goal: string) => (await stage.ask(goal)).result ?? "";

it("changes the time and the days of what recurs", async () => {
  await say("remind me every monday at 9 to put the bins out");
  expect(await say("at 7pm")).toContain("every Monday at 19:00");
  expect(await say("actually make it sunday")).toContain("every Sunday at 19:00");
  expect(await say("make it half past 8")).toContain("every Sunday at 20:30");
  expect(await say("undo that")).toContain("every Sunday at 19:00");
});

it("leaves out days of the week", async () => {
  await say("every weekday at 8:15 remind me to check the backups");
  expect(await say("not on fridays")).toContain("every Monday, Tuesday, Wednesday and Thursday at 08:15");
  expect(await say("stop it on mondays")).toContain("every Tuesday, Wednesday and Thursday at 08:15");
  expect(await say("change the time to 8:30")).toContain("at 08:30");
  expect(await say("until 2099-12-31")).toContain("until Thursday 31 December 2099");
});

it("does not take the days that are denied for the new ones", async () => {
  await say("remind me every day at 8 to take the pills");
  expect(await say("no weekends please")).toContain(
    "every Monday, Tuesday, Wednesday, Thursday and Friday at 08:00",
  );
});

it("pauses until a day, and resumes before it", async () => {
  await say("remind me every monday at 9 to water the ferns");
  expect(await say("pause it until 2099-01-01")).toMatch(/Paused “Water the ferns”[^]*2099 at 00:01/u);
  expect(await say("resume it")).toContain("Resumed “Water the ferns”");
  expect(await say("which reminders are set?")).toContain("Water the ferns");
});
