import { describe, expect, it } from "vitest";
import { calendarDays, describeDay, monthLabels, shownMoments } from "./calendar-days.ts";

// A Monday.
const NOW = new Date(2026, 10, 23, 18, 0);

describe("the calendar", () => {
  it("counts past and planned occurrences by day and names the worst outcome", () => {
    const at = (day: number) => new Date(2026, 10, day, 9, 0).toISOString();
    const occurrence = { scheduleId: "sched-1", attempt: 0 };
    const days = calendarDays(
      {
        items: [
          { ...occurrence, dueAt: at(20), state: "succeeded" },
          { ...occurrence, dueAt: at(20), state: "failed" },
        ],
        planned: [{ scheduleId: "sched-1", dueAt: at(24) }],
      },
      NOW,
      { past: 5, future: 2, skipDays: ["2026-11-19", "2026-11-25"] },
    );
    expect(days.map(({ weekday, worst, isToday }) => [weekday, worst, isToday])).toEqual([
      [2, undefined, false],
      [3, undefined, false],
      [4, "failed", false],
      [5, undefined, false],
      [6, undefined, false],
      [0, undefined, true],
      [1, "planned", false],
      [2, "skipped", false],
    ]);
  });

  it("marks a day with more occurrences than are listed", () => {
    const dueAt = new Date(2026, 10, 24, 9, 0).toISOString();
    const [, tomorrow] = calendarDays(
      { items: [], planned: [{ scheduleId: "sched-1", dueAt, andMore: true }] },
      NOW,
      { past: 0, future: 1 },
    );
    expect(tomorrow && describeDay(tomorrow)).toBe("Tue 24 Nov: at least 1 planned");
  });

  it("requests whole days, including the first and the last", () => {
    expect(shownMoments(NOW)).toEqual({
      from: new Date(2026, 8, 24).toISOString(),
      to: new Date(2026, 11, 14).toISOString(),
    });
  });

  it("labels a month at its first full week, and not a month that ends soon", () => {
    const days = calendarDays({ items: [], planned: [] }, NOW, { past: 60, future: 20 });
    expect(days[0]?.day).toBe("2026-09-24");
    expect(monthLabels(days)).toEqual([
      { month: "Oct", week: 2 },
      { month: "Nov", week: 6 },
      { month: "Dec", week: 11 },
    ]);
  });
});
