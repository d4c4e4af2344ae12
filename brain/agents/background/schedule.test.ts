import { describe, expect, it } from "vitest";
import { nextStart, quietUntil } from "./agent-scheduler.ts";

/** Wall-clock time, as schedules are meant. */
const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute);
const hourly = { enabled: true, schedule: "0 * * * *", quietHours: null };
const night = { from: "22:00", to: "06:30" };

describe("nextStart", () => {
  it("is the first scheduled time after the last start", () => {
    expect(nextStart(hourly, at(20, 9, 5), at(20, 9, 10))).toEqual(at(20, 10));
  });

  it("is null for a disabled agent and for a date that does not exist", () => {
    expect(nextStart({ ...hourly, enabled: false }, at(20, 9), at(20, 9))).toBeNull();
    expect(nextStart({ ...hourly, schedule: "0 0 31 2 *" }, at(20, 9), at(20, 9))).toBeNull();
  });

  it("is due if a scheduled time was missed", () => {
    const start = nextStart(hourly, at(18, 9, 5), at(20, 9, 10));
    expect(start && start <= at(20, 9, 10)).toBe(true);
  });

  it("waits for the end of the quiet hours, even for a missed time", () => {
    const quiet = { ...hourly, quietHours: night };
    expect(nextStart(quiet, at(20, 21, 5), at(20, 21, 10))).toEqual(at(21, 6, 30));
    expect(nextStart(quiet, at(18, 9, 5), at(20, 23, 10))).toEqual(at(21, 6, 30));
    expect(nextStart(quiet, at(20, 8, 5), at(20, 8, 10))).toEqual(at(20, 9));
  });
});

describe("quietUntil", () => {
  it("supports quiet hours with and without midnight", () => {
    expect(quietUntil(night, at(20, 22))).toEqual(at(21, 6, 30));
    expect(quietUntil(night, at(20, 5))).toEqual(at(20, 6, 30));
    expect(quietUntil(night, at(20, 6, 30))).toBeUndefined();
    expect(quietUntil({ from: "12:00", to: "13:00" }, at(20, 12, 30))).toEqual(at(20, 13));
    expect(quietUntil({ from: "12:00", to: "13:00" }, at(20, 13))).toBeUndefined();
  });

  it("treats equal ends as no quiet hours", () => {
    expect(quietUntil({ from: "12:00", to: "12:00" }, at(20, 12))).toBeUndefined();
    expect(quietUntil(null, at(20, 12))).toBeUndefined();
  });
});
