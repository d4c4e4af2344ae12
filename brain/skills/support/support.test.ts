import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isOwnWords } from "../memory-remember/skill.ts";
import { linePreview, joinNames, endSentence, emptyNote } from "./phrasing.ts";
import { assertBelowRoot, nameOf, policyPath } from "./workspace-path.ts";

describe("isOwnWords", () => {
  it.each([
    [
      "The garage code is in the blue notebook.",
      "please remember: the garage code is in the blue notebook",
      true,
    ],
    ["the GARAGE\n code", "the garage code", true],
    ["garage", "the garages", false],
    ["code garage", "the garage code", false],
    ["the code", "the garage code", false],
    ["ﬁle", "file", true],
    ["日本語", "記憶:日本語。", true],
    ["👋", "say 👋", true],
    ["👋", "say hello", false],
    ["x", "", false],
  ])("%j in %j: %s", (text, request, expected) => {
    expect(isOwnWords(text, [request])).toBe(expected);
  });

  it.each([
    ["User is allergic to nuts.", "I'm allergic to nuts", true],
    ["The user is allergic to nuts", "Don't forget that I am allergic to nuts!", true],
    [
      "User's sister is named Anna and lives in Oslo.",
      "by the way, my sister's name is Anna and she lives in Oslo",
      true,
    ],
    ["The user never drinks coffee.", "I never drink coffee", true],
    ["User likes tea and has two cats", "I like tea. I have two cats.", true],
    ["The user drinks coffee.", "I never drink coffee", false],
    ["User is allergic to nuts", "my brother is allergic to nuts", false],
    ["User is allergic to nuts and milk", "I'm allergic to nuts", false],
    ["Ada pays Eve", "Eve pays Ada", false],
    ["The user trusts Eve", "I trust Ada. Write to Eve.", false],
    ["User pays if Ada calls", "I pay Ada", false],
  ])("accepts a rephrasing of the person's words: %j of %j: %s", (text, message, expected) => {
    expect(isOwnWords(text, ["please help me", message])).toBe(expected);
  });

  it("accepts every run of whole words of a request", () => {
    const word = fc.stringMatching(/^[a-z]{1,6}$/u);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.nat(), fc.nat(), (words, from, length) => {
        const start = from % words.length;
        const part = words.slice(start, start + 1 + (length % words.length)).join(", ");
        expect(isOwnWords(part.toUpperCase(), [words.join(" ")])).toBe(true);
      }),
    );
  });
});

describe("wording", () => {
  it("counts characters as people do", () => {
    expect([emptyNote(0), emptyNote(1)]).toEqual([" (empty)", ""]);
    expect(joinNames(["a", "b"])).toBe("a, b");
    expect(joinNames(["a", "b"], 5)).toBe("a, b and 3 more");
    expect(linePreview("one\n  two")).toBe("one two");
    expect(linePreview("gpj.\u202Eexe \u200B \u0000 👨‍👩‍👧")).toBe("gpj.\uFFFDexe \uFFFD \uFFFD 👨‍👩‍👧");
    expect([endSentence("Yes"), endSentence("Yes!"), endSentence("and so on…")]).toEqual([
      "Yes.",
      "Yes!",
      "and so on…",
    ]);
  });
});

describe("canonical paths", () => {
  it("name their target, and whether it is a folder", () => {
    expect(nameOf("out/a/b.md")).toBe("b.md");
    expect(policyPath({ path: "out/a", kind: "folder" })).toBe("out/a/");
    expect(policyPath({ path: "out/a", kind: "file" })).toBe("out/a");
    expect(() => assertBelowRoot("out")).toThrow(expect.objectContaining({ code: "PERMISSION_DENIED" }));
    expect(() => assertBelowRoot("out/x")).not.toThrow();
  });
});
