import { readRequest } from "@metahuman/core/language/read-request";
import { describe, expect, it } from "vitest";
import { skillBench } from "../../../tests/support/skill-bench.ts";
import { installedSkills } from "../installed.ts";
import { skillGrammar } from "../skill-card.ts";
import { calculate, formatResult } from "./evaluate.ts";
import { calculateSkill } from "./skill.ts";

const bench = skillBench();
const grammars = installedSkills.map(skillGrammar);

/** The calls that a request is read as, with no model. */
function planned(request: string): string[] {
  const reading = readRequest(request, grammars, { now: new Date("2026-11-25T09:00:00Z"), timeZone: "UTC" });
  return reading.kind === "plan" ? reading.calls.map(({ skill }) => skill) : [];
}

describe("calculate", () => {
  it.each([
    ["12 % of 340", "40.8"],
    ["(3 + 4) * 2", "14"],
    ["2 + 3 * 4", "14"],
    ["-2^2", "-4"],
    ["2^3^2", "512"],
    ["200 + 10 %", "220"],
    ["0.1 + 0.2", "0.3"],
    ["1,250 plus 20 percent", "1500"],
    ["two hundred and five times three", "615"],
    ["the square root of 144", "12"],
    ["half of ninety", "45"],
    ["5 miles in km", "8.0467 km"],
    ["98 °F in °C", "36.6667 °C"],
    ["3 and a half hours in minutes", "210 min"],
    ["half an hour in minutes", "30 min"],
    ["86 euros / 4", "21.5"],
    ["17 percent of 2,340 euros", "397.8"],
    ["€20 + 5 %", "21"],
    ["sum of 12, 30 and 8", "50"],
    ["sum of 1,250, 2", "1252"],
    ["average of 4, 8 and 9", "7"],
    ["product of 2; 3; 4", "24"],
    ["999999999999 * 999999999999", "999999999998000000000001"],
    ["9007199254740993 + 2", "9007199254740995"],
    ["10 / 3", "3.33333333333"],
    ["sqrt 2 * sqrt 2", "2"],
    ["1 / 100000000000000", "0.00000000000001"],
  ])("calculates %s", (expression, result) => {
    expect(formatResult(calculate(expression))).toBe(result);
  });

  it.each(["1 / 0", "9 ^ 999 ^ 9"])("reports that %s has no result", (expression) => {
    expect(() => calculate(expression)).toThrow("no result");
  });

  it.each(["", "2 +", "(2", "import x", "3 apples", "5 miles in kilograms", "5 x in km"])(
    "refuses %j",
    (expression) => {
      expect(() => calculate(expression)).toThrow(expect.objectContaining({ code: "INVALID_ARGS" }));
    },
  );

  it.each([
    ["weekday of 2026-12-24", "Thursday"],
    ["date of 2026-12-16", "Wednesday, 16 December 2026"],
    ["days from 2026-12-01 to 2026-12-24", "23 days"],
    ["days from 2026-12-24 to 2026-12-23", "1 day"],
  ])("answers %s", async (expression, result) => {
    const { outputs } = await bench.call(calculateSkill, { expression });
    expect(outputs).toEqual({ expression, result });
  });

  it("counts days and weeks from today in the person's time zone", async () => {
    // The bench is at 2026-11-20.
    const days = await bench.call(calculateSkill, { expression: "days until 2026-12-25" });
    expect(days.outputs["result"]).toBe("35 days");
    const week = await bench.call(calculateSkill, { expression: "week number" });
    expect(week.outputs["result"]).toBe("week 47");
  });
});

describe("a request to calculate", () => {
  it.each([
    "what is 17 times 24",
    "what is seventeen plus ninety-six",
    "what is 1,250 plus 20 percent",
    "4111111111111111 * 2",
    "what is twice fourteen",
    "what is the square root of 81",
    "convert 10 km to miles",
  ])("is recognized: %s", (request) => {
    expect(planned(request)).toEqual(["calculate"]);
  });

  it("is not searched for in long numbers without a calculation", () => {
    // A pattern that can split a number in many ways tries 2^40 of them here.
    expect(planned(`what is ${"1".repeat(40)} + a`)).toEqual([]);
    expect(planned(`what is ${"twice double ".repeat(40)}a`)).toEqual([]);
  });
});
