import { expect, it } from "vitest";
import { reasonInWords } from "./recall-reason.ts";

it("leaves the names and the figures of the terms out of a reason", () => {
  const reason = "words (has 50 % of the words of the request), meaning (similar in meaning (0.65 of 1))";
  expect(reasonInWords(reason)).toBe("has 50 % of the words of the request, similar in meaning");
  expect(reasonInWords("importance (importance 0.80), pattern (a pattern)")).toBe("importance, a pattern");
  expect(reasonInWords("below the threshold (0.62 of 1)")).toBe("below the threshold");
  expect(reasonInWords("5 others fit better")).toBe("5 others fit better");
});
