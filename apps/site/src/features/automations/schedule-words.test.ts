import { describe, expect, it } from "vitest";
import { dayName, scheduleWords } from "./schedule-words.ts";

const weekly = {
  when: { kind: "cron", expression: "0 9 * * 1" },
  timeZone: "Pacific/Auckland",
  next: ["2026-12-06T20:00:00.000Z"],
} as const;
const now = new Date("2026-11-27T12:00:00.000Z");

describe("the words of a schedule", () => {
  it("give its next moment in its own time zone until that of the browser is known", () => {
    expect(scheduleWords({ ...weekly, next: [...weekly.next] }, now, undefined)).toEqual({
      when: "every Monday at 09:00",
      next: { words: "7 Dec, 09:00", exact: "Monday 7 December 2026 at 09:00", day: "2026-12-07" },
      today: "2026-11-28",
    });
  });

  it("name the day after which it ends", () => {
    const ending = { ...weekly, next: [...weekly.next], until: "2027-01-31T10:59:59.999Z" };
    expect(scheduleWords(ending, now, undefined).when).toBe(
      "every Monday at 09:00 until Sunday 31 January 2027",
    );
  });

  it("give its next moment by the clock of the browser, and its day in its own time zone", () => {
    const local = new Date(2026, 11, 6, 21, 30);
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const { next } = scheduleWords({ ...weekly, next: [local.toISOString()] }, now, own);
    expect(next?.words).toBe("6 Dec, 21:30");
    expect(next?.exact).toBe("Sunday 6 December 2026 at 21:30");
    const [day] = new Intl.DateTimeFormat("en-CA", { timeZone: "Pacific/Auckland" }).format(local).split(",");
    expect(next?.day).toBe(day);
  });

  it("call the next moment today's or tomorrow's by the calendar of its zone", () => {
    const at = (next: string) => scheduleWords({ ...weekly, next: [next] }, now, undefined).next?.words;
    expect(at("2026-11-27T20:00:00.000Z")).toBe("today, 09:00");
    expect(at("2026-11-28T20:00:00.000Z")).toBe("tomorrow, 09:00");
  });

  it("name no next moment when there is none", () => {
    expect(scheduleWords({ ...weekly, next: [] }, now, undefined).next).toBeUndefined();
  });

  it("name a day without its year", () => {
    expect(dayName("2026-12-07")).toBe("7 Dec");
  });
});
