import { describe, expect, it } from "vitest";
import { pricedAmounts } from "./priced-amounts.ts";

describe("amounts with nouns and prices", () => {
  it.each([
    ["12 boxes at 3.75 each plus 20 delivery", "12 * 3.75 + 20"],
    ["how much is 3 nights at 85 plus 12 city tax?", "3 * 85 + 12"],
    ["3 coffees at 4.20 and 2 cakes at 5", "3 * 4.20 + 2 * 5"],
    ["what do 4 chairs at €35 cost", "4 * 35"],
    ["2 nights at 90 euros minus a discount of 15", "2 * 90 - 15"],
    ["how much are 6 bottles at 8.90 a bottle", "6 * 8.90"],
  ])("are the calculation they stand for: %s", (text, expression) => {
    expect(pricedAmounts(text)).toBe(expression);
  });

  it.each([
    "3 visits at 5",
    "lunch for 4 at 12",
    "meet at 5",
    "2 eggs and 3 apples",
    "call 2 people at 9 and 3 at 10 about the boat trip on sunday",
    "add 12 boxes at 3.75 each to stock.csv",
  ])("are no calculation without a price: %s", (text) => {
    expect(pricedAmounts(text)).toBeUndefined();
  });

  it("is decided soon for a long text", () => {
    const texts = [
      "1 minus a of ".repeat(15),
      `1 ${"a ".repeat(95)}`,
      "1 a at 2 ".repeat(22),
      `${"1 a plus ".repeat(20)}!`,
    ];
    const started = performance.now();
    for (const text of texts) pricedAmounts(text);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
