import { expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { remind } from "../remind/skill.ts";
import { scheduleList } from "../schedule-list/skill.ts";
import { scheduleUpdate } from "./skill.ts";

const harness = skillHarness();

/** A reminder at 9 each Monday; today is Friday, 20 November 2026. */
async function weekly(text: string): Promise<string> {
  const { outputs } = await harness.call(remind, { text, when: "every monday at 9" });
  return String(outputs["id"]);
}

const skippedDays = async (id: string): Promise<string[]> =>
  (await harness.ports.schedules.get(id)).schedule.skipDays;

it("skips no day on which the schedule does not run", async () => {
  const id = await weekly("water the ferns");
  await expect(harness.call(scheduleUpdate, { id, action: "skip", day: "2026-11-25" })).rejects.toMatchObject(
    {
      code: "INVALID_ARGS",
      message: expect.stringContaining("does not run on 2026-11-25"),
    },
  );
  expect(await skippedDays(id)).toEqual([]);
});

it("restores a skipped day", async () => {
  const id = await weekly("air the attic");
  const args = { id, action: "skip", day: "2026-11-30" };
  const { outputs } = await harness.call(scheduleUpdate, args);
  expect(await skippedDays(id)).toEqual(["2026-11-30"]);
  const [back] = scheduleUpdate.reverse?.({ args, outputs }) ?? [];
  await harness.call(scheduleUpdate, back?.args);
  expect(await skippedDays(id)).toEqual([]);
});

it("does not turn a repeating reminder into a single one", async () => {
  const id = await weekly("feed the cat");
  await expect(harness.call(scheduleUpdate, { id, when: "tuesday" })).rejects.toMatchObject({
    code: "INVALID_ARGS",
    message: "“Feed the cat” repeats. Say how often it should run from now on.",
  });
  const { outputs } = await harness.call(scheduleUpdate, { id, when: "every tuesday at 9" });
  expect(outputs["schedule"]).toMatchObject({ when: expect.stringContaining("every Tuesday") });
});

it("no longer skips a day on which nothing is due after a change, and says so", async () => {
  const id = await weekly("sweep the stairs");
  await harness.call(scheduleUpdate, { id, action: "skip", day: "2026-11-30" });
  const later = await harness.call(scheduleUpdate, { id, when: "every monday at 20:00" });
  expect(await skippedDays(id)).toEqual(["2026-11-30"]);
  expect(later.narrative).not.toContain("skips");
  const { narrative } = await harness.call(scheduleUpdate, { id, when: "every tuesday at 9" });
  expect(await skippedDays(id)).toEqual([]);
  expect(narrative).toContain("It no longer skips 2026-11-30: nothing is due then.");
});

it.each([
  ["at 10", "10:00"],
  ["10:30", "10:30"],
  ["9 pm", "21:00"],
])("keeps the days of a repeating reminder that is moved to a time alone: %s", async (when, time) => {
  const id = await weekly(`close the shop ${when}`);
  const { outputs } = await harness.call(scheduleUpdate, { id, when });
  expect(outputs["schedule"]).toMatchObject({ when: `every Monday at ${time}` });
});

it("finds the schedule by words of its title where exactly one has them", async () => {
  const hall = await weekly("unlock the Mill Lane hall");
  await weekly("unlock the boat house");
  const { assessment, outputs } = await harness.call(scheduleUpdate, {
    id: "mill lane hall",
    action: "pause",
  });
  expect(assessment).toMatchObject({ preview: { target: hall }, record: { id: hall } });
  expect(outputs).toMatchObject({ id: hall, schedule: { enabled: false } });
  await expect(harness.call(scheduleUpdate, { id: "unlock", action: "pause" })).rejects.toMatchObject({
    code: "INVALID_ARGS",
    message: "2 schedules match “unlock”.",
    suggestions: expect.arrayContaining([`“Unlock the Mill Lane hall” has the id ${hall}.`]),
  });
});

it("names the schedules that there are where no title has the words", async () => {
  const id = await weekly("grease the winch");
  await expect(harness.call(scheduleUpdate, { id: "zeppelin", action: "pause" })).rejects.toMatchObject({
    code: "NOT_FOUND",
    suggestions: expect.arrayContaining([`“Grease the winch” has the id ${id}.`]),
  });
});

it("shows the days from today on that will be skipped in every list", async () => {
  const id = await weekly("oil the gate");
  const skipDays = ["2026-11-16", "2031-01-06", "2031-01-13"];
  await harness.ports.schedules.edit(id, { skipDays });
  const { outputs, narrative, structured } = await harness.call(scheduleList, { query: "oil the gate" });
  expect(outputs["schedules"]).toMatchObject([{ skipped: skipDays.slice(1) }]);
  expect(narrative).toMatch(/, next on Monday [^,]*, not on 2031-01-06, 2031-01-13\.$/u);
  expect(structured).toContain("every Monday at 09:00, not on 2031-01-06, 2031-01-13");
});

it("restores the times before a change", async () => {
  const id = await weekly("wind the clock");
  const args = { id, when: "every tuesday at 10" };
  const { outputs } = await harness.call(scheduleUpdate, args);
  const [back] = scheduleUpdate.reverse?.({ args, outputs }) ?? [];
  await harness.call(scheduleUpdate, back?.args);
  expect((await harness.ports.schedules.get(id)).schedule.when).toMatchObject({ expression: "0 9 * * 1" });
});
