import { describe, expect, it } from "vitest";
import { chaosRuns } from "../soak/chaos.ts";

// A slice of `npm run soak -- chaos`.

describe("a model that misbehaves at random", () => {
  it("ends every run with a typed outcome, hangs none, and changes nothing without permission", async () => {
    const { outcomes, problems } = await chaosRuns({ seed: 20_261_122, runs: 12 });
    expect(problems).toEqual([]);
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(12);
  }, 240_000);
});
