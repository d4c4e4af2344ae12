import { describe, expect, it } from "vitest";
import { dateSpans } from "./dates.ts";
import { NOW, OSLO } from "./testing-grammar.ts";
import { tokenise } from "./tokens.ts";

/** The words taken for a date and what they stand for. */
function found(request: string, now = NOW, timeZone = OSLO): string[] {
  const tokens = tokenise(request);
  return dateSpans(request, tokens, { now, timeZone }).map(({ from, to, value }) => {
    return `${request.slice(tokens[from]?.start, tokens[to - 1]?.end)} = ${value}`;
  });
}

describe("dateSpans", () => {
  it.each<[string, string]>([
    ["tomorrow", "tomorrow = 2026-11-19"],
    ["friday", "friday = 2026-11-20"],
    ["next tuesday", "next tuesday = 2026-11-24"],
    ["in 3 days", "in 3 days = 2026-11-21"],
    ["2026-12-24", "2026-12-24 = 2026-12-24"],
    ["the 1st of december", "1st of december = 2026-12-01"],
    ["on the 5th", "the 5th = 2026-12-05"],
    ["on the 20th", "the 20th = 2026-11-20"],
    ["end of day", "end of day = 2026-11-18"],
    ["end of the week", "end of the week = 2026-11-22"],
    ["this week", "this week = 2026-11-22"],
    ["next week", "next week = 2026-11-23"],
    ["next month", "next month = 2026-12-01"],
    ["in 10 minutes", "in 10 minutes = 2026-11-18T09:40:00.000Z"],
    ["friday at 5pm", "friday at 5pm = 2026-11-20T16:00:00.000Z"],
    ["at 5", "at 5 = 2026-11-18T16:00:00.000Z"],
    ["at 8:30", "at 8:30 = 2026-11-19T07:30:00.000Z"],
    ["tomorrow at noon", "tomorrow at noon = 2026-11-19T11:00:00.000Z"],
  ])("reads %j", (request, expected) => {
    expect(found(request)).toEqual([expected]);
  });

  it.each([
    "every monday",
    "the friday report",
    "the weekend",
    "about friday",
    "for 30 minutes",
    "a week",
    "now",
    "yesterday",
    '"tomorrow"',
    "tomorrow.md",
  ])("sets no day for %j", (request) => {
    expect(found(request)).toEqual([]);
  });

  it("counts from the day at the person's place, and says moments in UTC", () => {
    const lateInUtc = new Date("2026-11-18T23:30:00Z");
    expect(found("tomorrow", lateInUtc, "UTC")).toEqual(["tomorrow = 2026-11-19"]);
    expect(found("tomorrow", lateInUtc, "Asia/Tokyo")).toEqual(["tomorrow = 2026-11-20"]);
    expect(found("tomorrow at 9:00", lateInUtc, "Asia/Tokyo")).toEqual([
      "tomorrow at 9:00 = 2026-11-20T00:00:00.000Z",
    ]);
  });

  it("keeps the hour of the wall when clocks change in between", () => {
    expect(found("on 2027-06-01 at 9:00")).toEqual(["2027-06-01 at 9:00 = 2027-06-01T07:00:00.000Z"]);
  });
});
