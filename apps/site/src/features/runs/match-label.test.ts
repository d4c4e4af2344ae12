import { expect, it } from "vitest";
import { matchLabel, wordsOfId } from "./match-label.ts";

it("says in words how well something fits", () => {
  expect([0.9, 0.75, 0.6, 0.2].map(matchLabel)).toEqual([
    "strong match",
    "strong match",
    "good match",
    "weak match",
  ]);
});

it("names a memory by the words of its id", () => {
  expect(wordsOfId("evt-20261123T045858000Z-garage-code-kept")).toBe("garage code kept");
  expect(wordsOfId("evt-20261123T045858000Z-")).toBe("evt-20261123T045858000Z-");
});
