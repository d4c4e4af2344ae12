import { readRequest } from "@metahuman/core/language/read-request";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { installedSkills } from "../installed.ts";
import { skillGrammar } from "../skill-card.ts";
import { calculate, formatResult } from "./evaluate.ts";
import { calculateSkill } from "./skill.ts";

const harness = skillHarness();
const grammars = installedSkills.map(skillGrammar);

/** The calls that a request is read as, with no model. */
function planned(request: string): string[] {
  const reading = readRequest(request, grammars, { now: new Date("2026-11-25T09:00:00Z"), timeZone: "UTC" });
  return reading.kind === "plan" ? reading.calls.map(({ skill }) => skill) : [];
}

/** The expression that a request is read as; today is 2026-11-20. */
function expressionOf(request: string): string {
  const reading = readRequest(request, grammars, { now: new Date("2026-11-20T10:00:00Z"), timeZone: "UTC" });
  const [call] = reading.kind === "plan" ? reading.calls : [];
  const value = call?.args["expression"];
  return value?.from === "request" ? String(value.value) : `not read: ${request}`;
}

// Patterns with a part that can be read in two ways try 2^n readings of n such parts.
it.each(["9am ", "9aand", "9am and ", "9am, "])("reads many of %j in one way", (piece) => {
  expect(planned(`${piece.repeat(Math.floor(110 / piece.length))}; x`)).toEqual([]);
});

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
    ["0.25 mg in micrograms", "250 µg"],
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
    ["1,5 l in dl", "15 dl"],
    ["a week in days", "7 d"],
    ["30 as % of 240", "12.5 %"],
    ["80 to 100 in %", "25 %"],
    ["120 + 24 % vat", "148.8"],
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
    const { outputs } = await harness.call(calculateSkill, { expression });
    expect(outputs).toEqual({ expression, result });
  });

  it("counts days and weeks from today in the person's time zone", async () => {
    // Today is 2026-11-20.
    const days = await harness.call(calculateSkill, { expression: "days until 2026-12-25" });
    expect(days.outputs["result"]).toBe("35 days");
    const week = await harness.call(calculateSkill, { expression: "week number" });
    expect(week.outputs["result"]).toBe("week 47");
  });
});

describe("a sum of money", () => {
  it.each([
    ["105.44 euros / 3", "35.15", "105.44 euros / 3 = 35.15 (to the cent: 35.15, 35.15 and 35.14)"],
    ["€105.44 / 3", "35.15", "€105.44 / 3 = 35.15 (to the cent: 35.15, 35.15 and 35.14)"],
    ["70.29 / 2", "35.145", "70.29 / 2 = 35.145 (to the cent: 35.15 and 35.14)"],
    ["$100 / 7", "14.29", "$100 / 7 = 14.29 (to the cent: 4 × 14.29 and 3 × 14.28)"],
    ["86.40 euros / 3", "28.80", "86.40 euros / 3 = 28.80"],
    ["10 % of £45.55", "4.56", "10 % of £45.55 = 4.56"],
    ["0.0875 euros * 3", "0.2625", "0.0875 euros × 3 = 0.2625"],
    ["100 / 7", "14.2857142857", "100 / 7 = 14.2857142857"],
  ])("is rounded to cents, with the shares of %s", async (expression, result, sentence) => {
    const { outputs } = await harness.call(calculateSkill, { expression });
    expect(outputs).toEqual({ expression, result });
    expect(calculateSkill.narrate(outputs, { timeZone: "UTC", locale: "en" })).toBe(sentence);
  });
});

describe("a request in words", () => {
  it.each([
    ["split 86.40 by 3 plus 10 % tip", "31.68"],
    ["split 86.40 between 3 people plus 10% tip", "31.68"],
    ["86.40 split 3 ways", "28.80"],
    ["how much is $100 split 3 ways", "33.33"],
    ["20 % off 59.90", "47.92"],
    ["add 24 % vat to 120", "148.8"],
    ["what is 124 without 24 % vat", "100"],
    ["30 is what percent of 240", "12.5 %"],
    ["from 80 to 100 is how many percent", "25 %"],
    ["how many days till the regatta on 12 december", "22 days"],
    ["how many weeks until 25 december", "5 weeks"],
    ["how many minutes have 3 hours", "180 min"],
    ["how many seconds has an hour", "3600 s"],
    ["how many grams does 2 kilos have", "2000 g"],
    ["how many hours do 3 days have", "72 h"],
    ["how many days ago was 1 november", "19 days"],
    ["days between 3 march and 24 december", "296 days"],
    ["how old is somebody born 3 may 1980", "46 years"],
    ["which day was 1 january 2000", "Saturday"],
    ["9am in Helsinki in New York", "02:00"],
    ["15:30 London time in Tokyo", "00:30, the next day"],
    ["when it's 9am in Helsinki, what time is it in New York?", "02:00"],
    ["time difference between Helsinki and New York", "7 hours; it is earlier in New York"],
    ["how many ml in a cup", "236.5882 ml"],
    ["5 feet 7 inches in cm", "170.18 cm"],
    ["2 hours 35 minutes plus 50 minutes", "3 hours 25 minutes"],
    ["how much is 40 percent of 18 kg", "7.2 kg"],
    ["18 kg + 10 %", "19.8 kg"],
    ["7.2 kg - 5%", "6.84 kg"],
    ["from 22:00 to 6:30 how many hours", "8 hours 30 minutes"],
    ["how long does it take to drive 300 km at 80 km/h", "3 hours 45 minutes"],
    ["average of 12, 15 and 18", "15"],
    ["-5 c in f", "23 °F"],
    ["(12+8)/4", "5"],
    [".5 * 3", "1.5"],
    ["√16", "4"],
    ["what is -40 celsius in fahrenheit", "-40 °F"],
    ["whats 15% tip on 64.50", "9.675"],
    ["3/4 of 60", "45"],
    ["two thirds of 90", "60"],
    ["1.250,50 + 20", "1270.50"],
    ["12 items at 3.5 euros each", "42"],
    ["what do I pay for 3 at 4.20 each", "12.60"],
    ["vat of 24% in 124 euros", "24"],
    ["increase 250 by 8%", "270"],
    ["decrease 1200 by 15 percent", "1020"],
    ["average of 3 4 and 8", "5"],
    ["mean of 10, 20, 30", "20"],
    ["add 12, 15.5 and 9", "36.5"],
    ["difference between 29 and 83", "54"],
    ["remainder of 17 divided by 5", "2"],
    ["17 mod 5", "2"],
    ["a dozen times 4", "48"],
    ["pi * 4^2", "50.2654824574"],
    ["2e3 * 4", "8000"],
    ["100 divided by 7 rounded to 2 decimals", "14.29"],
    ["round 3.14159 to 2 decimals", "3.14"],
    ["0.75 as a percentage", "75 %"],
    ["how far is 26.2 miles in km", "42.1648 km"],
    ["how hot is 100 f in celsius", "37.7778 °C"],
    ["36 months in years", "3 yr"],
    ["how many weeks in a year", "52.1775 wk"],
    ["2 acres in square meters", "8093.7128 m²"],
    ["1000 square feet in square meters", "92.903 m²"],
    ["1 nautical mile in km", "1.852 km"],
    ["2 bar in psi", "29.0075 psi"],
    ["180 cm in feet and inches", "5 ft 10.8661 in"],
    ["6 ft 2 in cm", "187.96 cm"],
    ["135 minutes in hours and minutes", "2 h 15 min"],
    ["3/8 as a decimal", "0.375"],
    ["10 l/100km in mpg", "23.5215 mpg"],
    ["30 mpg in L/100km", "7.8405 l/100km"],
    ["100 Mb in MB", "12.5 MB"],
    ["500 mb in gb", "0.5 GB"],
    ["5 Mg in kg", "5000 kg"],
    ["100 sq m in sq ft", "1076.391 ft²"],
    ["3 sq. km in ha", "300 ha"],
    ["5 square yards in m2", "4.1806 m²"],
    ["1 Sq ft in m2", "0.092903 m²"],
    ["8 kt in km/h", "14.816 km/h"],
    ["-459.67 °F in K", "0 K"],
    ["3:40 + 2:50 + 6:20 + 4:10 + 1:45", "18:45"],
    ["1:00:30 - 0:45:40", "0:14:50"],
    ["3 minutes 40 seconds + 2 minutes 50 seconds", "6 minutes 30 seconds"],
    ["1 hour 20 minutes 30 seconds + 45 minutes", "2 hours 5 minutes 30 seconds"],
    ["40 * 38.50 * 1.25", "1925"],
    ["45 * 38.50", "1732.50"],
    ["what day is it in 3 weeks", "Friday, 11 December 2026"],
  ])("is calculated: “%s”", async (request, result) => {
    const { outputs } = await harness.call(calculateSkill, { expression: expressionOf(request) });
    expect(outputs["result"]).toBe(result);
  });

  it("is several results for several expressions", async () => {
    const { outputs } = await harness.call(calculateSkill, {
      expression: "498.9-412.4; 3 * 4\n5 miles in km",
    });
    expect(outputs["result"]).toBe("86.5; 12; 8.0467 km");
  });

  it.each([
    ["50 usd in eur", "Currencies cannot be converted here"],
    ["convert 100 pounds to euros", "Currencies cannot be converted here"],
    ["how many grams is 3 tablespoons of butter", "depends on what is measured"],
    ["12 * (3 + 4", "A parenthesis is opened and not closed."],
    ["square root of -1", "a negative number has no square root"],
    ["3:40 + 2", "Times such as 3:40 can be added"],
    ["3:40 + 1:02:50", "Times such as 3:40 can be added"],
    ["-500 °C in K", "-500 °C is below absolute zero."],
    ["0 mpg in l/100km", "A consumption must be greater than zero."],
    ["-5 l/100km in mpg", "A consumption must be greater than zero."],
  ])("is refused with the reason: “%s”", async (request, reason) => {
    await expect(harness.call(calculateSkill, { expression: expressionOf(request) })).rejects.toMatchObject({
      message: expect.stringContaining(reason) as unknown,
    });
  });

  it.each(["move 9am to the kitchen", "split the file in two", "add 24 to my list", "time in the garden"])(
    "is no calculation: “%s”",
    (request) => {
      expect(planned(request)).not.toContain("calculate");
    },
  );
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
    // A pattern that can split a number in many ways would try 2^40 ways here.
    expect(planned(`what is ${"1".repeat(40)} + a`)).toEqual([]);
    expect(planned(`what is ${"twice double ".repeat(40)}a`)).toEqual([]);
  });
});
