import { describe, expect, it } from "vitest";
import { usesMemory } from "./memory-uses.ts";

describe("evidence that a memory was used", () => {
  it.each([
    ["a path", "Default files go to out/drafts/", `{"path":"out/drafts/test.txt"}`, "make test file"],
    ["a number", "The garage code is 48-15-16", "It is 48-15-16.", "what is the garage code?"],
    [
      "half of its words",
      "The garage code is kept in the blue notebook",
      "Look into the blue notebook.",
      "where is the garage code?",
    ],
    [
      "other forms of its words",
      "Ana prefers window seats when flying",
      "A seat at the window was booked for the flight, as Ana prefers.",
      "book a flight for Ana",
    ],
  ])("is %s that the request did not contain", (_what, memory, text, request) => {
    expect(usesMemory(memory, text, request)).toBe(true);
  });

  it.each([
    [
      "only the words of the request",
      "The garage code is in the notebook",
      "The garage code?",
      "garage code",
    ],
    [
      "a path that was asked for",
      "Default files go to out/drafts/",
      "out/drafts/a.txt",
      "write out/drafts/a.txt",
    ],
    ["one word in common", "The heron nests in the willow", "The willow is a tree.", "what is a tree?"],
    [
      "two words in common of many",
      "The heron that nests in the old willow by the mill came back in March with two young ones",
      "A willow by a mill is a good place to rest.",
      "where can I rest?",
    ],
    ["nothing", "The heron nests in the willow", "I do not know.", "where does it nest?"],
    ["no words at all", "?!", "?!", ""],
  ])("is not %s", (_what, memory, text, request) => {
    expect(usesMemory(memory, text, request)).toBe(false);
  });
});
