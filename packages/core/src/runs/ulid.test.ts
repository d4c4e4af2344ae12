import { expect, it } from "vitest";
import { RunId } from "../contract/ids.ts";
import { createUlids, ulid } from "./ulid.ts";

it("fits the shape of a run id", () => {
  expect(RunId.safeParse(`run-${ulid()}`).success).toBe(true);
});

it("writes the milliseconds into the first ten characters", () => {
  // The example of the ULID specification.
  expect(createUlids(() => 1_469_918_176_385)().slice(0, 10)).toBe("01aryz6s41");
});

it("sorts in the order of making, also within a millisecond and when the clock goes backwards", () => {
  const clock = [1_000, 1_000, 1_000, 900, 900, 1_001, 5];
  const make = createUlids(() => clock.shift() ?? 0);
  const ids = Array.from({ length: 7 }, make);
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(7);
});
