import { expect, it } from "vitest";
import { relativeTerms } from "./kinship.ts";

it.each([
  ["sibling", "sister"],
  ["siblings", "brother"],
  ["mum", "mother"],
  ["parents", "dad"],
  ["kids", "daughter"],
  ["spouse", "husband"],
])("takes a fact that says the other word for one about a %s: %s", (word, other) => {
  expect(relativeTerms(word)).toContain(other);
});

it("keeps relatives apart, and knows no others", () => {
  expect(relativeTerms("brother")).not.toContain("sister");
  expect(relativeTerms("sister")).not.toContain("sibling");
  expect(relativeTerms("boat")).toEqual([]);
});
