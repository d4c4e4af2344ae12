import { expect, it } from "vitest";
import { checkWords } from "./check-labels.ts";

it.each([
  ["skills exist", "Every skill that it names is installed"],
  ["replay of example 2", "Example 2, done again, brings the same"],
  ["paired trial 1", "A model does no worse with it than without it (trial 1)"],
  ["something newer", "something newer"],
])("says in plain words what “%s” proves", (name, words) => {
  expect(checkWords(name)).toBe(words);
});
