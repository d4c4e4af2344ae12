import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { instantOf, isoDay, wallTimeOf, zoneOffset } from "./clock.ts";

describe("local time in a time zone", () => {
  it("converts an instant to local time", () => {
    const instant = new Date("2026-07-01T22:30:00Z");
    expect(wallTimeOf(instant, "Europe/Oslo")).toEqual({ year: 2026, month: 7, day: 2, hour: 0, minute: 30 });
    expect(zoneOffset(instant, "Europe/Oslo")).toBe(120);
    expect(zoneOffset(instant, "America/St_Johns")).toBe(-150);
  });

  it("converts local time back to the instant, also on days of clock changes", () => {
    const zones = fc.constantFrom(
      "Europe/Oslo",
      "America/New_York",
      "Australia/Lord_Howe",
      "Asia/Kolkata",
      "UTC",
    );
    const minutes = fc.integer({ min: Date.UTC(2000, 0) / 60_000, max: Date.UTC(2040, 0) / 60_000 });
    fc.assert(
      fc.property(zones, minutes, (zone, minute) => {
        const wall = wallTimeOf(new Date(minute * 60_000), zone);
        expect(wallTimeOf(instantOf(wall, zone), zone)).toEqual(wall);
      }),
    );
  });

  it("skips a gap, and counts days across the end of a month", () => {
    const inGap = { year: 2026, month: 3, day: 29, hour: 2, minute: 30 };
    expect(wallTimeOf(instantOf(inGap, "Europe/Oslo"), "Europe/Oslo").hour).toBe(3);
    const inWest = { year: 2027, month: 3, day: 14, hour: 2, minute: 30 };
    expect(wallTimeOf(instantOf(inWest, "America/New_York"), "America/New_York").hour).toBe(3);
    expect(isoDay({ year: 2026, month: 1, day: 32 })).toBe("2026-02-01");
  });
});
