import { describe, expect, it } from "vitest";
import { scheduledDays } from "../soak/schedules.ts";

// A slice of `npm run soak -- schedules`.

describe("weeks of schedules at a simulated clock, with kills at random moments", () => {
  it.each([1, 2])(
    "leave one final row for every due moment with %i process(es)",
    async (processes) => {
      const { done, problems } = await scheduledDays({
        seed: 20_261_123,
        // The clocks of New York and Oslo are set forward in these days.
        from: "2026-03-06",
        days: 25,
        schedules: 9,
        kills: 8,
        processes,
      });
      expect(problems).toEqual([]);
      expect(done.rows).toBeGreaterThan(150);
      expect(done.killed).toBeGreaterThan(5);
    },
    60_000,
  );
});
