import { expect, it } from "vitest";
import { usesPerDay } from "./function-labels.ts";

it("shows uses of the last days, including empty days", () => {
  const days = [
    { day: "2026-11-18", used: 2, failed: 1 },
    { day: "2026-11-20", used: 5, failed: 0 },
    { day: "2026-10-01", used: 9, failed: 0 },
  ];
  expect(usesPerDay(days, 4, new Date("2026-11-20T23:30:00.000Z"))).toEqual([0, 2, 0, 5]);
});
