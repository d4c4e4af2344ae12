import { describe, expect, it } from "vitest";
import { asksAboutOwn, refersBack } from "./refers-back.ts";

describe("a request that refers back", () => {
  it.each([
    "what did I say about the rope?",
    "What did you tell me about the hut",
    "which hut did we talk about?",
    "have I ever told you my shoe size?",
    "remember when I asked about the ferry?",
    "do you still remember the name of the hut",
    "we talked about a hut in Norway",
    "you said it would rain",
    "what was my plan for the weekend?",
    "and how long was the rope again?",
    "the list I made last week, please",
    "two days ago I asked for a packing list",
    "remind me what the code was",
    "was habe ich letzte Woche gesagt?",
  ])("is %s", (request) => {
    expect(refersBack(request)).toBe(true);
  });

  it.each([
    "sort the names in names.txt",
    "what is the capital of France?",
    "write a poem about the sea",
    "create a task to call Ola",
    "how was your day?",
    "tell me a joke",
    "ask Ola whether he comes along",
  ])("is not %s", (request) => {
    expect(refersBack(request)).toBe(false);
  });
});

describe("a question about the person's own things", () => {
  it.each(["how long is my rope?", "and the red one?", "where do we meet?"])("is %s", (request) => {
    expect(asksAboutOwn(request)).toBe(true);
  });
  it.each(["sort my list", "what is the capital of France?", "write a poem"])("is not %s", (request) => {
    expect(asksAboutOwn(request)).toBe(false);
  });
});
