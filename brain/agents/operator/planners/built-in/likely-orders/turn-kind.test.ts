import { describe, expect, it } from "vitest";
import { readExpression } from "../calculation/expression.ts";
import { probabilitiesOf, TURN_KINDS, turnContext, turnFeatures } from "./turn-kind.ts";

const camp = turnContext(["lantern tent whistle"], "out/camp.md", "add");
const kindOf = (message: string, context = camp): string =>
  Object.entries(probabilitiesOf(turnFeatures(message, context))).toSorted(
    ([, one], [, other]) => other - one,
  )[0]?.[0] ?? "";

describe("the kind of a message", () => {
  it("is told by its words and by what the conversation knows", () => {
    expect(kindOf("also add a mallet and some rope please")).toBe("add");
    expect(kindOf("we can take the tent off")).toBe("remove");
    expect(kindOf("what is on it now?")).toBe("ask");
    const afterTask = turnContext(["ring the vet"], undefined, "task");
    expect(kindOf("remind me on friday to fetch the keys", afterTask)).toBe("task");
    expect(kindOf("remember that the caretaker is called Ove")).toBe("memory");
    expect(kindOf("my feet are killing me lol")).toBe("remark");
  });

  it("has probabilities that add up to 1, also for an empty message", () => {
    for (const message of ["", "add a mallet", "x".repeat(5_000), "ä ö ü 😀"]) {
      const probabilities = Object.values(probabilitiesOf(turnFeatures(message, camp)));
      expect(probabilities).toHaveLength(TURN_KINDS.length);
      expect(probabilities.reduce((sum, one) => sum + one, 0)).toBeCloseTo(1, 9);
    }
  });
});

describe("a calculation in the order of its words", () => {
  it.each([
    ["3 tubes at 450 n 2 chains at 1200, total?", undefined, "3 * 450 + 2 * 1200"],
    ["and 8 times 350 for stitching?", undefined, "8 * 350"],
    ["minus 10%", "4550", "4550 - 10%"],
    ["37 jars and one costs 8.50, how much together", undefined, "37 * 8.50"],
  ])("reads %j after %j as %s", (message, last, expression) => {
    expect(readExpression(message, last)).toBe(expression);
  });

  it.each([
    "3 tubes and 2 chains went missing",
    "room 12, floor 3?",
    "we meet at 8 and at 9",
    "minus the dog",
  ])("reads no calculation in %j", (message) => {
    expect(readExpression(message, undefined)).toBeUndefined();
  });
});
