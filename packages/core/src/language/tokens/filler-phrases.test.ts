import { describe, expect, it } from "vitest";
import { afterFiller, trailingFiller } from "./filler-phrases.ts";
import { tokenize } from "./tokens.ts";

function order(request: string): string {
  const tokens = tokenize(request);
  return request.slice(tokens[afterFiller(tokens, 0, tokens.length).at]?.start ?? request.length);
}

describe("afterFiller", () => {
  it.each([
    "please read it",
    "Hey, could you please read it",
    "I'd like you to read it",
    "ok now just read it",
    "can you plese read it",
    "would you be so kind as to read it",
    "Hi! Go ahead and read it",
  ])("finds the command in %j", (request) => {
    expect(order(request)).toBe("read it");
  });

  it("skips nothing but filler phrases", () => {
    expect(order("I said read it")).toBe("I said read it");
    expect(order("he can read it")).toBe("he can read it");
  });

  it("recognises a question about ability", () => {
    const tokens = tokenize("can you read files");
    expect(afterFiller(tokens, 0, tokens.length).asksAbility).toBe(true);
  });
});

describe("trailingFiller", () => {
  it.each<[string, number | undefined]>([
    ["please", 1],
    ["for me, please!", 3],
    ["now. Thanks a lot!", 4],
    ["", 0],
    ["tomorrow", undefined],
    ["please tomorrow", undefined],
  ])("counts the words of %j", (words, count) => {
    const tokens = tokenize(words);
    expect(trailingFiller(tokens, 0, tokens.length)).toBe(count);
  });
});
