import { expect, it } from "vitest";
import { groupByDay } from "./group-by-day.ts";

it("groups by the calendar day of the reader, then by week and month", () => {
  const now = new Date(2026, 10, 23, 0, 30);
  const dates = [
    new Date(2026, 10, 23, 0, 10),
    new Date(2026, 10, 22, 23, 50),
    new Date(2026, 10, 17, 12),
    new Date(2026, 10, 16, 12),
    new Date(2026, 9, 30, 12),
    new Date(2026, 8, 2, 12),
    new Date(2026, 8, 1, 12),
  ].map((date) => date.toISOString());
  const groups = groupByDay(dates, (date) => date, now);
  expect(groups.map(({ label, items }) => [label, items.length])).toEqual([
    ["Today", 1],
    ["Yesterday", 1],
    ["Last 7 days", 2],
    ["Last 30 days", 1],
    ["September 2026", 2],
  ]);
});
