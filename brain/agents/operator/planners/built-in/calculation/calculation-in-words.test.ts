import { describe, expect, test } from "vitest";
import { rewriteAsCalculation } from "./calculation-in-words.ts";

describe("a question with both its amounts", () => {
  test.each([
    ["hall 6.5 x 4, how many m2", "calculate 6.5 * 4"],
    ["180 guests, 2 rolls of bread each, how many rolls", "calculate 180 * 2"],
    ["36 plums and 9 kids, how many each", "calculate 36 / 9"],
    ["the day costs 420, we are 3 persons, how much for each?", "calculate 420 / 3"],
    ["9 kids, 36 plums, how many plums per kid", "calculate 36 / 9"],
    ["diesel is 1.72 euros for one litre, how much for 40 litres", "calculate 1.72 * 40"],
    ["paint costs 12.50 a tin, what do 8 tins cost", "calculate 12.50 * 8"],
    ["i get 15.40 an hour and did 7.5 hrs, how much is that", "calculate 15.40 * 7.5"],
    ["the drum takes 60 litres and oil is 1.35 a litre, what does it cost", "calculate 60 * 1.35"],
    ["our rent is 720 and i split it with two others, how much each", "calculate 720 / 3"],
  ])("%s", (request, expected) => {
    expect(rewriteAsCalculation(request)).toBe(expected);
  });

  test.each(["180 guests, 2 rolls of bread each", "room 4 x 5"])("is not asked in “%s”", (request) => {
    expect(rewriteAsCalculation(request)).toBeUndefined();
  });
});

test.each([
  ["840 with 15 % off", "calculate 840 - 15%"],
  ["whats 16 hours at 42.50", "calculate 16 * 42.50"],
  ["three nights at 28 euros each", "calculate 3 * 28"],
  ["120 rolls for 0.25 each, how much is it?", "calculate 120 * 0.25"],
  ["if the calf weighs 41 kilos, what's that in pounds?", "convert 41 kilos to pounds"],
  ["what is 20% of that plus 5", undefined],
  ["split 1285 euros over 7 members", "calculate 1285 euros / 7"],
  ["split the bill of €105.43 three ways", "calculate €105.43 / 3"],
  ["our rent is 720 dollars and i split it with two others, how much each", "calculate 720 dollars / 3"],
])("%s is a calculation", (request, expected) => {
  expect(rewriteAsCalculation(request)).toBe(expected);
});

describe("a calculation with several amounts", () => {
  test.each([
    ["what's the avg of 14.2 15.9 13.8 and 16.5", "calculate (14.2 + 15.9 + 13.8 + 16.5) / 4"],
    ["how much is left from 200 if I spend 37.50 and 62", "calculate 200 - 37.50 - 62"],
    ["add up 12, 7.5 and 30", "calculate 12 + 7.5 + 30"],
    ["what's 6 times 4 and 3 times 4", "calculate 6 times 4 and then calculate 3 times 4"],
    ["3400 litres diesel at 1.12, how much", "calculate 3400 * 1.12"],
    ["if I get 14 an hour and work 6.5 hours what do I get", "calculate 14 * 6.5"],
    ["3 tablets a day for 14 days how many is that", "calculate 3 * 14"],
    ["3 coats a wall, 4 walls, how many coats", "calculate 3 * 4"],
    ["12 dozen oysters at 9.80 the dozen", "calculate 12 * 9.80"],
    ["6 rolls at 4.20 a roll plus 10 for delivery", "calculate 6 * 4.20 + 10"],
  ])("%s", (request, expected) => {
    expect(rewriteAsCalculation(request)).toBe(expected);
  });

  test("is no list of things", () => {
    expect(rewriteAsCalculation("add 2 eggs, 3 apples and 4 plums")).toBeUndefined();
    expect(rewriteAsCalculation("beds 3, 5 and 7 are free")).toBeUndefined();
    expect(rewriteAsCalculation("Nesta takes 3 tablets a day for 14 days")).toBeUndefined();
    expect(rewriteAsCalculation("i split 3 cakes with 2 friends")).toBeUndefined();
    expect(rewriteAsCalculation("he works 6 hours and takes a break an hour")).toBeUndefined();
  });
});
