import { describe, expect, it } from "vitest";
import { formatMoment } from "./clock.ts";
import { readPastPeriod } from "./past-periods.ts";

// A Friday, 09:30 in Helsinki (UTC+2).
const clock = { now: new Date("2026-11-27T07:30:00Z"), timeZone: "Europe/Helsinki" };

/** The period in local time: "2026-11-26 00:00". */
function local(words: string): [string, string] | undefined {
  const period = readPastPeriod(words, clock);
  const shown = (moment: string): string => formatMoment(moment, clock);
  return period && [shown(period.from), shown(period.until)];
}

describe("a period that has begun", () => {
  it.each([
    ["today", "2026-11-27 00:00", "2026-11-28 00:00"],
    ["yesturday", "2026-11-26 00:00", "2026-11-27 00:00"],
    ["on wendesday", "2026-11-25 00:00", "2026-11-26 00:00"],
    ["today so far", "2026-11-27 00:00", "2026-11-28 00:00"],
    ["yesterday", "2026-11-26 00:00", "2026-11-27 00:00"],
    ["the day before yesterday", "2026-11-25 00:00", "2026-11-26 00:00"],
    ["this week", "2026-11-23 00:00", "2026-11-30 00:00"],
    ["last week", "2026-11-16 00:00", "2026-11-23 00:00"],
    ["over the weekend", "2026-11-21 00:00", "2026-11-23 00:00"],
    ["this month", "2026-11-01 00:00", "2026-12-01 00:00"],
    ["last year", "2025-01-01 00:00", "2026-01-01 00:00"],
    ["on monday", "2026-11-23 00:00", "2026-11-24 00:00"],
    ["on tuesday", "2026-11-24 00:00", "2026-11-25 00:00"],
    ["tuesday evening", "2026-11-24 17:00", "2026-11-25 00:00"],
    ["on friday", "2026-11-27 00:00", "2026-11-28 00:00"],
    ["last friday", "2026-11-20 00:00", "2026-11-21 00:00"],
    ["on Sat", "2026-11-21 00:00", "2026-11-22 00:00"],
    ["this morning", "2026-11-27 00:00", "2026-11-27 12:00"],
    ["yesterday afternoon", "2026-11-26 12:00", "2026-11-26 18:00"],
    ["monday morning", "2026-11-23 00:00", "2026-11-23 12:00"],
    ["last night", "2026-11-26 18:00", "2026-11-27 06:00"],
    ["since monday", "2026-11-23 00:00", "2026-11-27 09:30"],
    ["in the last 3 days", "2026-11-25 00:00", "2026-11-27 09:31"],
    ["the past two hours", "2026-11-27 07:30", "2026-11-27 09:31"],
    ["two days ago", "2026-11-25 00:00", "2026-11-26 00:00"],
    ["a week ago", "2026-11-20 00:00", "2026-11-21 00:00"],
    ["in october", "2026-10-01 00:00", "2026-11-01 00:00"],
    ["in december", "2025-12-01 00:00", "2026-01-01 00:00"],
    ["on 3 november", "2026-11-03 00:00", "2026-11-04 00:00"],
    ["on november 28th", "2025-11-28 00:00", "2025-11-29 00:00"],
    ["2026-11-02", "2026-11-02 00:00", "2026-11-03 00:00"],
  ])("reads “%s”", (words, from, until) => {
    expect(local(words)).toEqual([from, until]);
  });

  it.each(["tomorrow", "next week", "the dentist", "soon", "may", "on december 24th 2027", "at 9"])(
    "reads “%s” as none",
    (words) => {
      expect(local(words)).toBeUndefined();
    },
  );
});
