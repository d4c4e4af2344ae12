import { expect, it } from "vitest";
import { RunId } from "../contract/ids.ts";
import { ulid } from "./ulid.ts";

it("has the form of a run id", () => {
  expect(RunId.safeParse(`run-${ulid()}`).success).toBe(true);
});

it("sorts in the order of creation, also within a millisecond and when the clock goes backwards", () => {
  const start = Date.now() + 60_000;
  const ids = [0, 0, 0, -100, -100, 1, -995].map((offset) => ulid(start + offset));
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(7);
});
