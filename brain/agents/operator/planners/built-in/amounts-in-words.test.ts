import { describe, expect, test } from "vitest";
import { calculationInWords, furtherCalculation } from "./amounts-in-words.ts";

const price = { request: "what is 14 * 20 + 95.2", expression: "14 * 20 + 95.2", result: "375.2" };
const weight = { request: "how much is 40 % of 18 kg", expression: "40 % of 18 kg", result: "7.2 kg" };
const dose = {
  request: "what is 0.25 mg in micrograms",
  expression: "0.25 mg in micrograms",
  result: "250 µg",
};
const third = { request: "100 / 3", expression: "100 / 3", result: "33.333333" };

describe("a question with both its amounts", () => {
  test.each([
    ["hall 6.5 x 4, how many m2", "calculate 6.5 * 4"],
    ["180 guests, 2 rolls of bread each, how many rolls", "calculate 180 * 2"],
    ["36 plums and 9 kids, how many each", "calculate 36 / 9"],
    ["9 kids, 36 plums, how many plums per kid", "calculate 36 / 9"],
  ])("%s", (request, expected) => {
    expect(calculationInWords(request)).toBe(expected);
  });

  test.each(["180 guests, 2 rolls of bread each", "room 4 x 5"])("is not asked in “%s”", (request) => {
    expect(calculationInWords(request)).toBeUndefined();
  });
});

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
    ["how much is 10 % of that", "calculate 10% of 375.2"],
    ["so what would the 20% vat on that be", "calculate 20% of 375.2"],
    ["round that to 1 decimal", "round 375.2 to 1 decimals"],
  ])("%s", (request, expected) => {
    expect(furtherCalculation(request, price)).toBe(expected);
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
    expect(furtherCalculation(request, last)).toBe(expected);
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
    expect(furtherCalculation(request, price)).toBeUndefined();
  });

  test("reads hostile text in a moment", () => {
    const started = performance.now();
    for (const text of ["plus 5 ", "that in ", "half of ", "1 kg and ", "1,", "€ "])
      furtherCalculation(text.repeat(1_000), price);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

test.each([
  ["840 with 15 % off", "calculate 840 - 15%"],
  ["whats 16 hours at 42.50", "calculate 16 * 42.50"],
  ["three nights at 28 euros each", "calculate 3 * 28"],
  ["120 rolls for 0.25 each, how much is it?", "calculate 120 * 0.25"],
  ["if the calf weighs 41 kilos, what's that in pounds?", "convert 41 kilos to pounds"],
  ["what is 20% of that plus 5", undefined],
  ["split 1285 euros over 7 members", "calculate 1285 / 7"],
])("%s is a calculation", (request, expected) => {
  expect(calculationInWords(request)).toBe(expected);
});

describe("a calculation with several amounts", () => {
  test.each([
    ["what's the avg of 14.2 15.9 13.8 and 16.5", "calculate (14.2 + 15.9 + 13.8 + 16.5) / 4"],
    ["how much is left from 200 if I spend 37.50 and 62", "calculate 200 - 37.50 - 62"],
    ["add up 12, 7.5 and 30", "calculate 12 + 7.5 + 30"],
    ["what's 6 times 4 and 3 times 4", "calculate 6 times 4 and then calculate 3 times 4"],
    ["3400 litres diesel at 1.12, how much", "calculate 3400 * 1.12"],
    ["if I get 14 an hour and work 6.5 hours what do I get", "calculate 14 * 6.5"],
    ["how much of 174 is vat if it's 20%", "calculate 174 - 174 / (1 + 20%)"],
  ])("%s", (request, expected) => {
    expect(calculationInWords(request)).toBe(expected);
  });

  test("is no list of things", () => {
    expect(calculationInWords("add 2 eggs, 3 apples and 4 plums")).toBeUndefined();
    expect(calculationInWords("beds 3, 5 and 7 are free")).toBeUndefined();
  });
});

test("a result is rounded to pence", () => {
  expect(furtherCalculation("round it to pence", third)).toBe("round 33.333333 to 2 decimals");
});
