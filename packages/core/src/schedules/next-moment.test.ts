import { describe, expect, it } from "vitest";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { checkCron, nextMoment, nextMoments } from "./next-moment.ts";

const cron = (expression: string, timeZone = "Europe/Oslo") => ({
  when: { kind: "cron" as const, expression },
  timeZone,
});
const iso = (moments: readonly Date[]) => moments.map((moment) => moment.toISOString());

describe("the next moment of a cron expression", () => {
  it("is read in the schedule's time zone", () => {
    const after = new Date("2026-11-23T12:00:00Z");
    expect(iso(nextMoments(cron("30 7 * * 1-5"), after, 5))).toEqual([
      "2026-11-24T06:30:00.000Z",
      "2026-11-25T06:30:00.000Z",
      "2026-11-26T06:30:00.000Z",
      "2026-11-27T06:30:00.000Z",
      "2026-11-30T06:30:00.000Z",
    ]);
    expect(iso(nextMoments(cron("0 9 * * *", "Asia/Kolkata"), after, 1))).toEqual([
      "2026-11-24T03:30:00.000Z",
    ]);
  });

  it("is the next valid minute when the clock is set forward over it", () => {
    const moment = nextMoment(cron("30 2 * * *"), new Date("2026-03-28T12:00:00Z"));
    expect(moment).toEqual({
      at: new Date("2026-03-29T01:00:00Z"),
      note: "02:30 does not exist on this day: the clock is set forward.",
    });
    expect(nextMoment(cron("30 2 * * *"), new Date("2026-03-29T01:00:00Z"))?.at).toEqual(
      new Date("2026-03-30T00:30:00Z"),
    );
  });

  it("counts times in the gap once, also for an expression that matches often", () => {
    expect(iso(nextMoments(cron("*/15 * * * *"), new Date("2026-03-29T00:40:00Z"), 3))).toEqual([
      "2026-03-29T00:45:00.000Z",
      "2026-03-29T01:00:00.000Z",
      "2026-03-29T01:15:00.000Z",
    ]);
  });

  it("counts a time that exists twice once, the first time", () => {
    const moment = nextMoment(cron("30 2 * * *"), new Date("2026-10-24T12:00:00Z"));
    expect(moment?.at).toEqual(new Date("2026-10-25T00:30:00Z"));
    expect(moment?.note).toContain("exists twice");
    for (const after of ["2026-10-25T00:30:00Z", "2026-10-25T01:10:00Z"])
      expect(nextMoment(cron("30 2 * * *"), new Date(after))?.at).toEqual(new Date("2026-10-26T01:30:00Z"));
  });

  it("handles a shift of half an hour", () => {
    expect(
      nextMoment(cron("15 2 * * *", "Australia/Lord_Howe"), new Date("2026-10-03T12:00:00Z")),
    ).toMatchObject({
      at: new Date("2026-10-03T15:30:00Z"),
    });
  });

  it("finds rare days and ends at the last moment allowed", () => {
    expect(nextMoment(cron("0 9 29 2 *"), new Date("2026-01-01T00:00:00Z"))?.at).toEqual(
      new Date("2028-02-29T08:00:00Z"),
    );
    const until = "2026-11-25T00:00:00.000Z";
    expect(nextMoments({ ...cron("0 9 * * *"), until }, new Date("2026-11-23T12:00:00Z"), 5)).toHaveLength(1);
  });

  it.each([
    ["0 9 31 11 *", /No day matches/],
    ["*/0 * * * *", /not a cron expression/],
    ["61 * * * *", /not a cron expression/],
  ])("is refused for %s", (expression, message) => {
    expect(() => checkCron(expression)).toThrow(InvalidArgsError);
    expect(() => checkCron(expression)).toThrow(message);
  });
});

describe("the next moment of an interval", () => {
  const when = { kind: "every" as const, seconds: 7_200, anchor: "2026-11-23T10:00:00.000Z" };
  it.each([
    ["2026-11-23T08:00:00Z", "2026-11-23T10:00:00.000Z"],
    ["2026-11-23T10:00:00Z", "2026-11-23T12:00:00.000Z"],
    ["2026-11-23T13:59:59Z", "2026-11-23T14:00:00.000Z"],
  ])("after %s is %s", (after, next) => {
    expect(nextMoment({ when, timeZone: "UTC" }, new Date(after))?.at.toISOString()).toBe(next);
  });
});

describe("the next moment of an interval of days", () => {
  it("keeps its local time and its day of the week when the clocks change", () => {
    const when = { kind: "every" as const, seconds: 14 * 86_400, anchor: "2026-10-12T17:00:00.000Z" };
    const timing = { when, timeZone: "Europe/Oslo" };
    expect(iso(nextMoments(timing, new Date("2026-10-01T00:00:00Z"), 4))).toEqual([
      "2026-10-12T17:00:00.000Z",
      "2026-10-26T18:00:00.000Z",
      "2026-11-09T18:00:00.000Z",
      "2026-11-23T18:00:00.000Z",
    ]);
    expect(nextMoment(timing, new Date("2030-01-01T00:00:00Z"))?.at.toISOString()).toBe(
      "2030-01-14T18:00:00.000Z",
    );
  });

  it("is the next valid minute in a gap, and keeps the seconds at which it began", () => {
    const when = { kind: "every" as const, seconds: 86_400, anchor: "2026-03-28T01:30:12.345Z" };
    const moment = nextMoment({ when, timeZone: "Europe/Oslo" }, new Date("2026-03-28T01:30:12.345Z"));
    expect(moment?.at.toISOString()).toBe("2026-03-29T01:00:12.345Z");
    expect(moment?.note).toContain("does not exist");
  });
});

describe("a schedule for one moment", () => {
  it("is due once", () => {
    const timing = { when: { kind: "at" as const, at: "2026-11-27T08:00:00.000Z" }, timeZone: "UTC" };
    expect(iso(nextMoments(timing, new Date("2026-11-23T10:00:00Z"), 5))).toEqual([
      "2026-11-27T08:00:00.000Z",
    ]);
    expect(nextMoment(timing, new Date("2026-11-27T08:00:00Z"))).toBeUndefined();
  });
});
