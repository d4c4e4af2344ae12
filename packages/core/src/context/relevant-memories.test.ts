import { describe, expect, it } from "vitest";
import { asksAboutOwn, refersBack } from "./relevant-memories.ts";

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
    "what was the name of the hut again?",
    "what did I eat yesterday?",
    "sort them once more",
    "do it again",
    "try again",
    "c'était quoi, encore ?",
    "wie hieß die Hütte noch mal?",
    "qu'est-ce que j'ai écrit hier ?",
    "¿qué te dije ayer?",
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
    "is the shop still open?",
    "is the shop open again?",
    "who won the match yesterday?",
    "which films came out last week?",
    "remind me to call Ola again on Friday",
    "what happened in Oslo two days ago?",
    "le magasin est-il encore ouvert ?",
    "was ist hier los?",
    "quel temps faisait-il hier à Paris ?",
    "was war gestern in Berlin los?",
    "¿quién ganó ayer?",
    "do you want a poem about the sea?",
    "what is this about?",
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

describe("a text of 200,000 characters", () => {
  // If the work for a character grew with the text, these would take longer than the time limit of a test.
  it.each(["\n", "é", "é\n", "? "])("that repeats %j is read once", (piece) => {
    const text = `${piece.repeat(200_000 / piece.length)}x`;
    expect(refersBack(text)).toBe(false);
    expect(asksAboutOwn(text)).toBe(false);
  });
});
