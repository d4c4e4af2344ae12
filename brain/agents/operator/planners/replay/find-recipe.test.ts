import { describe, expect, it } from "vitest";
import { looksLikeFunctionInvocation } from "./find-recipe.ts";

describe("functions are looked up", () => {
  it.each([
    "put leeks on the market list",
    "leeks, market list",
    "Dune to Farid",
    "wk 51 rota",
    "thanks, and log the gas meter at 7340",
    "hello there, book the blue room",
    "is the sandwich file there?",
    "lisää tehtävä ostaa maitoa",
    "不要忘记买牛奶",
  ])("for %s", (request) => {
    expect(looksLikeFunctionInvocation(request)).toBe(true);
  });
});

describe("functions are not looked up", () => {
  it.each([
    ["a greeting", "hey, how are you?"],
    ["thanks", "Thank you very much!"],
    ["an answer to a question", "yes"],
    ["laughter", "haha nice"],
    ["nothing", ""],
    ["numbers alone", "17 + 4"],
    ["marks alone", "?!"],
    ["a text to work on", `summarize this: ${"The ferry left late. ".repeat(300)}`],
    ["many words in few letters", "a b ".repeat(100)],
  ])("for %s", (_why, request) => {
    expect(looksLikeFunctionInvocation(request)).toBe(false);
  });
});
