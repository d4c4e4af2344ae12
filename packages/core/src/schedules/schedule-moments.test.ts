import { describe, expect, it } from "vitest";
import { localDay } from "../language/dates/clock.ts";
import { plannedUntil, type Timed } from "./schedule-moments.ts";

const ZONE = "Europe/Helsinki";
const FIRST = "2026-11-24T07:00:00.000Z";
const END = new Date("2026-12-14T22:00:00.000Z");

const schedule = (when: Timed["when"], change: Partial<Timed> = {}): Timed => ({
  id: "sched-1",
  when,
  timeZone: ZONE,
  enabled: true,
  catchUp: "once",
  graceMinutes: 0,
  skipDays: [],
  ...change,
});

const everyMinute = { kind: "every", seconds: 60, anchor: FIRST } as const;
const days = (planned: readonly { dueAt: string }[]) => [
  ...new Set(planned.map(({ dueAt }) => localDay(new Date(dueAt), ZONE))),
];

describe("the planned moments of a calendar", () => {
  it("are all listed for a schedule with few", () => {
    const weekly = schedule({ kind: "cron", expression: "0 9 * * 2" });
    expect(plannedUntil(weekly, { next: FIRST }, END).map(({ dueAt }) => dueAt.slice(0, 10))).toEqual([
      "2026-11-24",
      "2026-12-01",
      "2026-12-08",
    ]);
  });

  it("end with the last day for a schedule that is due each minute, and report that there are more", () => {
    const planned = plannedUntil(schedule(everyMinute), { next: FIRST }, END);
    expect(days(planned)).toHaveLength(21);
    expect(days(planned).at(-1)).toBe("2026-12-14");
    expect(planned.length).toBeLessThan(150);
    expect(planned.filter(({ andMore }) => andMore).length).toBe(21);
  });

  it("exclude skipped days and moments after the end of the schedule", () => {
    const skipping = schedule(everyMinute, { skipDays: ["2026-12-01"], until: "2026-12-05T10:00:00.000Z" });
    const named = days(plannedUntil(skipping, { next: FIRST }, END));
    expect(named).not.toContain("2026-12-01");
    expect(named.at(-1)).toBe("2026-12-05");
  });
});
