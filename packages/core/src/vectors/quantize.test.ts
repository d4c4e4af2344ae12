import { expect, it } from "vitest";
import { coarsen, toCoarse, toFine } from "./quantize.ts";

it("gets the same coarse form from a fine form as from the vector, up to one step", () => {
  const vector = Float32Array.from({ length: 4_001 }, (_, index) => (index - 2_000) / 2_000);
  const coarse = new Int8Array(vector.length);
  coarsen(toFine(vector), coarse);
  const largest = Math.max(
    ...toCoarse(vector).map((value, index) => Math.abs(value - (coarse[index] ?? NaN))),
  );
  expect(largest).toBeLessThanOrEqual(1);
  expect([coarse[0], coarse[2_000], coarse[4_000]]).toEqual([-127, 0, 127]);
});
