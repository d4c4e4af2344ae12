import { expect, it } from "vitest";
import { checkLabel } from "./function-labels.ts";

it.each([
  ["skills exist", "All skills are installed"],
  ["replay of example 2", "Replay of example 2 has the same result"],
  ["paired trial 1", "A model does no worse with it (trial 1)"],
  ["something newer", "something newer"],
])("explains in plain words what “%s” proves", (name, words) => {
  expect(checkLabel(name)).toBe(words);
});
