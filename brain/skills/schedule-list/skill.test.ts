import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { remind } from "../remind/skill.ts";
import { scheduleList } from "./skill.ts";

const harness = skillHarness();

describe("the schedules with a period", () => {
  it("have what happened at each due moment then, with the reason, counted by outcome", async () => {
    const { outputs } = await harness.call(remind, {
      text: "water the palms",
      when: "every Friday at 19:30",
    });
    const id = String(outputs["id"]);
    await harness.ports.schedules.runNow(id);
    await harness.ports.schedules.pause(id);
    const week = await harness.call(scheduleList, { query: "palms", period: "this week" });
    expect(week.outputs["schedules"]).toMatchObject([
      {
        history: {
          counts: { skipped: 1 },
          outcomes: [
            "skipped on Friday 20 November 2026 at 10:30: The schedule was paused before it started.",
          ],
        },
      },
    ]);
    expect(week.structured).toContain("“Water the palms” in that period: 1 skipped.\n- skipped on Friday");
    expect(week.narrative).toContain("1 skipped");
    const before = await harness.call(scheduleList, { query: id, period: "last week" });
    expect(before.structured).toContain("in that period: nothing was due.");
    const without = await harness.call(scheduleList, { query: "palms" });
    expect(without.structured).not.toContain("in that period");
  });

  it("are refused for words that are no period", async () => {
    await expect(harness.call(scheduleList, { period: "next year" })).rejects.toMatchObject({
      code: "INVALID_ARGS",
    });
  });
});
