import { describe, expect, test } from "vitest";
import { rewriteFurtherCalculation } from "./further-calculations.ts";

const price = { request: "what is 14 * 20 + 95.2", expression: "14 * 20 + 95.2", result: "375.2" };
const weight = { request: "how much is 40 % of 18 kg", expression: "40 % of 18 kg", result: "7.2 kg" };
const dose = {
  request: "what is 0.25 mg in micrograms",
  expression: "0.25 mg in micrograms",
  result: "250 µg",
};
const third = { request: "100 / 3", expression: "100 / 3", result: "33.333333" };

describe("a message that goes on with the last result", () => {
  test.each([
    ["add 23 % vat to that", "calculate 375.2 + 23%"],
    ["plus 23% VAT please", "calculate 375.2 + 23%"],
    ["and what is that with 15 percent tip", "calculate 375.2 + 15%"],
    ["knock 10% off it", "calculate 375.2 - 10%"],
    ["with a 12.5 % discount?", "calculate 375.2 - 12.5%"],
    ["less the 50 deposit", "calculate 375.2 - 50"],
    ["what's left if I take away 30", "calculate 375.2 - 30"],
    ["he paid 40 already, whats left", "calculate 375.2 - 40"],
    ["we used 12.5, how much remains", "calculate 375.2 - 12.5"],
    ["1250.50 plus that", "calculate 1250.50 + 375.2"],
    ["take that away from 1000", "calculate 1000 - 375.2"],
    ["1000 minus that is?", "calculate 1000 - 375.2"],
    ["subtract 5 from that", "calculate 375.2 - 5"],
    ["split that by 2", "calculate 375.2 / 2"],
    ["divide it among 4 people", "calculate 375.2 / 4"],
    ["split between three of us", "calculate 375.2 / 3"],
    ["shared by 5 families how much is that each", "calculate 375.2 / 5"],
    ["times twelve", "calculate 375.2 * 12"],
    ["half of that", "calculate 375.2 / 2"],
    ["a quarter of it", "calculate 375.2 / 4"],
    ["double it", "calculate 375.2 * 2"],
    ["divide by 40 per crate", "calculate 375.2 / 40"],
    ["add 4.50 postage", "calculate 375.2 + 4.50"],
    ["how much is 10 % of that", "calculate 10% of 375.2"],
    ["so what would the 20% vat on that be", "calculate 20% of 375.2"],
    ["round that to 1 decimal", "round 375.2 to 1 decimals"],
  ])("%s", (request, expected) => {
    expect(rewriteFurtherCalculation(request, price)).toBe(expected);
  });

  test.each([
    ["and 60 percent?", weight, "how much is 60 percent of 18 kg"],
    ["what about 25 %", weight, "how much is 25 % of 18 kg"],
    ["and of 20 kg", weight, "how much is 40 % of 20 kg"],
    ["How much is that in pounds", weight, "convert 7.2 kg to pounds"],
    ["and in grams?", weight, "convert 7.2 kg to grams"],
    ["and 1.5 mg", dose, "what is 1.5 mg in micrograms"],
    ["and for 2?", dose, "what is 2 mg in micrograms"],
    ["times 3", weight, "calculate 7.2 kg * 3"],
    ["plus another 500 g", weight, "calculate 7.2 kg + 500 g"],
    ["times 3", third, "calculate (100 / 3) * 3"],
  ])("%s", (request, last, expected) => {
    expect(rewriteFurtherCalculation(request, last)).toBe(expected);
  });

  test.each([
    "add 3 eggs",
    "add phone 25",
    "remind me at 5",
    "add 2 kg flour and a lemon",
    "put that in the list",
    "what is that",
    "move that to 15:00",
    "call Anna at 5",
    "that was 12 too many people in the room",
    "take the 9 o'clock bus off",
    "rent is due in 5 days",
    "and in euros",
  ])("%s says nothing about it", (request) => {
    expect(rewriteFurtherCalculation(request, price)).toBeUndefined();
  });

  test("reads hostile text in a moment", () => {
    const started = performance.now();
    for (const text of ["plus 5 ", "that in ", "half of ", "1 kg and ", "1,", "€ "])
      rewriteFurtherCalculation(text.repeat(1_000), price);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

test("a result is rounded to pence", () => {
  expect(rewriteFurtherCalculation("100 / 7 rounded to 2 decimals", third)).toBeUndefined();
  expect(rewriteFurtherCalculation("round it to pence", third)).toBe("round 33.333333 to 2 decimals");
});

describe("a calculation in a story", () => {
  const wage = {
    request: "i get 15.40 an hour and did 7.5 hrs, how much is that",
    expression: "15.40 * 7.5",
    result: "115.5",
  };
  const jars = {
    request: "we sold 12 jars at 4.50 each, how much is it",
    expression: "12 * 4.50",
    result: "54",
  };

  test.each([
    ["and if i did 9", wage, "calculate 15.40 * 9"],
    ["what if I did 10 hours?", wage, "calculate 15.40 * 10"],
    ["and at 16 an hour", wage, "calculate 16 * 7.5"],
    ["and with 20 jars?", jars, "calculate 20 * 4.50"],
    ["and for 30", jars, "calculate 30 * 4.50"],
    [
      "and 10?",
      { request: "and if i did 9", expression: "15.40 * 9", result: "138.6" },
      "calculate 15.40 * 10",
    ],
  ])("is worked out with another amount: “%s”", (request, last, expected) => {
    expect(rewriteFurtherCalculation(request, last)).toBe(expected);
  });

  test.each([
    "and if it rains on 9 of them",
    "if i had 9 lives",
    "and 3 people were ill",
    "with 2 kids at home",
  ])("is not worked out again after “%s”", (request) => {
    expect(rewriteFurtherCalculation(request, wage)).toBeUndefined();
  });
});

describe("a share of a whole", () => {
  const shared = { request: "split 240 between two of us", expression: "240 / 2", result: "120" };

  test.each(["and if it was three of them?", "what about three", "for 3 people?"])(
    "is worked out for another number of sharers: “%s”",
    (request) => {
      expect(rewriteFurtherCalculation(request, shared)).toBe("calculate 240 / 3");
    },
  );
});
