import { describe, expect, it } from "vitest";
import { simulatedDays } from "../soak/clock.ts";

// A slice of `npm run soak -- clock`.

describe("two hours at a simulated clock", () => {
  it("leave no run hanging, expire everything once and at its time, and leave no error in the log", async () => {
    const { done, problems } = await simulatedDays({ seed: 20_261_122, hours: 2 });
    expect(problems).toEqual([]);
    expect(done).toMatchObject({ "times the date was set back": 1, "times the date was set forward": 1 });
  }, 60_000);
});
